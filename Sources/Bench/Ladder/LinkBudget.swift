import BLECore
import VirtualRadio

/// The maximum that a controller puts into a connection event.
package struct EventLimit: Hashable, Sendable {
  /// As much as fits until the next event.
  package static let none = EventLimit(length: .seconds(4), packets: nil)

  /// The maximum time.
  var length: Duration
  /// The maximum number of data PDUs; nil for any number.
  var packets: Int?

  private init(length: Duration, packets: Int?) { (self.length, self.packets) = (length, packets) }

  /// Creates the limit of a virtual controller.
  package init(_ controller: ControllerConfiguration) {
    self.init(length: controller.maximumEventLength ?? Self.none.length, packets: controller.maximumPacketsPerEvent)
  }
}

/// The limits of the link layer: the packets that a payload is divided into, and the minimum time that they
/// take (Core 5.4 Vol 6 Part B 2.4, 4.1.1, 4.5.1).
struct LinkBudget: Sendable {
  /// The link.
  var link: LinkShape
  /// How the payload is sent.
  var method: SendingMethod
  /// The octets of the payload.
  var octets: Int
  /// The octets of the payload in one value or SDU. The last one has the rest.
  var unit: Int
  /// The longest payload of a K-frame; only used with a channel.
  var mps = 0
  /// The maximum octets of data in one ACL packet of the sender's controller.
  var packetLength: Int

  /// The number of values or SDUs.
  var operations: Int { (octets + unit - 1) / unit }

  // MARK: Packets

  /// Returns the lengths in octets of the L2CAP frames of a value or an SDU.
  private func frames(of unit: Int) -> [Int] {
    guard unit > 0 else { return [] }
    // The L2CAP header has 4 octets; opcode and handle 3.
    guard method == .channel else { return [unit + 7] }
    // The first K-frame contains the SDU length.
    return cut(unit + 2, to: mps).map { $0 + 4 }
  }

  /// Returns the payload lengths of the data PDUs of a value or an SDU: frames are divided into ACL packets, and these into PDUs.
  private func pdus(of unit: Int) -> [Int] {
    frames(of: unit).flatMap { cut($0, to: packetLength) }.flatMap { cut($0, to: link.dataLength) }
  }

  private func cut(_ length: Int, to limit: Int) -> [Int] {
    stride(from: 0, to: length, by: max(limit, 1)).map { min(limit, length - $0) }
  }

  /// The number of data PDUs of the payload.
  var pduCount: Int { octets / unit * pdus(of: unit).count + pdus(of: octets % unit).count }

  /// The number of L2CAP frames of the payload.
  var frameCount: Int { octets / unit * frames(of: unit).count + frames(of: octets % unit).count }

  /// The number of ACL packets of the longest frame.
  var packetsPerFrame: Int { cut(frames(of: unit).first ?? 1, to: packetLength).count }

  // MARK: Time

  private func airTime(_ payload: Int) -> Duration { (RadioPHY(link.phy) ?? .le1M).airTime(payload: payload) }

  /// Returns the time of one packet each way, an empty one from the peripheral, each followed by T_IFS.
  private func exchange(_ payload: Int) -> Duration {
    airTime(payload) + airTime(0) + LinkLayerTime.interFrameSpace * 2
  }

  private func exchanges(of unit: Int) -> Duration { pdus(of: unit).reduce(.zero) { $0 + exchange($1) } }

  /// The time from the beginning of the first ACL packet to its acknowledgement.
  var firstPacketTime: Duration {
    let first = min(frames(of: min(unit, octets)).first ?? 0, packetLength)
    return cut(first, to: link.dataLength).reduce(.zero) { $0 + exchange($1) } - LinkLayerTime.interFrameSpace
  }

  /// The shortest time from the first packet to the last acknowledgement.
  ///
  /// A host cannot answer within T_IFS. So a Write Request takes one connection event and its response another; a
  /// Write Command that waits for the acknowledgement of the one before takes one. Everything else can fill the air.
  var shortestTime: Duration {
    let rest = octets % unit
    let last = rest > 0 ? rest : unit
    switch method {
    case .request:
      // The response with its header has 5 octets.
      return link.interval * (2 * operations - 1) + airTime(0) + LinkLayerTime.interFrameSpace + airTime(5)
    case .singleCommand:
      return link.interval * (operations - 1) + exchanges(of: last) - LinkLayerTime.interFrameSpace
    case .commands, .channel:
      return exchanges(of: unit) * (octets / unit) + exchanges(of: rest) - LinkLayerTime.interFrameSpace
    }
  }

  /// Returns the shortest time with limited connection events, into each of which a number of whole exchanges fit.
  func shortestTime(in events: EventLimit) -> Duration {
    guard events != .none, !method.isOneAtATime, let longest = pdus(of: min(unit, octets)).max() else {
      return shortestTime
    }
    var perEvent = Int(events.length.inNanoseconds / exchange(longest).inNanoseconds)
    if let packets = events.packets { perEvent = min(perEvent, packets) }
    return max(shortestTime, link.interval * ((pduCount + max(perEvent, 1) - 1) / max(perEvent, 1)))
  }

  /// The maximum throughput that the link layer allows, in kbit/s of payload.
  var limitKbps: Double { Self.kbps(octets, in: shortestTime) }

  static func kbps(_ octets: Int, in time: Duration) -> Double { Double(octets) * 8 / 1000 / max(time.inSeconds, 1e-9) }
}
