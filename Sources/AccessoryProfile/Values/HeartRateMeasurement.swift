/// The value of Heart Rate Measurement (2A37, Heart Rate Service 3.1): the fields decide about the flags.
struct HeartRateMeasurement: Hashable {
  /// Beats per minute; one octet up to 255, two above.
  var bpm: UInt16
  /// Whether the sensor touches the skin; nil when the sensor cannot tell.
  var isInContact: Bool?
  /// Energy expended in kilojoules since the last reset.
  var energy: UInt16?
  /// Times between beats in 1/1024 s, the oldest first.
  var rr: [UInt16]

  static let contacts: [ValueFormat.NamedNumber] = [
    .init("unsupported", 0), .init("not-detected", 2), .init("detected", 3),
  ]

  /// The most RR intervals that fit the default MTU beside the other fields.
  static let shortestMaximumOfIntervals = 7

  static let fields: [ValueFormat.Field] = [
    .init("bpm", .integer(IntegerFormat(octets: 2))),
    .init("contact", .named(contacts), defaultValue: .string("unsupported")),
    .init("energy", .integer(IntegerFormat(octets: 2)), defaultValue: .null),
    .init("rr", .list(.integer(IntegerFormat(octets: 2))), defaultValue: .array([])),
  ]

  /// The measurement that an object says.
  init(_ value: ProfileValue) throws(ProfileValueError) {
    let given = try ValueFormat.object(value, Self.fields)
    guard let bpm = given["bpm"] else { throw ProfileValueError("'bpm' is missing") }
    self.bpm = try Self.number(bpm, "bpm")
    switch given["contact"] ?? .string("unsupported") {
    case .string("unsupported"): isInContact = nil
    case .string("detected"): isInContact = true
    case .string("not-detected"): isInContact = false
    case let other:
      throw ProfileValueError("contact: one of detected, not-detected, unsupported is wanted, not \(other)")
    }
    if let energy = given["energy"], energy != .null { self.energy = try Self.number(energy, "energy") }
    rr = []
    switch given["rr"] ?? .null {
    case .null: break
    case .array(let intervals): for interval in intervals { rr.append(try Self.number(interval, "rr")) }
    case let other: throw ProfileValueError("rr: a list of numbers is wanted, not \(other)")
    }
  }

  private static func number(_ value: ProfileValue, _ name: String) throws(ProfileValueError) -> UInt16 {
    guard let number = value.number else { throw ProfileValueError("\(name): a number is wanted, not \(value)") }
    guard let word = UInt16(exactly: number.rounded()) else {
      throw ProfileValueError("\(name): \(value) is not within 0...65535")
    }
    return word
  }

  /// The measurement of octets; nil where they do not fit their flags.
  init?(octets: [UInt8]) {
    guard let flags = octets.first, flags & 0xE0 == 0 else { return nil }
    var rest = octets.dropFirst()
    func word() -> UInt16? {
      guard let low = rest.popFirst(), let high = rest.popFirst() else { return nil }
      return UInt16(low) | UInt16(high) << 8
    }
    guard let bpm = flags & 0x01 != 0 ? word() : rest.popFirst().map({ UInt16($0) }) else { return nil }
    self.bpm = bpm
    isInContact = flags & 0x04 == 0 ? nil : flags & 0x02 != 0
    if flags & 0x08 != 0 {
      guard let energy = word() else { return nil }
      self.energy = energy
    }
    rr = []
    if flags & 0x10 != 0 {
      while let interval = word() { rr.append(interval) }
    }
    guard rest.isEmpty else { return nil }
  }

  /// Flags, then the fields they announce.
  var octets: [UInt8] {
    var flags: UInt8 = bpm > 255 ? 0x01 : 0
    if let isInContact { flags |= isInContact ? 0x06 : 0x04 }
    if energy != nil { flags |= 0x08 }
    if !rr.isEmpty { flags |= 0x10 }
    var octets = [flags, UInt8(truncatingIfNeeded: bpm)]
    if bpm > 255 { octets.append(UInt8(truncatingIfNeeded: bpm >> 8)) }
    for word in (energy.map { [$0] } ?? []) + rr {
      octets.append(UInt8(truncatingIfNeeded: word))
      octets.append(UInt8(truncatingIfNeeded: word >> 8))
    }
    return octets
  }

  /// The fields that are there.
  var value: ProfileValue {
    var fields: [String: ProfileValue] = [
      "bpm": .int(Int64(bpm)),
      "contact": .string(isInContact.map { $0 ? "detected" : "not-detected" } ?? "unsupported"),
    ]
    if let energy { fields["energy"] = .int(Int64(energy)) }
    if !rr.isEmpty { fields["rr"] = .array(rr.map { .int(Int64($0)) }) }
    return .object(fields)
  }
}
