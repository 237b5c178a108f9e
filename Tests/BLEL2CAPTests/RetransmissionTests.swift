import BLECore
import BLEL2CAP
import Testing

@Suite("Enhanced Retransmission Mode")
struct RetransmissionTests {
  /// The reason why the channel is closed, and the Disconnection Request.
  private static func closure(_ peer: inout ClassicPeer) throws -> ClassicChannelClosure {
    let request = try #require(peer.signalling().first.flatMap { [UInt8](hexadecimal: $0) })
    #expect(request[0] == 0x06 && Array(request[4...]) == [0x50, 0, 0x40, 0])
    peer.signal(
      DisconnectionResponse(destination: ChannelID(rawValue: 0x50), source: .first), request[1])
    guard case .closed(.first, psm: .serviceDiscovery, let closure, unsent: _) = peer.takeEvents().last else {
      throw ClassicPeer.NotOpen()
    }
    #expect(peer.deadline == nil && peer.channels.all.isEmpty)
    return closure
  }

  // MARK: SDUs

  @Test("SDUs are sent whole, or in segments, and acknowledged with the next frame")
  func sending() throws {
    var peer = try ClassicPeer.retransmitting()
    #expect(peer.frames(of: []) == ["I0 r0"])
    #expect(peer.frames(of: [1, 2]) == ["I1 r0 0102"])
    #expect(peer.frames(of: [UInt8](repeating: 7, count: 100)) == ["I2 r0 100 octets"])
    #expect(peer.inform(0, [9], reqSeq: 3) == .assembled([9]))
    #expect(
      peer.frames(of: [UInt8](repeating: 7, count: 251)) == [
        "I3s251 r1 98 octets", "I4c r1 100 octets", "I5e r1 53 octets",
      ])
    #expect(peer.inform(1, [9], reqSeq: 6) == .assembled([9]))
    #expect(peer.frames() == ["RR r2"])
    #expect(peer.deadline == nil)
    let status = try #require(peer.channels.status(.first))
    #expect(status.sent.frames == 6 && status.sent.sdus == 4 && status.sent.octets == 353)
    #expect(status.received.sdus == 2 && status.received.octets == 2)
  }

  @Test("The length of an SDU counts as part of its first segment, unless that would leave no room", arguments: 1...4)
  func smallSegments(_ mps: UInt16) throws {
    var peer = try ClassicPeer.retransmitting { $0.mps = mps }
    let frames = [
      ["I0s3 r0 01", "I1c r0 02", "I2e r0 03"], ["I0s3 r0 01", "I1e r0 0203"], ["I0 r0 010203"], ["I0 r0 010203"],
    ]
    #expect(peer.frames(of: [1, 2, 3]) == frames[Int(mps) - 1])
  }

  @Test("Segments are assembled, and numbers begin again after 63")
  func receiving() throws {
    var peer = try ClassicPeer.retransmitting()
    for number in 0..<200 as Range<UInt8> {
      let txSeq = number &* 3
      #expect(peer.inform(txSeq & 63, [1, number], .start, length: 5) == .incomplete)
      #expect(peer.inform((txSeq &+ 1) & 63, [2], .continuation) == .incomplete)
      #expect(peer.inform((txSeq &+ 2) & 63, [3, 4], .end) == .assembled([1, number, 2, 3, 4]))
      #expect(peer.frames() == ["RR r\((txSeq &+ 3) & 63)"])
    }
  }

  @Test("No more frames than the peer's window are unacknowledged, and no more than this side's")
  func window() throws {
    var peer = try ClassicPeer.retransmitting { $0.transmitWindow = 3 }
    for _ in 0..<5 { _ = peer.send([1], on: .first) }
    #expect(peer.frames() == ["I0 r0 01", "I1 r0 01", "I2 r0 01"])
    peer.supervise(.receiverReady, 1)
    #expect(peer.frames() == ["I3 r0 01"])
    peer.supervise(.receiverReady, 4)
    #expect(peer.frames() == ["I4 r0 01"])
    var other = try ClassicPeer.retransmitting(RetransmissionParameters(window: 2)) { $0.transmitWindow = 63 }
    for _ in 0..<5 { _ = other.send([1], on: .first) }
    #expect(other.frames().count == 2)
  }

  @Test("A full queue has room again when frames are sent")
  func queue() throws {
    var peer = try ClassicPeer.retransmitting { $0.transmitWindow = 1 }
    let sdu = [UInt8](repeating: 0, count: 1000)
    var submissions = (0..<3).map { _ in peer.send(sdu, on: .first) }
    #expect(submissions == [.queued, .queued, .full])
    for acknowledged in 1...UInt8(12) {
      #expect(peer.frames().count == 1)
      peer.supervise(.receiverReady, acknowledged)
    }
    #expect(peer.takeEvents() == [.maySend(.first)])
    submissions = [peer.send(sdu, on: .first)]
    #expect(submissions == [.queued])
  }

  // MARK: What is sent again

  @Test("Rejected frames are sent again, from the one that is missing")
  func reject() throws {
    var peer = try ClassicPeer.retransmitting()
    for octet in 0..<4 as Range<UInt8> { _ = peer.frames(of: [octet]) }
    peer.supervise(.reject, 1)
    #expect(peer.frames() == ["I1 r0 01", "I2 r0 02", "I3 r0 03"])
    peer.supervise(.reject, 3)
    #expect(peer.frames() == ["I3 r0 03"])
    peer.supervise(.reject, 3)
    peer.supervise(.receiverReady, 4)
    #expect(peer.frames() == [] && peer.deadline == nil)
  }

  @Test("A frame that is requested alone is sent alone; with a poll it is the answer")
  func selectiveReject() throws {
    var peer = try ClassicPeer.retransmitting()
    for octet in 0..<4 as Range<UInt8> { _ = peer.frames(of: [octet]) }
    peer.supervise(.selectiveReject, 2)
    #expect(peer.frames() == ["I2 r0 02"])
    peer.supervise(.selectiveReject, 1, isPoll: true)
    #expect(peer.frames() == ["I1 r0 01 F"])
    // Only that with the poll has acknowledged something.
    peer.supervise(.reject, 1)
    #expect(peer.frames() == ["I1 r0 01", "I2 r0 02", "I3 r0 03"])
  }

  @Test("A missing frame is rejected once, and what follows it is discarded until it comes")
  func gap() throws {
    var peer = try ClassicPeer.retransmitting()
    #expect(peer.inform(0) == .assembled([1]))
    #expect(peer.inform(2) == .incomplete && peer.inform(3) == .incomplete)
    #expect(peer.frames() == ["REJ r1"])
    #expect(peer.inform(4) == .incomplete)
    #expect(peer.frames() == [])
    #expect(peer.inform(1) == .assembled([1]) && peer.inform(2) == .assembled([1]))
    #expect(peer.frames() == ["RR r3"])
    #expect(peer.inform(4) == .incomplete)
    #expect(peer.frames() == ["REJ r3"])
    // A frame that comes before its rejection is sent needs none.
    #expect(peer.inform(3) == .assembled([1]) && peer.inform(5) == .incomplete && peer.inform(4) == .assembled([1]))
    #expect(peer.frames() == ["RR r5"])
  }

  @Test("Frames that come twice are discarded, and so are damaged ones")
  func discarded() throws {
    var peer = try ClassicPeer.retransmitting()
    for txSeq in 0..<3 as Range<UInt8> { peer.inform(txSeq) }
    #expect(peer.frames() == ["RR r3"])
    #expect(peer.inform(0) == .incomplete && peer.inform(2) == .incomplete)
    for frame in [[0x06, 0, 1, 0xFF, 0xFF], [], [1], [1, 0, 0], [0x06, 0]] as [[UInt8]] {
      #expect(peer.receive(frame, on: .first) == .incomplete)
    }
    // An S-frame has nothing but its control field.
    #expect(peer.receive(ClassicPeer.checked([0x01, 0x05, 0]), on: .first) == .incomplete)
    #expect(peer.frames() == [] && peer.inform(3) == .assembled([1]))
  }

  // MARK: Polls

  @Test("This side asks for an acknowledgement that is overdue, and sends again what the answer lacks")
  func poll() throws {
    var peer = try ClassicPeer.retransmitting()
    _ = peer.frames(of: [1]) + peer.frames(of: [2])
    peer.wait(.milliseconds(1999))
    #expect(peer.frames() == [])
    peer.wait(.milliseconds(1))
    #expect(peer.frames() == ["RR r0 P"])
    // New frames wait for the answer, and what comes without the final bit is none.
    #expect(peer.frames(of: [3]) == [])
    peer.supervise(.receiverReady, 1)
    #expect(peer.frames() == [])
    #expect(peer.inform(0, reqSeq: 1, isFinal: true) == .assembled([1]))
    #expect(peer.frames() == ["I1 r1 02", "I2 r1 03"])
    peer.supervise(.receiverReady, 3, isFinal: true)
    #expect(peer.frames() == [] && peer.deadline == nil)
  }

  @Test("A rejection during a poll makes its answer no reason to send again")
  func rejectDuringPoll() throws {
    var peer = try ClassicPeer.retransmitting()
    _ = peer.frames(of: [1]) + peer.frames(of: [2])
    peer.wait(.seconds(2))
    #expect(peer.frames() == ["RR r0 P"])
    peer.supervise(.reject, 0)
    #expect(peer.frames() == ["I0 r0 01", "I1 r0 02"])
    peer.supervise(.receiverReady, 0, isFinal: true)
    #expect(peer.frames() == [])
    peer.wait(.seconds(2))
    #expect(peer.frames() == ["RR r0 P"])
    peer.supervise(.selectiveReject, 1)
    #expect(peer.frames() == ["I1 r0 02"])
    peer.supervise(.selectiveReject, 1, isFinal: true)
    #expect(peer.frames() == [])
    peer.wait(.seconds(2))
    #expect(peer.frames() == ["RR r0 P"])
    peer.supervise(.reject, 1, isFinal: true)
    #expect(peer.frames() == ["I1 r0 02"])
  }

  @Test("A final bit without a poll means nothing: Bumble sets it in every I-frame")
  func finalWithoutPoll() throws {
    var peer = try ClassicPeer.retransmitting()
    _ = peer.frames(of: [1])
    #expect(peer.inform(0, isFinal: true) == .assembled([1]))
    #expect(peer.frames() == ["RR r1"])
  }

  @Test("Polls of the peer are answered at once, by a frame with the final bit")
  func peersPoll() throws {
    var peer = try ClassicPeer.retransmitting()
    peer.supervise(.receiverReady, 0, isPoll: true)
    #expect(peer.frames() == ["RR r0 F"])
    peer.supervise(.receiverReady, 0, isPoll: true)
    #expect(peer.frames(of: [1]) == ["I0 r0 01 F"])
    peer.supervise(.reject, 0, isPoll: true)
    #expect(peer.frames() == ["I0 r0 01 F"])
    peer.inform(1)
    peer.supervise(.receiverReady, 1, isPoll: true)
    #expect(peer.frames() == ["REJ r0 F"])
    // Both sides poll.
    _ = peer.frames(of: [2])
    peer.wait(.seconds(2))
    peer.supervise(.receiverReady, 1, isPoll: true)
    #expect(peer.frames() == ["RR r0 F", "RR r0 P"])
  }

  @Test("A busy peer gets no frames, and no polls")
  func busy() throws {
    var peer = try ClassicPeer.retransmitting()
    _ = peer.frames(of: [1])
    peer.supervise(.receiverNotReady, 0)
    #expect(peer.frames(of: [2]) == [] && peer.deadline == nil)
    peer.supervise(.receiverNotReady, 0, isPoll: true)
    #expect(peer.frames() == ["RR r0 F"])
    #expect(peer.inform(0) == .assembled([1]))
    #expect(peer.frames() == ["RR r1"])
    peer.supervise(.receiverReady, 0)
    #expect(peer.frames() == ["I1 r1 02"])
    peer.supervise(.receiverNotReady, 1)
    peer.supervise(.selectiveReject, 1)
    #expect(peer.frames() == ["I1 r1 02"] && peer.deadline != nil)
  }

  @Test("A peer that never acknowledges loses the channel", arguments: [1, 3])
  func unacknowledged(_ limit: Int) throws {
    var peer = try ClassicPeer.retransmitting { $0.maximumTransmissions = UInt8(limit) }
    _ = peer.frames(of: [1])
    peer.wait(.seconds(2))
    for poll in 1...limit {
      #expect(peer.frames() == ["RR r0 P"])
      peer.wait(.seconds(poll < limit ? 12 : 11))
    }
    #expect(peer.frames() == [])
    peer.wait(.seconds(1))
    let closure = try Self.closure(&peer)
    #expect(closure == .retransmission(.unacknowledged))
  }

  @Test("A frame that is lost too often ends the channel; without a limit it is sent for ever", arguments: [0, 1, 3])
  func lostTooOften(_ limit: Int) throws {
    var peer = try ClassicPeer.retransmitting { $0.maximumTransmissions = UInt8(limit) }
    _ = peer.frames(of: [1])
    for _ in 1..<(limit == 0 ? 100 : limit) {
      peer.supervise(.reject, 0)
      #expect(peer.frames() == ["I0 r0 01"])
    }
    guard limit > 0 else {
      peer.wait(.seconds(2))
      for _ in 0..<100 {
        #expect(peer.frames() == ["RR r0 P"])
        peer.wait(.seconds(12))
      }
      return
    }
    #expect(peer.supervise(.reject, 0) == .violation)
    let closure = try Self.closure(&peer)
    #expect(closure == .retransmission(.unacknowledged))
  }

  // MARK: Violations

  @Test("Acknowledgements of frames that were not sent end the channel", arguments: 0..<6)
  func invalidAcknowledgement(_ kind: Int) throws {
    var peer = try ClassicPeer.retransmitting()
    _ = peer.frames(of: [1])
    let outcome =
      switch kind {
      case 0: peer.supervise(.receiverReady, 2)
      case 1: peer.supervise(.receiverNotReady, 63)
      case 2: peer.inform(0, reqSeq: 2)
      case 3: peer.supervise(.reject, 1)
      case 4: peer.supervise(.selectiveReject, 1)
      default: peer.supervise(.selectiveReject, 2, isPoll: true)
      }
    #expect(outcome == .violation)
    let closure = try Self.closure(&peer)
    #expect(closure == .retransmission(.invalidAcknowledgement))
  }

  @Test("Frames beyond the window end the channel, if the window tells them from those that come twice")
  func invalidSequence() throws {
    var peer = try ClassicPeer.retransmitting(RetransmissionParameters(window: 8))
    #expect(peer.inform(7) == .incomplete && peer.inform(56) == .incomplete)
    #expect(peer.inform(8) == .violation)
    let closure = try Self.closure(&peer)
    #expect(closure == .retransmission(.invalidSequence))
    var wide = try ClassicPeer.retransmitting(RetransmissionParameters(window: 63))
    for txSeq in 1...63 as ClosedRange<UInt8> { #expect(wide.inform(txSeq) == .incomplete) }
  }

  @Test("Segments that do not fit together end the channel", arguments: 0..<8)
  func invalidSegment(_ kind: Int) throws {
    var peer = try ClassicPeer.retransmitting()
    if kind > 2 { peer.inform(0, [1, 2], .start, length: 5) }
    let outcome =
      switch kind {
      case 0: peer.inform(0, [1], .end)
      case 1: peer.inform(0, [1], .continuation)
      case 2: peer.inform(0, [1, 2], .start, length: 1)
      case 3: peer.inform(1, [1], .unsegmented)
      case 4: peer.inform(1, [1], .start, length: 3)
      case 5: peer.inform(1, [3, 4, 5, 6], .continuation)
      case 6: peer.inform(1, [3], .end)
      // The first segment without the length of the SDU.
      default: peer.receive(ClassicPeer.checked([0x02, 0x40, 1]), on: .first)
      }
    #expect(outcome == .violation)
    let closure = try Self.closure(&peer)
    #expect(closure == .retransmission(.invalidSegment))
  }

  @Test("SDUs that are longer than the MTU end the channel, and so do longer segments")
  func tooLong() throws {
    var peer = try ClassicPeer.retransmitting()
    #expect(peer.inform(0, [1], .start, length: 1000) == .incomplete)
    peer = try ClassicPeer.retransmitting()
    #expect(peer.inform(0, [1], .start, length: 1001) == .violation)
    #expect(try Self.closure(&peer) == .sduTooLong(octets: 1001))
    peer = try ClassicPeer.retransmitting()
    #expect(peer.inform(0, [UInt8](repeating: 1, count: 1001)) == .violation)
    #expect(try Self.closure(&peer) == .sduTooLong(octets: 1001))
    peer = try ClassicPeer.retransmitting(RetransmissionParameters(mps: 100))
    #expect(peer.inform(0, [UInt8](repeating: 1, count: 101)) == .violation)
    #expect(try Self.closure(&peer) == .retransmission(.invalidSegment))
  }

  // MARK: The end

  @Test("A channel closes after the peer has acknowledged everything, or after some time", arguments: [true, false])
  func closing(isAcknowledged: Bool) throws {
    var peer = try ClassicPeer.retransmitting { $0.maximumTransmissions = 0 }
    _ = peer.frames(of: [1])
    peer.close(.first)
    #expect(peer.frames() == [])
    #expect(peer.inform(0, reqSeq: 0) == .assembled([1]))
    #expect(peer.frames() == ["RR r1"])
    if isAcknowledged {
      peer.supervise(.receiverReady, 1)
    } else {
      peer.wait(LinkChannels.drainLimit - .milliseconds(1))
      _ = peer.frames()
      peer.wait(.milliseconds(1))
    }
    #expect(try Self.closure(&peer) == .local)
  }

  @Test("Frames after a violation are discarded")
  func afterwards() throws {
    var peer = try ClassicPeer.retransmitting()
    #expect(peer.supervise(.receiverReady, 1) == .violation)
    #expect(peer.inform(0) == .discarded)
    _ = try Self.closure(&peer)
  }
}
