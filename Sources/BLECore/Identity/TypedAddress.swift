/// A device address together with its type, public or random, without which it names no device: the same 48 bits can be an address of
/// either type (Core 5.4 Vol 6 Part B 1.3).
public struct TypedAddress: Hashable, Sendable {
  /// The address in the low 48 bits, and above them one bit for a random address.
  @usableFromInline var bits: UInt64

  @usableFromInline static let randomBit: UInt64 = 1 << 48

  /// Creates the address from its 48 bits and whether they are a random address.
  @inlinable
  public init(address: DeviceAddress, isRandom: Bool) {
    bits = address.bits | (isRandom ? Self.randomBit : 0)
  }

  /// Creates the address with a type from a command or an event. The types of identity addresses are public or random like those of device
  /// addresses; of the types that name no device, an unresolved private address is random (Core 5.4 Vol 4 Part E 7.7.65.1).
  @inlinable
  public init(address: DeviceAddress, type: AddressType) {
    self.init(address: address, isRandom: type.deviceType != .publicDevice)
  }

  /// The address without its type.
  @inlinable
  public var address: DeviceAddress {
    get { DeviceAddress(bits: bits) }
    set { bits = bits & Self.randomBit | newValue.bits }
  }

  /// Whether it is a random address, not a public one.
  @inlinable
  public var isRandom: Bool {
    get { bits & Self.randomBit != 0 }
    set { bits = newValue ? bits | Self.randomBit : bits & ~Self.randomBit }
  }

  /// The type in commands, events and device lists: public or random.
  @inlinable
  public var type: AddressType { isRandom ? .random : .publicDevice }

  /// Whether it is permanent, and so can be an identity address: a public or a static address (Core 5.4 Vol 3 Part C 10.8.2). A private
  /// address is obsolete after its next change.
  package var isIdentity: Bool { !isRandom || address.isValidRandomStatic }
}

extension TypedAddress: Codable {
  // The form in which bonds are stored.
  private enum CodingKeys: CodingKey {
    case addressBits, isRandom
  }

  /// Decodes the address from `addressBits` and `isRandom`.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      address: DeviceAddress(bits: try fields.decode(UInt64.self, forKey: .addressBits)),
      isRandom: try fields.decode(Bool.self, forKey: .isRandom))
  }

  /// Encodes the address as `addressBits` and `isRandom`.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(address.bits, forKey: .addressBits)
    try fields.encode(isRandom, forKey: .isRandom)
  }
}
