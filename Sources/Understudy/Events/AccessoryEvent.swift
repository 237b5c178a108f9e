import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import PeripheralHost

/// Something that happened, as all observers see it: the command line, the control API, the log, a test.
public struct AccessoryEvent: Sendable {
  /// The number of the event among those of its accessory, from 1. The first event that a later observer gets has a higher number.
  public var number: UInt64
  /// When it happened, since 1970.
  public var time: Duration
  /// What happened.
  public var kind: Kind
  /// The characteristic that it concerns, if any.
  public var characteristic: CharacteristicName?
  /// The value that was read, written or sent, decoded by the characteristic's format; or, for a closed channel, what its sink received.
  public var value: ProfileValue?

  /// Creates an event of a host that belongs to no accessory.
  package init(
    number: UInt64 = 0, time: Duration, kind: Kind, characteristic: CharacteristicName? = nil,
    value: ProfileValue? = nil
  ) {
    (self.number, self.time, self.kind) = (number, time, kind)
    (self.characteristic, self.value) = (characteristic, value)
  }

  /// The event's name, as in docs/events.md: `connected`, `write`.
  public var name: String { described.name }

  /// The link that it concerns, if any.
  public var connection: ConnectionHandle? {
    described.fields["connection"]?.int.flatMap { UInt16(exactly: $0) }.map { ConnectionHandle(rawValue: $0) }
  }

  /// The octets of the characteristic that were read, written or sent, if any.
  public var octets: [UInt8]? {
    switch kind {
    case .host(let event): event.octets
    case .logged(let octets), .rule(.changed(_, let octets)): octets
    default: nil
    }
  }

  /// The kinds of events.
  public enum Kind: Sendable {
    /// The accessory waits for the controller to connect to that port or path.
    case awaitingController(String)
    /// The controller is missing, and the accessory waits for it; with the reason.
    case controllerMissing(String)
    /// The controller is present, and its initialization starts; with its address.
    case controllerFound(String)
    /// The controller has disappeared, and the accessory waits for it; with the reason.
    case controllerLost(String)
    /// A connection was closed that was expected to come from the controller but did not.
    case lineRefused(LineRefusal)
    /// The accessory is on the air.
    case ready(ReadyReport)
    /// An event of the accessory's virtual radio.
    case radio(RadioEvent)
    /// An event of the host.
    case host(HostEvent)
    /// An event of a line that is bridged to a channel.
    case bridge(BridgeEvent)
    /// An event of a program of the profile.
    case program(ProgramEvent)
    /// The value of a write that the profile wants logged.
    case logged([UInt8])
    /// A question was asked or has ended.
    case question(QuestionEvent)
    /// A report of the profile's rules.
    case rule(RuleReport)
    /// The outcome of a step that the profile performs on a central's server.
    case remoteStep(ClientStepReport)
    /// The capture file can no longer be written; the accessory continues.
    case captureFailed(String)
    /// The most recent packets were saved: the file, their number, and the occasion.
    case ringSaved(String, packets: Int, occasion: String)
    /// The state of the previous run was restored. Only `stateDamaged` can come before this event.
    case restored(RestoredReport)
    /// A file of the stored state is unusable, and is ignored.
    case stateDamaged(StateDamage)
    /// State cannot be written; with the reason. It will be retried, and the accessory continues.
    case stateFailed(String)
    /// The accessory was reset.
    case reset(ResetReport)
    /// An armed fault is impossible with this controller: its id, and the reason.
    case faultImpossible(String, reason: String)
    /// The accessory could not start, or had to end.
    case failed(AccessoryFailure)
  }
}

/// What a new observer needs to know about an accessory that is on the air.
public struct ReadyReport: Sendable {
  /// The accessory's name.
  public var name: String
  /// The address that it is known by.
  public var address: DeviceAddress
  /// The type of that address.
  public var addressType: AddressType
  /// The controller, as on the command line.
  public var controller: String
  /// The TCP ports at which other hosts can join the virtual radio.
  public var ports: [UInt16]
  /// All addresses at which other hosts can join the virtual radio, in the syntax that those use: `tcp-client:127.0.0.1:7001`.
  public var joining: [String]
  /// The advertising sets that are on the air.
  public var sets: [String]
  /// The profile's instructions for people; empty if it has none.
  public var instructions: String
}

/// Marks where events are missing in a stream, because its reader was too slow.
public struct LostEvents: Hashable, Sendable {
  /// The number of missing events.
  public var count: Int

  /// Creates the mark for that many events.
  public init(count: Int) { self.count = count }

  /// The event as one JSON object: `{"count":17,"event":"lost"}`.
  public var json: ProfileValue { .object(["event": .string("lost"), "count": .int(Int64(count))]) }
}
