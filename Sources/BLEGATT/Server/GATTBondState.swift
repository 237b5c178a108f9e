import BLEATT
import BLECore

/// What a server keeps of a client with a bond while it is away (Core 5.4 Vol 3 Part G 2.5.2, 3.3.3.3, 7.2): a value for a store.
public struct GATTBondState: Hashable, Codable, Sendable {
  /// Its Client Characteristic Configurations, by the `id` of the characteristic.
  public var configurations: [String: UInt16] = [:]
  /// Its Client Supported Features.
  public var features: UInt8 = 0
  /// Whether it knew the database.
  public var isChangeAware = true
  /// What the database was when it left.
  public var databaseFingerprint: UInt64 = 0
  /// The first and the last handle that it has not confirmed to know of, by Service Changed; empty for none.
  public var unreportedChange: [UInt16] = []

  /// Nothing is known.
  public init() {}
}

extension GATTServer {
  /// What is to be kept of a client with a bond.
  public func bondState(of session: GATTSession) -> GATTBondState {
    var state = GATTBondState()
    for subscription in session.subscriptions {
      let id = database[subscription.characteristic].definition.id
      state.configurations[id] = subscription.configuration.rawValue
    }
    state.features = session.features.rawValue
    state.isChangeAware = session.awareness == .aware
    state.databaseFingerprint = database.fingerprint
    let open = [session.reportedChange, session.unreportedChange].compactMap { $0 }
    if let first = open.first {
      let range = open.reduce(first) { $0.joined(with: $1) }
      state.unreportedChange = [range.lowerBound, range.upperBound]
    }
    return state
  }

  /// Gives a client back what was kept of it, once it has proved to be the same by encrypting the link. What the database has
  /// lost since is left out. Subscriptions are reported as events; `nextIndication` then gives the Service Changed indication, if
  /// one is due.
  public func restore(_ state: GATTBondState, to session: inout GATTSession, events: inout [ServerEvent]) {
    for record in database.characteristics {
      // What the client has written before it encrypted the link is newer.
      guard let raw = state.configurations[record.definition.id], record.configuration != nil,
        !session.written.contains(record.index)
      else { continue }
      let configuration = ClientConfiguration(rawValue: raw)
      if session.configure(record.index, configuration) {
        events.append(.subscriptionChanged(record.index, configuration))
      }
    }
    session.features.formUnion(ClientFeatures(rawValue: state.features).intersection(.assigned))
    if !state.isChangeAware { session.awareness = .unaware }
    var missed: ClosedRange<UInt16>?
    if state.unreportedChange.count == 2, state.unreportedChange[0] <= state.unreportedChange[1] {
      missed = state.unreportedChange[0]...state.unreportedChange[1]
    }
    if let change = changeSince(state.databaseFingerprint) {
      session.awareness = .unaware
      missed = missed?.joined(with: change) ?? change
    }
    if let missed { report(missed, to: &session) }
  }

  /// The handles that have changed since the database had a fingerprint; nil when it still is the same, all handles when nothing
  /// is known of that state.
  private func changeSince(_ fingerprint: UInt64) -> ClosedRange<UInt16>? {
    guard fingerprint != database.fingerprint else { return nil }
    guard let first = changes.lastIndex(where: { $0.fingerprintBefore == fingerprint }) else { return 0x0001...0xFFFF }
    return changes[first...].dropFirst().reduce(changes[first].affected) { $0.joined(with: $1.affected) }
  }
}
