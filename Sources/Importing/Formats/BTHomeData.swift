import AccessoryProfile
import BLECore
import BLEGAP

/// Reads the advertising of a BTHome sensor (version 2): its service data or its whole advertising data as hexadecimal digits, or a JSON list of
/// objects, each with a number or name and a value.
struct BTHomeData {
  /// The UUID of BTHome.
  static let service = BluetoothUUID(0xFCD2)
  private let source: ImportSource
  private var context: ImportContext
  private var fields: [Field] = []
  private var names = Naming()

  /// An object with its value.
  private struct Field {
    var object: BTHomeObject
    var name: String
    /// The value as YAML.
    var value: String
    var size: Int
  }

  static func recognizes(_ source: ImportSource) -> Bool {
    if let octets = digits(of: source) { return serviceData(in: octets) != nil }
    guard let root = try? PlacedJSONReader.read(source), let first = (root["objects"] ?? root).elements?.first else {
      return false
    }
    return first["value"] != nil && (first["object_id"] ?? first["object"] ?? first["id"] ?? first["name"]) != nil
  }

  static func read(_ source: ImportSource, _ context: inout ImportContext) throws(ImportError) -> ImportedDatabase {
    var reader = BTHomeData(source: source, context: context)
    defer { context = reader.context }
    if let octets = digits(of: source) { return try reader.database(of: octets) }
    return try reader.database(of: try PlacedJSONReader.read(source))
  }

  private init(source: ImportSource, context: ImportContext) { (self.source, self.context) = (source, context) }

  private static func digits(of source: ImportSource) -> [UInt8]? {
    guard source.octets.count < 4096 else { return nil }
    let text = source.text.trimmingWhitespace
    guard let octets = ValueReading.octets(text), !octets.isEmpty else { return nil }
    return octets
  }

  /// Returns the service data from the device information on. `octets` are service data with or without its UUID, or advertising data.
  private static func serviceData(in octets: [UInt8]) -> [UInt8]? {
    let data = AdvertisingData(parsing: octets)
    if data.octetCount == octets.count {
      for case .serviceData(service, _, let content) in data.structures { return content }
    }
    if octets.starts(with: [0xD2, 0xFC]) { return Array(octets.dropFirst(2)) }
    // Version 2, without reserved bits.
    return octets[0] & 0xFA == 0x40 ? octets : nil
  }

  // MARK: Octets

