import BLECore

/// A layer of a decoded packet: its fields and their octets.
package struct DecodedLayer: Hashable, Sendable {
  /// The layer, for example `ATT`.
  package var name: String
  /// The packet or PDU, for example `Write Request`.
  package var title: String
  /// Its octets, including those of the layers inside.
  package var octets: [UInt8]
  /// The start of the octets in the record; nil if they were assembled from several packets.
  package var offset: Int?
  /// The fields, with ranges in `octets`.
  package var fields: [DescribedField]
}

/// Collects the fields of octets without a layout of their own.
struct FieldList {
  let octets: [UInt8]
  private(set) var fields: [DescribedField] = []
  private(set) var offset = 0

  /// The end of the octets that the fields may take.
  private let end: Int

  /// Creates an empty list for the octets from `offset` on, up to `end`.
  init(_ octets: [UInt8], from offset: Int = 0, to end: Int? = nil) {
    self.octets = octets
    self.end = end ?? octets.count
    self.offset = min(offset, self.end)
  }

  /// The number of remaining octets.
  var remaining: Int { end - offset }

  /// The remaining octets.
  var rest: ArraySlice<UInt8> { octets[offset..<end] }

  /// The next octet.
  var next: UInt8? { rest.first }

  /// Returns a later little-endian number of at most eight octets, without consuming it.
  func number(at distance: Int, width: Int) -> UInt64? {
    guard has(distance + width) else { return nil }
    return octets[offset + distance..<offset + distance + width].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  }

  /// Returns whether this many octets remain.
  func has(_ count: Int) -> Bool { remaining >= count }

  /// Adds a little-endian number of at most eight octets, or as much of it as exists.
  @discardableResult
  mutating func number(_ name: String, _ width: Int, _ meaning: (UInt64) -> String? = { _ in nil }) -> UInt64? {
    guard has(width) else {
      rest(name)
      return nil
    }
    let range = offset..<offset + width
    let number = octets[range].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    fields.append(
      DescribedField(
        name, String(hexadecimalNumber: octets[range]), meaning: meaning(number), number: number, range: range))
    offset += width
    return number
  }

  /// Adds bits of the previous octet, or of several.
  mutating func bits(_ name: String, _ number: UInt64, back: Int = 1, _ meaning: String? = nil) {
    fields.append(
      DescribedField(name, "\(number)", meaning: meaning, number: number, range: max(0, offset - back)..<offset))
  }

  /// Adds octets. Their meaning is computed only if all of them exist.
  mutating func octets(_ name: String, _ count: Int, meaning: (([UInt8]) -> String?)? = nil) {
    let range = offset..<min(end, offset + max(0, count))
    let value = Array(octets[range])
    fields.append(
      DescribedField(
        name, value.hexadecimal, meaning: value.count == count ? meaning?(value) : nil, range: range))
    offset = range.upperBound
  }

  /// Adds all remaining octets, if any.
  mutating func rest(_ name: String, meaning: (([UInt8]) -> String?)? = nil) {
    if remaining > 0 { octets(name, remaining, meaning: meaning) }
  }

  /// Adds a device address.
  mutating func address(_ name: String) {
    octets(name, 6) { $0.count == 6 ? DeviceAddress(littleEndianOctets: $0).description : nil }
  }

  /// Adds octets with nested fields, whose ranges are in these octets.
  mutating func group(
    _ name: String, _ count: Int, _ value: String = "", meaning: String? = nil, _ fill: (inout FieldList) -> Void
  ) {
    let end = min(end, offset + max(0, count))
    var inner = FieldList(octets, from: offset, to: end)
    fill(&inner)
    inner.rest("Undecoded")
    fields.append(DescribedField(name, value, meaning: meaning, range: offset..<end, children: inner.fields))
    offset = end
  }

  /// Adds the fields of a layout that fill the next `count` octets.
  mutating func layout(_ type: any OctetLayout.Type, _ count: Int) {
    let end = min(end, offset + max(0, count))
    let (described, fault) = type.describe(octets, in: offset..<end)
    fields += described
    offset = described.last?.range.upperBound ?? offset
    if case .truncated = fault {
      octets("Cut Off", end - offset)
    } else if offset < end {
      octets("Undecoded", end - offset)
    }
  }

  /// Adds the fields of a layout that fills the rest, or else all remaining octets.
  mutating func layout(_ type: (any OctetLayout.Type)?, or name: String) {
    if let type { layout(type, remaining) } else { rest(name) }
  }

  /// Changes the last field.
  mutating func amend(_ change: (inout DescribedField) -> Void) {
    if !fields.isEmpty { change(&fields[fields.count - 1]) }
  }

  /// Changes every field, including nested ones.
  mutating func amendAll(_ change: (inout DescribedField) -> Void) {
    func amend(_ fields: inout [DescribedField]) {
      for place in fields.indices {
        amend(&fields[place].children)
        change(&fields[place])
      }
    }
    amend(&fields)
  }
}
