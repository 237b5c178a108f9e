import Glibc

/// A serial port behind USB, as udev knows it.
public struct SerialPort: Hashable, Sendable {
  /// The path of the device, such as `/dev/ttyACM0`; another one may have it after the next plugging in.
  public var path: String
  /// A path that stays with the device, such as `/dev/serial/by-id/usb-SEGGER_J-Link_000683000001-if00`.
  public var stablePath: String?
  /// The vendor of the USB device.
  public var vendorID: UInt16?
  /// The product of the USB device, in the vendor's numbering.
  public var productID: UInt16?
  /// The manufacturer in the device's own words.
  public var manufacturer: String?
  /// The product in the device's own words.
  public var product: String?
  /// The serial number of the USB device.
  public var serialNumber: String?
  /// The number of the USB interface: a debug probe has several ports.
  public var interface: UInt8?
  /// Whether udev tells ModemManager to leave it alone (`ID_MM_DEVICE_IGNORE`).
  public var isIgnoredByModemManager = false

  /// A port with this path, of which nothing else is known.
  public init(path: String) { self.path = path }

  /// Whether it is the same port of the same device, under whatever path. Devices without a serial number are told apart by
  /// their kind only.
  public func isSame(as other: SerialPort) -> Bool {
    vendorID == other.vendorID && productID == other.productID && serialNumber == other.serialNumber
      && interface == other.interface
  }

  /// Whether the user may read and write it, as far as its permissions tell.
  public var isAccessible: Bool { access(path, R_OK | W_OK) == 0 }

  /// The vendor and product as `1366:1051`; nil where they are not known.
  public var usbID: String? { usbIDText(vendorID, productID) }
}
