import BLECore
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import Testing

/// A central's credit-based channels against those of a peripheral, frame by frame.
@Suite("Central with credit-based channels")
struct CentralChannelTests {
  /// A central on a link, and a peripheral's channels at the other end.
  final class Scene {
    let bench: CentralBench
    var peer = LinkChannels()
    var peerEvents: [ChannelEvent] = []
    /// The SDUs that the peripheral received, by its own CIDs.
    var received: [ChannelID: [[UInt8]]] = [:]
    let published: [PublishedChannel]

    static let psm = SPSM(rawValue: 0x0080)
    static let parameters = ChannelParameters(mtu: 600, mps: 100, credits: .frames(8), queueLimit: 2000)

    init(_ configuration: CentralConfiguration = CentralConfiguration(), publishes: Bool = true) throws {
      bench = try CentralBench.connected(configuration)
      published = publishes ? [PublishedChannel(psm: Self.psm, parameters: Self.parameters)] : []
    }

    /// Passes frames in both directions until there are none; frees the controller's buffers each time.
    func settle() {
      var isQuiet = false
      while !isQuiet {
        isQuiet = true
        let packets = bench.takeData()
        for packet in packets {
          isQuiet = false
          take(ChannelID(rawValue: UInt16(packet[6]) | UInt16(packet[7]) << 8), Array(packet[8...]))
        }
        if !packets.isEmpty { bench.complete(UInt16(packets.count)) }
        var buffer = OctetBuffer()
        if peer.writePDU(at: bench.now, into: &buffer, events: &peerEvents) {
          isQuiet = false
          let frame = buffer.copy()
          bench.hear(Array(frame[4...]), on: ChannelID(rawValue: UInt16(frame[2]) | UInt16(frame[3]) << 8))
        }
      }
    }

    private func take(_ channel: ChannelID, _ payload: [UInt8]) {
      guard channel == .signalling else {
        switch peer.receiveFrame(channel, payload.span) {
        case .whole: received[channel, default: []].append(Array(payload[2...]))
        case .assembled(let sdu): received[channel, default: []].append(sdu)
        default: break
        }
        return
      }
      var reply = OctetBuffer()
      _ = peer.receiveSignalling(
        payload.span, published: published, security: .open, at: bench.now, reply: &reply, events: &peerEvents)
      if !reply.isEmpty { bench.hear(reply.copy(), on: .signalling) }
    }

    func open() throws -> ChannelStatus {
      let id = try bench.openChannel(Self.psm, Self.parameters)
      settle()
      return try #require(bench.stack.channelStatus(id, of: CentralBench.link))
    }

    var channelEvents: [ChannelEvent] {
      bench.events.compactMap { if case .channel(CentralBench.link, let event) = $0 { event } else { nil } }
    }

    var sdus: [[UInt8]] {
      bench.events.compactMap { if case .sdu(CentralBench.link, _, let sdu) = $0 { sdu } else { nil } }
    }
  }

