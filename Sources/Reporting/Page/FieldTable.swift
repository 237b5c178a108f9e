import AccessoryProfile
import BLECore
import Decoding

/// Stores each distinct text once, under a number.
struct TextTable {
  /// The maximum length of a text.
  private static let limit = 4000

  private(set) var texts: [ProfileValue] = []
  private var numbers: [String: Int] = [:]

  /// Returns the number of a text.
  mutating func number(of text: String) -> Int {
    if let number = numbers[text] { return number }
    numbers[text] = texts.count
    texts.append(.string(text.utf8.count > Self.limit ? text.prefix(Self.limit) + "…" : text))
    return texts.count - 1
  }
}

/// Stores each distinct layer and field of all packets once. Packets of a kind share most of them, because the table does not store a value that
/// follows from the octets.
///
/// A field is `[name, start, length, value, meaning]` or `[…, [fields]]`, a layer `[name, title, start, length, octets, [fields]]`. Texts and
/// fields are numbers in their tables.
struct FieldTable {
  /// The numbers that replace the text of a value: no value, the octets, or the octets as a little-endian number.
  private enum Derived {
    static let (none, octets, littleEndian) = (-1, -2, -3)
  }

  private struct Field: Hashable {
    var numbers: [Int]
    var children: [Int]
  }

  private struct Layer: Hashable {
    var numbers: [Int]
    var octets: String?
    var fields: [Int]
  }

  var texts = TextTable()
  private(set) var fields: [ProfileValue] = []
  private(set) var layers: [ProfileValue] = []
  private var fieldNumbers: [Field: Int] = [:]
  private var layerNumbers: [Layer: Int] = [:]

  /// Returns the number of a layer of a packet with these octets.
  mutating func number(of layer: DecodedLayer, in packet: [UInt8]) -> Int {
    let start = layer.offset ?? 0
    let isInside =
      start + layer.octets.count <= packet.count
      && packet[start..<start + layer.octets.count].elementsEqual(layer.octets)
    let entry = Layer(
      numbers: [
        texts.number(of: layer.name), texts.number(of: layer.title), isInside ? start : -1, layer.octets.count,
      ],
      octets: isInside ? nil : Base64.text(layer.octets), fields: layer.fields.map { number(of: $0, in: layer.octets) })
    if let number = layerNumbers[entry] { return number }
    layerNumbers[entry] = layers.count
    layers.append(
      .array(
        entry.numbers.map { .int(Int64($0)) } + [
          .string(entry.octets ?? ""), .array(entry.fields.map { .int(Int64($0)) }),
        ]))
    return layers.count - 1
  }

  private mutating func number(of field: DescribedField, in octets: [UInt8]) -> Int {
    let children = field.children.map { number(of: $0, in: octets) }
    let content = octets[field.range.clamped(to: octets.indices)]
    let value =
      field.value.isEmpty
      ? Derived.none
      : field.value == content.hexadecimal
        ? Derived.octets
        : field.value == "0x" + content.reversed().uppercaseHexadecimal
          ? Derived.littleEndian : texts.number(of: field.value)
    let entry = Field(
      numbers: [
        texts.number(of: field.name), field.range.lowerBound, field.range.count, value,
        field.meaning.map { texts.number(of: $0) } ?? Derived.none,
      ], children: children)
    if let number = fieldNumbers[entry] { return number }
    fieldNumbers[entry] = fields.count
    let numbers = entry.numbers.map { ProfileValue.int(Int64($0)) }
    fields.append(.array(children.isEmpty ? numbers : numbers + [.array(children.map { .int(Int64($0)) })]))
    return fields.count - 1
  }
}
