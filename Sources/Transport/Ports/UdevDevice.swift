import CUdev

/// A device in udev. It is valid as long as the search that found it.
struct UdevDevice {
  private let device: OpaquePointer

  /// Returns the results of `body` for each device of a subsystem, except nil.
  static func search<Result>(subsystem: String, _ body: (UdevDevice) -> Result?) -> [Result] {
    guard let context = udev_new() else { return [] }
    defer { udev_unref(context) }
    guard let search = udev_enumerate_new(context) else { return [] }
    defer { udev_enumerate_unref(search) }
    udev_enumerate_add_match_subsystem(search, subsystem)
    udev_enumerate_scan_devices(search)
    var results: [Result] = []
    var entry = udev_enumerate_get_list_entry(search)
    while let current = entry {
      entry = udev_list_entry_get_next(current)
      guard let device = udev_device_new_from_syspath(context, udev_list_entry_get_name(current)) else { continue }
      defer { udev_device_unref(device) }
      if let result = body(UdevDevice(device: device)) { results.append(result) }
    }
    return results
  }

  /// The path of the device file, for example `/dev/ttyACM0`.
  var path: String? { Self.text(udev_device_get_devnode(device)) }

  /// The kernel's name, for example `hci0`.
  var name: String? { Self.text(udev_device_get_sysname(device)) }

  /// The USB device that it belongs to.
  var usbDevice: UdevDevice? { parent("usb_device") }

  /// The interface of the USB device that it belongs to.
  var usbInterface: UdevDevice? { parent("usb_interface") }

  // Parents live as long as their children.
  private func parent(_ type: String) -> UdevDevice? {
    udev_device_get_parent_with_subsystem_devtype(device, "usb", type).map { UdevDevice(device: $0) }
  }

  /// Returns an attribute in sysfs.
  func attribute(_ name: String) -> String? { Self.text(udev_device_get_sysattr_value(device, name)) }

  /// Returns an attribute that is a hexadecimal number.
  func hexadecimal<Number: FixedWidthInteger>(_ name: String) -> Number? {
    attribute(name).flatMap { Number($0, radix: 16) }
  }

  /// Returns a property set by udev rules.
  func property(_ name: String) -> String? { Self.text(udev_device_get_property_value(device, name)) }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
}
