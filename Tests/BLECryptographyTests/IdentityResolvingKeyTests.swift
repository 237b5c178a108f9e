import BLECore
import BLECryptography
import Testing

@Suite("Identity Resolving Keys")
struct IdentityResolvingKeyTests {
  /// The sample data of Core 5.4 Vol 3 Part H D.7.
  private func sampleKey() throws -> IdentityResolvingKey {
    let octets = try #require([UInt8](hexadecimal: "ec0234a357c8ad05341010a60a397d9b"))
    return try #require(IdentityResolvingKey(octets.reversed()))
  }

  @Test("The address hash ah matches the sample data of Core 5.4 Vol 3 Part H D.7, and the address from it resolves")
  func sample() throws {
    let key = try sampleKey()
    #expect(key.addressHash(of: 0x708194) == 0x0DFBAA)
    let address = DeviceAddress(bits: 0x7081_940D_FBAA)
    #expect(address.isResolvablePrivate)
    #expect(key.resolves(address))
    for bit in UInt64(0)..<48 where bit != 46 && bit != 47 {
      #expect(!key.resolves(DeviceAddress(bits: address.bits ^ 1 << bit)), "bit \(bit)")
    }
  }

  @Test("Addresses of other kinds are not resolved, whatever their hash", arguments: [0x00, 0x80, 0xC0] as [UInt64])
  func otherKinds(top: UInt64) throws {
    let key = try sampleKey()
    let prand = UInt32(top << 16 | 0x1234)
    let address = DeviceAddress(bits: UInt64(prand) << 24 | UInt64(key.addressHash(of: prand)))
    #expect(!key.resolves(address))
  }

  @Test("Generated addresses differ, have the two top bits 01, and follow from the random numbers")
  func made() throws {
    let key = try sampleKey()
    var random = SplitMix64(seed: 3)
    let addresses = (0..<200).map { _ in key.makeAddress(random: &random) }
    #expect(Set(addresses).count == 200)
    #expect(addresses.allSatisfy { $0.bits >> 46 == 0b01 && $0.isResolvablePrivate && key.resolves($0) })
    var again = SplitMix64(seed: 3)
    #expect(key.makeAddress(random: &again) == addresses[0])
  }

  @Test("Only the key that generated an address resolves it")
  func distinguishes() {
    var random = SplitMix64(seed: 1)
    let keys = (0..<4).map { _ in IdentityResolvingKey(random: &random) }
    for _ in 0..<50 {
      for key in keys {
        let address = key.makeAddress(random: &random)
        #expect(keys.filter { $0.resolves(address) } == [key])
      }
    }
  }

  @Test("A key has 16 octets, and zeros count as no key")
  func lengths() {
    #expect(IdentityResolvingKey(Array(repeating: 0, count: 16)) == nil)
    #expect(IdentityResolvingKey([1]) == nil)
    #expect(IdentityResolvingKey(Array(1...17)) == nil)
    #expect(IdentityResolvingKey(Array(1...16))?.octets == Array(1...16))
  }
}
