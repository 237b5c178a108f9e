import AccessoryProfile
import BLECore
import BLEGATT
import BLEL2CAP
import BLELink
import BLESMP
import Faults
import PeripheralHost

/// The state of an accessory at one moment, for returning to it: values, tables, the state of its rules and
/// their variables, services, publications, advertising, bonds with their subscriptions, pairing settings,
/// armed faults. Connections, their state, and the accessory's identity are not included.
public struct AccessorySnapshot: Sendable {
  let runtime: ProfileRuntime
  let server: GATTServer
  let published: [PublishedChannel]
  let taken: Instant
  let advertising: [String: Bool]
  package let security: SecurityDefinition
  package let channels: [ChannelDefinition]
  /// The part of the snapshot that is stored on disk.
  package let kept: RuntimeState
  /// The bonds at that moment.
  public let bonds: [BondRecord]
  /// The faults that were armed. After restoring, they count their occasions from zero.
  public let faults: [Fault]

  package init(
    of stack: HostStack<ProfileRuntime>, _ profile: Profile, security: SecurityDefinition,
    channels: [ChannelDefinition], kept: RuntimeState, at now: Instant
  ) {
    (runtime, server, published) = (stack.application, stack.server, stack.publishedChannels)
    (taken, advertising) = (now, stack.switchedAdvertising)
    (self.security, self.channels, self.kept) = (security, channels, kept)
    bonds = stack.bonds
    // A fault that is used up stays used up.
    faults = stack.faultStates.filter { !$0.isSpent }.map(\.fault)
  }

  /// Creates a snapshot of a host whose pairing settings and publications are those of its profile.
  package init(of stack: HostStack<ProfileRuntime>, _ profile: Profile, at now: Instant) {
    self.init(
      of: stack, profile, security: profile.security, channels: profile.channels, kept: RuntimeState(), at: now)
  }

  /// The name of the profile's state; nil if the profile has no states.
  public var profileState: String? { runtime.stateName }

  /// Returns the snapshot's contents for JSON.
  package func json(id: String) -> ProfileValue {
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
  /// Restores the snapshot on a new host of the same profile. `present` are the bonds that existed until now. What their clients
  /// know about the database is taken from those, so that they are informed of what has changed since. Call this before `start`.
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
    // No peer is connected that these changes would have to be sent to.
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
