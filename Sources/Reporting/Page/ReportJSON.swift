import AccessoryProfile
import Decoding
import UnderstudyCore
import Viewing

/// A report as compact JSON, which `data.js` reads. Times are nanoseconds since the start of a case.
struct ReportJSON {
  private var table = FieldTable()

  /// Returns the content of a script element. It contains no `<`, so that nothing in it can end the element.
  static func text(of report: RunReport) -> String {
    var encoder = ReportJSON()
    // Failed cases come first; each group is in the order of the files.
    let cases = report.cases.filter(\.hasFailed) + report.cases.filter { !$0.hasFailed }
    let encoded = cases.map { encoder.value(of: $0) }
    let text = ProfileValue.object([
      "title": .string(report.title), "maker": .string(report.maker), "cases": .array(encoded),
      "texts": .array(encoder.table.texts.texts), "fields": .array(encoder.table.fields),
      "layers": .array(encoder.table.layers),
    ]).jsonText
    var octets: [UInt8] = []
    octets.reserveCapacity(text.utf8.count)
    for octet in text.utf8 {
      if octet == UInt8(ascii: "<") { octets += Array("\\u003C".utf8) } else { octets.append(octet) }
    }
    return String(decoding: octets, as: UTF8.self)
  }

  private mutating func value(of reported: ReportedCase) -> ProfileValue {
    var object: [String: ProfileValue] = [
      "scenario": .string(reported.scenario), "name": .string(reported.name), "file": .string(reported.file),
      "duration": .int(reported.duration), "moments": .array(reported.moments.map { value(of: $0) }),
    ]
    // A number of nanoseconds since 1970 is too large for JavaScript.
    if reported.hasTimesOfDay { object["epoch"] = .double(Double(reported.epoch) / 1e9) }
    switch reported.outcome {
    case .passed: object["state"] = "passed"
    case .recorded: object["state"] = "recorded"
    case .skipped(let reason): (object["state"], object["reason"]) = ("skipped", .string(reason))
    case .failed(let failure):
      object["state"] = "failed"
      object["failure"] = .object(
        [
          "line": .int(Int64(failure.line)), "step": .string(failure.step), "reason": .string(failure.reason),
          "expected": failure.expected.map { .string($0) } ?? .null,
          "actual": failure.actual.map { .string($0) } ?? .null,
          "time": failure.time.map { .int($0) } ?? .null,
          "injected": failure.injected.map { .array($0.map { .string($0) }) } ?? .null,
        ])
    }
    object["scenarioText"] = reported.scenarioText.map { value(of: $0) }
    object["profileText"] = reported.profileText.map { value(of: $0) }
    object["track"] = reported.track.map { value(of: $0) }
    return .object(object)
  }

  private mutating func value(of moment: Moment) -> ProfileValue {
    numbers([Int(moment.nanoseconds), table.texts.number(of: moment.who), table.texts.number(of: moment.text)])
  }

  private func value(of excerpt: Excerpt) -> ProfileValue {
    .object([
      "file": .string(excerpt.file), "first": .int(Int64(excerpt.first)), "marked": .int(Int64(excerpt.marked)),
      "lines": .array(excerpt.lines.map { .string($0) }),
    ])
  }

  /// Returns a track as one list for each property of the packets. Each time is the difference from the previous one.
  private mutating func value(of track: PacketTrack) -> ProfileValue {
    var times: [Int] = []
    var latest: Int64 = 0
    for packet in track.packets {
      times.append(Int(packet.nanoseconds - latest))
      latest = packet.nanoseconds
    }
    let packets = track.packets
    var remarks: [ProfileValue] = []
    for (index, packet) in packets.enumerated() where !packet.remarks.isEmpty && !packet.isLost {
      remarks.append(numbers([index] + packet.remarks.map { table.texts.number(of: $0) }))
    }
    return .object([
      "lanes": .array(
        track.lanes.map { .object(["name": .string($0.name), "viewpoint": .string("\($0.viewpoint)")]) }),
      "omitted": .int(Int64(track.omitted)), "times": numbers(times), "lane": numbers(packets.map(\.lane)),
      "sent": numbers(packets.map { $0.isSent ? 1 : 0 }), "level": numbers(packets.map(\.level.rawValue)),
      "type": numbers(packets.map { table.texts.number(of: $0.type) }),
      // Lines of a kind share most of their parts.
      "text": .array(packets.map { packet in numbers(Self.parts(packet.text).map { table.texts.number(of: $0) }) }),
      "octets": .array(packets.map { .string(Base64.text($0.octets)) }),
      "layers": .array(
        packets.map { packet in numbers(packet.layers.map { table.number(of: $0, in: packet.octets) }) }),
      "request": numbers(packets.map { $0.request ?? -1 }),
      "latency": numbers(packets.map { $0.latency.map { Int($0) } ?? -1 }),
      "lost": numbers(packets.indices.filter { packets[$0].isLost }),
      "faulty": numbers(packets.indices.filter { packets[$0].isFaulty }), "remarks": .array(remarks),
      "series": .array(track.series.map { value(of: $0) }),
    ])
  }

  private func value(of series: ValueSeries) -> ProfileValue {
    .object([
      "name": .string(series.name), "times": numbers(series.points.map { Int($0.nanoseconds) }),
      "values": .array(
        series.points.map { point in Int64(exactly: point.value).map { .int($0) } ?? .double(point.value) }),
    ])
  }

  private func numbers(_ numbers: [Int]) -> ProfileValue { .array(numbers.map { .int(Int64($0)) }) }

  /// Splits a line at ` - `, with which `PacketDecoder` joins its parts.
  static func parts(_ text: String) -> [String] {
    var parts: [String] = []
    var rest = text[...]
    while let dash = rest.firstRange(of: " - ") {
      parts.append(String(rest[..<dash.lowerBound]))
      rest = rest[dash.upperBound...]
    }
    return parts + [String(rest)]
  }
}
