import BLECore
import BLEHCI
import Testing

@testable import Bench

@Suite("Rate of a line to a controller")
struct LineProbeTests {
  /// A controller that answers each command when its last octet is there, behind a line of that rate; the probe at its end.
  private static func probe(bitsPerSecond: Double, knows: Bool, jitter: [Duration] = [.zero]) -> LineProbe {
    var probe = LineProbe()
    var out = OctetBuffer()
    var now = Instant.zero
    probe.start(at: now, into: &out)
    var count = 0
    while !out.isEmpty {
      let octets = out.copy()
      out.removeAll()
      let opcode = CommandOpcode(rawValue: UInt16(octets[1]) | UInt16(octets[2]) << 8)
      let answer =
        knows || opcode == .reset
        ? HCICommandComplete {
          $0.opcode = opcode
          $0.returnParameters = [0]
        }.h4 : HCICommandStatus(opcode, .unknownHCICommand).h4
      let time = Double((octets.count + answer.count) * LineProbe.bitsPerOctet) / bitsPerSecond
      now += .nanoseconds(Int64(time * 1e9)) + jitter[count % jitter.count]
      count += 1
      probe.receive(answer.span, at: now, into: &out)
    }
    return probe
  }

  @Test(
    "is what the octets of the longer command take longer", arguments: [115_200.0, 1_000_000, 8_000_000], [false, true])
  func rate(_ rate: Double, knows: Bool) throws {
    let measured = try #require(Self.probe(bitsPerSecond: rate, knows: knows).bitsPerSecond)
    #expect(abs(Double(measured) / rate - 1) < 0.01)
  }

  @Test("delays that come now and then do not count")
  func jitter() throws {
    let probe = Self.probe(
      bitsPerSecond: 1_000_000, knows: false,
      jitter: [.milliseconds(3), .zero, .zero, .microseconds(700), .milliseconds(9)])
    #expect(abs(try #require(probe.bitsPerSecond) - 1_000_000) < 10_000)
  }

  @Test("a line that is too fast to be measured has none")
  func fast() {
    let probe = Self.probe(bitsPerSecond: 1e9, knows: false)
    #expect(probe.isDone)
    #expect(probe.bitsPerSecond == nil)
  }

  @Test("a line that does not answer has none, after a second")
  func silence() {
    var probe = LineProbe()
    var out = OctetBuffer()
    probe.start(at: .zero, into: &out)
    #expect(out.copy() == HCIReset().h4)
    #expect(probe.nextDeadline == .zero + .seconds(1))
    probe.advance(to: .zero + .milliseconds(999))
    #expect(!probe.isDone)
    probe.advance(to: .zero + .seconds(1))
    #expect(probe.isDone)
    #expect(probe.nextDeadline == nil)
    #expect(probe.bitsPerSecond == nil)
  }

  @Test("answers that nobody asked for and damaged octets change nothing")
  func noise() {
    var probe = LineProbe()
    var out = OctetBuffer()
    probe.start(at: .zero, into: &out)
    out.removeAll()
    let noise = HCICommandStatus(.writeLocalName, .success).h4 + [0x04, 0x0E, 0x01, 0x00] + HCICommandStatus().h4
    probe.receive(noise.span, at: .zero, into: &out)
    #expect(out.copy() == [])
    #expect(!probe.isDone)
  }
}
