import BLECore
import BLEHCI
import BLEL2CAP
import Capture

/// Counters of a capture. Its memory is bounded however long the capture is.
package struct CaptureStatistics: Sendable {
  /// The traffic in one direction.
  package struct Traffic: Hashable, Sendable {
    /// Packets with L2CAP data.
    package var packets = 0
    /// Octets of L2CAP data.
    package var octets = 0
  }

  /// A connection, or several consecutive ones with the same handle.
  package struct Connection: Sendable {
    /// The controller or interface.
    package var source: UInt32
    /// The connection handle, or the access address on the air.
    package var handle: UInt32
    /// The peer's address.
    package var address: UInt64?
    /// Whether it is of BR/EDR, as its beginning or its signalling shows.
    package var isClassic = false
    /// The time of its first packet: nanoseconds since 1970-01-01 00:00 UTC.
    package var began: Int64
    /// The time of its last packet.
    package var latest: Int64
    /// From the host.
    package var sent = Traffic()
    /// To the host.
    package var received = Traffic()
    /// Its successive connection intervals, in units of 1.25 ms; at most 16.
    package var intervals: [UInt16] = []
    /// The time from ATT requests and indications to their responses and confirmations.
    package var latency = LatencyHistogram()

    /// Returns the average octets of L2CAP data per second over its duration.
    package func throughput(_ traffic: Traffic) -> Double {
      latest > began ? Double(traffic.octets) * 1e9 / Double(latest.elapsed(since: began)) : 0
    }
  }

  private static let connectionLimit = 1024

  /// The number of records.
  package private(set) var packets = 0
  /// The number of octets.
  package private(set) var octets = 0
  /// The number of records with a fault.
  package private(set) var faults = 0
  /// The number of connections that failed to be established (0x3E), from connection complete and disconnection complete events.
  package private(set) var failedConnections = 0
  /// The records by kind.
  package private(set) var counters = PacketCounters()
  /// The records by their uppermost layer.
  package private(set) var layers: [PacketLayer: Int] = [:]
  /// The connections in the order of appearance.
  package private(set) var connections: [Connection] = []
  /// The times of the first and the last record: nanoseconds since 1970-01-01 00:00 UTC.
  package private(set) var span: (first: Int64, last: Int64) = (0, 0)

  /// The time from the first record to the last, in nanoseconds.
  package var duration: Int64 { span.last.elapsed(since: span.first) }

  private var places: [UInt64: Int] = [:]

  /// Creates zero counters.
  package init() {}

  /// Counts a record.
  package mutating func count(_ summary: PacketSummary, _ record: CaptureRecord) {
    if packets == 0 { span = (summary.nanoseconds, summary.nanoseconds) }
    span.last = max(span.last, summary.nanoseconds)
    packets += 1
    octets += record.octets.count
    if summary.fault != nil { faults += 1 }
    counters.count(summary)
    layers[summary.layer, default: 0] += 1
    if Self.isFailedConnection(summary, record.octets) { failedConnections += 1 }
    guard let handle = summary.handle.map({ UInt32($0) }) ?? summary.accessAddress, summary.layer != .advertising,
      let place = place(summary, handle)
    else { return }
    connections[place].latest = summary.nanoseconds
    connections[place].address = summary.address ?? connections[place].address
    if Self.isClassic(summary) { connections[place].isClassic = true }
    switch summary.layer {
    case _ where summary.layer.isACL || summary.layer == .linkData:
      let head = summary.isOnAir ? 2 : 5
      guard record.octets.count > head else { return }
      let way: WritableKeyPath<Connection, Traffic> = summary.isSent ? \.sent : \.received
      connections[place][keyPath: way].packets += 1
      connections[place][keyPath: way].octets += record.octets.count - head
      if summary.layer == .att, let latency = summary.latency { connections[place].latency.count(latency) }
    case .event: noteInterval(summary, record.octets, place)
    default: break
    }
  }

  /// Returns whether only a connection of BR/EDR has such a packet.
  private static func isClassic(_ summary: PacketSummary) -> Bool {
    switch summary.layer {
    case .signalling: summary.channel == ChannelID.classicSignalling.rawValue
    case .event: summary.opcode == UInt16(EventCode.connectionComplete.rawValue)
    case .sco: true
    default: summary.layer.isClassic
    }
  }

  /// Returns whether an event reports that a connection failed to be established: in its status (Core 5.4 Vol 4 Part E 7.7.65.1, .10), or
  /// as the reason of a disconnection (7.7.5).
  private static func isFailedConnection(_ summary: PacketSummary, _ octets: [UInt8]) -> Bool {
    guard summary.layer == .event else { return false }
    let failure = ErrorCode.connectionFailedToBeEstablished.rawValue
    switch summary.opcode {
    case 0x3E01, 0x3E0A, 0x3E29: return summary.status == failure
    case 0x05: return octets.count >= 7 && octets[3] == 0 && octets[6] == failure
    default: return false
    }
  }

  private mutating func place(_ summary: PacketSummary, _ handle: UInt32) -> Int? {
    let key = UInt64(summary.source) << 32 | UInt64(handle)
    if let place = places[key] { return place }
    guard connections.count < Self.connectionLimit else { return nil }
    connections.append(
      Connection(
        source: summary.source, handle: handle, address: summary.address, began: summary.nanoseconds,
        latest: summary.nanoseconds))
    places[key] = connections.count - 1
    return connections.count - 1
  }

  /// Records the interval in events that report one (Core 5.4 Vol 4 Part E 7.7.65.1, .3, .10).
  private mutating func noteInterval(_ summary: PacketSummary, _ octets: [UInt8], _ place: Int) {
    let offset: Int
    switch summary.opcode {
    case 0x3E01: offset = 15
    case 0x3E0A, 0x3E29: offset = 27
    case 0x3E03: offset = 7
    default: return
    }
    guard summary.status == 0, octets.count >= offset + 2, connections[place].intervals.count < 16 else { return }
    connections[place].intervals.append(octets.span.word(offset))
  }
}

