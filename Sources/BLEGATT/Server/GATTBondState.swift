import BLEATT
import BLECore

/// The state that a server stores of a bonded client while it is disconnected (Core 5.4 Vol 3 Part G 2.5.2, 3.3.3.3, 7.2).
public struct GATTBondState: Hashable, Codable, Sendable {
  /// Its Client Characteristic Configurations, by the `id` of the characteristic.
  public var configurations: [String: UInt16] = [:]
  /// Its Client Supported Features.
  public var features: UInt8 = 0
  /// Whether it was change-aware.
  public var isChangeAware = true
  /// The fingerprint of the database when it disconnected.
  public var databaseFingerprint: UInt64 = 0
  /// The first and the last handle whose Service Changed indication it has not confirmed; empty for none.
  public var unreportedChange: [UInt16] = []

  /// Creates the state of an unknown client.
  public init() {}
}

extension GATTServer {
  /// Returns the state to store of a bonded client.
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

  /// Restores the stored state of a client that has proved its identity by encrypting the link. Omits what the database has lost since.
  /// Reports subscriptions as events. Afterwards `nextIndication` returns the Service Changed indication if one is due.
  public func restore(_ state: GATTBondState, to session: inout GATTSession, events: inout [ServerEvent]) {
    for record in database.characteristics {
      // A configuration that the client has written before it encrypted the link is newer.
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

  /// Returns the handles changed since the database had this fingerprint; nil if it is unchanged, all handles if that state is unknown.
  private func changeSince(_ fingerprint: UInt64) -> ClosedRange<UInt16>? {
    guard fingerprint != database.fingerprint else { return nil }
    guard let first = changes.lastIndex(where: { $0.fingerprintBefore == fingerprint }) else { return 0x0001...0xFFFF }
    return changes[first...].dropFirst().reduce(changes[first].affected) { $0.joined(with: $1.affected) }
  }
}
