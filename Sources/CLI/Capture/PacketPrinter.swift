import AccessoryProfile
import BLECore
import Capture
import Decoding
import Understudy
import Viewing

/// Prints decoded packets as lines, trees or JSON.
struct PacketPrinter {
  let isJSON: Bool
  let showsTree: Bool

  func print(
    _ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder, to output: inout LineOutput
  ) {
    if isJSON {
      return output.print { decoder.writeJSON(of: summary, in: record, withTree: showsTree, to: &$0) }
    }
    output.print { line in
      line.append(Self.style(summary)) { PacketWords.writeColumns(of: summary, to: &$0) }
      line.append("  ")
      line.append(untrusted: { text in
        decoder.write(summary, in: record, to: &text)
        PacketWords.writeRemarks(on: record, to: &text)
      })
    }
    guard showsTree else { return }
    for layer in decoder.tree(of: summary, in: record) {
      output.print("  \(Terminal.styled(layer.name, .bold)) \(layer.title)")
      for line in PacketWords.fieldLines(of: layer) { output.print("\(line)") }
      for line in PacketWords.hexLines(layer.octets) { output.print("    \(Terminal.styled(line, .dim))") }
    }
  }

  static func style(_ summary: PacketSummary) -> Terminal.Style {
    if summary.fault != nil { return .red }
    switch summary.layer {
    case .att: return .cyan
    case .smp, .signalling, .channel,
      _ where summary.layer.isClassic:
      return .green
    case .event, .command, .message: return .dim
    default: return .plain
    }
  }

  // MARK: Counters

  func print(_ statistics: CaptureStatistics, to output: inout LineOutput) {
    if isJSON { return output.print(TerminalText(json(statistics).jsonText)) }
    for line in statistics.lines { output.print("\(line)") }
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
      let percentiles = CaptureStatistics.percentiles(of: connection).map { percent, nanoseconds in
        ("p\(percent)", ProfileValue.int(nanoseconds))
      }
      return .object([
        "source": .int(Int64(connection.source)), "handle": .int(Int64(connection.handle)),
        "address": connection.address.map { .string(DeviceAddress(bits: $0).description) } ?? .null,
        "br-edr": .bool(connection.isClassic), "sent": traffic(connection, connection.sent),
        "received": traffic(connection, connection.received),
        "intervals": .array(connection.intervals.map { .double(Double($0) * 1.25) }),
        "latency": .object(Dictionary(uniqueKeysWithValues: percentiles)),
      ])
    }
    let counters = statistics.counters
    let kinds = [
      ("total", counters.total), ("errors", counters.errors), ("hci", counters.hci), ("acl", counters.acl),
      ("sco", counters.sco), ("misc", counters.others),
    ]
    return .object([
      "counters": .object(Dictionary(uniqueKeysWithValues: kinds.map { ($0, .int(Int64($1))) })),
      "packets": .int(Int64(statistics.packets)), "octets": .int(Int64(statistics.octets)),
      "faults": .int(Int64(statistics.faults)), "failed-connections": .int(Int64(statistics.failedConnections)),
      "layers": .object(Dictionary(uniqueKeysWithValues: layers)),
      "nanoseconds": .int(statistics.duration), "connections": .array(connections),
    ])
  }
}
