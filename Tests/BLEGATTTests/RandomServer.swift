import BLEATT
import BLECore
import BLEGATT

/// Randomness that is the same in every run.
typealias SeededRandom = SplitMix64

extension SplitMix64 {
  mutating func octets(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// Returns a short or long UUID from a small set, so that some are equal.
  mutating func uuid() -> BluetoothUUID {
    Bool.random(using: &self) ? BluetoothUUID(0xFFF0 + UInt16(below(6))) : .long(UInt8(below(6)))
  }

  mutating func requirement() -> AccessRequirement? {
    switch below(8) {
    case 0: nil
    case 1: .init(protection: .encrypted, minimumKeySize: below(17))
    case 2: .init(protection: .authenticated)
    case 3: .init(needsAuthorization: true)
    default: .open
    }
  }

  mutating func characteristic(_ number: Int) -> CharacteristicDefinition {
    let maximumLength = [1, 2, 20, 21, 22, 300, 512][below(7)]
    let hasFixedLength = below(5) == 0
    let length = hasFixedLength ? maximumLength : below(maximumLength + 1)
    return CharacteristicDefinition(
      id: "c\(number)", uuid: uuid(), properties: .init(rawValue: UInt8(truncatingIfNeeded: next())),
      permissions: .init(read: requirement(), write: requirement()),
      value: below(3) == 0 ? .asked : .stored(octets(length)), maximumLength: maximumLength,
      hasFixedLength: hasFixedLength,
      descriptors: (0..<below(3)).map { _ in
        DescriptorDefinition(
          uuid: uuid(), permissions: .init(read: requirement(), write: requirement()), value: octets(below(40)),
          maximumLength: 40)
      })
  }

  mutating func services() -> [ServiceDefinition] {
    (0..<(1 + below(5))).map { number in
      ServiceDefinition(
        id: "s\(number)", uuid: uuid(), isPrimary: below(4) > 0, includes: below(3) == 0 ? ["s0"] : [],
        characteristics: (0..<below(6)).map { characteristic($0) })
    }
  }

  mutating func security() -> LinkSecurity {
    let protections: [LinkProtection] = [.none, .encrypted, .authenticated, .secureConnections]
    let protection = protections[below(4)]
    return LinkSecurity(
      protection: protection, keySize: protection == .none ? 0 : 7 + below(10), isBonded: Bool.random(using: &self))
  }

  /// Returns a well-formed PDU, mostly with handles of attributes, or just octets.
  mutating func pdu(handles: Int, mtu: Int) -> [UInt8] {
    if below(8) == 0 { return octets(below(mtu + 1)) }
    func word(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF)] }
    let handle = word(below(handles + 3))
    let range = word(below(handles) + 1) + (below(2) == 0 ? [0xFF, 0xFF] : word(below(handles) + 1))
    let groupTypes: [BluetoothUUID] = [.primaryService, .secondaryService]
    let types = groupTypes + [.characteristic, .include, .clientCharacteristicConfiguration, uuid(), uuid(), uuid()]
    let pdu: [UInt8] =
      switch below(14) {
      case 0: [0x02] + word(below(600))
      case 1: [0x04] + range
      case 2: [0x06] + range + [0x00, 0x28] + uuid().littleEndianOctets
      case 3, 4: [0x08] + range + types[below(types.count)].littleEndianOctets
      case 5: [0x0A] + handle
      case 6: [0x0C] + handle + word(below(60))
      case 7: [0x0E] + (0..<(1 + below(6))).flatMap { _ in word(below(handles + 1)) }
      case 8: [0x20] + (0..<(1 + below(6))).flatMap { _ in word(below(handles + 1)) }
      case 9: [0x10] + range + types[below(4)].littleEndianOctets
      case 10: [0x12] + handle + octets(below(25))
      case 11: [0x52] + handle + octets(below(25))
      case 12: [0x16] + handle + word(below(30)) + octets(below(25))
      default: [0x18, UInt8(below(3))]
      }
    return Array(pdu.prefix(mtu))
  }
}

/// An application that answers at random, but always in the same way for one seed.
struct RandomApplication: AttributeApplication {
  var random: SeededRandom

  mutating func read(_ characteristic: CharacteristicIndex, for client: ClientID, at now: Instant) -> ReadAnswer {
    if random.below(6) == 0 { return .error(ATTErrorCode(rawValue: 0x80)) }
    return .value(random.octets([0, 1, 20, 21, 22, 100, 512][random.below(7)]))
  }

  mutating func write(
    _ value: [UInt8], to characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> WriteAnswer {
    random.below(4) == 0 ? WriteAnswer(error: ATTErrorCode(rawValue: 0x81)) : .accepted
  }

  mutating func subscriptionsChanged(
    _ characteristic: CharacteristicIndex, notified: Int, indicated: Int, at now: Instant,
    actions: inout [ApplicationAction]
  ) {}

  var nextDeadline: Instant? { nil }

  mutating func advance(to now: Instant, actions: inout [ApplicationAction]) {}
}
