import AccessoryProfile
import BLECore
import Capture
import ControlAPI
import Decoding

/// Prints decoded packets as lines, trees or JSON.
struct PacketPrinter {
  let isJSON: Bool
  let showsTree: Bool

  func print(_ summary: PacketSummary, _ record: CaptureRecord, _ decoder: PacketDecoder) {
    if isJSON {
      return Terminal.print(json: .object(decoder.json(of: summary, in: record, withTree: showsTree)))
    }
    let text = decoder.text(of: summary, in: record)
    let handle = summary.handle.map { Self.digits(UInt64($0), 4) } ?? ""
    let address = summary.address.map { DeviceAddress(bits: $0).description } ?? ""
    let columns = [
      Self.padded(Self.clock(summary.nanoseconds), 15), Self.padded(PacketDecoder.typeText(of: summary), 14),
      Self.padded(handle, 6), Self.padded(address, 17),
    ].joined(separator: "  ")
    let comment = record.comment.map { "  # " + $0 } ?? ""
    Terminal.print("\(Terminal.styled(columns, style(summary)))  \(text)\(comment)")
    guard showsTree else { return }
    for layer in decoder.tree(of: summary, in: record) {
      Terminal.print("  \(Terminal.styled(layer.name, .bold)) \(layer.title)")
      for field in layer.fields { show(field, indent: 2, layer.octets) }
      for line in Self.hexLines(layer.octets) { Terminal.print("    \(Terminal.styled(line, .dim))") }
    }
  }

  private func style(_ summary: PacketSummary) -> Terminal.Style {
    if summary.fault != nil { return .red }
    switch summary.layer {
    case .att: return .cyan
    case .smp, .signalling, .channel: return .green
    case .event, .command, .message: return .dim
    default: return .plain
    }
  }

  private func show(_ field: DescribedField, indent: Int, _ octets: [UInt8]) {
    let place =
      field.range.isEmpty ? "" : " [\(octets[field.range.clamped(to: octets.indices)].prefix(16).hexadecimal)]"
    // A name in place of its number would hide what is on the wire.
    let isNameOnly = field.number != nil && !(field.meaning?.contains("0x") ?? true)
    let value =
      field.meaning.map { isNameOnly ? "\(field.value), \($0)" : $0 } ?? (field.children.isEmpty ? field.value : "")
    let meaning = value.isEmpty ? "" : ": " + value
    Terminal.print("\(String(repeating: "  ", count: indent))\(field.name)\(meaning)\(place)")
    for child in field.children { show(child, indent: indent + 1, octets) }
  }

  private static func hexLines(_ octets: [UInt8]) -> [String] {
    stride(from: 0, to: octets.count, by: 16).map { start in
      let line = octets[start..<min(octets.count, start + 16)]
      return digits(UInt64(start), 4).dropFirst(2) + "  " + line.map { [$0].hexadecimal }.joined(separator: " ")
    }
  }

  // MARK: Counters

  func print(_ statistics: CaptureStatistics) {
    if isJSON { return Terminal.print(json: json(statistics)) }
    let seconds = Double(statistics.span.last - statistics.span.first) / 1e9
    Terminal.print(
      "\(statistics.packets) packets, \(statistics.octets) octets, \(statistics.faults) faults, \(Self.rounded(seconds)) s"
    )
    for layer in PacketLayer.allCases {
      if let count = statistics.layers[layer] { Terminal.print("  \(Self.padded(layer.rawValue, 12)) \(count)") }
    }
    for connection in statistics.connections {
      let address = connection.address.map { " " + DeviceAddress(bits: $0).description } ?? ""
      Terminal.print("connection \(Self.digits(UInt64(connection.handle), 4))\(address), source \(connection.source)")
      for (name, traffic) in [("sent", connection.sent), ("received", connection.received)] {
        let rate = Self.rounded(connection.throughput(traffic) / 1000)
        Terminal.print("  \(name): \(traffic.packets) packets, \(traffic.octets) octets, \(rate) kB/s")
      }
      if !connection.intervals.isEmpty {
        let list = connection.intervals.map { Self.rounded(Double($0) * 1.25) }.joined(separator: ", ")
        Terminal.print("  interval: \(list) ms")
      }
      let percentiles = [50.0, 90, 99].compactMap { percent in
        connection.latency.percentile(percent).map { "\(Int(percent)) % \(Self.rounded(Double($0) / 1e6)) ms" }
      }
      if !percentiles.isEmpty {
        Terminal.print("  ATT latency: \(percentiles.joined(separator: ", ")) of \(connection.latency.total)")
      }
    }
  }

  private func json(_ statistics: CaptureStatistics) -> ProfileValue {
    func traffic(_ connection: CaptureStatistics.Connection, _ traffic: CaptureStatistics.Traffic) -> ProfileValue {
      .object([
        "packets": .int(Int64(traffic.packets)), "octets": .int(Int64(traffic.octets)),
        "octets-per-second": .double(connection.throughput(traffic)),
      ])
    }
    let layers = statistics.layers.map { ($0.key.rawValue, ProfileValue.int(Int64($0.value))) }
    let connections = statistics.connections.map { connection -> ProfileValue in
      let percentiles = [50.0, 90, 99].compactMap { percent in
        connection.latency.percentile(percent).map { ("p\(Int(percent))", ProfileValue.int($0)) }
      }
      return .object([
        "source": .int(Int64(connection.source)), "handle": .int(Int64(connection.handle)),
        "address": connection.address.map { .string(DeviceAddress(bits: $0).description) } ?? .null,
        "sent": traffic(connection, connection.sent), "received": traffic(connection, connection.received),
        "intervals": .array(connection.intervals.map { .double(Double($0) * 1.25) }),
        "latency": .object(Dictionary(uniqueKeysWithValues: percentiles)),
      ])
    }
    return .object([
      "packets": .int(Int64(statistics.packets)), "octets": .int(Int64(statistics.octets)),
      "faults": .int(Int64(statistics.faults)), "layers": .object(Dictionary(uniqueKeysWithValues: layers)),
      "nanoseconds": .int(statistics.span.last - statistics.span.first), "connections": .array(connections),
    ])
  }

  // MARK: Texts

  /// The time of day, UTC, in microseconds.
  private static func clock(_ nanoseconds: Int64) -> String {
    let day: Int64 = 86_400_000_000
    let microseconds = ((nanoseconds / 1000) % day + day) % day
    func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let fraction = String(microseconds % 1_000_000)
    let seconds = microseconds / 1_000_000
    return "\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))."
      + String(repeating: "0", count: 6 - fraction.count) + fraction
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func digits(_ value: UInt64, _ width: Int) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return "0x" + String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private static func rounded(_ value: Double) -> String {
    value.isFinite && abs(value) < 1e15 ? "\((value * 1000).rounded() / 1000)" : "?"
  }
}
