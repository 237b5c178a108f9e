import BLECore
import BLEHCI
import Capture
import Decoding

/// The history of the connections in a capture: parameters, PHYs, lengths, MTU, encryption, beginning and end.
///
/// On HCI, the controller's events give the history; on the air, the PDUs that negotiate the parameters do.
package struct ConnectionTimeline: Sendable {
  /// The aspects of a connection that can change.
  package enum Aspect: String, Hashable, Sendable, CaseIterable {
    /// The beginning or end of the connection.
    case connection
    /// Interval, latency and supervision timeout.
    case parameters
    /// A request or suggestion of one side, and the answer.
    case request
    /// The PHYs of both directions.
    case phy
    /// The maximum length of link-layer PDUs.
    case dataLength = "data-length"
    /// The MTU of ATT's fixed channel.
    case mtu
    /// Whether the link is encrypted.
    case encryption
  }

  /// A change.
  package struct Entry: Hashable, Sendable {
    /// The number of the packet that shows it.
    package var number: Int
    /// Its time in nanoseconds since 1970-01-01 00:00 UTC.
    package var nanoseconds: Int64
    /// The aspect that has changed.
    package var aspect: Aspect
    /// The new state, or the request.
    package var text: String
  }

  /// One connection.
  package struct Connection: Sendable {
    /// The controller or interface.
    package var source: UInt32
    /// The connection handle, or the access address on the air.
    package var handle: UInt32
    /// Whether it was captured on the air.
    package var isOnAir: Bool
    /// The peer's address; on the air, the advertiser's.
    package var address: UInt64?
    /// Whether the host is the central, if the capture has the connection's beginning on HCI.
    package var isCentral: Bool?
    /// The time of its first packet.
    package var began: Int64
    /// The time of its last packet.
    package var latest: Int64
    /// All changes, in order of time; at most `entryLimit`.
    package var entries: [Entry] = []
    fileprivate var offeredMTU: UInt16?

    /// The time from its first packet to its last, in nanoseconds.
    package var duration: Int64 { latest.elapsed(since: began) }

    /// Returns the time from the connection's first packet to a change, in nanoseconds.
    package func time(of entry: Entry) -> Int64 { entry.nanoseconds.elapsed(since: began) }
  }

  /// The maximum number of entries of a connection.
  package static let entryLimit = 1000
  private static let connectionLimit = 1024

  /// The connections, in the order of their beginnings.
  package private(set) var connections: [Connection] = []
  /// The changes that the last packet shows.
  package private(set) var news: [Entry] = []
  /// The index of the connection that currently has a handle.
  private var places: [UInt64: Int] = [:]

  /// Creates an empty timeline.
  package init() {}

  /// Adds a packet.
  package mutating func add(_ summary: PacketSummary, _ record: CaptureRecord) {
    news = []
    guard summary.fault == nil || summary.fault == .unexpectedResponse else { return }
    let octets = Array(summary.octets(in: record))
    switch summary.layer {
    case .event: addEvent(summary, octets)
    case .advertising: addConnectIndication(summary, octets)
    case .linkControl: addControl(summary, octets)
    case .att: addMTU(summary, octets)
    case .signalling: addRequest(summary, octets)
    case .command, .message, .unknown: break
    default: if let handle = Self.handle(summary) { touch(summary, handle) }
    }
  }

  // MARK: Connections

  private static func handle(_ summary: PacketSummary) -> UInt32? {
    summary.accessAddress ?? summary.handle.map { UInt32($0) }
  }

  private static func key(_ source: UInt32, _ handle: UInt32) -> UInt64 { UInt64(source) << 32 | UInt64(handle) }

  @discardableResult
  private mutating func touch(_ summary: PacketSummary, _ handle: UInt32) -> Int? {
    if let place = places[Self.key(summary.source, handle)] {
      connections[place].latest = summary.nanoseconds
      return place
    }
    return begin(summary, handle)
  }

  private mutating func begin(_ summary: PacketSummary, _ handle: UInt32) -> Int? {
    guard connections.count < Self.connectionLimit else { return nil }
    connections.append(
      Connection(
        source: summary.source, handle: handle, isOnAir: summary.isOnAir, address: summary.address,
        began: summary.nanoseconds, latest: summary.nanoseconds))
    places[Self.key(summary.source, handle)] = connections.count - 1
    return connections.count - 1
  }

  private mutating func enter(_ aspect: Aspect, _ text: String, _ summary: PacketSummary) {
    guard let handle = Self.handle(summary), let place = touch(summary, handle) else { return }
    let entry = Entry(number: summary.number, nanoseconds: summary.nanoseconds, aspect: aspect, text: text)
    if connections[place].entries.count < Self.entryLimit { connections[place].entries.append(entry) }
    news.append(entry)
  }

  private mutating func end(_ text: String, _ summary: PacketSummary) {
    enter(.connection, text, summary)
    if let handle = Self.handle(summary) { places[Self.key(summary.source, handle)] = nil }
  }

  // MARK: HCI (Core 5.4 Vol 4 Part E 7.7)

  private mutating func addEvent(_ summary: PacketSummary, _ octets: [UInt8]) {
    func word(_ offset: Int) -> Int { Int(octets[offset]) | Int(octets[offset + 1]) << 8 }
    let error = ErrorCode(rawValue: summary.status ?? 0)
    let isDone = summary.status == 0
    switch (summary.opcode, octets.count) {
    case (0x3E01, 21...) where isDone: begin(summary, octets, at: 15)
    case (0x3E0A, 33...) where isDone, (0x3E29, 33...) where isDone: begin(summary, octets, at: 27)
    case (0x3E03, 13...) where isDone: enter(.parameters, Self.parameters(word(7), word(9), word(11)), summary)
    case (0x3E03, _): enter(.request, "parameters refused: \(error)", summary)
    case (0x3E0C, 9...) where isDone: enter(.phy, Self.phys(octets[7], octets[8]), summary)
    case (0x3E0C, _): enter(.request, "PHY refused: \(error)", summary)
    case (0x3E07, 14...): enter(.dataLength, "\(word(6)) octets out, \(word(10)) in", summary)
    case (0x3E23, 15...) where isDone:
      enter(.parameters, "subrate \(word(7)), latency \(word(9)), timeout \(word(13) * 10) ms", summary)
    case (0x08, 7...) where isDone, (0x59, 7...) where isDone:
      let size = summary.opcode == 0x59 && octets.count >= 8 ? ", key of \(octets[7]) octets" : ""
      enter(.encryption, octets[6] == 0 ? "off" : "on" + size, summary)
    case (0x08, _), (0x59, _): enter(.encryption, "failed: \(error)", summary)
    case (0x30, _) where isDone: enter(.encryption, "on, with another key", summary)
    case (0x03, 14...) where isDone:
      if let handle = Self.handle(summary) { places[Self.key(summary.source, handle)] = nil }
      enter(.connection, octets[12] == 1 ? "begins, over BR/EDR" : "begins, synchronous", summary)
    case (0x2C, 20...) where isDone:
      if let handle = Self.handle(summary) { places[Self.key(summary.source, handle)] = nil }
      enter(.connection, "begins, synchronous", summary)
    case (0x14, 9...) where isDone:
      let mode = LinkMode(rawValue: octets[6])
      let interval = mode == .active ? "" : ", every \(BasebandSlots(rawValue: UInt16(word(7))))"
      enter(.parameters, (mode.meaning ?? "mode \(octets[6])") + interval, summary)
    case (0x05, 7...) where isDone: end("ends: \(ErrorCode(rawValue: octets[6]))", summary)
    default: break
    }
  }

  /// Begins a connection. Its interval, latency and timeout are at the offset `start`.
  private mutating func begin(_ summary: PacketSummary, _ octets: [UInt8], at start: Int) {
    func word(_ offset: Int) -> Int { Int(octets[offset]) | Int(octets[offset + 1]) << 8 }
    guard let handle = Self.handle(summary) else { return }
    places[Self.key(summary.source, handle)] = nil
    enter(.connection, octets[7] == 0 ? "begins, as central" : "begins, as peripheral", summary)
    if let place = places[Self.key(summary.source, handle)] { connections[place].isCentral = octets[7] == 0 }
    enter(.parameters, Self.parameters(word(start), word(start + 2), word(start + 4)), summary)
  }

  // MARK: The air (Core 5.4 Vol 6 Part B 2.3.3.1, 2.4.2)

  private mutating func addConnectIndication(_ summary: PacketSummary, _ octets: [UInt8]) {
    guard summary.opcode == 5, octets.count >= 36 else { return }
    func word(_ offset: Int) -> Int { Int(octets[offset]) | Int(octets[offset + 1]) << 8 }
    var summary = summary
    summary.accessAddress = UInt32(word(14)) | UInt32(word(16)) << 16
    if let handle = Self.handle(summary) { places[Self.key(summary.source, handle)] = nil }
    enter(.connection, "begins", summary)
    enter(.parameters, Self.parameters(word(24), word(26), word(28)), summary)
  }

  private mutating func addControl(_ summary: PacketSummary, _ octets: [UInt8]) {
    func word(_ offset: Int) -> Int { Int(octets[offset]) | Int(octets[offset + 1]) << 8 }
    switch (summary.opcode, octets.count) {
    case (0x00, 14...):
      enter(.parameters, Self.parameters(word(6), word(8), word(10)) + " from event \(word(12))", summary)
    case (0x02, 4...): end("ends: \(ErrorCode(rawValue: octets[3]))", summary)
    case (0x05, _): enter(.encryption, "on", summary)
    case (0x0B, _): enter(.encryption, "off", summary)
    case (0x0D, 4...): enter(.request, "refused: \(ErrorCode(rawValue: octets[3]))", summary)
    case (0x11, 5...): enter(.request, "refused: \(ErrorCode(rawValue: octets[4]))", summary)
    case (0x14, 11...), (0x15, 11...):
      enter(
        .dataLength, "\(summary.isSent ? "central" : "peripheral") takes \(word(3)), sends \(word(7)) octets", summary)
    case (0x18, 5...):
      let names = [octets[3], octets[4]].map { $0 == 0 ? "unchanged" : Self.phy(UInt8($0.trailingZeroBitCount + 1)) }
      enter(.phy, "\(names[0]) to the peripheral, \(names[1]) back", summary)
    default:
      if let handle = Self.handle(summary) { touch(summary, handle) }
      return
    }
  }

  // MARK: ATT and signalling

  /// Handles the MTU exchange. The MTU is the smaller one of both sides (Core 5.4 Vol 3 Part F 3.4.2.2).
  private mutating func addMTU(_ summary: PacketSummary, _ octets: [UInt8]) {
    guard let handle = Self.handle(summary), let place = touch(summary, handle), octets.count == 3,
      summary.channel == 0x0004
    else { return }
    let value = UInt16(octets[1]) | UInt16(octets[2]) << 8
    switch summary.opcode {
    case 0x02:
      connections[place].offeredMTU = value
      return
    case 0x03:
      guard let offered = connections[place].offeredMTU else { return }
      enter(.mtu, "\(max(23, min(offered, value))) (client \(offered), server \(value))", summary)
    default: break
    }
  }

  /// Handles Connection Parameter Update Request and Response (Core 5.4 Vol 3 Part A 4.20, 4.21).
  private mutating func addRequest(_ summary: PacketSummary, _ octets: [UInt8]) {
    func word(_ offset: Int) -> Int { Int(octets[offset]) | Int(octets[offset + 1]) << 8 }
    switch (summary.opcode, octets.count) {
    case (0x12, 12...):
      enter(
        .request,
        "requests an interval of \(Self.interval(word(4))) to \(Self.interval(word(6))), latency \(word(8)), "
          + "timeout \(word(10) * 10) ms", summary)
    case (0x13, 6...): enter(.request, word(4) == 0 ? "accepted" : "rejected", summary)
    default:
      if let handle = Self.handle(summary) { touch(summary, handle) }
      return
    }
  }

  // MARK: Texts

  private static func interval(_ units: Int) -> String { PacketWords.rounded(Double(units) * 1.25) + " ms" }

  private static func parameters(_ interval: Int, _ latency: Int, _ timeout: Int) -> String {
    "interval \(self.interval(interval)), latency \(latency), timeout \(timeout * 10) ms"
  }

  private static func phy(_ number: UInt8) -> String {
    switch number {
    case 1: "LE 1M"
    case 2: "LE 2M"
    case 3: "LE Coded"
    default: "PHY \(number)"
    }
  }

  private static func phys(_ transmit: UInt8, _ receive: UInt8) -> String {
    transmit == receive ? phy(transmit) : "\(phy(transmit)) out, \(phy(receive)) in"
  }
}
