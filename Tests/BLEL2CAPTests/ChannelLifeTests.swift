import BLECore
import BLEL2CAP
import Testing

@Suite("Life of a channel")
struct ChannelLifeTests {
  private static let psm = SPSM(rawValue: 0x0080)
  private static let remote = ChannelID(rawValue: 0x0050)
  private static let parameters = ChannelParameters(mtu: 100, mps: 50, credits: .frames(10))

  // MARK: - Closing

  @Test("Data from before a close is sent before the Disconnection Request")
  func gracefulClose() throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept(credits: 1)
    for octet in 0..<3 as Range<UInt8> { #expect(peer.send([octet], on: id) == .queued) }
    peer.close(id)
    #expect(peer.send([9], on: id) == .notOpen)
    #expect(peer.next(on: Self.remote) == "010000")
    #expect(peer.nextPDU() == nil)
    #expect(peer.frame(id, [1, 0, 7]) == .whole)
    peer.signal(FlowControlCredit(source: Self.remote, credits: 5))
    #expect(peer.next(on: Self.remote) == "010001")
    #expect(peer.next(on: Self.remote) == "010002")
    let identifier = try peer.nextPacket(DisconnectionRequest.self).identifier
    peer.signal(DisconnectionResponse(destination: Self.remote, source: id), identifier: identifier)
    #expect(peer.takeEvents() == [.closed(id, psm: Self.psm, .local, unsent: 0)])
  }