  private func sdu(_ count: Int, _ number: Int = 0) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 3 &+ number) }
  }

  @Test("SDUs of all lengths pass in both directions", arguments: [0, 1, 98, 99, 100, 600])
  func bothWays(_ count: Int) throws {
    let scene = try Scene()
    let channel = try scene.open()
    #expect(channel.isOpen && channel.sendMTU == 600 && channel.sendMPS == 100)
    #expect(scene.channelEvents == [.opened(channel)])
    #expect(scene.bench.sendSDU(sdu(count), on: channel.id) == .queued)
    scene.settle()
    #expect(scene.received[channel.remote] == [sdu(count)])
    #expect(scene.peer.send(sdu(count, 1).span, on: channel.remote) == .queued)
    scene.settle()
    #expect(scene.sdus == [sdu(count, 1)] && scene.bench.events.faults.isEmpty)
  }

  @Test("A full queue is reported, and so is its free space later; all SDUs arrive in order")
  func backPressure() throws {
    let scene = try Scene()
    let channel = try scene.open()
    var sent = 0
    for _ in 0..<50 {
      while scene.bench.sendSDU(sdu(600, sent), on: channel.id) == .queued { sent += 1 }
      // The controller holds four packets, and no more are sent before they are completed.
      #expect(
        scene.bench.stack.freePackets == 0
          || scene.bench.stack.channelStatus(channel.id, of: CentralBench.link)?.sendCredits == 0)
      scene.bench.events = []
      scene.settle()
      #expect(scene.channelEvents == [.maySend(channel.id)])
    }
    #expect(sent >= 150)
    #expect(scene.received[channel.remote] == (0..<sent).map { sdu(600, $0) })
    #expect(scene.bench.sendSDU(sdu(601), on: channel.id) == .tooLong(limit: 600))
  }

  @Test("There are never more packets than the controller has buffers")
  func buffers() throws {
    let scene = try Scene()
    let channel = try scene.open()
    _ = scene.bench.sendSDU(sdu(600), on: channel.id)
    #expect(scene.bench.takeData().count == 4 && scene.bench.stack.freePackets == 0)
    scene.bench.complete(1)
    #expect(scene.bench.takeData().count == 1)
  }

  @Test("A channel is closed from either side", arguments: [true, false])
  func closing(_ isLocal: Bool) throws {
    let scene = try Scene()
    let channel = try scene.open()
    scene.bench.events = []
    if isLocal {
      try scene.bench.perform(.closeChannel(CentralBench.link, channel.id))
    } else {
      scene.peer.close(channel.remote, at: scene.bench.now, events: &scene.peerEvents)
    }
    scene.settle()
    #expect(
      scene.channelEvents == [.closed(channel.id, psm: Scene.psm, isLocal ? .local : .remote, unsent: 0)])
    #expect(scene.bench.stack.channelStatus(channel.id, of: CentralBench.link) == nil)
    #expect(scene.bench.sendSDU([1], on: channel.id) == .notOpen)
    #expect(scene.peer.all.isEmpty)
  }

  @Test("An unpublished PSM is refused, and a missing response times out")
  func refusals() throws {
    let scene = try Scene(publishes: false)
    let id = try scene.bench.openChannel(Scene.psm, Scene.parameters)
    scene.settle()
    #expect(
      scene.channelEvents == [.closed(id, psm: Scene.psm, .refused(.result(.psmNotSupported)), unsent: 0)])
    scene.bench.events = []
    let second = try scene.bench.openChannel(Scene.psm, Scene.parameters)
    scene.bench.advance(to: try #require(scene.bench.stack.deadline))
    #expect(scene.channelEvents == [.closed(second, psm: Scene.psm, .refused(.unanswered), unsent: 0)])
  }

  @Test("A peripheral opens a channel that the central publishes")
  func incoming() throws {
    let scene = try Scene(
      CentralConfiguration(publishedChannels: [PublishedChannel(psm: Scene.psm, parameters: Scene.parameters)]))
    let opened = scene.peer.open(Scene.psm, parameters: Scene.parameters)
    let remote = try #require(opened)
    scene.settle()
    guard case .opened(let status)? = scene.channelEvents.first else {
      Issue.record("\(scene.bench.events)")
      return
    }
    #expect(status.isIncoming && status.remote == remote)
    #expect(scene.peer.send([1, 2, 3].span, on: remote) == .queued)
    scene.settle()
    #expect(scene.sdus == [[1, 2, 3]])
  }

  @Test("A frame that violates the protocol closes the channel, and the end of the link closes all of them")
  func ends() throws {
    let scene = try Scene()
    let (first, second) = (try scene.open(), try scene.open())
    scene.bench.events = []
    scene.bench.hear([1], on: first.id)
    scene.settle()
    #expect(
      scene.channelEvents == [.closed(first.id, psm: Scene.psm, .violation(.missingSDULength), unsent: 0)])
    scene.bench.events = []
    scene.bench.say(
      HCIDisconnectionComplete {
        $0.connectionHandle = CentralBench.link
        $0.reason = .connectionTimeout
      })
    #expect(scene.channelEvents == [.closed(second.id, psm: Scene.psm, .linkLost, unsent: 0)])
    #expect(throws: HostRequestError.unknownConnection(CentralBench.link)) {
      try scene.bench.openChannel(Scene.psm, Scene.parameters)
    }
  }
}