  private mutating func database(of octets: [UInt8]) throws(ImportError) -> ImportedDatabase {
    guard let data = Self.serviceData(in: octets), let information = data.first else {
      throw source.error(0, "there is no service data of BTHome (UUID FCD2) in these octets")
    }
    guard information >> 5 == 2 else {
      throw source.error(0, "this is version \(information >> 5) of BTHome; only version 2 is known")
    }
    guard information & 0x01 == 0 else {
      throw source.error(0, "the data is encrypted; import the data that the sensor sends without encryption")
    }
    var rest = data.dropFirst()
    while let number = rest.first {
      rest = rest.dropFirst()
      guard let object = BTHomeObject.all[number] else {
        context.log.warn(
          source, 0, "the object 0x\([number].uppercaseHexadecimal) is not known; it and all after it are left out")
        break
      }
      guard let size = object.size ?? rest.first.map({ Int($0) + 1 }), rest.count >= size else {
        context.log.warn(source, 0, "the value of '\(object.name)' is cut off, so it is left out")
        break
      }
      add(object, octets: Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    let name = AdvertisingData(parsing: octets).structures.compactMap { structure -> String? in
      if case .localName(let name, true) = structure { return name }
      return nil
    }.first
    return finished(information, name: name)
  }

  private mutating func add(_ object: BTHomeObject, octets: [UInt8]) {
    let format = ValueFormat(definition: object.yaml) ?? .octets
    let value = ValueText.text(of: octets, in: format) ?? YAMLScalar.octets(octets)
    fields.append(Field(object: object, name: names.unique(object.name), value: value, size: octets.count + 1))
  }

  // MARK: JSON

  private mutating func database(of root: PlacedJSON) throws(ImportError) -> ImportedDatabase {
    guard let elements = (root["objects"] ?? root).elements else {
      throw source.error(root.offset, "a list of objects with a number and a value is expected")
    }
    for element in elements {
      guard let object = object(element), let value = element["value"] else {
        context.log.warn(source, element.offset, "this is not a BTHome object with a value, so it is left out")
        continue
      }
      let format = ValueFormat(definition: object.yaml) ?? .octets
      guard let typed = Self.typed(value), let octets = try? format.encode(typed) else {
        context.log.warn(source, value.offset, "the value does not fit '\(object.name)', so the object is left out")
        continue
      }
      add(object, octets: octets)
    }
    // A packet has its objects in the order of their numbers.
    fields = fields.enumerated().sorted {
      ($0.element.object.number, $0.offset) < ($1.element.object.number, $1.offset)
    }
    .map(\.element)
    return finished(0x40, name: root["name"]?.string)
  }

  private static func typed(_ value: PlacedJSON) -> ProfileValue? {
    if let flag = value.boolean { return .int(flag ? 1 : 0) }
    if let integer = value.integer { return .int(Int64(integer)) }
    return value.number.map { .double($0) } ?? value.string.map { .string($0) }
  }

  /// Returns the object with a number such as 2 or "0x02", or the first one with a name.
  private func object(_ element: PlacedJSON) -> BTHomeObject? {
    for key in ["object_id", "object", "id", "name"] {
      guard let value = element[key] else { continue }
      if let number = value.integer { return UInt8(exactly: number).flatMap { BTHomeObject.all[$0] } }
      guard let text = value.string else { continue }
      if text.hasPrefix("0x") { return UInt8(text.dropFirst(2), radix: 16).flatMap { BTHomeObject.all[$0] } }
      let name = Naming.identifier(from: text) ?? ""
      return BTHomeObject.all.values.filter { $0.name == name }.min { $0.number < $1.number }
    }
    return nil
  }

  // MARK: The profile

  private func finished(_ information: UInt8, name: String?) -> ImportedDatabase {
    var database = ImportedDatabase(name: name ?? "BTHome Sensor")
    var format = ["bthome:", "  struct:"]
    format.append("    version: { format: u8, default: 0x\([information].uppercaseHexadecimal) }")
    var values: [String] = []
    var size = 1
    for field in fields {
      let number = "0x\([field.object.number].uppercaseHexadecimal)"
      format.append("    \(field.name)-is: { format: u8, default: \(number) }")
      format.append("    \(field.name): \(field.object.yaml)")
      // A receiver ignores a packet with the same number as a repetition.
      values.append("\(field.name): \(field.object.number == 0 ? "{ counter: { to: 255 } }" : field.value)")
      size += field.size
    }
    var data = [ImportedKey("flags", "[general]")]
    let isNamed = 3 + 4 + size + 2 + (database.name ?? "").utf8.count <= AdvertisingData.legacyLimit
    if isNamed { data.append(ImportedKey("name", "complete")) }
    var lines = ["service: FCD2", "format: bthome"]
    if values.isEmpty { lines.append("data: {}") } else { lines += ["data:"] + values.map { "  \($0)" } }
    data.append(ImportedKey("service-data", lines.joined(separator: "\n")))
    var set = ImportedAdvertisingSet(data: .keys(data))
    set.isConnectable = false
    if !isNamed { set.scanResponse = .keys([ImportedKey("name", "complete")]) }
    set.schedule = [AdvertisingPhase(interval: .microseconds(1_022_500))]
    set.comments = [
      "The values are those of the source; generators such as { wave: sine, low: 18, high: 23, period: 1 h } make them change."
    ]
    database.advertising = [set]
    database.keys = [
      ImportedKey(
        "formats", format.joined(separator: "\n"),
        comments: ["The number of its object precedes each value. The numbers ascend."])
    ]
    return database
  }
}