  @Test("A peer that gives no credits delays a close for at most 30 seconds")
  func drainLimit() throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept(credits: 0)
    #expect(peer.send([1, 2, 3], on: id) == .queued)
    peer.close(id)
    #expect(peer.channels.deadline == peer.now + LinkChannels.drainLimit)
    peer.wait(LinkChannels.drainLimit - .nanoseconds(1))
    #expect(peer.nextPDU() == nil)
    peer.wait(.nanoseconds(1))
    #expect(peer.next().hasPrefix("0601"))
    peer.wait(SignallingChannel.responseTimeout)
    #expect(peer.takeEvents() == [.closed(id, psm: Self.psm, .local, unsent: 3)])
  }

  @Test("A peer that gives credits, however slowly, gets everything before the close")
  func slowDrain() throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept(credits: 0)
    for octet in 0..<5 as Range<UInt8> { #expect(peer.send([octet], on: id) == .queued) }
    peer.close(id)
    for octet in 0..<5 as Range<UInt8> {
      peer.wait(LinkChannels.drainLimit - .nanoseconds(1))
      peer.signal(FlowControlCredit(source: Self.remote, credits: 1))
      #expect(peer.next(on: Self.remote) == "01000\(octet)")
    }
    #expect(peer.next().hasPrefix("0601"))
  }

  @Test("An abort does not wait for unsent data")
  func abort() throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept(credits: 5)
    #expect(peer.send([1, 2, 3], on: id) == .queued)
    peer.channels.abort(id, at: peer.now, events: &peer.events)
    #expect(peer.next().hasPrefix("0601"))
    #expect(peer.nextPDU() == nil)
  }

  @Test("Each cause of an end is distinguished")
  func causes() throws {
    var peer = ChannelPeer([.test(), .test(psm: 0x0081)])
    let withdrawn = try peer.accept(source: 0x0050)
    let lost = try peer.accept(source: 0x0051)
    let own = try peer.open(destination: 0x0052)
    peer.close(lost)
    peer.channels.closeIncoming(Self.psm, at: peer.now, events: &peer.events)
    #expect(try peer.nextPacket(DisconnectionRequest.self).packet.source == lost)
    let (request, identifier) = try peer.nextPacket(DisconnectionRequest.self)
    #expect(request.source == withdrawn)
    peer.signal(
      DisconnectionResponse(destination: request.destination, source: request.source), identifier: identifier)
    peer.channels.linkLost(events: &peer.events)
    #expect(
      peer.takeEvents() == [
        .closed(withdrawn, psm: Self.psm, .unpublished, unsent: 0), .closed(lost, psm: Self.psm, .local, unsent: 0),
        .closed(own, psm: Self.psm, .linkLost, unsent: 0),
      ])
    #expect(peer.channels.all.isEmpty)
    let hasPDU = peer.channels.hasPDU
    #expect(!hasPDU)
  }

  @Test("Both sides close at once")
  func closeCollision() throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept()
    peer.close(id)
    let identifier = try peer.nextPacket(DisconnectionRequest.self).identifier
    #expect(peer.signal("06 33 0400 4000 5000") == "07330400" + "4000" + "5000")
    #expect(peer.takeEvents() == [.closed(id, psm: Self.psm, .local, unsent: 0)])
    peer.signal(DisconnectionResponse(destination: Self.remote, source: id), identifier: identifier)
    #expect(peer.events.isEmpty)
    #expect(peer.channels.deadline == nil)
  }

  @Test("A close that the peer rejects, because it has no such channel, is a close")
  func closeRejected() throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept()
    peer.close(id)
    let identifier = try peer.nextPacket(DisconnectionRequest.self).identifier
    peer.signal(CommandReject(reason: .invalidChannel, data: [0x50, 0, 0x40, 0]), identifier: identifier)
    #expect(peer.takeEvents() == [.closed(id, psm: Self.psm, .local, unsent: 0)])
  }

  @Test(
    "A close request with the peer's wrong CID, and unexpected responses, are ignored",
    arguments: ["06 09 0400 4000 5100", "07 01 0400 5000 4000", "07 09 0400 5000 4000", "07 01 0400 4000 5000"])
  func mismatches(frame: String) throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept()
    #expect(peer.signal(frame) == "")
    #expect(peer.channels.status(id)?.isOpen == true)
    #expect(peer.events.isEmpty)
  }

  @Test("A violation while a channel closes is its cause")
  func violationWhileDraining() throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept(credits: 0)
    #expect(peer.send([1], on: id) == .queued)
    peer.close(id)
    #expect(peer.frame(id, []) == .violation(.missingSDULength))
    peer.channels.linkLost(events: &peer.events)
    #expect(peer.takeEvents() == [.closed(id, psm: Self.psm, .violation(.missingSDULength), unsent: 1)])
  }

  // MARK: - Opening

  @Test("A channel that is closed before its request is sent is never requested")
  func closedBeforeRequest() {
    var peer = ChannelPeer()
    #expect(peer.channels.open(Self.psm, parameters: Self.parameters) == .first)
    peer.close(.first)
    #expect(peer.takeEvents() == [.closed(.first, psm: Self.psm, .local, unsent: 0)])
    #expect(peer.nextPDU() == nil)
  }

  @Test("One of several that is closed before their request is sent is left out")
  func leftOut() throws {
    var peer = ChannelPeer()
    #expect(peer.channels.openEnhanced(Self.psm, count: 3, parameters: Self.parameters).count == 3)
    peer.close(.second)
    #expect(try peer.nextPacket(CreditBasedConnectionRequest.self).packet.sources == [.first, .third])
  }

  @Test("A channel that is closed while its request is pending is closed when the peer has opened it")
  func closedWhileConnecting() throws {
    var peer = ChannelPeer()
    #expect(peer.channels.open(Self.psm, parameters: Self.parameters) == .first)
    let identifier = try peer.nextPacket(LECreditBasedConnectionRequest.self).identifier
    peer.close(.first)
    #expect(peer.events.isEmpty)
    peer.signal("15 0\(identifier) 0a00 5000 c800 3c00 0500 0000")
    #expect(try peer.nextPacket(DisconnectionRequest.self).packet.destination == Self.remote)
    #expect(peer.events.isEmpty)
    #expect(peer.signal("06 33 0400 4000 5000").hasPrefix("0733"))
    #expect(peer.takeEvents() == [.closed(.first, psm: Self.psm, .local, unsent: 0)])
  }

  @Test("A request that is not answered is abandoned, and a later channel of the peer is closed")
  func lateAnswer() throws {
    var peer = ChannelPeer()
    #expect(peer.channels.open(Self.psm, parameters: Self.parameters) == .first)
    let identifier = try peer.nextPacket(LECreditBasedConnectionRequest.self).identifier
    peer.wait(SignallingChannel.responseTimeout)
    #expect(peer.takeEvents() == [.closed(.first, psm: Self.psm, .refused(.unanswered), unsent: 0)])
    #expect(peer.channels.all.isEmpty && peer.channels.status(.first) == nil)
    #expect(peer.channels.deadline == nil)
    #expect(peer.channels.open(Self.psm, parameters: Self.parameters) == .second)
    _ = try peer.nextPacket(LECreditBasedConnectionRequest.self)
    peer.signal("15 0\(identifier) 0a00 5000 c800 3c00 0500 0000")
    let (request, closing) = try peer.nextPacket(DisconnectionRequest.self)
    #expect(request == DisconnectionRequest(destination: Self.remote, source: .first))
    peer.signal(DisconnectionResponse(destination: Self.remote, source: .first), identifier: closing)
    #expect(peer.events.isEmpty)
  }

  @Test(
    "A response with invalid values opens nothing",
    arguments: [
      ("3f00 c800 3c00 0500 0000", false), ("8000 c800 3c00 0500 0000", false), ("5000 1600 3c00 0500 0000", true),
      ("5000 c800 1600 0500 0000", true), ("5000 c800 feff 0500 0000", true),
    ])
  func unacceptableResponse(fields: String, isDisconnected: Bool) throws {
    var peer = ChannelPeer()
    #expect(peer.channels.open(Self.psm, parameters: Self.parameters) == .first)
    let identifier = try peer.nextPacket(LECreditBasedConnectionRequest.self).identifier
    peer.signal("15 0\(identifier) 0a00" + fields)
    #expect(peer.next().hasPrefix("06") == isDisconnected)
    peer.channels.linkLost(events: &peer.events)
    #expect(peer.takeEvents() == [.closed(.first, psm: Self.psm, .violation(.unacceptableResponse), unsent: 0)])
  }

  @Test("Nothing is received or sent before a channel is open")
  func connecting() {
    var peer = ChannelPeer()
    #expect(peer.channels.open(Self.psm, parameters: Self.parameters) == .first)
    #expect(peer.next().hasPrefix("14"))
    #expect(peer.signal("06 09 0400 4000 0000") == "")
    #expect(peer.channels.all.map(\.id) == [.first])
    #expect(peer.frame(.first, [0, 0]) == .discarded)
    #expect(peer.send([], on: .first) == .notOpen)
    peer.channels.giveCredits(5, on: .first)
    #expect(peer.nextPDU() == nil)
  }

  // MARK: - Flow

  @Test("Zero-length SDUs pass in both directions and do not affect others")
  func zeroLength() throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept()
    for sdu in [[], [1], []] as [[UInt8]] { #expect(peer.send(sdu, on: id) == .queued) }
    #expect(peer.next(on: Self.remote) == "0000")
    #expect(peer.next(on: Self.remote) == "010001")
    #expect(peer.next(on: Self.remote) == "0000")
    for payload in [[0, 0], [1, 0, 5], [0, 0]] as [[UInt8]] { #expect(peer.frame(id, payload) == .whole) }
    #expect(peer.received[id] == [[], [5], []])
  }

  @Test("An SDU above the peer's MTU is refused")
  func tooLong() throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept(mtu: 30)
    #expect(peer.send([UInt8](repeating: 0, count: 31), on: id) == .tooLong(limit: 30))
    #expect(peer.send([UInt8](repeating: 0, count: 30), on: id) == .queued)
    #expect(peer.send([], on: .third) == .notOpen)
  }

  @Test("A full queue accepts nothing until it is half empty, and reports that once")
  func backPressure() throws {
    let parameters = ChannelParameters(mtu: 100, mps: 50, queueLimit: 40)
    var peer = ChannelPeer([PublishedChannel(psm: Self.psm, parameters: parameters)])
    let id = try peer.accept(credits: 0)
    let sdu = [UInt8](repeating: 1, count: 8)
    for _ in 0..<4 { #expect(peer.send(sdu, on: id) == .queued) }
    #expect(peer.channels.queuedOctets(id) == 32)
    #expect(peer.send(sdu, on: id) == .full)
    peer.signal(FlowControlCredit(source: Self.remote, credits: 1))
    _ = peer.allPDUs()
    #expect(peer.send(sdu, on: id) == .full)
    #expect(peer.events.isEmpty)
    peer.signal(FlowControlCredit(source: Self.remote, credits: 2))
    _ = peer.allPDUs()
    #expect(peer.takeEvents() == [.maySend(id)])
    #expect(peer.send(sdu, on: id) == .queued)
  }

  @Test("Empty SDUs fill the queue, too")
  func emptySDUsFill() throws {
    let parameters = ChannelParameters(mtu: 100, mps: 50, queueLimit: 40)
    var peer = ChannelPeer([PublishedChannel(psm: Self.psm, parameters: parameters)])
    let id = try peer.accept(credits: 0)
    for _ in 0..<20 { #expect(peer.send([], on: id) == .queued) }
    #expect(peer.send([], on: id) == .full)
  }

  @Test("A consumer that holds back gives no credits until it resumes")
  func holdsBack() throws {
    var peer = ChannelPeer([.test(credits: .frames(4))])
    let id = try peer.accept()
    peer.channels.hold(id)
    for _ in 0..<4 { #expect(peer.frame(id, [0, 0]) == .whole) }
    #expect(peer.nextPDU() == nil)
    peer.channels.hold(id, false)
    #expect(try peer.nextPacket(FlowControlCredit.self).packet == FlowControlCredit(source: id, credits: 4))
    #expect(peer.nextPDU() == nil)
  }

  @Test(
    "The window is the number of K-frames that may arrive",
    arguments: [
      (.window(octets: 1000), 100, 50, 20), (.window(octets: 1001), 100, 50, 21), (.window(octets: 0), 100, 50, 3),
      (.window(octets: 10), 23, 65_533, 1), (.window(octets: .max), 100, 23, 65_535), (.frames(-1), 100, 50, 0),
      (.frames(100_000), 100, 50, 65_535), (.standard, 2048, 1000, 66),
    ] as [(CreditPolicy, Int, Int, Int)])
  func windows(policy: CreditPolicy, mtu: Int, mps: Int, credits: Int) throws {
    var peer = ChannelPeer([.test(mtu: mtu, mps: mps, credits: policy)])
    let id = try peer.accept()
    #expect(peer.channels.status(id)?.receiveCredits == credits)
  }

  @Test("Channels take turns frame by frame, signalling goes first")
  func turns() throws {
    var peer = ChannelPeer([.test()])
    let ids = try [0x0050, 0x0051, 0x0052].map { try peer.accept(source: $0, mps: 23, credits: 100) }
    for id in ids { #expect(peer.send([UInt8](repeating: 0, count: 200), on: id) == .queued) }
    let first = peer.allPDUs(limit: 7).map { $0[2] }
    #expect(first == [0x50, 0x51, 0x52, 0x50, 0x51, 0x52, 0x50])
    for _ in 0..<5 { #expect(peer.frame(ids[0], [0, 0]) == .whole) }
    let rest = peer.allPDUs().map { $0[2] }
    #expect(rest.first == 0x05)
    #expect(rest.dropFirst().prefix(3) == [0x51, 0x52, 0x50])
    #expect(rest.count == 1 + 27 - 7)
  }

  @Test("A channel that ends takes no turn of others")
  func turnAfterEnd() throws {
    var peer = ChannelPeer([.test()])
    let ids = try [0x0050, 0x0051, 0x0052].map { try peer.accept(source: $0) }
    for id in ids { for _ in 0..<2 { #expect(peer.send([1], on: id) == .queued) } }
    #expect(peer.next(on: Self.remote) == "010001")
    #expect(peer.signal("06 09 0400 4000 5000").hasPrefix("07"))
    #expect(peer.allPDUs().map { $0[2] } == [0x51, 0x52, 0x51, 0x52])
  }

  @Test("The transferred data is counted in both directions")
  func traffic() throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept(mps: 23)
    #expect(peer.send([UInt8](repeating: 0, count: 30), on: id) == .queued)
    _ = peer.allPDUs()
    #expect(peer.frame(id, [4, 0, 1]) == .partial)
    #expect(peer.frame(id, [2, 3, 4]) == .assembled([1, 2, 3, 4]))
    let status = try #require(peer.channels.status(id))
    #expect((status.sent.sdus, status.sent.frames, status.sent.octets) == (1, 2, 30))
    #expect((status.received.sdus, status.received.frames, status.received.octets) == (1, 2, 4))
    #expect((status.sendCredits, status.receiveCredits) == (3, 8))
  }
}
