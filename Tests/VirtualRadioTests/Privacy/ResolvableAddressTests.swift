import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Resolvable private addresses")
struct ResolvableAddressTests {
  /// The sample data of Core 5.4 Vol 3 Part H D.7.
  private func sampleKey() throws -> IdentityResolvingKey {
    let octets = try #require([UInt8](hexadecimal: "ec0234a357c8ad05341010a60a397d9b"))
    return try #require(IdentityResolvingKey(littleEndian: octets.reversed()))
  }

  @Test("ah matches the sample data of Core 5.4 Vol 3 Part H D.7, and the address from it resolves")
  func sample() throws {
    let key = try sampleKey()
    #expect(key.hash(of: 0x708194) == 0x0DFBAA)
    let address = DeviceAddress(bits: 0x7081_940D_FBAA)
    #expect(address.isResolvablePrivate)
    #expect(key.resolves(address))
    for bit in UInt64(0)..<48 where bit != 46 && bit != 47 {
      #expect(!key.resolves(DeviceAddress(bits: address.bits ^ 1 << bit)), "bit \(bit)")
    }
  }

  @Test("addresses of other kinds are not resolved, whatever their hash", arguments: [0x00, 0x80, 0xC0] as [UInt64])
  func otherKinds(top: UInt64) throws {
    let key = try sampleKey()
    let prand = UInt32(top << 16 | 0x1234)
    let address = DeviceAddress(bits: UInt64(prand) << 24 | UInt64(key.hash(of: prand)))
    #expect(!key.resolves(address))
  }

  @Test("generated addresses differ, have the two top bits 01, and only their key resolves them")
  func made() throws {
    let key = try sampleKey()
    let other = try #require(IdentityResolvingKey(littleEndian: Array(repeating: 7, count: 16)))
    var random = SplitMix64(seed: 3)
    let addresses = (0..<200).map { _ in key.makeAddress(random: &random) }
    #expect(Set(addresses).count == 200)
    #expect(addresses.allSatisfy { $0.bits >> 46 == 0b01 && $0.isResolvablePrivate && key.resolves($0) })
    #expect(!addresses.contains { other.resolves($0) })
    var again = SplitMix64(seed: 3)
    #expect(key.makeAddress(random: &again) == addresses[0])
  }

  @Test("a key of zeros counts as no key")
  func zeros() { #expect(IdentityResolvingKey(littleEndian: Array(repeating: 0, count: 16)) == nil) }

  @Test("rounds begin at every timeout; a new timeout counts from when it is set, and keeps the round")
  func rotation() {
    var rotation = AddressRotation()
    let begin = Instant.zero
    #expect(rotation.round(at: begin + .seconds(899)) == 0)
    #expect(rotation.round(at: begin + .seconds(900)) == 1)
    #expect(rotation.round(at: begin + .seconds(2700)) == 3)
    rotation.setTimeout(.seconds(10), at: begin + .seconds(1000))
    #expect(rotation.round(at: begin + .seconds(1009)) == 1)
    #expect(rotation.round(at: begin + .seconds(1010)) == 2)
    rotation.setTimeout(.seconds(3600), at: begin + .seconds(1010))
    #expect(rotation.round(at: begin + .seconds(4609)) == 2)
    #expect(rotation.round(at: begin + .seconds(4610)) == 3)
  }

  @Test("a list that is much smaller than a crowd of unknown devices keeps every peer")
  func crowd() throws {
    let key = try sampleKey()
    var list = ResolvingList()
    let peer = ListedDevice(type: .random, address: .randomStatic(from: 1))
    list.append(ResolvingList.Entry(peer: peer, peerKey: key, localKey: nil))
    let other = try #require(IdentityResolvingKey(littleEndian: Array(repeating: 7, count: 16)))
    var random = SplitMix64(seed: 9)
    for _ in 0..<1200 { #expect(list.resolve(other.makeAddress(random: &random)) == nil) }
    let address = key.makeAddress(random: &random)
    #expect(list.resolve(address) == 0)
    #expect(list.entries[0].heard == address)
    // An unknown device becomes a peer when its key is added.
    let stranger = other.makeAddress(random: &random)
    #expect(list.resolve(stranger) == nil)
    let second = ListedDevice(type: .publicDevice, address: DeviceAddress(bits: 5))
    list.append(ResolvingList.Entry(peer: second, peerKey: other, localKey: nil))
    #expect(list.resolve(stranger) == 1)
  }
}
