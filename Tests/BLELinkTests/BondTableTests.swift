import BLECore
import BLECryptography
import BLESMP
import Testing

@testable import BLELink

@Suite("The bonds of a host")
struct BondTableTests {
  private static func peer(_ number: UInt64, isRandom: Bool = true) -> TypedAddress {
    TypedAddress(address: DeviceAddress(bits: 0xC000_0000_0000 | number), isRandom: isRandom)
  }

  private static func record(_ number: UInt64, recency: UInt32 = 0) -> BondRecord {
    var bond = Bond(
      peer: peer(number), strength: KeyStrength(isAuthenticated: false, isSecureConnections: false, keySize: 16))
    bond.keyAsPeripheral = LongTermKey(
      key: [UInt8](repeating: UInt8(number), count: 16), diversifier: UInt16(number), random: number)
    var record = BondRecord(bond: bond)
    record.recency = recency
    return record
  }

  @Test("A record replaces an earlier one of its peer, and the role has to learn that")
  func keeping() {
    var table = BondTable()
    table.keep(Self.record(1))
    table.keep(Self.record(2))
    table.isKnownToRole = true
    var named = Self.record(1)
    named.name = "Phone"
    table.keep(named)
    #expect(table.count == 2)
    #expect(table[Self.peer(1)]?.name == "Phone")
    #expect(!table.isKnownToRole)
    let removals = [table.remove(Self.peer(1)), table.remove(Self.peer(1))]
    #expect(removals == [true, false])
    #expect(table.records.map(\.peer) == [Self.peer(2)])
  }

  @Test("A public and a random address are different peers, though their bits are the same")
  func kinds() {
    var table = BondTable()
    table.keep(Self.record(1))
    #expect(table[Self.peer(1, isRandom: false)] == nil)
    #expect(table.record(connectedFrom: Self.peer(1, isRandom: false)) == nil)
  }

  @Test("A peer is found by a private address that its key resolves")
  func resolving() throws {
    var random = SplitMix64(seed: 1)
    let key = try #require(IdentityResolvingKey([UInt8](1...16)))
    let address = key.makeAddress(random: &random)
    var table = BondTable()
    table.keep(Self.record(1))
    #expect(table.record(connectedFrom: TypedAddress(address: address, isRandom: true)) == nil)
    var resolvable = Self.record(2)
    resolvable.bond.identityResolvingKey = [UInt8](1...16)
    table.keep(resolvable)
    #expect(table.record(connectedFrom: TypedAddress(address: address, isRandom: true))?.peer == Self.peer(2))
    // A public address is never private.
    #expect(table.record(connectedFrom: TypedAddress(address: address, isRandom: false)) == nil)
  }

  @Test("A peer is found by the EDIV and Rand of its key, but not by zeros, which Secure Connections use")
  func diversifiers() {
    var table = BondTable()
    table.keep(Self.record(0))
    table.keep(Self.record(7))
    #expect(table.record(random: 7, diversifier: 7)?.peer == Self.peer(7))
    #expect(table.record(random: 7, diversifier: 8) == nil)
    #expect(table.record(random: 0, diversifier: 0) == nil)
  }

  @Test("The most recent peer stays so, another one becomes so")
  func recency() {
    var table = BondTable()
    table.keep(Self.record(1, recency: 4))
    table.keep(Self.record(2, recency: 9))
    #expect(table.visited(Self.record(2, recency: 9), usesPrivateAddress: false).recency == 9)
    #expect(table.visited(Self.record(1, recency: 4), usesPrivateAddress: true).recency == 10)
    #expect(table.byRecency.map(\.peer) == [Self.peer(2), Self.peer(1)])
  }

  @Test("Beyond the limit, the bonds of absent peers go first, the least recent before others, and the new one stays")
  func limit() {
    var table = BondTable()
    for number in 1...5 { table.keep(Self.record(UInt64(number), recency: UInt32(number))) }
    let connected: Set = [Self.peer(1)]
    #expect(table.peers(beyond: 5, keeping: Self.peer(5), connected: connected).isEmpty)
    #expect(table.peers(beyond: 3, keeping: Self.peer(2), connected: connected) == [Self.peer(3), Self.peer(4)])
    let most = table.peers(beyond: 1, keeping: Self.peer(5), connected: connected)
    #expect(most == [2, 3, 4, 1].map { Self.peer($0) })
  }
}
