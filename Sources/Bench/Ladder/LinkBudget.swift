import BLECore
import VirtualRadio

/// How much a controller puts into a connection event at most.
package struct EventLimit: Hashable, Sendable {
  /// As much as there is time for until the next one.
  package static let none = EventLimit(length: .seconds(4), packets: nil)

  /// Its longest time.
  var length: Duration
  /// Its most data PDUs; nil for any number.
  var packets: Int?

  private init(length: Duration, packets: Int?) { (self.length, self.packets) = (length, packets) }

  /// The limit of a virtual controller.
  package init(_ controller: ControllerConfiguration) {
    self.init(length: controller.maximumEventLength ?? Self.none.length, packets: controller.maximumPacketsPerEvent)
  }
}

/// What the link layer allows: into which packets a payload is cut, and how long they take at least
/// (Core 5.4 Vol 6 Part B 2.4, 4.1.1, 4.5.1).
struct LinkBudget: Sendable {
  /// The link.
  var link: LinkShape
  /// How the payload goes.
  var method: SendingMethod
  /// The octets of the payload.
  var octets: Int
  /// How many of them one value or SDU has; the last one has what is left.
  var unit: Int
  /// The longest payload of a K-frame; of no meaning without a channel.
  var mps = 0
  /// The most octets of data in one ACL packet of the sender's controller.
  var packetLength: Int

  /// How many values or SDUs there are.
  var operations: Int { (octets + unit - 1) / unit }

  // MARK: Packets

  /// The L2CAP frames of a value or an SDU, by their lengths in octets.
  private func frames(of unit: Int) -> [Int] {
    guard unit > 0 else { return [] }
    // L2CAP header 4; opcode and handle 3.
    guard method == .channel else { return [unit + 7] }
    // The SDU length stands in the first K-frame.
    return cut(unit + 2, to: mps).map { $0 + 4 }
  }

  /// The data PDUs of a value or an SDU, by their payloads: a frame is cut into ACL packets, and these into PDUs.
  private func pdus(of unit: Int) -> [Int] {
    frames(of: unit).flatMap { cut($0, to: packetLength) }.flatMap { cut($0, to: link.dataLength) }
  }

  private func cut(_ length: Int, to limit: Int) -> [Int] {
    stride(from: 0, to: length, by: max(limit, 1)).map { min(limit, length - $0) }
  }

  /// How many data PDUs the payload takes.
  var pduCount: Int { octets / unit * pdus(of: unit).count + pdus(of: octets % unit).count }

  /// How many L2CAP frames the payload takes.
  var frameCount: Int { octets / unit * frames(of: unit).count + frames(of: octets % unit).count }

  /// How many ACL packets the longest frame takes.
  var packetsPerFrame: Int { cut(frames(of: unit).first ?? 1, to: packetLength).count }

  // MARK: Time

  private func airTime(_ payload: Int) -> Duration { (RadioPHY(link.phy) ?? .le1M).airTime(payload: payload) }

  /// One packet each way, the peripheral's an empty one, each with T_IFS behind it.
  private func exchange(_ payload: Int) -> Duration {
    airTime(payload) + airTime(0) + LinkLayerTime.interFrameSpace * 2
  }

  private func exchanges(of unit: Int) -> Duration { pdus(of: unit).reduce(.zero) { $0 + exchange($1) } }

  /// From the beginning of the first ACL packet to its acknowledgement.
  var firstPacketTime: Duration {
    let first = min(frames(of: min(unit, octets)).first ?? 0, packetLength)
    return cut(first, to: link.dataLength).reduce(.zero) { $0 + exchange($1) } - LinkLayerTime.interFrameSpace
  }

  /// The shortest time from the first packet to the last acknowledgement.
  ///
  /// A host cannot answer within T_IFS, so that a Write Request takes a connection event and its response another one; a Write
  /// Command that waits for the acknowledgement of the one before takes one. Everything else can fill the air.
  var shortestTime: Duration {
    let rest = octets % unit
    let last = rest > 0 ? rest : unit
    switch method {
    case .request:
      // The response with its header: 5 octets.
      return link.interval * (2 * operations - 1) + airTime(0) + LinkLayerTime.interFrameSpace + airTime(5)
    case .singleCommand:
      return link.interval * (operations - 1) + exchanges(of: last) - LinkLayerTime.interFrameSpace
    case .commands, .channel:
      return exchanges(of: unit) * (octets / unit) + exchanges(of: rest) - LinkLayerTime.interFrameSpace
    }
  }

  /// The same where connection events are limited: so many whole exchanges fit into each.
  func shortestTime(in events: EventLimit) -> Duration {
    guard events != .none, !method.isOneAtATime, let longest = pdus(of: min(unit, octets)).max() else {
      return shortestTime
    }
    var perEvent = Int(events.length.inNanoseconds / exchange(longest).inNanoseconds)
    if let packets = events.packets { perEvent = min(perEvent, packets) }
    return max(shortestTime, link.interval * ((pduCount + max(perEvent, 1) - 1) / max(perEvent, 1)))
  }

  /// What the link layer allows, in kbit/s of payload.
  var limitKbps: Double { Self.kbps(octets, in: shortestTime) }

  static func kbps(_ octets: Int, in time: Duration) -> Double { Double(octets) * 8 / 1000 / max(time.inSeconds, 1e-9) }
}
