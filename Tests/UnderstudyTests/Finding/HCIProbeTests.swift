import BLECore
import BLEHCI
import Testing

@testable import Understudy

/// A probe with a clock that the test advances, and the octets that it has sent.
private final class InquiryBench {
  var inquiry = HCIProbe()
  var now = Instant.zero
  private var out = OctetBuffer()

  init() { inquiry.start(at: now, into: &out) }

  /// Returns the octets sent since the last call.
  func sent() -> [UInt8] {
    defer { out.removeAll() }
    return out.copy()
  }

  func receive(_ octets: [UInt8]) { inquiry.receive(octets.span, at: now, into: &out) }

  func answer(_ opcode: CommandOpcode, _ parameters: [UInt8]) {
    receive(
      HCICommandComplete {
        $0.commandPackets = 1
        $0.opcode = opcode
        $0.returnParameters = parameters
      }.h4)
  }

  func answerVersion(_ manufacturer: ControllerManufacturer) {
    answer(
      .readLocalVersionInformation,
      HCIReadLocalVersionInformation.ReturnParameters {
        $0.hciVersion = .v5_4
        $0.hciSubversion = 7
        $0.manufacturer = manufacturer
      }.encoded)
  }

  func pass(_ duration: Duration) {
    now += duration
    inquiry.advance(to: now, into: &out)
  }
}

@Suite("Probing for a controller")
struct HCIProbeTests {
  private static let reset = HCIReset().h4
  private static let version = HCIReadLocalVersionInformation().h4
  private static let build = ZephyrReadBuildInformation().h4

  private static func identity(
    _ manufacturer: ControllerManufacturer, _ firmware: String? = nil
  ) -> HCIProbe.Outcome {
    .answered(
      ControllerIdentity(version: .v5_4, subversion: 7, manufacturer: manufacturer, firmware: firmware))
  }

  @Test("A controller reports its version and manufacturer")
  func controller() {
    let bench = InquiryBench()
    #expect(bench.sent() == Self.reset)
    bench.answer(.reset, [0])
    #expect(bench.sent() == Self.version && bench.inquiry.outcome == nil)
    bench.answerVersion(.nimble)
    #expect(bench.inquiry.outcome == Self.identity(.nimble))
    #expect(bench.sent() == [] && bench.inquiry.nextDeadline == nil)
  }

  @Test("Zephyr is asked for its firmware, and need not answer", arguments: ["says", "refuses", "is silent"])
  func zephyr(_ lineKind: String) {
    let bench = InquiryBench()
    bench.answer(.reset, [0])
    bench.answerVersion(.zephyr)
    #expect(bench.sent().suffix(Self.build.count) == Self.build[...])
    switch lineKind {
    case "says": bench.answer(.zephyrReadBuildInformation, [0] + Array("Zephyr 4.2".utf8) + [0, 0x55])
    case "refuses": bench.receive(HCICommandStatus(.zephyrReadBuildInformation, .unknownHCICommand).h4)
    default: bench.pass(HCIProbe.patience)
    }
    #expect(bench.inquiry.outcome == Self.identity(.zephyr, lineKind == "says" ? "Zephyr 4.2" : nil))
  }

  @Test("A silent controller is queried twice")
  func silence() {
    let bench = InquiryBench()
    #expect(bench.sent() == Self.reset)
    bench.pass(.milliseconds(249))
    #expect(bench.sent() == [])
    bench.pass(.milliseconds(1))
    #expect(bench.sent() == Self.reset && bench.inquiry.outcome == nil)
    bench.pass(HCIProbe.patience)
    #expect(bench.inquiry.outcome == .silent && bench.inquiry.nextDeadline == nil)
  }

  @Test("Octets that are not HCI are counted")
  func garbage() {
    let bench = InquiryBench()
    bench.receive(Array("login: ".utf8))
    bench.pass(HCIProbe.patience)
    bench.receive(Array("Password: ".utf8))
    bench.pass(HCIProbe.patience)
    #expect(bench.inquiry.outcome == .garbled(octets: 17))
  }

  @Test("The rest of an incomplete packet does not hide the second answer")
  func halfPacket() {
    let bench = InquiryBench()
    bench.receive([0x04, 0x3E, 200, 2])
    bench.pass(HCIProbe.patience)
    bench.answer(.reset, [0])
    bench.answerVersion(.nordic)
    #expect(bench.inquiry.outcome == Self.identity(.nordic))
  }

  @Test("A version that does not match its layout is ignored")
  func shortVersion() {
    let bench = InquiryBench()
    bench.answer(.reset, [0])
    bench.answer(.readLocalVersionInformation, [0, 1])
    #expect(bench.inquiry.outcome == .garbled(octets: 7 + 8))
  }
}
