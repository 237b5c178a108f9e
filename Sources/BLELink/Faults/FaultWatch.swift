import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import Faults

/// An event in a host that faults may wait for.
enum FaultEvent {
  case request(ATTOpcode, attribute: UInt16?)
  case push(ATTOpcode, attribute: UInt16)
  case subscription(CharacteristicIndex, isOn: Bool)
  case connected, encrypted, disconnected, parameters, linkKey, discovery
  case paged(DeviceAddress)
  case channelRequest(SPSM)
  case channelOpened(SPSM)
  case sdu(SPSM)
}

/// What a fault waits for, with names resolved to numbers, because it is compared with many events.
struct FaultWatch: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case access(FaultAccess)
    case opcodes([ATTOpcode])
    case push(FaultPush)
    case subscription(isOn: Bool)
    case connected, encrypted, disconnected, parameters, channelRequest, channelOpened, sdu, time
    case paged, linkKey, discovery
  }

  var kind: Kind
  /// The attribute that it refers to; nil for any.
  var attribute: UInt16?
  var characteristic: CharacteristicIndex?
  /// The PSM of the channel; nil for any.
  var psm: SPSM?
  /// Whether what it refers to does not exist at the moment.
  var isMissing = false

  /// Resolves the names of an occasion in a database, and in channels by their ids.
  init(_ occasion: FaultOccasion, in database: AttributeDatabase, channels: [String: SPSM]) {
    switch occasion {
    case .access(let access, let name):
      kind = .access(access)
      guard let name else { return }
      let record = database.characteristic(named: name)
      attribute = access == .subscribe ? record.flatMap { database.configurationHandle(of: $0) } : record?.value
      isMissing = attribute == nil
    case .request(let opcodes): kind = .opcodes(opcodes)
    case .push(let push, let name):
      kind = .push(push)
      guard let name else { return }
      attribute = database.characteristic(named: name)?.value
      isMissing = attribute == nil
    case .subscribed(let name): (kind, characteristic, isMissing) = Self.subscription(name, true, database)
    case .unsubscribed(let name): (kind, characteristic, isMissing) = Self.subscription(name, false, database)
    case .connected: kind = .connected
    case .encrypted: kind = .encrypted
    case .disconnected: kind = .disconnected
    case .parameters: kind = .parameters
    case .paged: kind = .paged
    case .linkKey: kind = .linkKey
    case .discovery: kind = .discovery
    case .channelRequest(let name): (kind, psm, isMissing) = Self.channel(.channelRequest, name, channels)
    case .channelOpened(let name): (kind, psm, isMissing) = Self.channel(.channelOpened, name, channels)
    case .sdu(let name): (kind, psm, isMissing) = Self.channel(.sdu, name, channels)
    case .elapsed, .periodic: kind = .time
    }
  }

  private static func subscription(
    _ name: String?, _ isOn: Bool, _ database: AttributeDatabase
  ) -> (Kind, CharacteristicIndex?, Bool) {
    let index = name.flatMap { database.characteristic(named: $0)?.index }
    return (.subscription(isOn: isOn), index, name != nil && index == nil)
  }

  private static func channel(_ kind: Kind, _ name: String?, _ channels: [String: SPSM]) -> (Kind, SPSM?, Bool) {
    let psm = name.flatMap { channels[$0] }
    return (kind, psm, name != nil && psm == nil)
  }

  /// Returns whether the fault waits for that event. `configurations` are the handles of all Client Characteristic Configurations.
  func matches(_ event: FaultEvent, configurations: Set<UInt16>) -> Bool {
    guard !isMissing else { return false }
    switch (kind, event) {
    case (.access(.subscribe), .request(let opcode, let handle?)):
      return FaultAccess.subscribe.includes(opcode)
        && (attribute.map { $0 == handle } ?? configurations.contains(handle))
    case (.access(let access), .request(let opcode, let handle)):
      return access.includes(opcode) && (attribute == nil || attribute == handle)
    case (.opcodes(let opcodes), .request(let opcode, _)): return opcodes.contains(opcode)
    case (.push(let push), .push(let opcode, let handle)):
      return push.includes(opcode) && (attribute == nil || attribute == handle)
    case (.subscription(let wanted), .subscription(let index, let isOn)):
      return wanted == isOn && (characteristic == nil || characteristic == index)
    case (.connected, .connected), (.encrypted, .encrypted), (.disconnected, .disconnected),
      (.parameters, .parameters), (.paged, .paged), (.linkKey, .linkKey), (.discovery, .discovery):
      return true
    case (.channelRequest, .channelRequest(let other)), (.channelOpened, .channelOpened(let other)),
      (.sdu, .sdu(let other)):
      return psm == nil || psm == other
    default: return false
    }
  }
}

extension AttributeDatabase {
  /// Returns the handle of a characteristic's Client Characteristic Configuration; nil if it has none.
  fileprivate func configurationHandle(of record: CharacteristicRecord) -> UInt16? {
    attributes.first { if case .clientConfiguration(record.index) = $0.role { true } else { false } }?.handle
  }

  /// The handles of all Client Characteristic Configurations.
  var configurationHandles: Set<UInt16> {
    Set(attributes.filter { if case .clientConfiguration = $0.role { true } else { false } }.map(\.handle))
  }
}
