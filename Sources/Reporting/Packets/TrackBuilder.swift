import AccessoryProfile
import BLECore
import Capture
import Decoding
import Viewing

/// Decodes the records on a shelf to a track.
package struct TrackBuilder {
  /// The comment with which a capture of the virtual radio marks a packet that nobody received.
  static let lostRemark = "not received"

  private struct Origin: Hashable {
    var source: UInt32
    var isOnAir: Bool
  }

  /// The decoder, which may already know attributes and connections.
  package var decoder: PacketDecoder
  /// The formats of values, by the type of the characteristic; all others have their assigned format.
  package var formats: [BluetoothUUID: ValueFormat] = [:]
  /// The names of hosts, by source.
  package var hostNames: [UInt32: String] = [:]
  /// The maximum number of packets in the track.
  package var limit = RunReport.packetLimit
  /// The wall clock at time zero; nil for that of the first packet.
  package var epoch: Int64?

  /// Creates a builder.
  package init(decoder: PacketDecoder = PacketDecoder()) { self.decoder = decoder }

  /// Returns the track of these records.
  package func track(of shelf: RecordShelf) -> PacketTrack {
    let records = shelf.records
    let chosen = Self.choice(records, limit: limit)
    var (track, decoder, view) = (PacketTrack(), decoder, PointOfView())
    track.began = records.first?.nanoseconds ?? 0
    track.omitted = shelf.dropped + records.count - chosen.count { $0 }
    let epoch = epoch ?? track.began
    var origins: [Origin] = []
    var firsts: [PacketSummary] = []
    var collector = SeriesCollector(formats: formats)
    // The place in the track of each decoded packet, by its number.
    var places: [Int: Int] = [:]
    for (index, record) in records.enumerated() {
      let summary = decoder.receive(record)
      view.receive(summary, record)
      let origin = Origin(source: summary.source, isOnAir: summary.isOnAir)
      let lane = origins.firstIndex(of: origin) ?? origins.count
      if lane == origins.count {
        origins.append(origin)
        firsts.append(summary)
      } else if firsts[lane].handle == nil, summary.handle != nil {
        firsts[lane] = summary
      }
      let time = record.nanoseconds.elapsed(since: epoch)
      collector.take(summary, record, decoder, at: time, lane: lane)
      guard chosen[index] else { continue }
      places[summary.number] = track.packets.count
      track.packets.append(
        PacketTrack.Packet(
          nanoseconds: time, lane: lane, isSent: summary.isSent, level: summary.level(in: record),
          type: PacketDecoder.typeText(of: summary), text: decoder.text(of: summary, in: record), octets: record.octets,
          layers: decoder.tree(of: summary, in: record), request: summary.request.flatMap { places[$0] },
          latency: summary.latency, isLost: record.comment == Self.lostRemark, isFaulty: summary.fault != nil,
          remarks: record.remarks))
    }
    arrange(&track, origins, firsts.map { view.viewpoint(of: $0) ?? .peripheral }, collector)
    return track
  }

  /// Returns which records a track shows. If there are too many, quiet records go first, then those in the middle.
  private static func choice(_ records: [CaptureRecord], limit: Int) -> [Bool] {
    guard records.count > limit else { return Array(repeating: true, count: records.count) }
    var (loud, quiet): ([Int], [Int]) = ([], [])
    for (index, record) in records.enumerated() {
      if RecordShelf.isQuiet(record) { quiet.append(index) } else { loud.append(index) }
    }
    var chosen = Array(repeating: false, count: records.count)
    var kept = EndsOfSequence<Int>(limit: limit)
    for index in loud { kept.append(index) }
    for index in kept.elements + quiet.suffix(max(0, limit - loud.count)) { chosen[index] = true }
    return chosen
  }

  /// Puts the lanes in the order peripherals, air, centrals, and names them.
  private func arrange(
    _ track: inout PacketTrack, _ origins: [Origin], _ viewpoints: [Viewpoint], _ collector: SeriesCollector
  ) {
    let rank: [Viewpoint: Int] = [.peripheral: 0, .air: 1, .central: 2]
    let order = origins.indices.sorted { (rank[viewpoints[$0]] ?? 0, $0) < (rank[viewpoints[$1]] ?? 0, $1) }
    track.lanes = order.map { place in
      let (origin, viewpoint) = (origins[place], viewpoints[place])
      let several = origins.indices.count { viewpoints[$0] == viewpoint } > 1
      let known = origin.isOnAir ? nil : hostNames[origin.source]
      let kind = viewpoint == .air ? "air" : viewpoint == .central ? "central" : "peripheral"
      return PacketTrack.Lane(name: known ?? (several ? "\(kind) \(origin.source)" : kind), viewpoint: viewpoint)
    }
    var positions = Array(repeating: 0, count: order.count)
    for (position, place) in order.enumerated() { positions[place] = position }
    for index in track.packets.indices { track.packets[index].lane = positions[track.packets[index].lane] }
    track.series = collector.series(preferring: order)
  }
}
