/// The serial ports of this machine.
package enum SerialPorts {
  /// The folders with links that stay with a device.
  private static let stableFolders = ["/dev/serial/by-id/", "/dev/understudy/"]

  /// Returns the ports on USB, sorted by path. Omits ports on the main board, which udev lists whether they exist or not.
  package static func list() -> [SerialPort] {
    UdevDevice.search(subsystem: "tty", port).sorted { $0.path < $1.path }
  }

  /// Returns the port on USB at a path, with links resolved; nil if there is none.
  package static func port(at path: String) -> SerialPort? {
    guard let device = DeviceNumber(at: path) else { return nil }
    return list().first { DeviceNumber(at: $0.path) == device }
  }

  private static func port(of device: UdevDevice) -> SerialPort? {
    guard let path = device.path, let usb = device.usbDevice else { return nil }
    var port = SerialPort(path: path)
    port.stablePath = stablePath(of: device)
    // Rules set it on the port or on the whole device.
    port.isIgnoredByModemManager = [device, usb].contains { $0.property("ID_MM_DEVICE_IGNORE") == "1" }
    port.vendorID = usb.hexadecimal("idVendor")
    port.productID = usb.hexadecimal("idProduct")
    port.manufacturer = usb.attribute("manufacturer")
    port.product = usb.attribute("product")
    port.serialNumber = usb.attribute("serial")
    port.interface = device.usbInterface?.hexadecimal("bInterfaceNumber")
    return port
  }

  /// Returns the first of the device's links that stays with it.
  private static func stablePath(of device: UdevDevice) -> String? {
    let links = device.property("DEVLINKS")?.split(separator: " ").map { String($0) } ?? []
    for folder in stableFolders {
      if let link = links.sorted().first(where: { $0.hasPrefix(folder) }) { return link }
    }
    return nil
  }
}
