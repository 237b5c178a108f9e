/// A Bluetooth adapter of this machine that the kernel drives, built in or on USB.
package struct BluetoothAdapter: Hashable, Sendable {
  /// The number that the kernel gave it: 0 for hci0.
  package var index: UInt16
  /// The vendor of the USB device, where it is on USB.
  package var vendorID: UInt16?
  /// The product of the USB device, in the vendor's numbering.
  package var productID: UInt16?
  /// The manufacturer in the USB device's own words.
  package var manufacturer: String?
  /// The product in the USB device's own words.
  package var product: String?

  /// An adapter with that number, of which nothing else is known.
  package init(index: UInt16) { self.index = index }

  /// The kernel's name for it, such as `hci0`.
  package var name: String { "hci\(index)" }

  /// How to open it.
  package var address: ControllerAddress { .hci(index) }

  /// The vendor and product as `0a12:0001`; nil where they are not known.
  package var usbID: String? { usbIDText(vendorID, productID) }

  /// The adapters that udev knows, ordered by number.
  package static func list() -> [BluetoothAdapter] {
    UdevDevice.search(subsystem: "bluetooth", adapter).sorted { $0.index < $1.index }
  }

  private static func adapter(of device: UdevDevice) -> BluetoothAdapter? {
    // Connections are in the subsystem, too: hci0:64, of another type.
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

/// A vendor and product of USB as `1366:1051`; nil where they are not known.
func usbIDText(_ vendorID: UInt16?, _ productID: UInt16?) -> String? {
  func fourDigits(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
  guard let vendorID, let productID else { return nil }
  return "\(fourDigits(vendorID)):\(fourDigits(productID))"
}
