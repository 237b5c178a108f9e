import AccessoryProfile
import BLECore
import BLEGATT
import BLEL2CAP
import BLELink
import Faults
import PeripheralHost

/// An accessory as it was at a moment, for going back to it: values, tables, the state of its rules and their variables, services,
/// what it publishes, what is advertised, bonds with the subscriptions that belong to them, how it pairs, the armed faults. Connections and
/// what belongs to them are not in it, nor its identity.
public struct AccessorySnapshot: Sendable {
  let runtime: ProfileRuntime
  let server: GATTServer
  let published: [PublishedChannel]
  let taken: Instant
  let advertising: [String: Bool]
  let security: SecurityDefinition
  let channels: [ChannelDefinition]
  /// What of it would outlive the run.
  let kept: RuntimeState
  /// The bonds that there were.
  public let bonds: [BondRecord]
  /// The faults that were armed. Restored, they count their occasions from none.
  public let faults: [Fault]

  init(
    of stack: HostStack<ProfileRuntime>, _ profile: Profile, security: SecurityDefinition,
    channels: [ChannelDefinition], kept: RuntimeState, at now: Instant
  ) {
    (runtime, server, published) = (stack.application, stack.server, stack.publishedChannels)
    (taken, advertising) = (now, stack.switchedAdvertising)
    (self.security, self.channels, self.kept) = (security, channels, kept)
    bonds = stack.bonds
    // What does not happen any more does not happen again either.
    faults = stack.faultStates.filter { !$0.isSpent }.map(\.fault)
  }

  /// A snapshot of a host that pairs and publishes as its profile says.
  package init(of stack: HostStack<ProfileRuntime>, _ profile: Profile, at now: Instant) {
    self.init(
      of: stack, profile, security: profile.security, channels: profile.channels, kept: RuntimeState(), at: now)
  }

  /// The name of the state that the profile was in; nil where it has none.
  public var profileState: String? { runtime.stateName }

  /// What it has, for JSON.
  func json(id: String) -> ProfileValue {
    let values = server.database.characteristics.compactMap { record -> (String, ProfileValue)? in
      guard runtime.behavior(of: record.index) != nil else { return nil }
      let octets = runtime.presentValue(of: record.index, at: taken) ?? []
      return (
        record.definition.id,
        .object(["hex": .string(octets.hexadecimal), "value": runtime.decode(octets, of: record.index)])
      )
    }
    return .object([
      "id": .string(id), "state": profileState.map { .string($0) } ?? .null,
      "values": .object(Dictionary(values) { first, _ in first }),
      "services": .array(server.database.services.map { .string($0.id) }),
      "published": .array(channels.map { .string($0.id) }),
      "bonds": .array(bonds.map { .string($0.peer.address.description) }),
      "faults": .array(faults.map { .string($0.id) }),
    ])
  }
}

extension HostStack<ProfileRuntime> {
  /// Makes a host of the same profile as it was. `present` are the bonds that there were until now: what their clients know of the
  /// database is theirs, so that they hear of what is other than they know it. To be called before `start`.
  package mutating func resume(
    _ snapshot: AccessorySnapshot, of configuration: HostConfiguration, present: [BondRecord], at now: Instant
  ) {
    disarm()
    resume(snapshot.server, channels: snapshot.published)
    application = snapshot.runtime.resumed(from: snapshot.taken, at: now)
    restoreAdvertising(snapshot.advertising)
    bonds = snapshot.bonds.map { record in
      guard let known = present.first(where: { $0.peer == record.peer })?.gatt else { return record }
      var record = record
      record.gatt.databaseFingerprint = known.databaseFingerprint
      record.gatt.isChangeAware = known.isChangeAware
      record.gatt.unreportedChange = known.unreportedChange
      return record
    }
    // Nobody is connected yet who would have to hear of it.
    var out = HostOutput()
    let sleeping: ApplicationAction = application.isAsleep ? .sleep : .wake
    try? perform(.perform([sleeping]), at: now, into: &out)
    try? perform(.setSecurity(snapshot.security.pairing, snapshot.security.requests), at: now, into: &out)
    let psms = snapshot.channels.compactMap { channel in channel.fixedPSM.map { (channel.id, SPSM(rawValue: $0)) } }
    arm(snapshot.faults, of: configuration, channels: Dictionary(psms) { first, _ in first }, at: now)
  }
}

extension ChannelDefinition {
  fileprivate var fixedPSM: UInt16? { if case .fixed(let psm) = psm { psm } else { nil } }
}
