import AccessoryProfile
import BLECore
import Testing

@Suite("Value formats")
struct ValueFormatTests {
  /// Octets, their value in the format of an assigned characteristic, and the value as JSON.
  struct Golden: Sendable {
    var uuid: UInt16
    var octets: [UInt8]
    var value: ProfileValue

    init(_ uuid: UInt16, _ octets: String, _ value: ProfileValue) {
      self.uuid = uuid
      self.octets = [UInt8](hexadecimal: octets) ?? []
      self.value = value
    }
  }

  static let golden: [Golden] = [
    // Heart Rate Measurement: bit 0 width, bits 1-2 contact, bit 3 energy, bit 4 RR.
    Golden(0x2A37, "00 48", .object(["bpm": .int(72), "contact": .string("unsupported")])),
    Golden(0x2A37, "04 48", .object(["bpm": .int(72), "contact": .string("not-detected")])),
    Golden(0x2A37, "06 ff", .object(["bpm": .int(255), "contact": .string("detected")])),
    Golden(0x2A37, "07 00 01", .object(["bpm": .int(256), "contact": .string("detected")])),
    Golden(0x2A37, "0e 48 34 12", .object(["bpm": .int(72), "contact": .string("detected"), "energy": .int(0x1234)])),
    Golden(
      0x2A37, "16 3c 00 04 ff 03",
      .object(["bpm": .int(60), "contact": .string("detected"), "rr": .array([.int(1024), .int(1023)])])),
    Golden(
      0x2A37, "1f 2c 01 ff ff 58 02",
      .object([
        "bpm": .int(300), "contact": .string("detected"), "energy": .int(65535), "rr": .array([.int(600)]),
      ])),
    Golden(0x2A38, "01", .string("chest")),
    Golden(0x2A38, "63", .int(99)),
    Golden(0x2A19, "64", .int(100)),
    // Thursday, 29 February 2024, half a second past 23:59:58, set by hand and another time zone.
    Golden(
      0x2A2B, "e8 07 02 1d 17 3b 3a 04 80 05",
      .object([
        "time": .string("2024-02-29T23:59:58"), "day-of-week": .string("thursday"), "fractions": .int(128),
        "adjust": .array([.string("manual"), .string("time-zone")]),
      ])),
    Golden(0x2A0F, "04 04", .object(["time-zone": .string("+01:00"), "dst": .string("daylight")])),
    Golden(0x2A0F, "d0 00", .object(["time-zone": .string("-12:00"), "dst": .string("standard")])),
    Golden(0x2A0F, "80 ff", .object(["time-zone": .string("unknown"), "dst": .string("unknown")])),
    Golden(0x2A0F, "17 00", .object(["time-zone": .string("+05:45"), "dst": .string("standard")])),
    Golden(
      0x2A14, "01 08 00 01",
      .object([
        "source": .string("network"), "accuracy": .int(8), "days-since-update": .int(0), "hours-since-update": .int(1),
      ])),
    Golden(0x2A29, "41 63 6d 65", .string("Acme")),
    Golden(
      0x2A50, "02 6d 04 77 00 12 01",
      .object(["source": .string("usb"), "vendor": .int(0x046D), "product": .int(0x77), "version": .int(0x0112)])),
    // System ID: a 40-bit identifier, then a 24-bit organisation.
    Golden(
      0x2A23, "9a 78 56 fe ff 34 12 00",
      .object(["manufacturer": .int(0xFF_FE56_789A), "organization": .int(0x001234)])),
    Golden(0x2A6E, "a6 ff", .double(-0.9)),
    Golden(0x2A6F, "88 13", .double(50)),
    Golden(0x2A07, "f8", .int(-8)),
  ]

  @Test(arguments: golden)
  func encodesAndDecodes(_ golden: Golden) throws {
    let format = ValueFormat.assigned(to: BluetoothUUID(golden.uuid))
    #expect(format.decode(golden.octets) == golden.value)
    #expect(try format.encode(golden.value) == golden.octets)
  }

