import BLECore
import BLESMP
import Testing

/// Core 5.4 Vol 3 Part H 2.3.5.1 and 3.5.5.
@Suite("Refusal to pair")
struct PairingRefusalTests {
  private func receive(_ packet: [UInt8]) -> (isRefused: Bool, reply: [UInt8]) {
    var reply = OctetBuffer()
    let isRefused = PairingRefusal.receive(packet.span, reply: &reply)
    return (isRefused, reply.copy())
  }

  @Test("A Pairing Request is answered with Pairing Failed, Pairing Not Supported")
  func refuses() {
    let (isRefused, reply) = receive([0x01, 0x03, 0x00, 0x01, 0x10, 0x07, 0x07])
    #expect(isRefused)
    #expect(reply == [0x05, 0x05])
  }

  @Test("A Pairing Request of any length is refused", arguments: 1...30)
  func anyLength(count: Int) {
    #expect(receive([0x01] + Array(repeating: 0xFF, count: count - 1)).reply == [0x05, 0x05])
  }

  @Test("The answer stands behind what is in the buffer")
  func appends() {
    var reply = OctetBuffer()
    reply.append(0xAA as UInt8)
    let request: [UInt8] = [0x01]
    #expect(PairingRefusal.receive(request.span, reply: &reply))
    #expect(reply.copy() == [0xAA, 0x05, 0x05])
  }

  @Test("Any other packet belongs to no pairing, and is ignored", arguments: UInt8.min...UInt8.max)
  func ignores(code: UInt8) {
    guard code != 0x01 else { return }
    let (isRefused, reply) = receive([code, 1, 2, 3])
    #expect(!isRefused)
    #expect(reply.isEmpty)
  }

  @Test("An empty packet is ignored")
  func empty() {
    #expect(receive([]) == (false, []))
  }

  @Test("Pairing Failed carries any reason", arguments: UInt8.min...UInt8.max)
  func reasons(raw: UInt8) throws {
    let failed = PairingFailed(reason: .init(rawValue: raw))
    #expect(failed.encoded == [raw])
    #expect(try PairingFailed(decoding: [raw]) == failed)
  }
}
