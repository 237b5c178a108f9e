import BLECore

/// The formats that assigned characteristics have by themselves.
enum AssignedFormats {
  /// The format of a characteristic; nil where none is known.
  static func format(of uuid: BluetoothUUID) -> ValueFormat? { uuid.short.flatMap { table[$0] } }

  private static let byte = ValueFormat.integer(IntegerFormat(octets: 1))

  private static let table: [UInt16: ValueFormat] = {
    var table: [UInt16: ValueFormat] = [
      0x2A06: .named([.init("none", 0), .init("mild", 1), .init("high", 2)]),
      0x2A07: .integer(IntegerFormat(octets: 1, isSigned: true)),
      0x2A08: .dateTime,
      0x2A0E: .timeZone,
      0x2A0F: localTimeInformation,
      0x2A14: referenceTimeInformation,
      0x2A19: byte,
      0x2A23: .structure([
        .init("manufacturer", .integer(IntegerFormat(octets: 5))),
        .init("organization", .integer(IntegerFormat(octets: 3))),
      ]),
      0x2A2B: .currentTime,
      0x2A37: .heartRateMeasurement,
      0x2A38: .named(bodySensorLocations),
      0x2A50: .structure([
        .init("source", .named([.init("sig", 1), .init("usb", 2)])),
        .init("vendor", .integer(IntegerFormat(octets: 2))),
        .init("product", .integer(IntegerFormat(octets: 2))),
        .init("version", .integer(IntegerFormat(octets: 2))),
      ]),
      0x2A6C: .integer(IntegerFormat(octets: 3, isSigned: true, decimals: 2)),
      0x2A6D: .integer(IntegerFormat(octets: 4, decimals: 1)),
      0x2A6E: .integer(IntegerFormat(octets: 2, isSigned: true, decimals: 2)),
      0x2A6F: .integer(IntegerFormat(octets: 2, decimals: 2)),
      0x2A76: byte,
      0x2A7B: .integer(IntegerFormat(octets: 1, isSigned: true)),
    ]
    // Names and revisions of Device Information, Device Name, and names of people and objects.
    for text: UInt16 in [
      0x2A00, 0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28, 0x2A29, 0x2A3D, 0x2A87, 0x2A8A, 0x2A90, 0x2ABE,
    ] {
      table[text] = .text
    }
    return table
  }()

  static let bodySensorLocations: [ValueFormat.NamedNumber] = [
    .init("other", 0), .init("chest", 1), .init("wrist", 2), .init("finger", 3), .init("hand", 4), .init("ear-lobe", 5),
    .init("foot", 6),
  ]

  private static let weekdays: [ValueFormat.NamedNumber] = [
    .init("unknown", 0), .init("monday", 1), .init("tuesday", 2), .init("wednesday", 3), .init("thursday", 4),
    .init("friday", 5), .init("saturday", 6), .init("sunday", 7),
  ]

  /// Exact Time 256 and Adjust Reason (Current Time Service 3.1.1).
  static let currentTimeFields: [ValueFormat.Field] = [
    .init("time", .dateTime),
    // Follows from the time where it is not given.
    .init("day-of-week", .named(weekdays), defaultValue: .null),
    .init("fractions", byte, defaultValue: .int(0)),
    .init(
      "adjust", .flags([.init("manual", 1), .init("external", 2), .init("time-zone", 4), .init("dst", 8)]),
      defaultValue: .array([])),
  ]

  static let localTimeInformation = ValueFormat.structure([
    .init("time-zone", .timeZone),
    .init(
      "dst",
      .named([
        .init("standard", 0), .init("half-hour", 2), .init("daylight", 4), .init("double", 8), .init("unknown", 255),
      ])),
  ])

  private static let referenceTimeInformation = ValueFormat.structure([
    .init(
      "source",
      .named([
        .init("unknown", 0), .init("network", 1), .init("gps", 2), .init("radio", 3), .init("manual", 4),
        .init("atomic", 5), .init("cellular", 6), .init("not-synchronized", 7),
      ])),
    .init("accuracy", byte, defaultValue: .int(255)),
    .init("days-since-update", byte, defaultValue: .int(255)),
    .init("hours-since-update", byte, defaultValue: .int(255)),
  ])
}

extension ValueFormat {
  /// The format that a characteristic has by its UUID; octets where none is known.
  public static func assigned(to uuid: BluetoothUUID) -> ValueFormat { AssignedFormats.format(of: uuid) ?? .octets }
}