  @Test(arguments: golden)
  func everyFormatTakesOctetsAndGivesThemBackWhereTheyDoNotFit(_ golden: Golden) throws {
    let format = ValueFormat.assigned(to: BluetoothUUID(golden.uuid))
    #expect(try format.encode(.octets([1, 2, 3])) == [1, 2, 3])
    for length in 0..<golden.octets.count {
      let value = format.decode(Array(golden.octets.prefix(length)))
      #expect(try format.encode(value) == Array(golden.octets.prefix(length)))
    }
  }

  @Test(
    arguments: [
      (0x2A37, .object(["bpm": .int(65_536)]), "bpm: 65536 is not within 0...65535"),
      (0x2A37, .object([:]), "'bpm' is missing"),
      (0x2A37, .object(["bpm": .int(1), "rr": .int(5)]), "rr: expected a list, not 5"),
      (
        0x2A37, .object(["bmp": .int(1)]),
        "there is no field 'bmp', did you mean 'bpm'? (known: contact, bpm, energy, rr)"
      ),
      (0x2A38, .string("nose"), "there is no 'nose' here (known: other, chest, wrist, finger, hand, ear-lobe, foot)"),
      (0x2A19, .int(-1), "-1 is not within 0...255"),
      (0x2A19, .string("full"), "expected a number, not \"full\""),
      (0x2A19, .double(0.5), "expected a whole number, not 0.5"),
      (0x2A6E, .double(327.68), "327.68 is not within -327.68...327.67"),
      (0x2A29, .int(5), "expected text, not 5"),
      (
        0x2A0F, .object(["time-zone": .string("+15:00"), "dst": .int(0)]),
        "time-zone: expected a time zone such as +01:00 between -12:00 and +14:00, or unknown, not \"+15:00\""
      ),
      (0xFFF1, .int(5), "expected octets, as {\"hex\": \"0102\"}, not 5"),
    ] as [(UInt16, ProfileValue, String)])
  func refusesWhatDoesNotFit(_ uuid: UInt16, _ value: ProfileValue, _ message: String) {
    let error = #expect(throws: ProfileValueError.self) {
      try ValueFormat.assigned(to: BluetoothUUID(uuid)).encode(value)
    }
    #expect(error?.message == message)
  }

  @Test(
    arguments: [
      ("u8", 1, .int(255), "ff"), ("u16", 2, .int(500), "f401"), ("u24", 3, .int(0x010203), "030201"),
      ("u32", 4, .int(1), "01000000"), ("u64", 8, .int(.max), "ffffffffffffff7f"), ("i8", 1, .int(-1), "ff"),
      ("i16", 2, .int(-32_768), "0080"), ("i24", 3, .int(-2), "feffff"), ("i64", 8, .int(.min), "0000000000000080"),
      ("{ number: u16, decimals: 1 }", 2, .double(1.5), "0f00"), ("bool", 1, .bool(true), "01"),
      ("{ names: { off: 0, on: 1 } }", 1, .string("on"), "01"),
      ("{ flags: { a: 1, b: 0x80 } }", 1, .array([.string("b")]), "80"),
      ("{ list: u16 }", 4, .array([.int(1), .int(2)]), "01000200"),
      ("{ struct: { a: u8, b: utf8 } }", 3, .object(["a": .int(7), "b": .string("hi")]), "076869"),
      ("date-time", 7, .string("1999-12-31T00:00:01"), "cf070c1f000001"),
      ("heart-rate-measurement", 2, .object(["bpm": .int(60), "contact": .string("unsupported")]), "003c"),
    ] as [(String, Int, ProfileValue, String)])
  func formatsOfProfiles(_ name: String, _ length: Int, _ value: ProfileValue, _ octets: String) throws {
    let profile = try characteristic(
      "properties: [read], value: hex:\(String(repeating: "00", count: length)), format: \(name)")
    let format = try #require(profile.behaviors.first?.format)
    #expect(try format.encode(value).hexadecimal == octets)
    #expect(format.decode([UInt8](hexadecimal: octets) ?? []) == value)
  }
}
