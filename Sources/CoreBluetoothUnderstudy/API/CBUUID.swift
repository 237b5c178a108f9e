import BLECore
import Foundation

/// A universally unique identifier of Bluetooth Low Energy: 16, 32 or 128 bits.
open class CBUUID: NSObject, NSCopying, @unchecked Sendable {
  let uuid: BluetoothUUID
  /// The number of octets that it was created with: 2, 4 or 16.
  private let octetCount: Int

  init(_ uuid: BluetoothUUID, octetCount: Int? = nil) {
    self.uuid = uuid
    self.octetCount = octetCount ?? uuid.octetCount
  }

  /// Creates an identifier from `180D`, `0000180D` or the 36-character form.
  ///
  /// As in Core Bluetooth, any other string ends the program, because it is a mistake in the app's own code.
  public convenience init(string theString: String) {
    guard let uuid = BluetoothUUID(theString) else {
      preconditionFailure("String \(theString) does not represent a valid UUID")
    }
    let digits = theString.count { $0.isHexDigit }
    self.init(uuid, octetCount: min(digits, 32) / 2)
  }

  /// Creates an identifier from 2, 4 or 16 octets, most significant first.
  ///
  /// As in Core Bluetooth, any other number of octets ends the program.
  public convenience init(data theData: Data) {
    guard let uuid = BluetoothUUID(littleEndianOctets: theData.reversed()) else {
      preconditionFailure("Data \([UInt8](theData).hexadecimal) does not represent a valid UUID")
    }
    self.init(uuid, octetCount: theData.count)
  }

  /// Creates an identifier from a Foundation UUID.
  public convenience init(nsuuid theUUID: UUID) {
    let octets = withUnsafeBytes(of: theUUID.uuid) { Array($0) }
    let (high, low) = (octets[..<8], octets[8...])
    let word = { (octets: ArraySlice<UInt8>) in octets.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    self.init(BluetoothUUID(high: word(high), low: word(low)), octetCount: 16)
  }

  /// The octets, most significant first: 2, 4 or 16.
  open var data: Data {
    let full = uuid.fullLittleEndianOctets.reversed()
    switch octetCount {
    case 2: return Data(full.dropFirst(2).prefix(2))
    case 4: return Data(full.prefix(4))
    default: return Data(full)
    }
  }

  /// The hexadecimal digits: 4, 8, or 32 with hyphens.
  open var uuidString: String {
    let digits = Array([UInt8](data).uppercaseHexadecimal)
    guard digits.count == 32 else { return String(digits) }
    return [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20...]]
      .map { String($0) }.joined(separator: "-")
  }

  /// The assigned name, such as `Heart Rate`; without one, the digits.
  open override var description: String { uuid.assignedName?.displayName ?? uuidString }

  /// Whether both are the same UUID: a short form equals its long form (Core 5.4 Vol 3 Part B 2.5.1).
  open override func isEqual(_ object: Any?) -> Bool { (object as? CBUUID)?.uuid == uuid }

  open override var hash: Int { uuid.hashValue }

  open override func copy() -> Any { self }

  /// Returns the same object, because identifiers do not change.
  public func copy(with zone: NSZone? = nil) -> Any { self }
}

/// The Characteristic Extended Properties descriptor. Its value is a number.
public let CBUUIDCharacteristicExtendedPropertiesString = "2900"
/// The Characteristic User Description descriptor. Its value is a string.
public let CBUUIDCharacteristicUserDescriptionString = "2901"
/// The Client Characteristic Configuration descriptor. Its value is a number.
public let CBUUIDClientCharacteristicConfigurationString = "2902"
/// The Server Characteristic Configuration descriptor. Its value is a number.
public let CBUUIDServerCharacteristicConfigurationString = "2903"
/// The Characteristic Presentation Format descriptor. Its value is data.
public let CBUUIDCharacteristicFormatString = "2904"
/// The Characteristic Aggregate Format descriptor. Its value is data.
public let CBUUIDCharacteristicAggregateFormatString = "2905"
/// The Valid Range descriptor. Its value is data.
public let CBUUIDCharacteristicValidRangeString = "2906"
/// The Observation Schedule descriptor. Its value is data.
public let CBUUIDCharacteristicObservationScheduleString = "2910"
/// The characteristic that contains the PSM of a published channel: 16 bits, least significant octet first.
public let CBUUIDL2CAPPSMCharacteristicString = "ABDD3056-28FA-441D-A470-55A75A52553A"
