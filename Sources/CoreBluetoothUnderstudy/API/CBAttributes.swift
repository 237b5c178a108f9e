// Apple's names need no comment of ours.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore
import BLEGATT
import Foundation

/// The base class of services, characteristics and descriptors.
open class CBAttribute: NSObject, @unchecked Sendable {
  /// The UUID of the attribute.
  public let uuid: CBUUID

  init(uuid: CBUUID) { self.uuid = uuid }
}

/// A service of a peripheral.
open class CBService: CBAttribute, @unchecked Sendable {
  @WeakLocked var owner: CBPeripheral?
  @Locked var found: [CBCharacteristic]?
  @Locked var foundIncludes: [CBService]?
  /// Its handles, from the declaration to the last attribute.
  let handles: ClosedRange<UInt16>

  init(_ service: RemoteService, of peripheral: CBPeripheral?) {
    handles = service.handles
    isPrimary = service.isPrimary
    super.init(uuid: CBUUID(service.uuid))
    owner = peripheral
  }

  /// The peripheral; nil when it no longer exists.
  open var peripheral: CBPeripheral? { owner }
  /// Whether it is a primary service.
  public let isPrimary: Bool
  /// The included services that have been discovered.
  open var includedServices: [CBService]? { foundIncludes }
  /// The characteristics that have been discovered.
  open var characteristics: [CBCharacteristic]? { found }

  open override var description: String {
    "<CBService: isPrimary = \(isPrimary ? "YES" : "NO"), UUID = \(uuid)>"
  }
}

/// The properties in the declaration of a characteristic (Core 5.4 Vol 3 Part G 3.3.1.1).
public struct CBCharacteristicProperties: OptionSet, Hashable, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }

  public static let broadcast = CBCharacteristicProperties(rawValue: 0x01)
  public static let read = CBCharacteristicProperties(rawValue: 0x02)
  public static let writeWithoutResponse = CBCharacteristicProperties(rawValue: 0x04)
  public static let write = CBCharacteristicProperties(rawValue: 0x08)
  public static let notify = CBCharacteristicProperties(rawValue: 0x10)
  public static let indicate = CBCharacteristicProperties(rawValue: 0x20)
  public static let authenticatedSignedWrites = CBCharacteristicProperties(rawValue: 0x40)
  public static let extendedProperties = CBCharacteristicProperties(rawValue: 0x80)
  public static let notifyEncryptionRequired = CBCharacteristicProperties(rawValue: 0x100)
  public static let indicateEncryptionRequired = CBCharacteristicProperties(rawValue: 0x200)
}

/// Whether a write has a response.
public enum CBCharacteristicWriteType: Int, Sendable {
  case withResponse = 0
  case withoutResponse = 1
}

/// A characteristic of a peripheral.
open class CBCharacteristic: CBAttribute, @unchecked Sendable {
  @WeakLocked var owner: CBService?
  @Locked var currentValue: Data?
  @Locked var found: [CBDescriptor]?
  @Locked var isSubscribed = false
  /// Its handles and descriptors.
  let remote: RemoteCharacteristic

  init(_ characteristic: RemoteCharacteristic, of service: CBService?) {
    remote = characteristic
    super.init(uuid: CBUUID(characteristic.uuid))
    owner = service
  }

  /// The service; nil when it no longer exists.
  open var service: CBService? { owner }
  /// The declared properties.
  open var properties: CBCharacteristicProperties {
    CBCharacteristicProperties(rawValue: UInt(remote.properties.rawValue))
  }
  /// The last value that was read, notified or indicated.
  open var value: Data? { currentValue }
  /// The descriptors that have been discovered.
  open var descriptors: [CBDescriptor]? { found }
  /// Whether this app gets notifications or indications.
  open var isNotifying: Bool { isSubscribed }
  /// Whether its value may be broadcast. Core Bluetooth no longer supports this; it is always false.
  open var isBroadcasted: Bool { false }

  open override var description: String {
    let octets = currentValue.map { "{length = \($0.count), bytes = 0x\([UInt8]($0).hexadecimal)}" } ?? "(null)"
    let bits = String(properties.rawValue, radix: 16, uppercase: true)
    return "<CBCharacteristic: UUID = \(uuid), properties = 0x\(bits), value = \(octets), "
      + "notifying = \(isSubscribed ? "YES" : "NO")>"
  }
}

/// A descriptor of a characteristic.
open class CBDescriptor: CBAttribute, @unchecked Sendable {
  @WeakLocked var owner: CBCharacteristic?
  @Locked var octets: [UInt8]?
  let handle: UInt16

  init(_ descriptor: RemoteDescriptor, of characteristic: CBCharacteristic?) {
    handle = descriptor.handle
    super.init(uuid: CBUUID(descriptor.uuid))
    owner = characteristic
  }

  /// The characteristic; nil when it no longer exists.
  open var characteristic: CBCharacteristic? { owner }

  /// The last value that was read: a number, a string or data, depending on the descriptor.
  open var value: Any? {
    guard let octets else { return nil }
    switch uuid.uuid.short {
    case 0x2900, 0x2902, 0x2903: return NSNumber(value: octets.prefix(2).reversed().reduce(0) { $0 << 8 | Int($1) })
    case 0x2901: return String(decoding: octets, as: UTF8.self)
    default: return Data(octets)
    }
  }

  open override var description: String {
    "<CBDescriptor: UUID = \(uuid), value = \(value.map { "\($0)" } ?? "(null)")>"
  }
}
