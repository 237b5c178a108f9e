import BLECore
import BLEHCI
import Testing

@Suite struct H4OpeningTests {
  typealias Verdict = H4Opening.Verdict

  private func verdict(_ octets: [UInt8], side: H4Deframer.Side, chunk: Int = .max) -> Verdict {
    var opening = H4Opening(side: side)
    var rest = octets[...]
    while !rest.isEmpty {
      let verdict = opening.examine(Array(rest.prefix(chunk)).span)
      if verdict != .undecided { return verdict }
      rest = rest.dropFirst(chunk)
    }
    return .undecided
  }

  static let hosts: [[UInt8]] = [
    HCIReset().h4, HCIReadLocalVersionInformation().h4, LESetScanEnable { $0.enable = true }.h4,
    [0x01, 0x01, 0xFC, 0x00], H4DeframerTests.acl(23, .firstFromHost),
  ]

  @Test("A host that begins with a command, or with data, speaks H4, in any pieces", arguments: hosts)
  func host(_ packet: [UInt8]) {
    for chunk in 1...packet.count { #expect(verdict(packet, side: .controller, chunk: chunk) == .h4) }
    #expect(verdict(Array(packet.prefix(2)), side: .controller) == .undecided)
  }

  @Test("A controller that begins with an event speaks H4; from a host the same octets are refused")
  func controller() {
    let event = HCICommandComplete(HCIReset.self, StatusReturn()).h4
    #expect(verdict(event, side: .host, chunk: 1) == .h4)
    #expect(verdict(event, side: .controller) == .foreign(.unknown))
  }

  @Test(
    "Requests, handshakes and other protocols' first octets are not H4",
    arguments: [
      ("POST / HTTP/1.1\r\n", .http), ("GET / HTTP/1.1\r\n", .http), ("OPTIONS * HTTP/1.1\r\n", .http),
      ("PROPPATCH /x", .http), ("HTTP/1.1 200 OK", .http), ("PRI * HTTP/2.0\r\n\r\nSM", .http),
      ("SSH-2.0-OpenSSH_9.9", .unknown), ("\u{16}\u{03}\u{01}\u{02}\u{00}", .tls),
      ("\u{00}\u{03}\u{00}\u{08}\u{21}\u{12}", .unknown), ("\u{05}\u{01}\u{00}", .unknown),
      ("\u{04}\u{01}\u{00}\u{50}", .unknown), ("\r\n", .unknown), ("{}", .unknown),
    ] as [(String, H4Opening.Speech)])
  func foreign(_ text: String, _ speech: H4Opening.Speech) {
    let octets = Array(text.utf8)
    for side in [H4Deframer.Side.controller, .host] where !(side == .host && octets[0] == 0x04) {
      #expect(verdict(octets, side: side) == .foreign(speech))
      // Octets that arrive one by one are refused just as early.
      #expect(verdict(octets + HCIReset().h4, side: side, chunk: 1) != .h4)
    }
  }

  @Test("A packet after something else does not make it H4", arguments: 0..<200)
  func behind(_ seed: UInt64) {
    var random = SeededRandom(seed)
    let first = UInt8.random(in: 6...255, using: &random)
    let octets = [first] + random.octets(Int.random(in: 0...40, using: &random)) + HCIReset().h4
    guard case .foreign = verdict(octets, side: .controller, chunk: Int.random(in: 1...9, using: &random)) else {
      return #expect(Bool(false), "\(octets.hexadecimal)")
    }
  }
}
