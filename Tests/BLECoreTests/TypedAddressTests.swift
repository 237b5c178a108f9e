import BLECore
import Foundation
import Testing

@Suite("Addresses with their type")
struct TypedAddressTests {
  private static let address = DeviceAddress(bits: 0xC4_12_34_56_78_9A)
  private let random = TypedAddress(address: address, isRandom: true)
  private let other = TypedAddress(address: address, isRandom: false)

  @Test("The same 48 bits are different addresses as a public and as a random address")
  func kinds() {
    #expect(random != other && random.address == other.address)
    #expect(random.isRandom && random.type == .random)
    #expect(!other.isRandom && other.type == .publicDevice)
  }

  @Test(
    "The types of identity addresses are public or random, and only public ones are not random",
    arguments: [
      (AddressType.publicDevice, false), (.publicIdentity, false), (.random, true), (.randomIdentity, true),
      (.unresolved, true),
    ])
  func types(type: AddressType, isRandom: Bool) {
    #expect(TypedAddress(address: Self.address, type: type) == (isRandom ? random : other))
  }

  @Test("Address and type change independently of each other", arguments: [true, false])
  func changes(isRandom: Bool) {
    var changed = TypedAddress(address: .zero, isRandom: isRandom)
    changed.address = Self.address
    #expect(changed == (isRandom ? random : other))
    changed.isRandom.toggle()
    #expect(changed == (isRandom ? other : random))
  }

  @Test("Public and static addresses are permanent, private addresses are not")
  func permanence() {
    #expect(random.isIdentity && other.isIdentity)
    let isPrivate = DeviceAddress(bits: 0x44_12_34_56_78_9A)
    #expect(!TypedAddress(address: isPrivate, isRandom: true).isIdentity)
    #expect(TypedAddress(address: isPrivate, isRandom: false).isIdentity)
  }

  @Test("The stored form has the address as a number and the type as a truth value", arguments: [true, false])
  func storedForm(isRandom: Bool) throws {
    let address = isRandom ? random : other
    let stored = #"{"addressBits":215582466537626,"isRandom":\#(isRandom)}"#
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(address), as: UTF8.self) == stored)
    #expect(try JSONDecoder().decode(TypedAddress.self, from: Data(stored.utf8)) == address)
  }

  @Test("It takes no more room than the address alone")
  func size() {
    #expect(MemoryLayout<TypedAddress>.size == MemoryLayout<DeviceAddress>.size)
  }
}
