import AccessoryProfile
import BLECore
import Capture
import Decoding
import Scenarios
import Testing
import Understudy
import Viewing

@testable import Reporting

@Suite("Reports of runs") struct RunReportTests {
  private static let scenario = """
    understudy-scenario: 1
    name: Test
    accessory:
      services:
        - uuid: FFF0
          characteristics:
            - { id: level, uuid: FFF1, properties: [read, write, notify], format: u8, value: 7, notify: on-change }
    prepare: [ connect ]
    cases:

    """

  /// Runs a case, and returns its result with the records from all points of view.
  private func run(_ steps: String) throws -> (CaseResult, RecordShelf) {
    let scenario = try Scenario.load(text: Self.scenario + "  - { name: one, steps: [ \(steps) ] }\n")
    var shelf = RecordShelf()
    let result = CaseRunner.run(try #require(scenario.cases.first), of: scenario) { shelf.append($0) }
    return (result, shelf)
  }

  // MARK: Failures

  @Test(
    "A failed step says what it expected, and what came",
    arguments: [
      ("{ read: level, gives: 8 }", "hex:08 (8)", "hex:07 (7)", "level"),
      ("{ value: level, is: 9 }", "hex:09 (9)", "hex:07 (7)", "level"),
      ("{ read: level, fails: 0x05 }", "the error Insufficient Authentication (0x05)", "success", "level"),
      (
        "{ subscribe: level }, { set: { level: 1 } }, { notified: level, value: 2 }", "hex:02 (2)", "hex:01 (1)",
        "level"
      ),
      ("{ subscribe: level }, { notified: level, value: 2, within: 1 s }", "hex:02 (2)", "no value", "level"),
      (
        "{ expect: { event: write, characteristic: level }, within: 1 s }",
        "{\"characteristic\":\"level\",\"event\":\"write\"}",
        "no event write", "level"
      ),
      ("{ exchange-mtu: any, gives: 100 }", "100", "517", nil),
    ])
  func comparison(_ steps: String, _ expected: String, _ actual: String, _ subject: String?) throws {
    let failure = try #require(try run(steps).0.failure)
    #expect(failure.comparison == CaseFailure.Comparison(expected: expected, actual: actual))
    #expect(failure.subject == subject)
  }

  // MARK: Tracks

  @Test("A track has the points of view of the accessory, the air and the central, and names their attributes")
  func lanes() throws {
    let (result, shelf) = try run("{ read: level, gives: 7 }")
    let recorded = try #require(result.recorded)
    #expect(recorded.names.count == 2 && recorded.attributes.contains { $0.id == "level" && !$0.isDescriptor })
    var builder = TrackBuilder()
    builder.hostNames = recorded.names
    for (handle, type, id, isDescriptor) in recorded.attributes {
      builder.decoder.define(
        attribute: handle, type, name: id, isDescriptor: isDescriptor, source: recorded.accessory)
      for address in recorded.addresses {
        builder.decoder.define(attribute: handle, type, name: id, isDescriptor: isDescriptor, ofPeer: address)
      }
    }
    let track = builder.track(of: shelf)
    #expect(track.lanes.map(\.viewpoint) == [.peripheral, .air, .central])
    #expect(track.lanes.map(\.name) == ["accessory", "air", "phone"])
    #expect(zip(track.packets, track.packets.dropFirst()).allSatisfy { $0.nanoseconds <= $1.nanoseconds })
    for lane in track.lanes.indices {
      let responses = track.packets.filter { $0.lane == lane && $0.text.hasPrefix("Read Response") }
      #expect(responses.count == 1 && responses.allSatisfy { $0.text.contains("level") }, "\(track.lanes[lane])")
      #expect(responses.allSatisfy { $0.request.map { track.packets[$0].text.hasPrefix("Read Request") } ?? false })
    }
  }

  @Test("A track marks packets that were lost on the air")
  func losses() throws {
    let (_, shelf) = try run("{ air: { loss: 50% } }, { read: level }, { read: level }")
    let track = TrackBuilder().track(of: shelf)
    #expect(track.packets.contains { $0.isLost && track.lanes[$0.lane].viewpoint == .air })
    #expect(!track.packets.contains { $0.isLost && track.lanes[$0.lane].viewpoint != .air })
  }

  /// A read of an attribute on HCI, its answer, or an acknowledgement.
  private static func record(_ octets: [UInt8], _ time: Int64, isSent: Bool = false) -> CaptureRecord {
    CaptureRecord(.hci(isSent ? .hostToController : .controllerToHost), nanoseconds: time, octets: octets)
  }

  @Test("If there are too many packets, quiet ones go first, and then the middle", arguments: [10, 40, 100])
  func limit(_ limit: Int) {
    var shelf = RecordShelf()
    for number in 0..<50 {
      shelf.append(Self.record([2, 0x40, 0, 7, 0, 3, 0, 4, 0, 0x0A, UInt8(number), 0], Int64(number * 10)))
      shelf.append(Self.record([4, 0x13, 5, 1, 0x40, 0, 1, 0], Int64(number * 10 + 5)))
    }
    var builder = TrackBuilder()
    builder.limit = limit
    let track = builder.track(of: shelf)
    #expect(track.packets.count == min(limit, 100) && track.omitted == 100 - track.packets.count)
    let handles = track.packets.filter { $0.octets[0] == 2 }.map { Int($0.octets[10]) }
    #expect(handles.first == 0 && handles.last == 49)
    if limit == 10 { #expect(handles == [0, 1] + Array(42..<50)) }
  }

  @Test(
    "Advertising, empty packets and acknowledgements are quiet",
    arguments: [
      ([4, 0x3E, 2, 0x02, 0], true), ([4, 0x3E, 2, 0x01, 0], false), ([4, 0x13, 1, 0], true), ([4, 0x0E, 1, 0], false),
      ([2, 0, 0, 0, 0], false), ([4], false), ([], false),
    ] as [([UInt8], Bool)])
  func quiet(_ octets: [UInt8], _ isQuiet: Bool) { #expect(RecordShelf.isQuiet(Self.record(octets, 0)) == isQuiet) }

  // MARK: Values

  @Test("Numbers in values become series, in the formats of the profile or the assigned ones")
  func series() throws {
    let (_, shelf) = try run(
      "discover, { subscribe: level }, { set: { level: 1 } }, { wait: 1 s }, { set: { level: 9 } }, { wait: 1 s }")
    var builder = TrackBuilder()
    builder.formats = [try #require(BluetoothUUID("FFF1")): try #require(ValueFormat(definition: "u8"))]
    let series = builder.track(of: shelf).series
    #expect(series.map { $0.points.map(\.value) } == [[1, 9]])
    #expect(series.first?.type == BluetoothUUID("FFF1"))
    #expect(TrackBuilder().track(of: shelf).series.isEmpty)
  }

  // MARK: Moments

  @Test(
    "Lines of transcripts become moments",
    arguments: [
      (
        "1.250000 phone: {\"event\":\"mtu\"}",
        Moment(nanoseconds: 1_250_000_000, who: "phone", text: "{\"event\":\"mtu\"}")
      ),
      ("0.000001 a: b: c", Moment(nanoseconds: 1000, who: "a", text: "b: c")),
      ("", nil), ("1.25 phone: x", nil), ("1.250000 phone", nil), ("x.250000 phone: x", nil),
      ("99999999999999.000000 phone: x", nil),
    ] as [(String, Moment?)])
  func moments(_ line: String, _ expected: Moment?) { #expect(Moment(line) == expected) }

  @Test("A long transcript keeps its beginning and its end, and names the gap")
  func longTranscript() {
    let moments = Moment.all(of: (0..<Moment.limit + 500).map { "\($0).000000 phone: event" })
    #expect(moments.count == Moment.limit + 1)
    #expect(moments.count { $0.who == "report" && $0.text == "500 events are left out here" } == 1)
    #expect(moments.last?.nanoseconds == Int64(Moment.limit + 499) * 1_000_000_000)
  }

  @Test(
    "An excerpt has the lines around the marked one",
    arguments: [(1, 1, 5), (5, 1, 9), (10, 6, 5), (0, nil, 0), (11, nil, 0)] as [(Int, Int?, Int)])
  func excerpts(_ marked: Int, _ first: Int?, _ count: Int) {
    let text = (1...10).map { "line \($0)\n" }.joined()
    let excerpt = Excerpt(of: text, file: "x.yaml", marked: marked)
    #expect(excerpt?.first == first && excerpt?.lines.count ?? 0 == count)
  }

  @Test("An excerpt marks the line of a profile that declares a characteristic")
  func declaration() throws {
    let profile = try Profile.load("heart-rate")
    let excerpt = try #require(Excerpt(declaring: "location", in: profile))
    #expect(excerpt.lines[excerpt.marked - excerpt.first].contains("location"))
    #expect(Excerpt(declaring: "nothing", in: profile) == nil)
  }
}
