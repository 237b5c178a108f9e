import BLECore

extension StructFormat {
  /// Encodes an object.
  func append(_ value: ProfileValue, to octets: inout [UInt8]) throws(ProfileValueError) {
    let given = try ValueFormat.object(value, fields)
    try append(slots: fields.map { given[$0.name] }, to: &octets)
  }

  /// Encodes the values of the slots; nil for missing ones.
  func append(slots: [ProfileValue?], to octets: inout [UInt8]) throws(ProfileValueError) {
    let start = octets.count
    var open: UInt64 = 0
    for index in gates.indices {
      if try isOpen(index, slots) { open |= 1 << UInt64(index) }
    }
    var sizePlace: (at: Int, word: ValueFormat.Word)?
    var last: Int?
    for step in steps {
      switch step {
      case .scalar(let format, let word, let place):
        guard isPresent(place, open, slots) else { continue }
        octets.append(try raw(slots, place.slot) { value throws(ProfileValueError) in try format.raw(value) }, word)
      case .choice(let closed, let opened, let place, let gate):
        guard isPresent(place, open, slots) else { continue }
        let format = open & 1 << UInt64(gate) != 0 ? opened : closed
        let bits = try raw(slots, place.slot) { value throws(ProfileValueError) in try format.raw(value) }
        octets.append(bits, format.word ?? .octet)
      case .value(let format, let place):
        guard isPresent(place, open, slots) else { continue }
        if !format.isSelfDelimiting {
          if let last { throw excluding(last, place.slot) }
          last = place.slot
        }
        let value = try value(slots, place.slot)
        do {
          try format.append(value, to: &octets)
        } catch {
          throw error.inside(fields[place.slot].name)
        }
      case .word(let word, let parts, _): octets.append(try bits(parts, open, slots), word)
      case .size(let word):
        sizePlace = (octets.count, word)
        octets.append(0, word)
      }
    }
    guard let sizePlace else { return }
    let size = UInt64(octets.count - start)
    guard size <= sizePlace.word.greatest else { throw ProfileValueError("\(size) octets are too many") }
    octets.replace(at: sizePlace.at, with: size, sizePlace.word)
  }

  private func bits(
    _ parts: [Bits], _ open: UInt64, _ slots: [ProfileValue?]
  ) throws(ProfileValueError) -> UInt64 {
    var bits: UInt64 = 0
    for part in parts {
      switch part {
      case .slot(let slot, let member, _): bits |= try member.bits(slots[slot] ?? .null)
      case .gate(let gate, let shift): bits |= (open >> UInt64(gate) & 1) << UInt64(shift)
      }
    }
    return bits
  }

  /// Returns whether the bit of a gate is set.
  private func isOpen(_ gate: Int, _ slots: [ProfileValue?]) throws(ProfileValueError) -> Bool {
    if let (slot, narrow) = gates[gate].wide {
      guard isGiven(slots, slot), let value = slots[slot] else { return false }
      if case .integer(let format) = narrow { return format.fittingRaw(value) == nil }
      return (try? narrow.raw(value)) == nil
    }
    if let (slot, member) = gates[gate].selector { return try member.bits(slots[slot] ?? .null) != 0 }
    let set = firstGiven(gates[gate].set, slots)
    let unset = firstGiven(gates[gate].unset, slots)
    if let set, let unset { throw excluding(set, unset) }
    return set != nil || (unset == nil && gates[gate].set.isEmpty)
  }

  private func firstGiven(_ places: [Int], _ slots: [ProfileValue?]) -> Int? {
    for place in places where isGiven(slots, place) { return place }
    return nil
  }

  private func excluding(_ one: Int, _ other: Int) -> ProfileValueError {
    ProfileValueError("'\(fields[one].name)' and '\(fields[other].name)' cannot be combined")
  }

  private func isPresent(_ place: Place, _ open: UInt64, _ slots: [ProfileValue?]) -> Bool {
    if place.isTail { return isGiven(slots, place.slot) }
    guard let gate = place.gate else { return true }
    return (open & 1 << UInt64(gate) != 0) != place.isInverted
  }

  /// Returns whether a value is given. An empty list does not count.
  private func isGiven(_ slots: [ProfileValue?], _ slot: Int) -> Bool {
    switch slots[slot] {
    case nil, .null: return false
    case .array(let members) where members.isEmpty:
      if case .list = fields[slot].format { return false }
      return true
    default: return true
    }
  }

  @inline(__always)
  private func raw(
    _ slots: [ProfileValue?], _ slot: Int, _ code: (ProfileValue) throws(ProfileValueError) -> UInt64
  ) throws(ProfileValueError) -> UInt64 {
    let value = try value(slots, slot)
    do {
      return try code(value)
    } catch {
      throw error.inside(fields[slot].name)
    }
  }

  /// Returns the value of a field, or the derived value, or the default.
  private func value(_ slots: [ProfileValue?], _ slot: Int) throws(ProfileValueError) -> ProfileValue {
    if let value = slots[slot], !value.isNull { return value }
    if case .weekday(let name) = fields[slot].derivation { return weekday(slots, name) }
    guard let value = fields[slot].defaultValue else {
      throw ProfileValueError("'\(fields[slot].name)' is missing")
    }
    return value
  }

