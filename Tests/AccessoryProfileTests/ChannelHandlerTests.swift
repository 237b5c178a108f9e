import AccessoryProfile
import BLECore
import BLEL2CAP
import Testing

/// A channel between a profile's runtime and a peer, frame by frame, without a radio.
private struct ChannelStage {
  var runtime: ProfileRuntime
  var accessory = LinkChannels(role: .peripheral)
  var peer = LinkChannels(role: .central)
  var now = Instant.zero
  /// The SDUs that the peer has received.
  var received: [[UInt8]] = []
  /// The data that the runtime has passed to the host's owner.
  var forwarded: [[UInt8]] = []
  var closures: [ChannelClosure] = []
  /// The number of SDUs after which the peer gives no more credits.
  var holdsAfter: Int?
  private var lastOpened: ChannelID?
  let published: [PublishedChannel]
  static let psm = SPSM(rawValue: 0x80)

  init(handler: String, keys: String = "") throws {
    let loaded = try profile("l2cap: [ { id: x, psm: 0x80, handler: \(handler)\(keys) } ]")
    runtime = ProfileRuntime(profile: loaded, seed: 7)
    published = loaded.channels.compactMap(\.published)
  }

  /// Opens a channel with these limits of the peer, and returns its identifiers: the peer's and the accessory's.
  mutating func open(
    mtu: Int = 500, mps: Int = 100, credits: CreditPolicy = .standard
  ) throws -> (peer: ChannelID, accessory: ChannelID) {
    let opened = peer.open(Self.psm, parameters: ChannelParameters(mtu: mtu, mps: mps, credits: credits))
    let id = try #require(opened)
    run()
    return (id, try #require(lastOpened))
  }

  mutating func send(_ sdu: [UInt8], on id: ChannelID) {
    #expect(peer.send(sdu.span, on: id) == .queued)
    run()
  }

  mutating func advance(_ duration: Duration) {
    let end = now + duration
    while let deadline = runtime.nextChannelDeadline, deadline <= end {
      now = deadline
      runtime.advanceChannels(on: 1, in: &accessory, at: now)
      run()
    }
    now = end
  }

  /// Transfers frames in both directions until none are left.
  mutating func run() {
    var isBusy = true
    while isBusy {
      isBusy = false
      while let frame = nextFrame(of: \.peer) {
        isBusy = true
        take(frame)
      }
      while let frame = nextFrame(of: \.accessory) {
        isBusy = true
        takeAtPeer(frame)
      }
    }
  }

  private mutating func nextFrame(of side: WritableKeyPath<Self, LinkChannels>) -> (
    channel: ChannelID, payload: [UInt8]
  )? {
    var buffer = OctetBuffer()
    var events: [ChannelEvent] = []
    guard self[keyPath: side].hasPDU, self[keyPath: side].writePDU(at: now, into: &buffer, events: &events) else {
      return nil
    }
    for case .maySend(let id) in events where side == \.accessory {
      #expect(runtime.channelMaySend(id, on: 1, in: &accessory, at: now) == .taken)
    }
    let octets = buffer.copy()
    return (ChannelID(rawValue: UInt16(octets[2]) | UInt16(octets[3]) << 8), Array(octets[4...]))
  }

  private mutating func take(_ frame: (channel: ChannelID, payload: [UInt8])) {
    guard frame.channel == .signalling else {
      switch accessory.receiveFrame(frame.channel, frame.payload.span) {
      case .whole: deliver(Array(frame.payload[2...]), on: frame.channel)
      case .assembled(let sdu): deliver(sdu, on: frame.channel)
      default: break
      }
      return
    }
    var reply = OctetBuffer()
    var events: [ChannelEvent] = []
    _ = accessory.receiveSignalling(
      frame.payload.span, published: published, security: .open, at: now, reply: &reply, events: &events)
    let answer = reply.copy()
    if !answer.isEmpty { takeAtPeer((.signalling, answer)) }
    for event in events {
      switch event {
      case .opened(let status):
        lastOpened = status.id
        runtime.channelOpened(status, on: 1, in: &accessory, at: now)
      case .closed(let id, _, _, _): runtime.channelClosed(id, on: 1)
      default: break
      }
    }
  }

  private mutating func deliver(_ sdu: [UInt8], on id: ChannelID) {
    if runtime.received(sdu.span, on: id, of: 1, in: &accessory, at: now) == .forwarded { forwarded.append(sdu) }
  }

  private mutating func takeAtPeer(_ frame: (channel: ChannelID, payload: [UInt8])) {
    guard frame.channel == .signalling else {
      switch peer.receiveFrame(frame.channel, frame.payload.span) {
      case .whole: received.append(Array(frame.payload[2...]))
      case .assembled(let sdu): received.append(sdu)
      default: break
      }
      if received.count == holdsAfter { peer.hold(frame.channel) }
      return
    }
    var reply = OctetBuffer()
    var events: [ChannelEvent] = []
    _ = peer.receiveSignalling(
      frame.payload.span, published: [], security: .open, at: now, reply: &reply, events: &events)
    for case .closed(_, _, let closure, _) in events { closures.append(closure) }
    let answer = reply.copy()
    if !answer.isEmpty { take((.signalling, answer)) }
  }
}

@Suite("Channel handlers")
struct ChannelHandlerTests {
  @Test func echoSendsBackWhatCame() throws {
    var stage = try ChannelStage(handler: "echo")
    let (id, _) = try stage.open()
    let sdus = [[], [1], Array(repeating: 7, count: 99), (0..<500).map { UInt8(truncatingIfNeeded: $0) }]
    for sdu in sdus { stage.send(sdu, on: id) }
    #expect(stage.received == sdus)
  }

