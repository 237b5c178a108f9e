extension Language {
  /// The tables of BR/EDR.
  static let classicTables = [classic, deviceIdentification]

  static let classic = KeyTable(
    name: "classic",
    keys: [
      .init(
        name: "name", type: .text,
        summary: "The device name over BR/EDR, 1 to 248 octets (default: that of the accessory)."),
      .init(
        name: "class", type: .integer(0...0xFF_FFFF),
        summary: "The class of device, such as 0x240418 for headphones (default: 0x1F00, uncategorized)."),
      .init(
        name: "discoverable", type: .choice([.names(["general", "no"]), .limitedTime]),
        summary: "Whether inquiries find it: general (default), no, or for how long, in limited discoverable mode."),
      .init(
        name: "connectable", type: .boolean, summary: "Whether it accepts connections over BR/EDR (default: true)."),
      .init(
        name: "device-id", type: .mapping("device-id"), summary: "The record of Device Identification."),
    ])

  static let deviceIdentification = KeyTable(
    name: "device-id",
    keys: [
      .init(
        name: "vendor", type: .integer(0...0xFFFF), summary: "The vendor's number, such as 0x004C.", isRequired: true),
      .init(
        name: "source", type: .names(["bluetooth", "usb"]),
        summary: "Who assigned that number: Bluetooth SIG (default) or USB Implementers Forum."),
      .init(name: "product", type: .integer(0...0xFFFF), summary: "The model, by the vendor's numbers (default: 0)."),
      .init(
        name: "version", type: .integer(0...0xFFFF),
        summary: "The version, in binary-coded decimals: 0x0123 is 1.2.3 (default: 0x0100)."),
    ])
}