/// A histogram of latencies from 1 µs to over an hour, in steps of a sixteenth of their size.
package struct LatencyHistogram: Sendable {
  private var counts: [Int: Int] = [:]
  /// The number of latencies.
  package private(set) var total = 0

  /// Counts a latency, in nanoseconds.
  package mutating func count(_ nanoseconds: Int64) {
    counts[Self.step(UInt64(max(0, nanoseconds)) / 1000), default: 0] += 1
    total += 1
  }

  /// Returns the latency that this percentage does not exceed, in nanoseconds, at most a sixteenth too high; nil if there are none.
  package func percentile(_ percent: Double) -> Int64? {
    guard total > 0 else { return nil }
    var left = max(1, Int((Double(total) * percent / 100).rounded(.up)))
    for step in counts.keys.sorted() {
      left -= counts[step] ?? 0
      if left <= 0 { return Int64(clamping: Self.upper(step)).nanoseconds(inUnitsOf: 1000) }
    }
    return nil
  }

  /// Returns the step of a latency. Below 16 µs each microsecond is a step; above, the highest bit and the four bits after it form the
  /// step.
  private static func step(_ microseconds: UInt64) -> Int {
    guard microseconds >= 16 else { return Int(microseconds) }
    let magnitude = 63 - microseconds.leadingZeroBitCount
    return (magnitude - 3) * 16 + Int(microseconds >> UInt64(magnitude - 4) & 15)
  }

  private static func upper(_ step: Int) -> UInt64 {
    guard step >= 16 else { return UInt64(step) }
    let magnitude = step / 16 + 3
    return (UInt64(16 + step % 16 + 1) << UInt64(magnitude - 4)) - 1
  }
}