  @Test func echoCutsWhatThePeerCannotTakeWhole() throws {
    var stage = try ChannelStage(handler: "echo")
    let (id, _) = try stage.open(mtu: 30)
    let sdu = (0..<100).map { UInt8($0) }
    stage.send(sdu, on: id)
    #expect(stage.received.map(\.count) == [30, 30, 30, 10] && Array(stage.received.joined()) == sdu)
  }

  /// A peer that gives no credits gets no credits either, and loses nothing.
  @Test func echoHoldsAPeerThatDoesNotListen() throws {
    var stage = try ChannelStage(handler: "echo", keys: ", mtu: 2048, mps: 2048")
    let (id, accessoryID) = try stage.open(mtu: 2048, mps: 2048, credits: .frames(0))
    var sent = 0
    while stage.peer.status(id)?.sendCredits ?? 0 > 0 {
      stage.send(Array(repeating: UInt8(truncatingIfNeeded: sent), count: 2048), on: id)
      sent += 1
    }
    #expect(sent > 30 && stage.received.isEmpty)
    #expect(stage.accessory.status(accessoryID)?.receiveCredits == 0)
    stage.peer.giveCredits(200, on: id)
    stage.run()
    #expect(stage.received.map { $0[0] } == (0..<sent).map { UInt8(truncatingIfNeeded: $0) })
    #expect(stage.peer.status(id)?.sendCredits ?? 0 > 0)
  }

  @Test func sinkCountsAndHashes() throws {
    var stage = try ChannelStage(handler: "{ sink: { hash: true } }")
    let (id, accessoryID) = try stage.open()
    stage.send(Array("a".utf8), on: id)
    stage.send(Array("bc".utf8), on: id)
    let sink = try #require(stage.runtime.received(on: accessoryID, of: 1))
    #expect((sink.sdus, sink.octets) == (2, 3))
    // FIPS 180-2 B.1.
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    #expect(sink.sha256?.hexadecimal == digest)
    #expect(stage.received.isEmpty && stage.forwarded.isEmpty)
  }

  @Test func sinkTakesNoFasterThanItsRate() throws {
    var stage = try ChannelStage(handler: "{ sink: { rate: 1000 } }", keys: ", mtu: 100, mps: 102")
    let (id, accessoryID) = try stage.open()
    let window = try #require(stage.peer.status(id)).sendCredits
    // Data within the credits arrives at once; then 1000 octets a second.
    for _ in 0..<(window + 50) { stage.send(Array(repeating: 0, count: 100), on: id) }
    #expect(stage.runtime.received(on: accessoryID, of: 1)?.octets == window * 100)
    stage.advance(.milliseconds(window * 100 - 1))
    #expect(stage.runtime.received(on: accessoryID, of: 1)?.octets == window * 100)
    stage.advance(.milliseconds(2))
    #expect(stage.runtime.received(on: accessoryID, of: 1)?.octets == (window + 50) * 100)
  }

  @Test(arguments: [
    ("counter", (0..<1000).map { UInt8(truncatingIfNeeded: $0) }), ("zeros", Array(repeating: UInt8(0), count: 1000)),
  ])
  func sourceSendsItsPatternAndCloses(pattern: String, octets: [UInt8]) throws {
    var stage = try ChannelStage(handler: "{ source: { pattern: \(pattern), length: 1000, sdu: 300 } }")
    _ = try stage.open()
    #expect(stage.received.map(\.count) == [300, 300, 300, 100])
    #expect(Array(stage.received.joined()) == octets)
    #expect(stage.closures == [.remote])
  }

  @Test func randomSourceRepeats() throws {
    func octets() throws -> [[UInt8]] {
      var stage = try ChannelStage(handler: "{ source: { pattern: random, length: 1000 } }")
      _ = try stage.open()
      return stage.received
    }
    let first = try octets()
    #expect(try octets() == first && Set(first.joined()).count > 100)
  }

  @Test func sourceKeepsItsRate() throws {
    var stage = try ChannelStage(handler: "{ source: { sdu: 100, rate: 1000 } }")
    _ = try stage.open()
    #expect(stage.received.count == 1)
    stage.advance(.milliseconds(950))
    #expect(stage.received.count == 10)
    stage.advance(.seconds(10))
    #expect(stage.received.count == 110)
  }

  @Test func endlessSourceWaitsForThePeer() throws {
    var stage = try ChannelStage(handler: "source")
    stage.holdsAfter = 1
    _ = try stage.open(mtu: 100, mps: 102, credits: .frames(5))
    #expect(stage.received.count == 5)
  }

  @Test func otherHandlersAreLeftToTheOwner() throws {
    var stage = try ChannelStage(handler: "pty")
    let (id, _) = try stage.open()
    stage.send([1, 2, 3], on: id)
    #expect(stage.forwarded == [[1, 2, 3]])
  }
}
