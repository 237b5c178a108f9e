extension Language {
  /// The tables of BR/EDR.
  static let classicTables = [
    classic, deviceIdentification, serviceRecord, describedProfile, serviceAttribute, dataElement,
  ]

  static let discoverability = ValueType.choice([.names(["general", "no"]), .limitedTime])

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
        name: "discoverable", type: discoverability,
        summary: "Whether inquiries find it: general (default), no, or for how long, in limited discoverable mode."),
      .init(
        name: "connectable", type: .boolean, summary: "Whether it accepts connections over BR/EDR (default: true)."),
      .init(
        name: "role-switch", type: .boolean,
        summary: "Whether the peer may become the peripheral of the connection (default: true)."),
      .init(
        name: "sniff", type: .boolean,
        summary: "Whether the peer may put the connection into sniff mode (default: true)."
      ),
      .init(
        name: "eir", type: .choice([.mapping("advertising-data"), .octets]),
        summary: "The Extended Inquiry Response (default: the name and the UUIDs of the primary services)."),
      .init(
        name: "device-id", type: .mapping("device-id"), summary: "The record of Device Identification."),
      .init(
        name: "sdp", type: .list(.mapping("service-record")),
        summary: "Further service records, also of services that the accessory does not have."),
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

  static let serviceRecord = KeyTable(
    name: "service-record",
    keys: [
      .init(
        name: "classes", type: .list(.uuid), summary: "The service classes, from the most specific one.",
        isRequired: true),
      .init(name: "name", type: .text, summary: "The name of the service."),
      .init(name: "psm", type: .integer(1...0xFFFF), summary: "The PSM of its channel."),
      .init(
        name: "rfcomm", type: .integer(1...30),
        summary: "The server channel of RFCOMM, on which it is then (without 'psm')."),
      .init(name: "profiles", type: .list(.mapping("profile-version")), summary: "The profiles to which it conforms."),
      .init(name: "attributes", type: .list(.mapping("service-attribute")), summary: "Any other attributes."),
    ])

  static let describedProfile = KeyTable(
    name: "profile-version",
    keys: [
      .init(name: "uuid", type: .uuid, summary: "The profile.", isRequired: true),
      .init(
        name: "version", type: .integer(0...0xFFFF), summary: "Its version: 0x0108 is 1.8 (default: 0x0100)."),
    ])

  static let serviceAttribute = KeyTable(
    name: "service-attribute",
    keys: [
      .init(name: "id", type: .integer(1...0xFFFF), summary: "The attribute ID, such as 0x0311.", isRequired: true),
      .init(name: "value", type: .mapping("data-element"), summary: "The value.", isRequired: true),
    ])

  static let dataElement = KeyTable(
    name: "data-element",
    keys: [
      .init(name: "u8", type: .integer(0...0xFF), summary: "An unsigned integer of 1 octet."),
      .init(name: "u16", type: .integer(0...0xFFFF), summary: "An unsigned integer of 2 octets."),
      .init(name: "u32", type: .integer(0...0xFFFF_FFFF), summary: "An unsigned integer of 4 octets."),
      .init(name: "uuid", type: .uuid, summary: "A UUID, in its shortest form."),
      .init(name: "text", type: .text, summary: "Text."),
      .init(name: "boolean", type: .boolean, summary: "True or false."),
      .init(name: "url", type: .text, summary: "A URL."),
      .init(name: "sequence", type: .list(.mapping("data-element")), summary: "Several elements, in order."),
      .init(name: "alternative", type: .list(.mapping("data-element")), summary: "Several elements to choose from."),
    ])
}
