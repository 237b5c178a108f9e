import AccessoryProfile
import BLECore
import BLEHCI
import Capture
import Decoding
import HTTPTypes
import Hummingbird
import NIOCore
import Understudy

/// Streams of the packets between an accessory and its controller. They are decoded after the queue, by the
/// task that writes. The accessory's loop only copies them, and only while there is a stream.
struct PacketResponses {
  let accessory: Accessory
  let streams: EventStream

  /// The media type of a capture.
  static let captureType = "application/octet-stream"

  private enum Element: Sendable {
    case beginning
    case heartbeat
    case packet(CapturedPacket)
  }

  /// The overhead of a packet in a queue, in octets.
  private static let overhead = 64

  /// Returns a stream of server-sent events, one for each packet that passes `?filter=`, with all fields if `?tree=true`.
  func packets(_ call: RouteCall) async throws(Refusal) -> Response {
    let filter = call.query["filter"] ?? ""
    _ = try Self.filter(filter)
    let withTree = call.query["tree"] == "true"
    let attributes = await accessory.namedAttributes()
    let (queue, stop) = try await watch()
    return streams.response(
      to: call.request, queue, contentType: EventStream.contentType, heartbeat: .heartbeat, stop: stop
    ) {
      let writer = PacketWriter(attributes, filter: try? Self.filter(filter), withTree: withTree)
      return { delivery in
        switch delivery {
        case .lost(let count): ByteBuffer(string: EventStream.text(of: LostEvents(count: count).json))
        case .element(.beginning, _): nil
        case .element(.heartbeat, _): ByteBuffer(string: EventStream.heartbeat)
        case .element(.packet(let packet), _): writer.text(of: packet).map { ByteBuffer(string: $0) }
        }
      }
    }
  }

  /// Returns a btsnoop file that grows until the client disconnects.
  func capture(_ request: Request) async throws(Refusal) -> Response {
    let (queue, stop) = try await watch()
    var response = streams.response(
      to: request, queue, contentType: Self.captureType, heartbeat: nil, stop: stop
    ) {
      var encoder = BTSnoopEncoder()
      return { delivery in
        var buffer = OctetBuffer()
        switch delivery {
        case .lost(let count):
          encoder.droppedPackets &+= UInt32(clamping: count)
          return nil
        case .element(.heartbeat, _): return nil
        case .element(.beginning, _): encoder.beginFile(into: &buffer)
        case .element(.packet(let packet), _):
          guard let type = packet.octets.first.flatMap({ H4PacketType(rawValue: $0) }) else { return nil }
          encoder.record(
            packet.direction, type, packet.octets.span.extracting(1..<packet.octets.count),
            microseconds: packet.microseconds, into: &buffer)
        }
        return ByteBuffer(bytes: buffer.copy())
      }
    }
    response.headers[.contentDisposition] = "attachment; filename=\"understudy.btsnoop\""
    return response
  }

  /// Saves the most recent packets in a file.
  func saveRing() async throws(Refusal) -> Response {
    guard await accessory.keepsRing else { throw Self.noRing }
    guard let saved = await accessory.saveRingAside() else {
      throw Refusal(.notKept, "the last packets cannot be saved; the event capture-failed says why")
    }
    return .json(.object(["path": .string(saved.path), "packets": .int(Int64(saved.packets))]))
  }

  /// Returns the most recent packets as a file.
  func ring() async throws(Refusal) -> Response {
    guard let (octets, _) = await accessory.ringFile() else { throw Self.noRing }
    return Response(
      status: .ok,
      headers: [
        .contentType: Self.captureType, .contentDisposition: "attachment; filename=\"understudy.pcapng\"",
      ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: octets)))
  }

  private static var noRing: Refusal {
    Refusal(.noRing, "no packets are kept: run the accessory with --ring 16MB")
  }

  private func watch() async throws(Refusal) -> (BoundedQueue<Element>, stop: @Sendable () async -> Void) {
    try streams.takeSlot()
    let queue = BoundedQueue<Element>(limit: streams.limits.waitingOctets)
    queue.offer(.beginning, cost: 0)
    let id = await accessory.watchPackets(ended: { queue.finish() }) { packet in
      queue.offer(.packet(packet), cost: packet.octets.count + Self.overhead)
    }
    let accessory = accessory
    return (queue, { await accessory.forget(packetWatcher: id) })
  }

  private static func filter(_ text: String) throws(Refusal) -> PacketFilter? {
    guard !text.isEmpty else { return nil }
    do throws(FilterFault) { return try PacketFilter(text) } catch {
      throw Refusal(.badRequest, "filter, character \(error.column): \(error)")
    }
  }

}

/// Decodes packets for a stream.
private final class PacketWriter {
  private var decoder: PacketDecoder
  private let filter: PacketFilter?
  private let withTree: Bool

  init(_ attributes: [Accessory.NamedAttribute], filter: PacketFilter?, withTree: Bool) {
    let formats = Dictionary(
      attributes.compactMap { attribute in attribute.format.map { (attribute.uuid, $0) } }, uniquingKeysWith: { $1 })
    decoder = PacketDecoder { uuid, octets in
      let format = formats[uuid] ?? ValueFormat.assigned(to: uuid)
      return format == .octets ? nil : format.decode(octets).jsonText
    }
    for attribute in attributes {
      decoder.define(
        attribute: attribute.handle, attribute.uuid, name: attribute.name, isDescriptor: attribute.isDescriptor)
    }
    self.filter = filter
    self.withTree = withTree
  }

  /// Returns the packet as an event; nil if the filter leaves it out.
  func text(of packet: CapturedPacket) -> String? {
    let record = CaptureRecord(packet)
    let summary = decoder.receive(record)
    guard filter?.accepts(summary, record, decoder) ?? true else { return nil }
    return EventStream.text(named: "packet") {
      decoder.writeJSON(of: summary, in: record, withTree: withTree, event: "packet", to: &$0)
    }
  }
}
