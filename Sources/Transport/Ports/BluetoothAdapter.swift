/// A Bluetooth adapter of this machine with a kernel driver, built in or on USB.
package struct BluetoothAdapter: Hashable, Sendable {
  /// The number in the kernel: 0 for hci0.
  package var index: UInt16
  /// The vendor of the USB device, if it is on USB.
  package var vendorID: UInt16?
  /// The product number of the USB device.
  package var productID: UInt16?
  /// The manufacturer that the USB device reports.
  package var manufacturer: String?
  /// The product that the USB device reports.
  package var product: String?

  /// Creates an adapter with this number and nothing else known.
  package init(index: UInt16) { self.index = index }

  /// The kernel's name, for example `hci0`.
  package var name: String { "hci\(index)" }

  /// The address that opens it.
  package var address: ControllerAddress { .hci(index) }

  /// The vendor and product as `0a12:0001`; nil if unknown.
  package var usbID: String? { usbIDText(vendorID, productID) }

  /// Returns the adapters that udev knows, sorted by number.
  package static func list() -> [BluetoothAdapter] {
    UdevDevice.search(subsystem: "bluetooth", adapter).sorted { $0.index < $1.index }
  }

  private static func adapter(of device: UdevDevice) -> BluetoothAdapter? {
    // The subsystem also has connections, such as hci0:64, of another type.
    guard let name = device.name, name.hasPrefix("hci"), let index = UInt16(name.dropFirst(3)) else { return nil }
    var adapter = BluetoothAdapter(index: index)
    let usb = device.usbDevice
    adapter.vendorID = usb?.hexadecimal("idVendor")
    adapter.productID = usb?.hexadecimal("idProduct")
    adapter.manufacturer = usb?.attribute("manufacturer")
    adapter.product = usb?.attribute("product")
    return adapter
  }
}

/// Returns a vendor and product of USB as `1366:1051`; nil if unknown.
func usbIDText(_ vendorID: UInt16?, _ productID: UInt16?) -> String? {
  func fourDigits(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
  guard let vendorID, let productID else { return nil }
  return "\(fourDigits(vendorID)):\(fourDigits(productID))"
}
