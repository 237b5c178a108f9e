import AccessoryProfile
import BLECore
import BLECryptography
import BLEGATT
import BLELink
import BLESMP
import Testing

@testable import Understudy

@Suite("Bonds for other programs, and deliberate damage")
struct BondFormatTests {
  /// Returns a bond from LE Secure Connections: one key for both roles.
  private static func secure() -> BondRecord {
    var record = StateSamples.bond(2)
    record.bond.keyAsPeripheral = LongTermKey(key: Array(0..<16))
    record.bond.keyAsCentral = record.bond.keyAsPeripheral
    record.bond.identityResolvingKey = Array(16..<32)
    record.name = "Phone"
    return record
  }

  /// Returns a bond from LE legacy pairing.
  private static func legacy() -> BondRecord {
    var record = StateSamples.bond(1)
    record.name = "Watch"
    return record
  }

  @Test("The native JSON format keeps everything, alone and in a list")
  func json() throws {
    let bonds = [Self.secure(), Self.legacy()]
    let text = BondFormat.json.text(of: bonds, own: nil)
    #expect(try BondFormat.json.bonds(from: Array(text.utf8), peer: nil) == bonds)
    #expect(BondFormat.guess(Array(text.utf8)) == .json)
    let file = StateDocument.encode(.bond, bonds[0].json)
    #expect(try BondFormat.json.bonds(from: file, peer: nil) == [bonds[0]])
  }

