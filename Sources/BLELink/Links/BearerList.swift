import BLEATT
import BLECore
import BLEGATT
import BLEL2CAP

/// The ATT bearers of a link, as the server on this side uses them: the bearer of the fixed channel, which always exists, and enhanced ones.
struct BearerList: Sendable {
  /// The bearer of the fixed channel.
  var fixed = ServerBearer()
  private var enhanced: [ServerBearer] = []

  /// The number of bearers.
  var count: Int { 1 + enhanced.count }

  /// Whether there are enhanced bearers.
  var hasEnhanced: Bool { !enhanced.isEmpty }

  /// The enhanced bearers, in the order in which they were opened.
  var enhancedIDs: [BearerID] { enhanced.map(\.id) }

  /// Returns a bearer; nil if it has closed.
  subscript(bearer: BearerID) -> ServerBearer? {
    if bearer == .fixed { return fixed }
    return enhanced.first { $0.id == bearer }
  }

  /// Returns whether a bearer exists.
  func contains(_ bearer: BearerID) -> Bool { bearer == .fixed || enhanced.contains { $0.id == bearer } }

  /// Returns the enhanced bearer on a channel.
  func bearer(on channel: ChannelID) -> BearerID? {
    for bearer in enhanced where bearer.id.rawValue == channel.rawValue { return bearer.id }
    return nil
  }

  /// Calls `body` with a bearer, to be changed in place; returns nil if the bearer has closed.
  mutating func with<Result>(_ bearer: BearerID, _ body: (inout ServerBearer) -> Result) -> Result? {
    if bearer == .fixed { return body(&fixed) }
    guard let place = enhanced.firstIndex(where: { $0.id == bearer }) else { return nil }
    return body(&enhanced[place])
  }

  /// Calls `body` with each bearer, the fixed one first.
  mutating func forEach(_ body: (inout ServerBearer) -> Void) {
    body(&fixed)
    for place in enhanced.indices { body(&enhanced[place]) }
  }

  /// Adds an enhanced bearer.
  mutating func open(_ bearer: ServerBearer) { enhanced.append(bearer) }

  /// Removes and returns an enhanced bearer; nil if it has closed.
  mutating func take(_ bearer: BearerID) -> ServerBearer? {
    enhanced.firstIndex { $0.id == bearer }.map { enhanced.remove(at: $0) }
  }

  /// Removes all enhanced bearers.
  mutating func removeEnhanced() { enhanced = [] }

  /// Returns the bearer that waits for an answer with that ticket.
  func bearer(waitingFor ticket: AnswerTicket) -> BearerID? {
    if fixed.tickets.contains(ticket) { return .fixed }
    return enhanced.first { $0.tickets.contains(ticket) }?.id
  }

  /// When the next transaction on a bearer times out.
  var deadline: Instant? {
    enhanced.reduce(fixed.att.deadline) { Instant.earliest($0, $1.att.deadline) }
  }
}

extension BearerID {
  /// The channel of an enhanced bearer.
  var channel: ChannelID { ChannelID(rawValue: rawValue) }

  /// The enhanced bearer on a channel.
  init(on channel: ChannelID) { self.init(rawValue: channel.rawValue) }
}
