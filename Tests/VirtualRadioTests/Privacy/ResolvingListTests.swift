import BLECore
import BLECryptography
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("The resolving list")
struct ResolvingListTests {
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
    let key = try #require(IdentityResolvingKey(Array(repeating: 3, count: 16)))
    var list = ResolvingList()
    let peer = ListedDevice(type: .random, address: .randomStatic(from: 1))
    list.append(ResolvingList.Entry(peer: peer, peerKey: key, localKey: nil))
    let other = try #require(IdentityResolvingKey(Array(repeating: 7, count: 16)))
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
