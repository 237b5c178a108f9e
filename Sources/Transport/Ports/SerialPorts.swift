import CUdev

/// The serial ports of this machine.
public enum SerialPorts {
  /// Where links that stay with a device are.
  private static let stableFolders = ["/dev/serial/by-id/", "/dev/understudy/"]

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

  /// The port behind USB that a path leads to, itself or by links; nil when it is none.
  public static func port(at path: String) -> SerialPort? {
    guard let device = DeviceNumber(at: path) else { return nil }
    return list().first { DeviceNumber(at: $0.path) == device }
  }

  private static func port(of device: OpaquePointer) -> SerialPort? {
    guard let path = text(udev_device_get_devnode(device)) else { return nil }
    // The parent lives as long as the device.
    guard let usb = udev_device_get_parent_with_subsystem_devtype(device, "usb", "usb_device") else { return nil }
    func attribute(_ name: String) -> String? { text(udev_device_get_sysattr_value(usb, name)) }
    var port = SerialPort(path: path)
    port.stablePath = stablePath(of: device)
    // Rules set it on the port or on the whole device.
    port.isIgnoredByModemManager = [device, usb].contains {
      text(udev_device_get_property_value($0, "ID_MM_DEVICE_IGNORE")) == "1"
    }
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

  /// The first of the device's links that stays with it.
  private static func stablePath(of device: OpaquePointer) -> String? {
    let links = text(udev_device_get_property_value(device, "DEVLINKS"))?.split(separator: " ").map { String($0) } ?? []
    for folder in stableFolders {
      if let link = links.sorted().first(where: { $0.hasPrefix(folder) }) { return link }
    }
    return nil
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
}
