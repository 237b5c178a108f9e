import BLECore
import BLEHCI

/// A device that has responded to an inquiry (Core 5.4 Vol 4 Part E 7.7.2, 7.7.33, 7.7.38).
public struct InquiredDevice: Hashable, Sendable {
  /// Its address.
  public var address: DeviceAddress
  /// What it says that it is (Assigned Numbers 2.8), 24 bits.
  public var classOfDevice: UInt32
  /// The signal strength in dBm; nil if unknown.
  public var rssi: Int8?
  /// The octets of its Extended Inquiry Response; empty without one.
  public var octets: [UInt8] = []
  /// How often it scans for pages.
  package var repetitionMode: PageScanRepetitionMode
  /// The difference between the clocks.
  package var clockOffset: ClockOffset

  /// The data of its Extended Inquiry Response, structure by structure.
  public var data: AdvertisingData { AdvertisingData(parsing: octets) }

  /// Creates a device of which only the address is known.
  package init(_ address: DeviceAddress) {
    self.address = address
    (classOfDevice, repetitionMode, clockOffset) = (0, .r1, ClockOffset(rawValue: 0))
  }

  package init(_ response: InquiryResponse) {
    address = response.address
    classOfDevice = response.classOfDevice.rawValue
    (repetitionMode, clockOffset) = (response.repetitionMode, response.clockOffset)
  }

  package init(_ response: InquiryResponseWithRSSI, octets: [UInt8] = []) {
    address = response.address
    classOfDevice = response.classOfDevice.rawValue
    rssi = response.rssi
    self.octets = octets
    (repetitionMode, clockOffset) = (response.repetitionMode, response.clockOffset)
  }
}
