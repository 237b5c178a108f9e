import AccessoryProfile
import BLECore

/// Takes the fields of a JSON object one by one. Fields that are not taken are an error.
struct FieldReading {
  private var fields: [String: ProfileValue]
  /// The object's name in messages.
  private let place: String

  init(_ fields: [String: ProfileValue], place: String = "") { (self.fields, self.place) = (fields, place) }

  /// Reads an object's fields. Throws if the value is not an object.
  init(_ value: ProfileValue, place: String) throws(ProfileValueError) {
    guard case .object(let fields) = value else { throw ProfileValueError("\(place) is not an object") }
    self.init(fields, place: place)
  }

  private func mistake(_ name: String, _ wanted: String) -> ProfileValueError {
    ProfileValueError("\(place.isEmpty ? "" : "\(place).")\(name) is not \(wanted)")
  }

  /// Returns a field; nil if it is missing or null.
  mutating func optional(_ name: String) -> ProfileValue? {
    let value = fields.removeValue(forKey: name)
    return value == .null ? nil : value
  }

  /// Returns whether a field is present and not null.
  func has(_ name: String) -> Bool { fields[name].map { $0 != .null } ?? false }

  mutating func truth(_ name: String) throws(ProfileValueError) -> Bool {
    guard case .bool(let value) = optional(name) else { throw mistake(name, "true or false") }
    return value
  }

  mutating func integer(_ name: String, in range: ClosedRange<Int64>) throws(ProfileValueError) -> Int64 {
    guard case .int(let value) = optional(name), range.contains(value) else {
      throw mistake(name, "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  mutating func text(_ name: String) throws(ProfileValueError) -> String? {
    guard let value = optional(name) else { return nil }
    guard case .string(let text) = value else { throw mistake(name, "a text") }
    return text
  }

  /// Returns octets from hexadecimal digits; nil if the field is missing.
  mutating func octets(_ name: String, count: Int? = nil) throws(ProfileValueError) -> [UInt8]? {
    guard let text = try text(name) else { return nil }
    guard let octets = [UInt8](hexadecimal: text), count == nil || octets.count == count else {
      throw mistake(name, "\(count.map { "\($0) octets" } ?? "octets") in hexadecimal digits")
    }
    return octets
  }

  /// Returns a number of eight octets, least significant first.
  mutating func number(_ name: String) throws(ProfileValueError) -> UInt64 {
    guard let octets = try octets(name, count: 8) else { throw mistake(name, "8 octets in hexadecimal digits") }
    return octets.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func address(_ name: String) throws(ProfileValueError) -> DeviceAddress? {
    guard let text = try text(name) else { return nil }
    guard let address = DeviceAddress(text) else { throw mistake(name, "an address such as C4:12:34:56:78:9A") }
    return address
  }

  mutating func object(_ name: String) throws(ProfileValueError) -> FieldReading? {
    guard let value = optional(name) else { return nil }
    return try FieldReading(value, place: place.isEmpty ? name : "\(place).\(name)")
  }

  mutating func list(_ name: String) throws(ProfileValueError) -> [ProfileValue] {
    guard let value = optional(name) else { return [] }
    guard case .array(let elements) = value else { throw mistake(name, "a list") }
    return elements
  }

  /// Returns all remaining fields, each read by `read`.
  mutating func rest<Value>(
    _ read: (inout FieldReading, String) throws(ProfileValueError) -> Value?
  ) throws(ProfileValueError) -> [String: Value] {
    var values: [String: Value] = [:]
    for name in fields.keys.sorted() {
      guard let value = try read(&self, name) else { throw mistake(name, "a value") }
      values[name] = value
    }
    return values
  }

  /// Throws if any field has not been taken.
  func finish() throws(ProfileValueError) {
    guard let name = fields.keys.min() else { return }
    throw ProfileValueError("there is no field \(place.isEmpty ? "" : "\(place).")\(name)")
  }
}
