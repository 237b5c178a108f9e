import BLEATT
import BLECore
import BLEL2CAP

/// Draws PDUs of ATT, LE signalling and the Security Manager: an opcode from the specification, and
/// parameters that are plausible, barely plausible, or cut short.
struct PDUDrawing {
  var random: SplitMix64

  mutating func draw() -> CentralAct {
    switch random.upTo(5) {
    case 0...2: .raw(channel: ChannelID.attributeProtocol.rawValue, cut(attribute()))
    case 3...4: .raw(channel: ChannelID.signalling.rawValue, cut(signalling()))
    default: .raw(channel: ChannelID.securityManager.rawValue, cut(security()))
    }
  }

  /// Returns an ATT PDU for an enhanced bearer.
  mutating func drawAttribute() -> [UInt8] { cut(attribute()) }

  /// Returns a packet of the Security Manager.
  mutating func drawSecurity() -> [UInt8] { cut(security()) }

  /// Occasionally returns only the first octets.
  private mutating func cut(_ pdu: [UInt8]) -> [UInt8] {
    random.upTo(7) == 0 ? Array(pdu.prefix(Int(random.upTo(UInt64(pdu.count))))) : pdu
  }

  /// Core 5.4 Vol 3 Part F 3.4.
  private mutating func attribute() -> [UInt8] {
    let opcodes: [UInt8] = [
      0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x1E, 0x20, 0x52, 0xD2, 0x01, 0x03, 0x1B, 0x1D,
      0xFF,
    ]
    let opcode = opcodes[Int(random.upTo(UInt64(opcodes.count - 1)))]
    var pdu = [opcode]
    switch opcode {
    case 0x02: pdu += number(600)
    case 0x04: pdu += handle() + handle()
    case 0x06: pdu += handle() + handle() + [0x00, 0x28] + noise(4)
    case 0x08, 0x10: pdu += handle() + handle() + [UInt8(random.upTo(5)), 0x28]
    case 0x0A: pdu += handle()
    case 0x0C: pdu += handle() + number(20)
    case 0x0E, 0x20: for _ in 0...random.upTo(4) { pdu += handle() }
    case 0x16: pdu += handle() + number(10) + noise(18)
    case 0x18: pdu += [UInt8(random.upTo(2))]
    case 0xD2: pdu += handle() + noise(16)
    default: pdu += handle() + noise(20)
    }
    return pdu
  }

  /// Core 5.4 Vol 3 Part A 4.
  private mutating func signalling() -> [UInt8] {
    let code = UInt8([0x01, 0x06, 0x07, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1A][Int(random.upTo(11))])
    var data: [UInt8] = []
    switch code {
    case 0x14: data = psm() + channel() + number(600) + number(300) + number(40)
    case 0x17: data = psm() + number(600) + number(300) + number(40) + channel() + channel()
    case 0x19: data = number(600) + number(300) + channel()
    case 0x16: data = channel() + number(70_000)
    case 0x06: data = channel() + channel()
    case 0x12: data = number(3200) + number(3200) + number(500) + number(3200)
    default: data = noise(10)
    }
    let length = random.upTo(9) == 0 ? UInt16(random.upTo(40)) : UInt16(data.count)
    return [code, UInt8(1 + random.upTo(254)), UInt8(length & 0xFF), UInt8(length >> 8)] + data
  }

  /// Core 5.4 Vol 3 Part H 3.3.
  private mutating func security() -> [UInt8] {
    let lengths = [1: 6, 2: 6, 3: 16, 4: 16, 5: 1, 6: 16, 7: 10, 8: 16, 9: 7, 10: 16, 11: 1, 12: 64, 13: 16, 14: 1]
    let code = 1 + Int(random.upTo(14))
    return [UInt8(code)] + (0..<(lengths[code] ?? 3)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  private mutating func handle() -> [UInt8] {
    switch random.upTo(9) {
    case 0: [0, 0]
    case 1: [0xFF, 0xFF]
    default: [UInt8(random.upTo(60)), 0]
    }
  }

  private mutating func psm() -> [UInt8] { random.upTo(3) == 0 ? [0x27, 0] : [UInt8(0x80 + random.upTo(4)), 0] }
  private mutating func channel() -> [UInt8] { [UInt8(0x3F + random.upTo(6)), 0] }

  private mutating func number(_ bound: UInt64) -> [UInt8] {
    let number = random.upTo(bound)
    return [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
  }

  private mutating func noise(_ most: UInt64) -> [UInt8] {
    (0..<random.upTo(most)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }
}
