import BLECore
import Decoding

extension CaptureStatistics {
  /// Returns latencies at the 50th, 90th and 99th percentile, in nanoseconds.
  package static func percentiles(of connection: Connection) -> [(percent: Int, nanoseconds: Int64)] {
    [50, 90, 99].compactMap { percent in
      connection.latency.percentile(Double(percent)).map { (percent, $0) }
    }
  }

  /// All statistics, as lines.
  package var lines: [String] {
    let seconds = PacketWords.rounded(Double(duration) / 1e9)
    var lines = ["\(packets) packets, \(octets) octets, \(faults) faults, \(seconds) s"]
    lines.append(counters.text)
    for layer in PacketLayer.allCases {
      if let count = layers[layer] { lines.append("  \(PacketWords.padded(layer.rawValue, 12)) \(count)") }
    }
    if failedConnections > 0 { lines.append("\(failedConnections) connections failed to be established (0x3E)") }
    return lines + connections.flatMap { Self.lines(of: $0) }
  }

  private static func lines(of connection: Connection) -> [String] {
    let address = connection.address.map { " " + DeviceAddress(bits: $0).description } ?? ""
    let handle = PacketWords.hex(UInt64(connection.handle), 4)
    var lines = ["connection \(handle)\(address)\(connection.isClassic ? ", BR/EDR" : ""), source \(connection.source)"]
    for (name, traffic) in [("sent", connection.sent), ("received", connection.received)] {
      let rate = PacketWords.rounded(connection.throughput(traffic) / 1000)
      lines.append("  \(name): \(traffic.packets) packets, \(traffic.octets) octets, \(rate) kB/s")
    }
    if !connection.intervals.isEmpty {
      let list = connection.intervals.map { PacketWords.rounded(Double($0) * 1.25) }.joined(separator: ", ")
      lines.append("  interval: \(list) ms")
    }
    let percentiles = percentiles(of: connection).map { percent, nanoseconds in
      "\(percent) % \(PacketWords.rounded(Double(nanoseconds) / 1e6)) ms"
    }
    if !percentiles.isEmpty {
      lines.append("  ATT latency: \(percentiles.joined(separator: ", ")) of \(connection.latency.total)")
    }
    return lines
  }
}
