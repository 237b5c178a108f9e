import BLECore
import Testing

@Suite("Device addresses")
struct DeviceAddressTests {
  private let address = DeviceAddress(bits: 0xC4_12_34_56_78_9A)

  @Test("Text has the most significant octet first, packets the least significant")
  func orders() {
    #expect(address.description == "C4:12:34:56:78:9A")
    #expect(address.littleEndianOctets == [0x9A, 0x78, 0x56, 0x34, 0x12, 0xC4])
    #expect(DeviceAddress(littleEndianOctets: [0x9A, 0x78, 0x56, 0x34, 0x12, 0xC4]) == address)
  }

  @Test("Only 48 bits count")
  func bits() {
    #expect(DeviceAddress(bits: 0xFFFF_C412_3456_789A) == address)
    #expect(DeviceAddress(littleEndianOctets: [0x9A, 0x78, 0x56, 0x34, 0x12, 0xC4, 0xFF]) == address)
    #expect(DeviceAddress(littleEndianOctets: [0x9A]) == DeviceAddress(bits: 0x9A))
    #expect(DeviceAddress(littleEndianOctets: []) == .zero)
  }

  @Test(
    "Text is read in either case, with colons or hyphens",
    arguments: [
      "C4:12:34:56:78:9A", "c4:12:34:56:78:9a", "C4-12-34-56-78-9A",
    ])
  func reads(text: String) {
    #expect(DeviceAddress(text) == address)
  }

  @Test(
    "Anything that is not six octets with a separator between each is refused",
    arguments: [
      "", "C4", "C4123456789A", "C4:12:34:56:78", "C4:12:34:56:78:9A:01", "C4:12:34:56:78:9", "G4:12:34:56:78:9A",
      "C4123456789A     ", "C41234:::::56789A", "C4:12:34:56:789A:", "C4::12:34:56789A",
    ])
  func refuses(text: String) {
    #expect(DeviceAddress(text) == nil)
  }

  @Test("Text round trips", arguments: 0..<20 as Range<UInt64>)
  func roundTrip(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let address = DeviceAddress(bits: random.next())
    #expect(DeviceAddress(address.description) == address)
    #expect(DeviceAddress(littleEndianOctets: address.littleEndianOctets) == address)
  }

  /// Core 5.4 Vol 6 Part B 1.3.2.1.
  @Test(
    "A random static address has two bits set and a random part that is neither all zeros nor all ones",
    arguments: [
      (0xC4_12_34_56_78_9A as UInt64, true), (0xC0_00_00_00_00_01, true), (0xFF_FF_FF_FF_FF_FE, true),
      (0xC0_00_00_00_00_00, false), (0xFF_FF_FF_FF_FF_FF, false), (0x84_12_34_56_78_9A, false),
      (0x44_12_34_56_78_9A, false), (0x04_12_34_56_78_9A, false), (0, false),
    ])
  func randomStatic(bits: UInt64, isValid: Bool) {
    #expect(DeviceAddress(bits: bits).isValidRandomStatic == isValid)
  }

  @Test(
    "A random static address generated from any number is valid",
    arguments: [
      0, 1, 0x3FFF_FFFF_FFFF, 0x3FFF_FFFF_FFFE, 0xC000_0000_0000, .max, 0x1234_5678_9ABC_DEF0,
    ] as [UInt64])
  func makesRandomStatic(random: UInt64) {
    let address = DeviceAddress.randomStatic(from: random)
    #expect(address.isValidRandomStatic)
    #expect(address == DeviceAddress.randomStatic(from: random))
  }

  /// Core 5.4 Vol 6 Part B 1.3.2.2.
  @Test(
    "The two top bits of a random address show the kind of private address",
    arguments: [
      (0x70_81_94_0D_FB_AA as UInt64, true, false), (0x40_00_00_00_00_00, true, false),
      (0x3F_FF_FF_FF_FF_FF, false, true), (0, false, true), (0x80_00_00_00_00_01, false, false),
      (0xC4_12_34_56_78_9A, false, false),
    ])
  func privateAddresses(bits: UInt64, isResolvable: Bool, isNonResolvable: Bool) {
    #expect(DeviceAddress(bits: bits).isResolvablePrivate == isResolvable)
    #expect(DeviceAddress(bits: bits).isNonResolvablePrivate == isNonResolvable)
  }

  @Test(
    "A device's and an identity address are named as such; unresolved and anonymous ones are neither",
    arguments: [
      (AddressType.publicDevice, AddressType.publicDevice, AddressType.publicIdentity),
      (.random, .random, .randomIdentity), (.publicIdentity, .publicDevice, .publicIdentity),
      (.randomIdentity, .random, .randomIdentity), (.unresolved, .unresolved, .unresolved),
      (.anonymous, .anonymous, .anonymous),
    ])
  func kinds(type: AddressType, device: AddressType, identity: AddressType) {
    #expect(type.deviceType == device)
    #expect(type.identityType == identity)
  }

  @Test("The types have HCI's numbers")
  func types() {
    #expect(AddressType.publicDevice.rawValue == 0)
    #expect(AddressType.random.rawValue == 1)
    #expect(AddressType.publicIdentity.rawValue == 2)
    #expect(AddressType.randomIdentity.rawValue == 3)
    #expect(AddressType.unresolved.rawValue == 0xFE)
    #expect(AddressType.anonymous.rawValue == 0xFF)
  }
}
