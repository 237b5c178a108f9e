import AccessoryProfile
import BLECore
import Testing

@testable import Bench

@Suite("Output of the ladder")
struct OutputTests {
  static let transfer = Transfer(
    octets: 1000, time: .milliseconds(100),
    link: LinkShape(interval: .milliseconds(15), mtu: 247, dataLength: 251, phy: .le2M),
    unit: 244, packetsPerEvent: 6.066, limitKbps: 100, bound: .packetsPerEvent, notes: ["the MTU is 100"])

  static func result(_ number: Int) throws -> StepResult {
    StepResult(step: try step(number), outcome: .success(transfer))
  }

  @Test("JSON has every figure under its name")
  func json() throws {
    let expected: [String: ProfileValue] = [
      "step": .int(7), "name": .string("interval of 15 ms"), "method": .string("channel"), "apple_kbps": .double(394),
      "reference_kbps": .double(394), "reference": .string("apple"),
      "kbps": .double(80), "limit_kbps": .double(100), "percent_of_limit": .double(80),
      "bound_by": .string("packets per event"), "octets": .int(1000), "seconds": .double(0.1),
      "interval_ms": .double(15),
      "mtu": .int(247), "pdu_octets": .int(251), "phy": .string("2M"), "unit_octets": .int(244),
      "packets_per_event": .double(6.07), "missed_events": .double(0), "notes": .array([.string("the MTU is 100")]),
    ]
    #expect(try Self.result(7).json() == .object(expected))
  }

  @Test("a step that failed has an error, and no figures")
  func failedJSON() throws {
    let result = StepResult(step: try step(8), outcome: .failure(StepFailure("gone")))
    guard case .object(let fields) = result.json() else { throw StepFailure("no object") }
    #expect(fields["error"] == .string("gone"))
    #expect(fields["apple_kbps"] == .null)
    #expect(fields["reference"] == .string("computed"))
    #expect(fields["kbps"] == nil)
  }

  @Test("the table has a line for each step, with deviations from the request")
  func table() throws {
    let lines = LadderTable.lines(for: try Self.result(5))
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("5 longer data PDUs"))
    #expect(lines[0].hasSuffix("6.1  packets per event"))
    #expect(lines[0].firstRange(of: "15 ms")?.upperBound == LadderTable.head.firstRange(of: "interval")?.upperBound)
    #expect(lines[1] == "    the MTU is 100")
    let failed = StepResult(step: try step(1), outcome: .failure(StepFailure("gone")))
    #expect(LadderTable.lines(for: failed) == ["1 write with response       failed: gone"])
  }

  @Test("the chart shows each step once")
  func chart() throws {
    let results = try Ladder.steps.map { try Self.result($0.number) }
    let svg = LadderChart.svg(results, title: "1 < 2 & 3")
    #expect(svg.hasPrefix("<svg xmlns="))
    #expect(svg.hasSuffix("</svg>\n"))
    #expect(svg.contains("1 &lt; 2 &amp; 3"))
    for step in Ladder.steps { #expect(svg.contains(step.name)) }
    // The background, the legend and eight bars; eight diamonds and two in the legend.
    #expect(svg.ranges(of: "<rect ").count == 10)
    #expect(svg.ranges(of: "<polygon ").count == 10)
    let open = svg.ranges(of: "<").count
    let closed = svg.ranges(of: "/>").count + 2 * svg.ranges(of: "</").count
    #expect(open == closed)
  }

  @Test("a chart of nothing but failures is still a chart")
  func emptyChart() throws {
    let svg = LadderChart.svg([StepResult(step: try step(1), outcome: .failure(StepFailure("gone")))])
    #expect(svg.contains(">failed<"))
  }
}
