import CUdev

/// A serial port behind USB, as udev knows it.
public struct SerialPort: Hashable, Sendable {
  /// The path of the device, such as `/dev/ttyACM0`.
  public var path: String
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

  /// A port with this path, of which nothing else is known.
  public init(path: String) { self.path = path }
}

/// The serial ports of this machine.
public enum SerialPorts {
  /// The ports behind USB, ordered by path. Ports on the main board are left out: udev lists them whether they exist or not.
  public static func list() -> [SerialPort] {
    guard let context = udev_new() else { return [] }
    defer { udev_unref(context) }
    guard let search = udev_enumerate_new(context) else { return [] }
    defer { udev_enumerate_unref(search) }
    udev_enumerate_add_match_subsystem(search, "tty")
    udev_enumerate_scan_devices(search)
    var ports: [SerialPort] = []
    var entry = udev_enumerate_get_list_entry(search)
    while let current = entry {
      entry = udev_list_entry_get_next(current)
      guard let device = udev_device_new_from_syspath(context, udev_list_entry_get_name(current)) else { continue }
      defer { udev_device_unref(device) }
      if let port = port(of: device) { ports.append(port) }
    }
    return ports.sorted { $0.path < $1.path }
  }

  private static func port(of device: OpaquePointer) -> SerialPort? {
    guard let path = text(udev_device_get_devnode(device)) else { return nil }
    // The parent lives as long as the device.
    guard let usb = udev_device_get_parent_with_subsystem_devtype(device, "usb", "usb_device") else { return nil }
    func attribute(_ name: String) -> String? { text(udev_device_get_sysattr_value(usb, name)) }
    var port = SerialPort(path: path)
    port.vendorID = attribute("idVendor").flatMap { UInt16($0, radix: 16) }
    port.productID = attribute("idProduct").flatMap { UInt16($0, radix: 16) }
    port.manufacturer = attribute("manufacturer")
    port.product = attribute("product")
    port.serialNumber = attribute("serial")
    if let interface = udev_device_get_parent_with_subsystem_devtype(device, "usb", "usb_interface") {
      port.interface = text(udev_device_get_sysattr_value(interface, "bInterfaceNumber")).flatMap {
        UInt8($0, radix: 16)
      }
    }
    return port
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
}
