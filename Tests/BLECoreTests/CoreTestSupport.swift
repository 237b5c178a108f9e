import BLECore

/// Randomness that is the same in every run.
typealias SeededRandom = SplitMix64

/// An open code of one octet.
struct Colour: OpenCode {
  var rawValue: UInt8
  static let red = Colour(rawValue: 1)
}

/// A set of bits of two octets.
struct Switches: OptionSet, Hashable, Sendable {
  var rawValue: UInt16
  static let light = Switches(rawValue: 0x0001)
  static let heat = Switches(rawValue: 0x8000)
}

/// An entry of a list.
struct Pair: OctetLayout, Hashable {
  var key: UInt8 = 0
  var value: UInt16 = 0
  init() {}
  init(_ key: UInt8, _ value: UInt16) {
    self.key = key
    self.value = value
  }
  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Key", &key)
    try fields.integer("Value", &value)
  }
}

/// Every kind of field of a layout, except those that fill the rest.
struct Everything: OctetLayout, Hashable {
  var octet: UInt8 = 0
  var signed: Int8 = 0
  var word: UInt16 = 0
  var triple: UInt32 = 0
  var double: UInt32 = 0
  var quad: UInt64 = 0
  var colour = Colour(rawValue: 0)
  var switches: Switches = []
  var isOn = false
  var address = DeviceAddress.zero
  var fixed: [UInt8] = []
  var counted: [UInt8] = []
  var pairCount: UInt8 = 0
  var pairs: [Pair] = []
  var inner = Pair()

  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Octet", &octet)
    try fields.integer("Signed", &signed)
    try fields.integer("Word", &word)
    try fields.integer24("Triple", &triple)
    try fields.integer("Double", &double)
    try fields.integer("Quad", &quad)
    try fields.code("Colour", &colour)
    try fields.flags("Switches", &switches)
    try fields.boolean("On", &isOn)
    try fields.address("Address", &address)
    try fields.octets("Fixed", &fixed, count: 3)
    try fields.counted("Counted", &counted)
    try fields.integer("Number of Pairs", &pairCount)
    try fields.list("Pairs", &pairs, count: Int(pairCount))
    try fields.nested(&inner)
  }
}

/// A header and octets that fill the rest.
struct OpenEnded: OctetLayout, Hashable {
  var head: UInt16 = 0
  var rest: [UInt8] = []
  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Head", &head)
    try fields.remainder("Rest", &rest)
  }
}

/// Pairs that fill everything.
struct PairList: OctetLayout, Hashable {
  var pairs: [Pair] = []
  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.remainingList("Pairs", &pairs)
  }
}

/// A UUID that fills everything.
struct TypeOnly: OctetLayout, Hashable {
  var type = BluetoothUUID(0)
  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.uuid("Type", &type)
  }
}

/// No fields.
struct Nothing: OctetLayout, Hashable {
  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}
}

/// A list whose entries have no fields.
struct ListOfNothing: OctetLayout, Hashable {
  var entries: [Nothing] = []
  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.remainingList("Entries", &entries)
  }
}
