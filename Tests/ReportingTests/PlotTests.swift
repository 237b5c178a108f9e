import AccessoryProfile
import BLECore
import Capture
import Decoding
import Testing

@testable import Reporting

@Suite("Pictures of captures") struct PlotTests {
  private static let wave = PlotSeries(
    name: "pulse", unit: "bpm", points: (0..<200).map { (Double($0), Double(60 + $0 % 40)) })

  // MARK: Scales

  @Test(
    "A scale has round marks, and contains the range",
    arguments: [
      (0, 1, 5, 0.2, "0.2"), (60, 99, 4, 10, "10"), (-90, -35, 4, 20, "20"), (0, 7200, 6, 2000, "2000"),
      (5, 5, 4, 0.5, "0.5"),
      (0, 0, 4, 0.5, "0.5"), (0.001, 0.0031, 4, 0.001, "0.001"), (1e9, 1e9 + 7, 4, 2, "2"),
    ] as [(Double, Double, Int, Double, String)])
  func scales(_ low: Double, _ high: Double, _ marks: Int, _ step: Double, _ text: String) {
    let scale = RoundScale(low...high, marks: marks)
    #expect(abs(scale.step - step) < step * 1e-9)
    #expect(scale.range.lowerBound <= low && scale.range.upperBound >= high)
    #expect(scale.marks.first == scale.range.lowerBound)
    #expect(scale.text(scale.step) == text && scale.text(-scale.step) == "-" + text)
    #expect(scale.place(scale.range.lowerBound) == 0 && scale.place(scale.range.upperBound) == 1)
  }

  @Test("If there are too many points, each column keeps its extremes")
  func thinning() throws {
    var points = (0..<100_000).map { (seconds: Double($0) / 100, value: 0.0) }
    points[54_321].value = 9
    points[77_777].value = -3
    let series = PlotSeries(name: "x", points: points)
    let thinned = series.thinned(columns: 100, from: 0, span: 1000)
    #expect(thinned.count <= 400)
    #expect(thinned.contains { $0.value == 9 } && thinned.contains { $0.value == -3 })
    #expect(zip(thinned, thinned.dropFirst()).allSatisfy { $0.seconds <= $1.seconds })
  }

  // MARK: Pictures

  @Test("A picture is complete SVG with a part for each series", arguments: [0, 1, 3])
  func svg(_ count: Int) {
    let text = CurveChart.svg(Array(repeating: Self.wave, count: count), title: "a & b </svg> \u{1B}")
    #expect(text.hasPrefix("<svg ") && text.hasSuffix("</svg>\n"))
    #expect(text.ranges(of: "<polyline").count == count)
    #expect(text.contains("a &amp; b &lt;/svg&gt; \u{FFFD}"))
    #expect(!text.contains("nan") && !text.contains("inf"))
  }

  @Test(
    "A picture marks points that stand alone, and the values of a short curve",
    arguments: [(PlotSeries.Form.points, 200, 200, 0), (.curve, 20, 20, 1), (.curve, 200, 0, 1)])
  func forms(_ form: PlotSeries.Form, _ count: Int, _ circles: Int, _ curves: Int) {
    var series = Self.wave
    (series.form, series.points) = (form, Array(series.points.prefix(count)))
    let text = CurveChart.svg([series], title: "")
    #expect(text.ranges(of: "<circle").count == circles && text.ranges(of: "<polyline").count == curves)
  }

  @Test("In a terminal, lines fit, and ASCII is ASCII", arguments: [(40, false), (80, true), (120, false), (7, true)])
  func terminal(_ width: Int, _ isASCII: Bool) {
    let lines = TerminalChart.lines([Self.wave], width: width, rows: 6, isASCII: isASCII)
    #expect(lines.count == 9 && lines.first == "pulse, bpm")
    #expect(lines.allSatisfy { $0.count <= max(40, width) })
    #expect(lines.joined().utf8.allSatisfy { $0 < 0x80 } == isASCII)
    #expect(lines[1].hasPrefix("100 ") && lines[6].hasPrefix(" 60 "))
  }

  @Test("A single value and equal values can be drawn", arguments: [[(0.0, 5.0)], [(1, 5), (2, 5)], []])
  func few(_ points: [(Double, Double)]) {
    let series = PlotSeries(name: "x", points: points.map { (seconds: $0.0, value: $0.1) })
    #expect(TerminalChart.lines([series], width: 60, isASCII: true).count == 11)
    #expect(!CurveChart.svg([series], title: "x").contains("nan"))
  }

  // MARK: Names

  @Test(
    "A characteristic, with or without a field, names numbers",
    arguments: [
      ("2A37.bpm", true), ("2a37", true), ("heart-rate-measurement.bpm", true), ("Heart Rate Measurement", true),
      ("pulse.bpm", true), ("heart", true), ("2A37.energy", false), ("2A38", false), ("battery-level", false),
    ])
  func names(_ text: String, _ isMeant: Bool) throws {
    let type = try #require(BluetoothUUID("2A37"))
    let name = try #require(ValueName(text, ids: ["pulse": type]))
    #expect(
      name.isName(of: ValueSeries(name: "Heart Rate Measurement.bpm", type: type, field: "bpm", points: [])) == isMeant)
  }

  @Test("Some texts name nothing", arguments: ["", ".", ".bpm", "2A37."])
  func noNames(_ text: String) { #expect(ValueName(text) == nil) }

  // MARK: Quantities

  private func read(_ quantity: PlotReader.Quantity, _ records: [CaptureRecord]) -> [PlotSeries] {
    var (reader, decoder) = (PlotReader(quantity), PacketDecoder())
    for record in records {
      let summary = decoder.receive(record)
      reader.take(summary, record, decoder)
    }
    return reader.series()
  }

  @Test(
    "Latency is the time from a request to its answer, throughput counts octets, and strength is measured on the air")
  func quantities() throws {
    func att(_ body: [UInt8], _ milliseconds: Int64, isSent: Bool) -> CaptureRecord {
      let count = UInt8(body.count)
      return CaptureRecord(
        .hci(isSent ? .hostToController : .controllerToHost), nanoseconds: milliseconds * 1_000_000,
        octets: [2, 0x40, isSent ? 0 : 0x20, count + 4, 0, count, 0, 4, 0] + body)
    }
    let records = [
      att([0x0A, 3, 0], 0, isSent: false), att([0x0B, 7], 30, isSent: true), att([0x0A, 3, 0], 1000, isSent: false),
    ]
    let latency = read(.latency, records)
    #expect(latency.map { $0.points.map(\.value) } == [[30]] && latency.first?.unit == "ms")
    let throughput = read(.throughput, records)
    #expect(throughput.map(\.name) == ["received", "sent"])
    #expect(read(.strength, records).isEmpty)
    var reception = AirReception(accessAddress: AirReception.advertisingAccessAddress)
    reception.signalStrength = -55
    let advertising = CaptureRecord(.air(reception), octets: [0, 6, 1, 2, 3, 4, 5, 6])
    let strength = read(.strength, [advertising])
    #expect(strength.map(\.name) == ["advertising"] && strength.first?.points.map(\.value) == [-55])
  }
}
