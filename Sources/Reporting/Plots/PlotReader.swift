import AccessoryProfile
import BLECore
import Capture
import Decoding

/// Collects one quantity of a capture over time, in bounded memory.
package struct PlotReader {
  /// What to collect.
  package enum Quantity: Sendable {
    /// The numbers of a characteristic's values.
    case value(ValueName)
    /// The time from ATT requests and indications to their answers.
    case latency
    /// L2CAP data in both directions.
    case throughput
    /// The signal strength of received packets.
    case strength
  }

  private static let pointLimit = 100_000
  /// The number of intervals for counting throughput.
  private static let intervals = 60.0

  private let quantity: Quantity
  private var values: SeriesCollector
  private var order: [String] = []
  private var points: [String: EndsOfSequence<(seconds: Double, value: Double)>] = [:]
  private var lanes: [UInt64] = []
  private var began: Int64?

  /// Creates a reader. `formats` are the formats of values, by the type of the characteristic; all others have their assigned format.
  package init(_ quantity: Quantity, formats: [BluetoothUUID: ValueFormat] = [:]) {
    self.quantity = quantity
    values = SeriesCollector(formats: formats)
  }

  /// Takes a packet that was just received.
  package mutating func take(_ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder) {
    let began = began ?? summary.nanoseconds
    self.began = began
    let time = summary.nanoseconds.elapsed(since: began)
    let seconds = Double(time) / 1e9
    switch quantity {
    case .value:
      let key = UInt64(summary.source) << 1 | (summary.isOnAir ? 1 : 0)
      let lane = lanes.firstIndex(of: key) ?? lanes.count
      if lane == lanes.count { lanes.append(key) }
      values.take(summary, record, decoder, at: time, lane: lane)
    case .latency:
      guard summary.layer == .att, let latency = summary.latency, latency >= 0 else { return }
      add("ATT latency\(place(summary))", seconds, Double(latency) / 1e6)
    case .throughput:
      let head = summary.isOnAir ? 2 : 5
      guard summary.layer.isACL || summary.layer == .linkData, record.octets.count > head else { return }
      add("\(summary.isSent ? "sent" : "received")\(place(summary))", seconds, Double(record.octets.count - head))
    case .strength:
      guard case .air(let reception) = record.content, let strength = reception.signalStrength else { return }
      let sender =
        summary.layer == .advertising ? "advertising" : summary.isSent ? "from the central" : "from the peripheral"
      add(sender, seconds, Double(strength))
    }
  }

  private func place(_ summary: PacketSummary) -> String {
    summary.isOnAir ? ", on the air" : summary.source == 0 ? "" : ", source \(summary.source)"
  }

  private mutating func add(_ name: String, _ seconds: Double, _ value: Double) {
    if points[name] == nil {
      order.append(name)
      points[name] = EndsOfSequence(limit: Self.pointLimit)
    }
    points[name]?.append((seconds, value))
  }

  /// The names of all numbers in the values so far, from which a user can choose.
  package var valueNames: [String] { values.series(preferring: Array(lanes.indices)).map(\.name) }

  /// Returns what was collected.
  package func series() -> [PlotSeries] {
    switch quantity {
    case .value(let name):
      return values.series(preferring: Array(lanes.indices)).filter { name.isName(of: $0) }.map { one in
        PlotSeries(name: one.name, points: one.points.map { (Double($0.nanoseconds) / 1e9, $0.value) })
      }
    case .latency: return collected("ms", .points)
    case .strength: return collected("dBm", .points)
    case .throughput: return collected("kbit/s", .curve).map { Self.rate($0) }
    }
  }

  private func collected(_ unit: String, _ form: PlotSeries.Form) -> [PlotSeries] {
    order.map { PlotSeries(name: $0, unit: unit, form: form, points: points[$0]?.elements ?? []) }
  }

  /// Turns the octets of single packets into a rate for equal intervals.
  private static func rate(_ series: PlotSeries) -> PlotSeries {
    guard let last = series.points.last?.seconds, last > 0 else { return series }
    let interval = RoundScale(0...last, marks: Int(intervals)).step
    var octets = Array(repeating: 0.0, count: Int(last / interval) + 1)
    for point in series.points { octets[min(octets.count - 1, max(0, Int(point.seconds / interval)))] += point.value }
    var rate = series
    rate.points = octets.enumerated().map { ((Double($0.offset) + 0.5) * interval, $0.element * 8 / 1000 / interval) }
    return rate
  }
}

/// The name of the numbers to plot: a characteristic, and optionally a field of its value.
package struct ValueName: Hashable, Sendable {
  private let characteristic: String
  private let type: BluetoothUUID?
  private let field: String?

  /// Parses `CHARACTERISTIC` or `CHARACTERISTIC.FIELD`; nil if a part is empty. The characteristic is a UUID, an assigned name, or one of the
  /// `ids` of profiles.
  package init?(_ text: String, ids: [String: BluetoothUUID] = [:]) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let first = parts.first, !first.isEmpty, parts.count == 1 || !parts[1].isEmpty else { return nil }
    characteristic = first.lowercased()
    let hyphenated = characteristic.split(separator: " ").joined(separator: "-")
    type = ids[first] ?? BluetoothUUID(first) ?? AssignedName.uuid(named: hyphenated, kind: .characteristic)
    field = parts.count == 2 ? parts[1] : nil
  }

  /// Returns whether this names a series.
  func isName(of series: ValueSeries) -> Bool {
    let isSame = type.map { $0 == series.type } ?? series.name.lowercased().contains(characteristic)
    return isSame && (field.map { series.field == $0 || series.field.hasPrefix($0 + ".") } ?? true)
  }
}
