import BLEATT
import BLECore
import BLEGATT
import BLEL2CAP

/// The ATT bearers of a link, as the server on this side uses them: that of the fixed channel, which is always there, and enhanced ones.
struct BearerList: Sendable {
  /// The bearer of the fixed channel.
  var fixed = ServerBearer()
  private var enhanced: [ServerBearer] = []

  /// How many there are.
  var count: Int { 1 + enhanced.count }

  /// Whether there is any on a credit-based channel.
  var hasEnhanced: Bool { !enhanced.isEmpty }

  /// The enhanced bearers, in the order in which they were opened.
  var enhancedIDs: [BearerID] { enhanced.map(\.id) }

  /// A bearer as it is; nil for one that has closed.
  subscript(bearer: BearerID) -> ServerBearer? {
    if bearer == .fixed { return fixed }
    return enhanced.first { $0.id == bearer }
  }

  /// Whether a bearer is there.
  func contains(_ bearer: BearerID) -> Bool { bearer == .fixed || enhanced.contains { $0.id == bearer } }

  /// The enhanced bearer that lies on a channel.
  func bearer(on channel: ChannelID) -> BearerID? {
    for bearer in enhanced where bearer.id.rawValue == channel.rawValue { return bearer.id }
    return nil
  }

  /// Gives a bearer to `body`, to be changed in place; nil for one that has closed.
  mutating func with<Result>(_ bearer: BearerID, _ body: (inout ServerBearer) -> Result) -> Result? {
    if bearer == .fixed { return body(&fixed) }
    guard let place = enhanced.firstIndex(where: { $0.id == bearer }) else { return nil }
    return body(&enhanced[place])
  }

  /// Gives each bearer to `body`, the fixed one first.
  mutating func forEach(_ body: (inout ServerBearer) -> Void) {
    body(&fixed)
    for place in enhanced.indices { body(&enhanced[place]) }
  }

  /// Adds an enhanced bearer.
  mutating func open(_ bearer: ServerBearer) { enhanced.append(bearer) }

  /// Takes an enhanced bearer out; nil for one that has closed.
  mutating func take(_ bearer: BearerID) -> ServerBearer? {
    enhanced.firstIndex { $0.id == bearer }.map { enhanced.remove(at: $0) }
  }

  /// Takes all enhanced bearers out.
  mutating func removeEnhanced() { enhanced = [] }

  /// The bearer that waits for an answer by that ticket.
  func bearer(waitingFor ticket: AnswerTicket) -> BearerID? {
    if fixed.tickets.contains(ticket) { return .fixed }
    return enhanced.first { $0.tickets.contains(ticket) }?.id
  }

  /// When the first transaction of a bearer times out.
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