  @Test("Bumble's key store, as Bumble 0.0.2xx writes it")
  func bumble() throws {
    let text = """
      {"F0:F1:F2:F3:F4:F5": {"C4:12:34:56:78:9A": {"address_type": 1,
        "irk": {"authenticated": true, "value": "101112131415161718191a1b1c1d1e1f"},
        "ltk": {"authenticated": true, "value": "000102030405060708090a0b0c0d0e0f"}},
       "00:11:22:33:44:55/P": {"ltk_central": {"authenticated": false, "ediv": 513, "rand": "0100000000000000",
        "value": "ffeeddccbbaa99887766554433221100"}}}}
      """
    #expect(BondFormat.guess(Array(text.utf8)) == .bumble)
    let bonds = try BondFormat.bumble.bonds(from: Array(text.utf8), peer: nil).map(\.bond)
    #expect(
      bonds.map { "\($0.peer.address) \($0.peer.typeText)" } == [
        "00:11:22:33:44:55 public", "C4:12:34:56:78:9A random",
      ])
    #expect(
      bonds[1].keyAsPeripheral == LongTermKey(key: Array(0..<16)) && bonds[1].keyAsCentral == bonds[1].keyAsPeripheral)
    #expect(bonds[1].identityResolvingKey == Array(16..<32))
    #expect(bonds[1].strength == KeyStrength(isAuthenticated: true, isSecureConnections: true, keySize: 16))
    #expect(
      bonds[0].keyAsPeripheral == nil && bonds[0].keyAsCentral?.diversifier == 513 && bonds[0].keyAsCentral?.random == 1
    )
    #expect(!bonds[0].strength.isSecureConnections && !bonds[0].strength.isAuthenticated)
  }

  @Test(
    "Exports for Bumble and BlueZ can be imported, as far as the formats go", arguments: [BondFormat.bumble, .bluez])
  func roundTrips(_ format: BondFormat) throws {
    let bonds = [Self.secure(), Self.legacy()]
    let text = format.text(of: bonds, own: DeviceAddress("C4:00:00:00:00:01"))
    let read = try format.bonds(from: Array(text.utf8), peer: nil)
    for bond in bonds {
      let back = try #require(read.first { $0.peer == bond.peer })
      var expected = bond.bond
      if format == .bumble {
        expected.ownSigning = nil
        expected.peerSigning?.counter = 0
      }
      #expect(back.bond == expected)
    }
    #expect(read.count == 2 && BondFormat.guess(Array(text.utf8)) == format)
  }

  @Test("BlueZ's info file, which does not name its peer")
  func bluez() throws {
    let text = """
      [General]
      Name=Lock
      AddressType=public

      [SlaveLongTermKey]
      Key=000102030405060708090A0B0C0D0E0F
      Authenticated=1
      EncSize=7
      EDiv=65535
      Rand=18446744073709551615

      [IdentityResolvingKey]
      Key=0x101112131415161718191A1B1C1D1E1F
      """
    let peer = try #require(DeviceAddress("00:11:22:33:44:55"))
    let bond = try #require(try BondFormat.bluez.bonds(from: Array(text.utf8), peer: peer).first)
    #expect(bond.name == "Lock" && bond.peer == TypedAddress(address: peer, isRandom: false))
    #expect(bond.bond.keyAsPeripheral == LongTermKey(key: Array(0..<16), diversifier: 0xFFFF, random: .max))
    #expect(bond.bond.keyAsCentral == nil && bond.bond.identityResolvingKey == Array(16..<32))
    #expect(bond.bond.strength == KeyStrength(isAuthenticated: true, isSecureConnections: false, keySize: 7))
    #expect(throws: ProfileValueError.self) { try BondFormat.bluez.bonds(from: Array(text.utf8), peer: nil) }
  }

  @Test("For Wireshark, keys have the most significant octet first")
  func wireshark() {
    let text = BondFormat.wireshark.text(of: [Self.secure()], own: nil)
    #expect(text.contains("# SC LTK\n0x0f0e0d0c0b0a09080706050403020100\n"))
    #expect(text.contains("# IRK\n0x1f1e1d1c1b1a19181716151413121110\n"))
    #expect(
      BondFormat.wireshark.text(of: [Self.legacy()], own: nil).split(separator: "\n").count { $0 == "# Legacy LTK" }
        == 2)
    #expect(throws: ProfileValueError.self) { try BondFormat.wireshark.bonds(from: Array(text.utf8), peer: nil) }
  }

  @Test("Invalid texts are refused", arguments: [BondFormat.json, .bumble, .bluez])
  func nonsense(_ format: BondFormat) {
    let texts = [
      "", "{", "[]", "{\"bonds\": 1}", "{\"bonds\": [1]}", "{\"a\": {\"b\": {}}}",
      "{\"a\": {\"C4:12:34:56:78:9A\": 1}}",
      "{\"a\": {\"C4:12:34:56:78:9A\": {\"ltk\": {\"value\": \"00\"}}}}", "[LongTermKey]\nKey=00\n",
      "# /C4:12:34:56:78:9A/info\n[LongTermKey]\nKey=zz\n",
      "# /C4:12:34:56:78:9A/info\n[LongTermKey]\nKey=000102030405060708090A0B0C0D0E0F\nEDiv=65536\n",
    ]
    for text in texts {
      #expect(throws: ProfileValueError.self, "\(text)") { try format.bonds(from: Array(text.utf8), peer: nil) }
    }
  }

  @Test("Public listings contain no keys")
  func secrets() {
    let bond = Self.secure()
    let text = ProfileValue.object(bond.publicJSON).jsonText
    let keys = [
      bond.bond.keyAsPeripheral?.key, bond.bond.identityResolvingKey, bond.bond.ownSigning?.key,
      bond.bond.peerSigning?.key,
      bond.bond.linkKey,
    ].compactMap(\.self)
    #expect(keys.count == 5)
    for key in keys { #expect(!text.contains(key.hexadecimal)) }
    #expect(bond.publicJSON["id"] == .string("\(bond.peer.address)-random"))
  }

  // MARK: Alterations

  @Test("Each alteration changes what it states, and nothing else")
  func alterations() throws {
    let bond = Self.secure()
    func altered(_ change: BondAlteration, _ expected: (inout BondRecord) -> Void) throws {
      var record = bond
      expected(&record)
      #expect(try bond.altered(change) == record && record != bond)
    }
    let wrong = LongTermKey(key: (0..<16).map { ~$0 })
    try altered(.wrongKey) { ($0.bond.keyAsPeripheral, $0.bond.keyAsCentral) = (wrong, wrong) }
    try altered(.withoutKey) { ($0.bond.keyAsPeripheral, $0.bond.keyAsCentral) = (nil, nil) }
    let short = LongTermKey(key: Array(0..<7) + [UInt8](repeating: 0, count: 9))
    try altered(.keySize(7)) {
      $0.bond.strength.keySize = 7
      ($0.bond.keyAsPeripheral, $0.bond.keyAsCentral) = (short, short)
    }
    try altered(.changedIdentityKey) { $0.bond.identityResolvingKey = (16..<32).map { ~$0 } }
    try altered(.withoutSubscriptions) { $0.gatt.configurations = [:] }
    let second = DeviceAddress.randomStatic(from: 9)
    try altered(.secondIdentity(second)) { $0.bond.peer = TypedAddress(address: second, isRandom: true) }
    for name in BondAlteration.names { #expect(BondAlteration(name, of: bond.peer) != nil) }
    #expect(BondAlteration("other", of: bond.peer) == nil)
  }

  @Test("Missing keys cannot be altered")
  func impossibleAlterations() throws {
    var bond = try Self.secure().altered(.withoutKey)
    bond.bond.identityResolvingKey = nil
    for change: BondAlteration in [
      .wrongKey, .withoutKey, .keySize(7), .changedIdentityKey, .secondIdentity(bond.peer.address),
      .secondIdentity(DeviceAddress(bits: 1)),
    ] {
      #expect(throws: ProfileValueError.self) { try bond.altered(change) }
    }
    #expect(throws: ProfileValueError.self) { try Self.secure().altered(.keySize(17)) }
    #expect(throws: ProfileValueError.self) { try Self.secure().altered(.keySize(7)).altered(.keySize(16)) }
  }

  @Test("A bond is named by its address, and by the address kind if there are two")
  func names() throws {
    let bond = Self.secure()
    var twin = bond
    twin.bond.peer.isRandom = false
    let address = "\(bond.peer.address)"
    #expect(try [bond].named(address) == bond)
    #expect(try [bond].named(address.lowercased()) == bond)
    #expect(throws: BondSelectionError.ambiguous(address)) { try [bond, twin].named(address) }
    #expect(try [bond, twin].named("\(address)-public") == twin)
    #expect(throws: BondSelectionError.unknown("x")) { try [bond].named("x") }
  }
}
