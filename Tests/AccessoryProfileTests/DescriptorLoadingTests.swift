import BLECore
import BLEGATT
import Testing

@testable import AccessoryProfile

@Suite("Descriptors, extended properties and permissions of configurations")
struct DescriptorLoadingTests {
  /// Returns the characteristic `x` with these keys.
  private func definition(_ keys: String) throws -> CharacteristicDefinition {
    try #require(try characteristic(keys).services.first?.characteristics.first)
  }

  /// Returns the diagnostics for `x`, whose keys begin in column 63.
  private func report(_ keys: String) -> [String] {
    diagnose(
      "understudy: 1\nname: Test\nadvertising: []\n"
        + "services: [ { uuid: FFF0, characteristics: [ { id: x, uuid: FFF1, \(keys) } ] } ]")
  }

  // MARK: Descriptors

  @Test(
    "Keys, and the descriptors that follow from them",
    arguments: [
      ("description: Hi", ["2901 4869"]), ("presentation-format: { format: u8 }", ["2904 04000027010000"]),
      (
        "presentation-format: [ { format: u8 }, { format: i16, exponent: -2, unit: celsius, description: 3 } ]",
        ["2904 04000027010000", "2904 0efe2f27010300", "2905 x"]
      ),
      ("presentation-format: { format: u8 }, aggregate-format: true", ["2904 04000027010000", "2905 x"]),
      ("presentation-format: { format: u8 }, aggregate-format: false", ["2904 04000027010000"]),
      ("presentation-format: [ { format: bool } ], aggregate-format: [x, x]", ["2904 01000027010000", "2905 x x"]),
      ("format: u8, valid-range: { low: 1, high: 99 }", ["2906 0163"]),
      ("format: { number: i16, decimals: 2 }, valid-range: { low: -1.5, high: 20 }", ["2906 6affd007"]),
      ("valid-range: { low: hex:00, high: hex:ff }", ["2906 00ff"]),
      ("report-reference: { id: 3, type: input }", ["2908 0301"]),
      ("report-reference: { id: 0, type: output }", ["2908 0002"]),
      ("report-reference: { id: 255, type: feature }", ["2908 ff03"]),
      ("external-report-reference: battery-level", ["2907 192a"]),
      ("descriptors: [ { uuid: 290A, value: hex:01 } ], description: A", ["2901 41", "290A 01"]),
    ])
  func descriptors(_ keys: String, _ expected: [String]) throws {
    let found = try definition("properties: [read], " + keys).descriptors
    #expect(
      found.map { descriptor in
        ([descriptor.uuid.description] + (descriptor.value.isEmpty ? [] : [descriptor.value.hexadecimal])
          + descriptor.aggregates).joined(separator: " ")
      } == expected)
    #expect(found.allSatisfy { $0.permissions == .readable })
  }

  @Test(
    "Mistakes in descriptors",
    arguments: [
      ("presentation-format: [ { format: u9 } ]", "4:120: error: unknown word 'u9'"),
      ("aggregate-format: true", "4:105: error: there is no 'presentation-format'"),
      ("aggregate-format: []", "4:105: error: expected the ids of characteristics"),
      ("aggregate-format: [y]", "4:106: error: there is no characteristic 'y'"),
      ("aggregate-format: [x]", "4:106: error: 'x' has no presentation format"),
      (
        "presentation-format: [ { format: u8 }, { format: u8 } ], aggregate-format: false",
        "4:162: warning: a characteristic with several"
      ),
      ("format: u8, valid-range: { low: 9, high: 1 }", "4:119: error: the lowest value is greater"),
      (
        "format: u8, value: 200, valid-range: { low: 1, high: 99 }",
        "4:106: warning: the value is outside of its valid-range"
      ),
      ("format: u8, valid-range: { low: 1, high: 256 }", "4:128: error: 256 is not within 0...255"),
      ("valid-range: { low: hex:00 }", "4:100: error: the key 'high' is missing"),
      ("report-reference: { id: 1, type: inputs }", "4:120: error: unknown word 'inputs', did you mean 'input'?"),
      ("report-reference: { id: 256, type: input }", "4:111: error: 256 is not within 0...255"),
      (
        "descriptors: [ { uuid: 290A, value: hex:01, permissions: { subscribe: none } } ]",
        "4:146: error: unknown key 'subscribe'"
      ),
    ])
  func mistakes(_ keys: String, _ expected: String) {
    let found = report("properties: [read], " + keys)
    #expect(found.count == 1 && found[0].hasPrefix(expected), "\(found)")
  }

  // MARK: Extended properties

  @Test(
    "Extended properties imply the property and the descriptor",
    arguments: [
      ("[read, write, reliable-write]", ExtendedProperties.reliableWrite, 0x8A),
      ("[read, writable-auxiliaries]", .writableAuxiliaries, 0x82),
      ("[write, extended, reliable-write, writable-auxiliaries]", [.reliableWrite, .writableAuxiliaries], 0x88),
    ] as [(String, ExtendedProperties, UInt8)])
  func extended(_ words: String, _ expected: ExtendedProperties, _ properties: UInt8) throws {
    let found = try definition("properties: \(words), description: Hi")
    #expect(found.extendedProperties == expected)
    #expect(found.properties.rawValue == properties)
    let isWritable = expected.contains(.writableAuxiliaries)
    #expect(found.descriptors == [.userDescription("Hi", maximumLength: isWritable ? 512 : nil)])
    #expect(found.descriptors[0].permissions == (isWritable ? .readableAndWritable : .readable))
    #expect(found.propertyNames.suffix(expected.presentNames.count) == expected.presentNames[...])
  }

  @Test(
    "Mistakes in extended properties",
    arguments: [
      ("properties: [read, reliable-write]", ["4:86: error: the properties lack 'write'"]),
      ("properties: [read, writable-auxiliaries]", ["4:86: error: there is no 'description' to write"]),
      (
        "properties: [write, reliable-write], descriptors: [ { uuid: 2900, value: hex:0100 } ]",
        ["4:87: error: the descriptor 2900 already defines this; remove one of them"]
      ),
      ("properties: [write, reliable-write, reliable-write]", ["4:103: warning: 'reliable-write' is given twice"]),
    ])
  func extendedMistakes(_ keys: String, _ expected: [String]) { #expect(report(keys) == expected) }

  // MARK: Configurations

  @Test(
    "Permissions for subscribing",
    arguments: [
      ("none", AccessRequirement.open), ("encrypted", AccessRequirement(protection: .encrypted)),
      ("secure-connections", AccessRequirement(protection: .secureConnections)), ("forbidden", nil),
    ] as [(String, AccessRequirement?)])
  func subscribe(_ word: String, _ expected: AccessRequirement?) throws {
    let found = try definition("properties: [read, notify], permissions: { subscribe: \(word) }")
    #expect(found.configurationPermissions == AttributePermissions(read: .open, write: expected))
    #expect(found.permissions == .readable)
  }

  @Test(
    "Permissions for values with only signed writes",
    arguments: [
      ("none", AccessRequirement.open), ("encrypted", AccessRequirement(protection: .encrypted)),
      ("secure-connections", AccessRequirement(protection: .secureConnections)), ("forbidden", nil),
    ] as [(String, AccessRequirement?)])
  func signedWrite(_ word: String, _ expected: AccessRequirement?) throws {
    let found = try definition("properties: [read, signed-write], permissions: { write: \(word) }")
    #expect(found.permissions == AttributePermissions(read: .open, write: nil, signedWrite: expected))
  }

  @Test("A service's authorization is added")
  func authorization() throws {
    let loaded = try profile(
      """
      services:
        - uuid: FFF0
          authorization: granted
          characteristics: [ { uuid: FFF1, properties: [notify], permissions: { subscribe: encrypted } } ]
      """)
    let found = try #require(loaded.services.first?.characteristics.first).configurationPermissions
    #expect(found.read == AccessRequirement(needsAuthorization: true))
    #expect(found.write == AccessRequirement(protection: .encrypted, needsAuthorization: true))
  }

  @Test("Without a configuration there are no subscriptions")
  func noConfiguration() {
    let found = report("properties: [read], permissions: { subscribe: none }")
    #expect(found == ["4:113: error: the properties lack 'notify', 'indicate' or 'broadcast'"])
    #expect(report("properties: [broadcast], permissions: { subscribe: none }").isEmpty)
  }
}
