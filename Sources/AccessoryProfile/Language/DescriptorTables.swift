import BLEGATT

extension Language {
  static let descriptorTables = [descriptor, descriptorPermissions, presentationFormat, validRange, reportReference]

  static let handleType = ValueType.integer(1...0xFFFF)

  static let descriptor = KeyTable(
    name: "descriptor",
    keys: [
      .init(name: "uuid", type: .uuid, summary: "The type of the descriptor.", isRequired: true),
      .init(name: "value", type: .octets, summary: "The initial value.", isRequired: true),
      .init(
        name: "permissions", type: .mapping("descriptor-permissions"),
        summary: "Access permissions (default: readable by every client)."),
      .init(name: "max-length", type: .integer(0...512), summary: "The maximum length of a written value, in octets."),
      .init(name: "handle", type: handleType, summary: "Its handle (default: assigned automatically)."),
    ])

  static let descriptorPermissions = KeyTable(
    name: "descriptor-permissions",
    keys: [
      .init(name: "read", type: .names(accessNames), summary: "The security that a reader's link needs."),
      .init(name: "write", type: .names(accessNames), summary: "The security that a writer's link needs."),
      keySize,
    ])

  static let presentationFormat = KeyTable(
    name: "presentation-format",
    keys: [
      .init(
        name: "format", type: .names(PresentationFormat.formats.map(\.name)), summary: "The format of the number.",
        isRequired: true),
      .init(name: "exponent", type: .integer(-128...127), summary: "The exponent, a power of ten."),
      .init(
        name: "unit", type: .choice([.names(PresentationFormat.units.map(\.name)), .integer(0...65_535)]),
        summary: "The unit, by name or number."),
      .init(
        name: "namespace", type: .integer(0...255),
        summary: "The namespace of the description; 1 for the Bluetooth SIG."),
      .init(name: "description", type: .integer(0...65_535), summary: "The number of the description."),
    ])

  static let validRange = KeyTable(
    name: "valid-range",
    keys: [
      .init(
        name: "low", type: .value, summary: "The lowest value, in the format of the characteristic.", isRequired: true),
      .init(name: "high", type: .value, summary: "The highest value.", isRequired: true),
    ])

  /// The report types of a HID device, with their numbers.
  static let reportTypes: [(name: String, number: UInt8)] = [("input", 1), ("output", 2), ("feature", 3)]

  static let reportReference = KeyTable(
    name: "report-reference",
    keys: [
      .init(
        name: "id", type: .integer(0...255), summary: "The report ID in the report map; 0 for none.",
        isRequired: true),
      .init(name: "type", type: .names(reportTypes.map(\.name)), summary: "The report type.", isRequired: true),
    ])
}
