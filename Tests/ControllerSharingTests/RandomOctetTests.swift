import BLECore
import BLEHCI
import ControllerSharing
import Testing

@Suite("Random octets at a shared controller")
struct RandomOctetTests {
  /// Returns a complete packet of that type with random contents; small numbers have more effects.
  private func packet(_ random: inout SplitMix64, fromHost: Bool) -> [UInt8] {
    var content = (0..<random.upTo(30)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    for index in content.indices where random.upTo(2) != 0 { content[index] &= 0x03 }
    if random.upTo(3) == 0 {
      let flags: UInt8 = fromHost ? 0x00 : 0x20
      return [0x02, UInt8(random.upTo(3)), flags, UInt8(content.count), 0] + content
    }
    guard fromHost else {
      let codes: [UInt8] = [0x05, 0x08, 0x0C, 0x0E, 0x0F, 0x10, 0x13, 0x3E, 0x3E, 0x3E, 0x3E, 0x57, 0xFF]
      if content.count > 0, random.upTo(1) == 0 { content[0] = UInt8(random.upTo(0x16)) }
      return [0x04, codes[Int(random.upTo(UInt64(codes.count - 1)))], UInt8(content.count)] + content
    }
    let known = SupportedCommands.everything.known
    let opcode = known[Int(random.upTo(UInt64(known.count - 1)))].rawValue
    return [0x01, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(content.count)] + content
  }

  @Test("Random octets never trap, and all hosts come up again afterwards", arguments: 0..<16 as Range<UInt64>)
  func random(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let desk = Desk.ready(3)
    for round in 0..<4000 {
      switch random.upTo(9) {
      case 0...2: desk.host(Int(random.upTo(2)), packet(&random, fromHost: true))
      case 3...6: desk.controller(packet(&random, fromHost: false))
      case 7: desk.advance(.milliseconds(Int64(random.upTo(300))))
      case 8: desk.controller((0..<random.upTo(9)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
      default:
        desk.host(Int(random.upTo(2)), (0..<random.upTo(9)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
      }
      // Most of the hosts' commands are answered.
      if random.upTo(3) != 0 { desk.succeed() }
      if round % 100 == 0 { for seat in 0..<3 { _ = desk.heard(seat) } }
      #expect(desk.shared.refusal == nil || round > 0)
      if desk.shared.refusal != nil { desk.shared.loseController() }
    }
    // The rest of any partial packet on any line, and then a fault.
    desk.advance(.seconds(10))
    desk.controller(Array(repeating: 0, count: 1100))
    for seat in 0..<3 { desk.host(seat, Array(repeating: 0, count: 4200)) }
    _ = desk.sentOctets()
    for _ in 0..<3 {
      desk.controller(HCIHardwareError())
      for seat in 0..<3 { desk.host(seat, HCIReset()) }
      desk.succeedAll()
    }
    let done = HCICommandComplete(HCIReset.self, StatusReturn()).h4
    for seat in 0..<3 { #expect(desk.heard(seat).last == done, "seed \(seed), host \(seat)") }
  }
}
