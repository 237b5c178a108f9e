import BLECore
import BLEHCI
import Testing

/// A controller that holds its packets until the test releases them, and checks for violations.
private struct BufferedController {
  struct Link {
    var recombiner = ACLRecombiner()
    var held = 0
    var received: [[UInt8]] = []
  }

  let packetLength: Int
  let packetCount: Int
  var links: [ConnectionHandle: Link] = [:]
  /// The connections of the packets, in the order of arrival.
  var trace: [ConnectionHandle] = []

  var held: Int { links.values.reduce(0) { $0 + $1.held } }

  mutating func receive(_ octets: [UInt8]) {
    var deframer = H4Deframer(side: .controller)
    var packets: [[UInt8]] = []
    deframer.push(octets.span) { type, packet in
      #expect(type == .acl)
      packets.append(packet.indices.map { packet[$0] })
    }
    #expect(deframer.pendingOctets == 0)
    #expect(deframer.skippedOctets == 0)
    for packet in packets {
      guard let header = try? ACLHeader(packet.span), var link = links[header.connectionHandle] else {
        Issue.record("a packet for no connection")
        continue
      }
      #expect(header.length <= packetLength)
      let outcome = link.recombiner.accept(header.boundary, packet.span.extracting(4..<packet.count))
      #expect(outcome.fault == nil)
      switch outcome.pdu {
      case .none: break
      case .whole: link.received.append(Array(packet[4...]))
      case .assembled(let pdu): link.received.append(pdu)
      }
      link.held += 1
      links[header.connectionHandle] = link
      trace.append(header.connectionHandle)
    }
    #expect(held <= packetCount)
  }
}

@Suite struct ACLSchedulerPropertyTests {
  @Test("However buffers return, nothing is lost, reordered, mixed, or over the count", arguments: 0..<60)
  func randomTraffic(_ seed: UInt64) {
    var random = SeededRandom(seed)
    var controller = BufferedController(
      packetLength: Int.random(in: 1...60, using: &random), packetCount: Int.random(in: 1...8, using: &random))
    var scheduler = ACLScheduler()
    scheduler.configure(packetLength: controller.packetLength, packetCount: controller.packetCount)
    let handles = (0..<4).map { ConnectionHandle(rawValue: $0 * 3) }
    var sent: [ConnectionHandle: [[UInt8]]] = [:]
    var out = OctetBuffer()

    func connect(_ handle: ConnectionHandle) {
      scheduler.connect(handle)
      controller.links[handle] = BufferedController.Link()
      sent[handle] = []
    }
    for handle in handles { connect(handle) }

    for turn in 0..<600 {
      let handle = handles.randomElement(using: &random) ?? .zero
      switch Int.random(in: 0..<20, using: &random) {
      case 0 where controller.links[handle] != nil:
        scheduler.disconnect(handle)
        Self.checkPrefix(sent[handle], controller.links[handle]?.received)
        controller.links[handle] = nil
      case 0, 1: if controller.links[handle] == nil { connect(handle) }
      case 2..<11:
        let pdu = ACLSchedulerTests.pdu(Int.random(in: 0...120, using: &random), UInt8(truncatingIfNeeded: turn))
        let outcome = scheduler.send(pdu.span, on: handle, into: &out)
        #expect((outcome == .dropped) == (controller.links[handle] == nil))
        if outcome != .dropped { sent[handle]?.append(pdu) }
      default:
        let held = controller.links[handle]?.held ?? 0
        let count = Int.random(in: 0...held, using: &random)
        controller.links[handle]?.held -= count
        if controller.links[handle] != nil { #expect(scheduler.completed(handle, count) == nil) }
        if Bool.random(using: &random) { scheduler.drain(into: &out) }
      }
      controller.receive(out.copy())
      out.removeAll()
      #expect(scheduler.outstandingPackets == controller.held)
      #expect(scheduler.freePackets == controller.packetCount - controller.held)
    }
    Self.finish(&scheduler, &controller)
    for (handle, link) in controller.links {
      #expect(link.received == sent[handle])
      #expect(scheduler.isIdle(handle))
      #expect(scheduler.queuedPDUs(handle) == 0)
    }
  }

  /// Lets the controller send everything, so that everything waiting is sent.
  private static func finish(_ scheduler: inout ACLScheduler, _ controller: inout BufferedController) {
    var out = OctetBuffer()
    repeat {
      out.removeAll()
      for handle in controller.links.keys {
        let held = controller.links[handle]?.held ?? 0
        controller.links[handle]?.held = 0
        #expect(scheduler.completed(handle, held) == nil)
      }
      scheduler.drain(into: &out)
      controller.receive(out.copy())
    } while !out.isEmpty
  }

  private static func checkPrefix(_ sent: [[UInt8]]?, _ received: [[UInt8]]?) {
    guard let sent, let received else { return }
    #expect(Array(sent.prefix(received.count)) == received)
  }

  @Test("Connections with the same amount to send get the same number of turns", arguments: 1..<9)
  func fairness(_ packetCount: Int) {
    let handles = (0..<3).map { ConnectionHandle(rawValue: $0) }
    var controller = BufferedController(packetLength: 27, packetCount: packetCount)
    var scheduler = ACLScheduler()
    scheduler.configure(packetLength: 27, packetCount: packetCount)
    var out = OctetBuffer()
    for handle in handles {
      scheduler.connect(handle)
      controller.links[handle] = BufferedController.Link()
    }
    // The first connection queues everything before the others queue anything.
    for handle in handles {
      for _ in 0..<30 { scheduler.send(ACLSchedulerTests.pdu(40).span, on: handle, into: &out) }
    }
    controller.receive(out.copy())
    let before = controller.trace.count
    var oldest = 0
    for _ in 0..<90 {
      out.removeAll()
      // Buffers return one by one, in the order of the packets.
      let handle = controller.trace[oldest]
      oldest += 1
      controller.links[handle]?.held -= 1
      #expect(scheduler.completed(handle, 1) == nil)
      scheduler.drain(into: &out)
      controller.receive(out.copy())
    }
    let turns = handles.map { handle in controller.trace[before...].count { $0 == handle } }
    let most = turns.max() ?? 0
    let least = turns.min() ?? 0
    #expect(most - least <= packetCount, "\(turns)")
  }
}
