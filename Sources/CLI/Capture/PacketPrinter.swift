import AccessoryProfile
import BLECore
import Capture
import ControlAPI
import Decoding
import Viewing

/// Prints decoded packets as lines, trees or JSON.
struct PacketPrinter {
  let isJSON: Bool
  let showsTree: Bool

  func print(_ summary: PacketSummary, _ record: CaptureRecord, _ decoder: PacketDecoder) {
    if isJSON {
      return Terminal.print(json: .object(decoder.json(of: summary, in: record, withTree: showsTree)))
    }
    let text = decoder.text(of: summary, in: record)
    let columns = PacketWords.columns(summary)
    Terminal.print("\(Terminal.styled(columns, Self.style(summary)))  \(text)\(PacketWords.remarks(record))")
    guard showsTree else { return }
    for layer in decoder.tree(of: summary, in: record) {
      Terminal.print("  \(Terminal.styled(layer.name, .bold)) \(layer.title)")
      for field in layer.fields { show(field, indent: 2, layer.octets) }
      for line in PacketWords.hexLines(layer.octets) { Terminal.print("    \(Terminal.styled(line, .dim))") }
    }
  }

  static func style(_ summary: PacketSummary) -> Terminal.Style {
    if summary.fault != nil { return .red }
    switch summary.layer {
    case .att: return .cyan
    case .smp, .signalling, .channel: return .green
    case .event, .command, .message: return .dim
    default: return .plain
    }
  }

  private func show(_ field: DescribedField, indent: Int, _ octets: [UInt8]) {
    Terminal.print("\(String(repeating: "  ", count: indent))\(PacketWords.line(of: field, octets))")
    for child in field.children { show(child, indent: indent + 1, octets) }
  }

  // MARK: Counters

  func print(_ statistics: CaptureStatistics) {
    if isJSON { return Terminal.print(json: json(statistics)) }
    let seconds = Double(statistics.duration) / 1e9
    Terminal.print(
      "\(statistics.packets) packets, \(statistics.octets) octets, \(statistics.faults) faults, \(PacketWords.rounded(seconds)) s"
    )
    for layer in PacketLayer.allCases {
      if let count = statistics.layers[layer] { Terminal.print("  \(PacketWords.padded(layer.rawValue, 12)) \(count)") }
    }
    for connection in statistics.connections {
      let address = connection.address.map { " " + DeviceAddress(bits: $0).description } ?? ""
      Terminal.print(
        "connection \(PacketWords.hex(UInt64(connection.handle), 4))\(address), source \(connection.source)")
      for (name, traffic) in [("sent", connection.sent), ("received", connection.received)] {
        let rate = PacketWords.rounded(connection.throughput(traffic) / 1000)
        Terminal.print("  \(name): \(traffic.packets) packets, \(traffic.octets) octets, \(rate) kB/s")
      }
      if !connection.intervals.isEmpty {
        let list = connection.intervals.map { PacketWords.rounded(Double($0) * 1.25) }.joined(separator: ", ")
        Terminal.print("  interval: \(list) ms")
      }
      let percentiles = [50.0, 90, 99].compactMap { percent in
        connection.latency.percentile(percent).map { "\(Int(percent)) % \(PacketWords.rounded(Double($0) / 1e6)) ms" }
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
      "nanoseconds": .int(statistics.duration), "connections": .array(connections),
    ])
  }
}
