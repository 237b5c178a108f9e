import Glibc

/// A serial port on USB, as in udev.
public struct SerialPort: Hashable, Sendable {
  /// The path of the device, for example `/dev/ttyACM0`. Another device may get it later.
  public var path: String
  /// A path that stays with the device, for example `/dev/serial/by-id/usb-SEGGER_J-Link_000683000001-if00`.
  public var stablePath: String?
  /// The vendor of the USB device.
  public var vendorID: UInt16?
  /// The product number of the USB device.
  public var productID: UInt16?
  /// The manufacturer that the device reports.
  public var manufacturer: String?
  /// The product that the device reports.
  public var product: String?
  /// The serial number of the USB device.
  public var serialNumber: String?
  /// The number of the USB interface, because a debug probe has several ports.
  public var interface: UInt8?
  /// Whether udev tells ModemManager to ignore it (`ID_MM_DEVICE_IGNORE`).
  public var isIgnoredByModemManager = false

  /// Creates a port with this path and nothing else known.
  public init(path: String) { self.path = path }

  /// Returns whether it is the same port of the same device, whatever its path. Devices without a serial number are distinguished only by
  /// their type.
  public func isSame(as other: SerialPort) -> Bool {
    vendorID == other.vendorID && productID == other.productID && serialNumber == other.serialNumber
      && interface == other.interface
  }

  /// Whether the user may read and write it, according to its permissions.
  public var isAccessible: Bool { access(path, R_OK | W_OK) == 0 }

  /// The vendor and product as `1366:1051`; nil if unknown.
  public var usbID: String? { usbIDText(vendorID, productID) }
}
