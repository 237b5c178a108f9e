/// The length and plausibility of a packet, by its first octets.
struct H4Head: Sendable {
  let side: H4Deframer.Side
  var maximumDataLength: Int

  /// Returns whether a packet to this side may start with this octet: only controllers receive commands, and only hosts receive events.
  func accepts(_ type: UInt8) -> Bool {
    switch H4PacketType(rawValue: type) {
    case .acl, .sync, .iso: true
    case .event: side == .host
    case .command: side == .controller
    default: false
    }
  }

  /// Returns the length of the packet at `start` including its type octet, as far as the available octets tell: at least that of its
  /// header. Nil if no packet starts there. `strictly` also rejects what the specification does not define or what is unlikely.
  func length(in octets: Span<UInt8>, at start: Int, strictly: Bool) -> Int? {
    guard accepts(octets[start]) else { return nil }
    let available = octets.count - start
    switch H4PacketType(rawValue: octets[start]) {
    case .event:
      guard available >= 3 else { return 3 }
      let length = Int(octets[start + 2])
      return !strictly || Self.isPlausibleEvent(octets[start + 1], length) ? 3 + length : nil
    case .command:
      guard available >= 4 else { return 4 }
      let opcode = Self.word(octets, start + 1)
      guard opcode != 0, !strictly || Self.isLikelyGroup(opcode >> 10) else { return nil }
      return 4 + Int(octets[start + 3])
    case .sync, .iso:
      // Out of sync, the deframer rejects packets that LE does not have, or has only if a host asked for them.
      if strictly { return nil }
      if octets[start] == H4PacketType.sync.rawValue { return available >= 4 ? 4 + Int(octets[start + 3]) : 4 }
      guard available >= 5 else { return 5 }
      let length = Self.word(octets, start + 3)
      return length <= maximumDataLength ? 5 + length : nil
    default:
      guard available >= 5 else { return 5 }
      let length = Self.word(octets, start + 3)
      let word = Self.word(octets, start + 1)
      guard length <= maximumDataLength else { return nil }
      if strictly {
        guard isPossible(word) else { return nil }
        // Without its start a PDU is lost anyway, and a first packet is no longer than the PDU's own length.
        guard word & 0x1000 == 0, length >= 4 else { return nil }
        guard available >= 7 else { return 7 }
        guard Self.word(octets, start + 5) + 4 >= length else { return nil }
      }
      return 5 + length
    }
  }

  /// Returns whether the specification defines this whole packet, so that it needs no confirmation by what follows.
  func isPlausible(_ octets: Span<UInt8>, _ start: Int, _ total: Int) -> Bool {
    switch H4PacketType(rawValue: octets[start]) {
    case .event: Self.isPlausibleEvent(octets[start + 1], total - 3)
    case .acl: isPossible(Self.word(octets, start + 1))
    default: true
    }
  }

  /// Returns whether the content of a whole packet matches its header too well to be chance.
  func isConfirmed(_ octets: Span<UInt8>, _ start: Int, _ total: Int) -> Bool {
    switch H4PacketType(rawValue: octets[start]) {
    case .event:
      guard Self.isPlausibleEvent(octets[start + 1], total - 3) else { return false }
      switch EventCode(rawValue: octets[start + 1]) {
      case .commandComplete:
        let opcode = CommandOpcode(rawValue: UInt16(Self.word(octets, start + 4)))
        return opcode == .none ? total == 6 : KnownCommand.find(opcode) != nil
      case .commandStatus:
        return KnownCommand.find(CommandOpcode(rawValue: UInt16(Self.word(octets, start + 5)))) != nil
      case .disconnectionComplete: return Self.word(octets, start + 4) <= 0x0EFF
      case .numberOfCompletedPackets: return Int(octets[start + 3]) * 4 + 4 == total
      default: return false
      }
    case .command:
      return KnownCommand.find(CommandOpcode(rawValue: UInt16(Self.word(octets, start + 1)))) != nil
    case .acl:
      // An L2CAP frame that fills the packet exactly.
      return octets[start + 2] & 0x10 == 0 && total >= 9 && Self.word(octets, start + 5) + 9 == total
    default: return false
    }
  }

  /// Returns whether an event with this code can have this many parameter octets (Core 5.4 Vol 4 Part E 7.7).
  private static func isPlausibleEvent(_ code: UInt8, _ length: Int) -> Bool {
    switch EventCode(rawValue: code) {
    case .numberOfCompletedPackets: length % 4 == 1
    case .leMeta: length >= 1
    case .commandComplete: length >= 3
    case .commandStatus, .disconnectionComplete, .encryptionChange: length == 4
    case .encryptionChangeV2: length == 5
    case .readRemoteVersionInformationComplete: length == 8
    case .hardwareError, .dataBufferOverflow: length == 1
    case .encryptionKeyRefreshComplete: length == 3
    case .authenticatedPayloadTimeoutExpired: length == 2
    case .vendor: length >= 1
    default: false
    }
  }

  /// Returns whether this side can receive this first word of an ACL packet on LE (Core 5.4 Vol 4 Part E 5.4.2): a valid connection handle,
  /// a packet boundary flag of its direction, no broadcast. The controller or host at the other end of the UART generates this word, so a
  /// peer on the air cannot use it to break the sync.
  private func isPossible(_ word: Int) -> Bool {
    guard word & 0xFFF <= 0x0EFF, word >> 14 == 0 else { return false }
    let boundary = PacketBoundary(rawValue: UInt8(word >> 12))
    return boundary == .continuing || boundary == (side == .host ? .firstFromController : .firstFromHost)
  }

  private static func isLikelyGroup(_ ogf: Int) -> Bool {
    switch ogf {
    case 0x01, 0x03, 0x04, 0x05, 0x08, 0x3F: true
    default: false
    }
  }

  private static func word(_ octets: Span<UInt8>, _ offset: Int) -> Int {
    Int(octets[offset]) | Int(octets[offset + 1]) << 8
  }
}