  private func weekday(_ slots: [ProfileValue?], _ name: String) -> ProfileValue {
    guard let slot = slot(of: name), case .string(let text)? = slots[slot], let time = CalendarTime(text) else {
      return .int(0)
    }
    return .int(Int64(time.dayOfWeek))
  }

  // MARK: Decoding

  /// Decodes an object from the front of the octets; nil if they are invalid.
  func take(_ cursor: inout OctetCursor) -> ProfileValue? {
    let start = cursor.position
    let end = cursor.end
    var values: [String: ProfileValue] = [:]
    var open: UInt64 = 0
    for step in steps {
      switch step {
      case .scalar(let format, let word, let place):
        guard isPresent(place, open, cursor) else { continue }
        guard let value = cursor.take(word).flatMap({ format.value(raw: $0) }) else { return nil }
        values[fields[place.slot].name] = value
      case .choice(let closed, let opened, let place, let gate):
        guard isPresent(place, open, cursor) else { continue }
        let format = open & 1 << UInt64(gate) != 0 ? opened : closed
        guard let value = cursor.take(format.word ?? .octet).flatMap({ format.value(raw: $0) }) else { return nil }
        values[fields[place.slot].name] = value
      case .value(let format, let place):
        guard isPresent(place, open, cursor) else { continue }
        guard let value = format.take(&cursor) else { return nil }
        // A set bit for a list implies that the list has members.
        if place.gate != nil, value == .array([]) { return nil }
        values[fields[place.slot].name] = value
      case .word(let word, let parts, let assigned):
        guard let bits = cursor.take(word), bits & ~assigned == 0, read(parts, bits, &values, &open) else { return nil }
      case .size(let word):
        guard let size = cursor.take(word), let last = cursor.end(start, size: size) else { return nil }
        cursor.end = last
      }
    }
    guard cursor.end == end || cursor.position == cursor.end else { return nil }
    cursor.end = end
    return .object(values)
  }

  private func read(
    _ parts: [Bits], _ bits: UInt64, _ values: inout [String: ProfileValue], _ open: inout UInt64
  ) -> Bool {
    for part in parts {
      switch part {
      case .gate(let gate, let shift): open |= (bits >> UInt64(shift) & 1) << UInt64(gate)
      case .slot(_, let member, let gate):
        guard let value = member.value(in: bits) else { return false }
        if let gate, bits >> UInt64(member.shift) & member.mask != 0 { open |= 1 << UInt64(gate) }
        values[member.name] = value
      }
    }
    return true
  }

  private func isPresent(_ place: Place, _ open: UInt64, _ cursor: OctetCursor) -> Bool {
    if place.isTail { return cursor.remaining > 0 }
    guard let gate = place.gate else { return true }
    return (open & 1 << UInt64(gate) != 0) != place.isInverted
  }
}

extension [UInt8] {
  /// Appends an integer in whole octets.
  mutating func append(_ bits: UInt64, _ word: ValueFormat.Word) {
    let count = word.octets
    for index in 0..<count {
      append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * (word.isBigEndian ? count - 1 - index : index))))
    }
  }

  /// Overwrites octets with an integer.
  fileprivate mutating func replace(at place: Int, with bits: UInt64, _ word: ValueFormat.Word) {
    var octets: [UInt8] = []
    octets.append(bits, word)
    replaceSubrange(place..<place + octets.count, with: octets)
  }
}

/// Octets that are read from front to back.
struct OctetCursor {
  private let octets: [UInt8]
  private(set) var position = 0
  /// The position after the last octet that may be read.
  var end: Int

  init(_ octets: [UInt8]) {
    self.octets = octets
    end = octets.count
  }

  var remaining: Int { end - position }

  /// Reads an integer; nil if there are too few octets, or if it has too many bits.
  mutating func take(_ word: ValueFormat.Word) -> UInt64? {
    let count = word.octets
    guard remaining >= count else { return nil }
    var bits: UInt64 = 0
    for index in 0..<count {
      bits |= UInt64(octets[position + index]) << UInt64(8 * (word.isBigEndian ? count - 1 - index : index))
    }
    position += count
    return bits <= word.greatest ? bits : nil
  }

  /// Reads a number of octets; nil if there are too few.
  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, remaining >= count else { return nil }
    defer { position += count }
    return octets[position..<position + count]
  }

  /// Reads the octets up to the next 0, and skips the 0; nil if there is none.
  mutating func takeTerminated() -> ArraySlice<UInt8>? {
    guard let last = octets[position..<end].firstIndex(of: 0) else { return nil }
    defer { position = last + 1 }
    return octets[position..<last]
  }

  /// Returns the end of something with a start and a size; nil if it is outside the readable octets.
  func end(_ start: Int, size: UInt64) -> Int? {
    guard let size = Int(exactly: size), size <= end - start, start + size >= position else { return nil }
    return start + size
  }
}
