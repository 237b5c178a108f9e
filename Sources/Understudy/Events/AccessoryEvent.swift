import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import PeripheralHost

/// Something that happened, as everybody sees it: the command line, the control API, the log, a test.
public struct AccessoryEvent: Sendable {
  /// Its place among the events of its accessory, from 1. An observer that comes later begins with a later one.
  public var number: UInt64
  /// When, since 1970.
  public var time: Duration
  /// What.
  public var kind: Kind
  /// The characteristic that it is about, where there is one.
  public var characteristic: CharacteristicName?
  /// What was read, written or sent of it, as its format reads the octets; or of a channel that was closed what its sink took.
  public var value: ProfileValue?

  /// An event of a host that no accessory runs.
  package init(
    number: UInt64 = 0, time: Duration, kind: Kind, characteristic: CharacteristicName? = nil,
    value: ProfileValue? = nil
  ) {
    (self.number, self.time, self.kind) = (number, time, kind)
    (self.characteristic, self.value) = (characteristic, value)
  }

  /// Its name, as docs/events.md has it: `connected`, `write`.
  public var name: String { described.name }

  /// The link that it is about; nil for events about none.
  public var connection: ConnectionHandle? {
    described.fields["connection"]?.int.flatMap { UInt16(exactly: $0) }.map { ConnectionHandle(rawValue: $0) }
  }

  /// The octets that were read, written or sent of the characteristic; nil for events about none.
  public var octets: [UInt8]? {
    switch kind {
    case .host(let event): event.octets
    case .logged(let octets): octets
    default: nil
    }
  }

  /// What happened.
  public enum Kind: Sendable {
    /// The controller may connect now, at that port or path.
    case awaitingController(String)
    /// The controller is not there, and waited for; why.
    case controllerMissing(String)
    /// The controller is there, and brought up: its address.
    case controllerFound(String)
    /// The controller was there and is gone; why. It is waited for.
    case controllerLost(String)
    /// Who connected where the controller is awaited is none, and the connection is closed.
    case lineRefused(LineRefusal)
    /// The accessory is on the air.
    case ready(ReadyReport)
    /// Something of the virtual radio that it is on.
    case radio(RadioEvent)
    /// Something of the host.
    case host(HostEvent)
    /// Something of a line behind a channel.
    case bridge(BridgeEvent)
    /// Something of a program of the profile.
    case program(ProgramEvent)
    /// A write that the profile wants logged: its value.
    case logged([UInt8])
    /// Somebody is asked something, or is not any longer.
    case question(QuestionEvent)
    /// What has become of the profile's rules.
    case rule(RuleReport)
    /// What has become of a step that the profile wants done on a central's server.
    case remoteStep(ClientStepReport)
    /// The capture file cannot be written any longer; the accessory goes on.
    case captureFailed(String)
    /// The last packets were saved: the file, how many they are, and why.
    case ringSaved(String, packets: Int, occasion: String)
    /// The accessory is as it was when it last ran; nothing else happens before that.
    case restored(RestoredReport)
    /// A file of what it has kept cannot be taken, and is left out.
    case stateDamaged(StateDamage)
    /// What is to survive cannot be written; why. It is tried again, and the accessory goes on.
    case stateFailed(String)
    /// It is as just started.
    case reset(ResetReport)
    /// A fault that is armed cannot happen with this controller: its id, and why.
    case faultImpossible(String, reason: String)
    /// The accessory could not start, or had to end.
    case failed(AccessoryFailure)
  }
}

/// What a newcomer wants to know of an accessory that is on the air.
public struct ReadyReport: Sendable {
  /// The accessory's name.
  public var name: String
  /// The address it is known under.
  public var address: DeviceAddress
  /// The kind of that address.
  public var addressType: AddressType
  /// The controller, as it is written on the command line.
  public var controller: String
  /// The TCP ports where other hosts can join the virtual radio.
  public var ports: [UInt16]
  /// All places where other hosts can join the virtual radio, as those would write them: `tcp-client:127.0.0.1:7001`.
  public var joining: [String]
  /// The sets that are on the air.
  public var sets: [String]
  /// How people use it; empty where its profile does not say.
  public var instructions: String
}

/// Events that a reader was too slow for stand here, in its stream.
public struct LostEvents: Hashable, Sendable {
  /// How many.
  public var count: Int

  /// That many.
  public init(count: Int) { self.count = count }

  /// The event as one JSON object: `{"count":17,"event":"lost"}`.
  public var json: ProfileValue { .object(["event": .string("lost"), "count": .int(Int64(count))]) }
}

/// How people speak of a characteristic.
public struct CharacteristicName: Hashable, Sendable {
  /// Its id in the profile.
  public var id: String
  /// What kind of value it holds.
  public var uuid: BluetoothUUID

  /// The name of a characteristic.
  public init(id: String, uuid: BluetoothUUID) { (self.id, self.uuid) = (id, uuid) }
}

extension HostEvent {
  /// The characteristic that an event is about.
  package var characteristic: CharacteristicIndex? {
    switch self {
    case .server(_, .subscriptionChanged(let index, _)), .server(_, .read(let index, _)),
      .server(_, .written(let index, _)), .notified(_, let index, _), .notificationDropped(_, let index),
      .indicated(_, let index, _):
      index
    case .injected(_, _, _, let index): index
    default: nil
    }
  }

  /// The octets that were read, written or sent of it.
  package var octets: [UInt8]? {
    switch self {
    case .server(_, .read(_, let octets)), .server(_, .written(_, let octets)), .notified(_, _, let octets),
      .indicated(_, _, let octets):
      octets
    default: nil
    }
  }

  /// Whether it is the answer with which every discovery ends: there is no further attribute (Core 5.4 Vol 3 Part G 4.4 to 4.7).
  package var isEndOfDiscovery: Bool {
    guard case .server(_, .refused(let opcode, _, .attributeNotFound)) = self else { return false }
    return [.findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readByGroupTypeRequest]
      .contains(opcode)
  }
}
