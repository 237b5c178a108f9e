import BLECore
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import Testing

/// The groups L2CAP/CMC, FOC, OFS and ERM: the mode of channels over BR/EDR, the check sequence, and Enhanced Retransmission Mode (Core 5.4
/// Vol 3 Part A 3.3, 5.4, 5.5, 8.6). The central asks for the mode on the channel of the Attribute Protocol.
@Suite("L2CAP/CMC, L2CAP/FOC, L2CAP/OFS, L2CAP/ERM")
struct RetransmissionModeTests {
  // MARK: The mode of a channel

  @Test(
    "L2CAP/CMC/BV-02-C: the central's request for Enhanced Retransmission Mode is accepted, and this side asks for it, too"
  )
  func accepted() throws {
    let pair = try RetransmissionScene()
    #expect(pair.answer.result == .success)
    let answer = try #require(pair.answer.options.compactMap { $0.value(as: RetransmissionOption.self) }.first)
    #expect(answer.mode == .enhancedRetransmission)
    #expect((answer.transmitWindow, answer.maximumTransmissions, answer.mps) == (8, 10, 100))
    #expect((answer.retransmissionTimeout, answer.monitorTimeout) == (2000, 12_000))
    let request = try #require(pair.requested.compactMap { $0.value(as: RetransmissionOption.self) }.first)
    #expect(request.mode == .enhancedRetransmission && request.transmitWindow > 0 && request.mps > 0)
    // The timeouts of a request have no meaning.
    #expect(request.retransmissionTimeout == 0 && request.monitorTimeout == 0)
  }

  @Test(
    "L2CAP/CMC/BV-07-C: a channel that may have either mode has Basic Mode if the central asks for that",
    arguments: ["", "04 09 000000000000000000"])
  func basic(_ option: String) throws {
    let scene = try ClassicScene.connected()
    // The central knows that the accessory supports the other mode.
    let features = try #require(try scene.signal("0a 05 0200 0200").first.flatMap { [UInt8](hexadecimal: $0) })
    #expect(features[8] & 0x08 == 0x08)
    let opened = try scene.request(.serviceDiscovery)
    let channel = try #require(opened).channel
    let options = try #require([UInt8](hexadecimal: option))
    let head = [0x04, 2, UInt8(4 + options.count), 0] + channel.rawValue.littleEndianOctets + [0, 0]
    let answers = try scene.signal((head + options).hexadecimal)
    #expect(answers.contains { $0.hasPrefix("0502") && $0.dropFirst(16).hasPrefix("0000") })
    let request = try #require(answers.first { $0.hasPrefix("04") })
    let accepted = try ConfigurationRequest(decoding: try #require([UInt8](hexadecimal: String(request.dropFirst(8)))))
    let modes = accepted.options.compactMap { $0.value(as: RetransmissionOption.self)?.mode }
    #expect(modes.allSatisfy { $0 == .basic })
    let identifier = String(request.dropFirst(2).prefix(2))
    #expect(
      try scene.signal("05 \(identifier) 0600 \(channel.rawValue.littleEndianOctets.hexadecimal) 0000 0000") == [])
    // A request and its answer are whole frames.
    try scene.central.send("02 0007 0008 35 03 19 0100 0014 00", on: channel)
    #expect(scene.central.next(on: RetransmissionScene.end)?.hasPrefix("030007") == true)
  }

  // MARK: The check sequence

  @Test(
    """
    L2CAP/FOC/BV-07-C: this side asks for the check sequence, and uses it whether or not the central asks for it, or says nothing; older \
    test suites number that BV-05-C
    """, arguments: [FrameCheck.none, .crc16, nil])
  func check(_ wanted: FrameCheck?) throws {
    let pair = try RetransmissionScene(check: wanted)
    #expect(pair.answer.result == .success)
    #expect(pair.requested.compactMap { $0.value(as: FrameCheckOption.self)?.check } == [.crc16])
    try pair.supervise(.receiverReady, 1, isPoll: true)
    #expect(pair.frames() == ["RR r1 F"])
    try pair.notify()
    #expect(pair.frames() == ["I1 r1 1b140001"])
  }

  @Test("L2CAP/OFS/BV-05-C: I-frames have the right check sequence")
  func sendsCheck() throws {
    let pair = try RetransmissionScene()
    try pair.notify()
    #expect(pair.frames() == ["I1 r1 1b140001"])
  }

  @Test("L2CAP/OFS/BV-06-C: I-frames with the check sequence are taken, and those with a wrong one are not")
  func receivesCheck() throws {
    let pair = try RetransmissionScene()
    // The check sequence is that of an empty frame.
    try pair.scene.central.send("0201 12 1200 6364 0000", on: pair.channel)
    #expect(pair.frames() == [])
    try pair.inform(1, "12 1200 6162")
    #expect(pair.frames() == ["I1 r2 13"])
    #expect(pair.scene.accessory.stack.value(of: Specimen.text, at: pair.scene.simulation.now) == [0x61, 0x62])
  }

  // MARK: Sending and receiving

  @Test("L2CAP/ERM/BV-01-C: I-frames are sent in sequence, and acknowledge what has been received")
  func sends() throws {
    let pair = try RetransmissionScene()
    try pair.notify(2)
    #expect(pair.frames() == ["I1 r1 1b140001", "I2 r1 1b140002"])
    try pair.inform(1, reqSeq: 3)
    #expect(pair.frames() == ["RR r2"])
    try pair.notify()
    #expect(pair.frames() == ["I3 r2 1b140003"])
  }

  @Test("L2CAP/ERM/BV-02-C: I-frames are received in sequence, whole SDUs and segments of 48 octets")
  func receives() throws {
    let pair = try RetransmissionScene()
    let value = [UInt8](1...60)
    let stored = { pair.scene.accessory.stack.value(of: Specimen.text, at: pair.scene.simulation.now) }
    try pair.inform(1, "12 1200 6162")
    #expect(pair.frames() == ["I1 r2 13"] && stored() == [0x61, 0x62])
    let sdu = [0x12, 0x12, 0] + value
    try pair.inform(2, sdu[..<48].hexadecimal, .start, length: 63, reqSeq: 2)
    #expect(pair.frames() == ["RR r3"] && stored() == [0x61, 0x62])
    try pair.inform(3, sdu[48...].hexadecimal, .end, reqSeq: 2)
    #expect(pair.frames() == ["I2 r4 13"] && stored() == value)
  }

  @Test("L2CAP/ERM/BV-03-C: received I-frames are acknowledged with RR if there is nothing to send")
  func acknowledges() throws {
    let pair = try RetransmissionScene()
    for txSeq in 1...5 as ClosedRange<UInt8> {
      try pair.inform(txSeq)
      #expect(pair.frames() == ["RR r\(txSeq + 1)"])
    }
  }

  @Test("L2CAP/ERM/BV-05-C: no I-frame is sent while the window is full, and RR opens it")
  func window() throws {
    let pair = try RetransmissionScene { $0.transmitWindow = 1 }
    try pair.notify(2)
    #expect(pair.frames(within: .seconds(1)) == ["I1 r1 1b140001"])
    try pair.supervise(.receiverReady, 2)
    #expect(pair.frames() == ["I2 r1 1b140002"])
  }

  @Test("L2CAP/ERM/BV-06-C: no I-frame is sent while the window is full, and an I-frame opens it")
  func windowByInformation() throws {
    let pair = try RetransmissionScene { $0.transmitWindow = 1 }
    try pair.notify(2)
    #expect(pair.frames(within: .seconds(1)) == ["I1 r1 1b140001"])
    try pair.inform(1, reqSeq: 2)
    #expect(pair.frames() == ["I2 r2 1b140002"])
  }

  @Test("L2CAP/ERM/BV-23-C: SDUs longer than the central's MPS are sent in segments")
  func segments() throws {
    let pair = try RetransmissionScene { ($0.transmitWindow, $0.mps) = (1, 15) }
    let answer = [0x0B] + [UInt8](1...40)
    // The length of the SDU is part of the first segment.
    let parts = [answer[..<13], answer[13..<28], answer[28...]].map(\.hexadecimal)
    for round in 0..<2 as Range<UInt8> {
      let (first, next) = (1 + 3 * round, 2 + round)
      try pair.inform(1 + round, "0a 1a00", reqSeq: first)
      #expect(pair.frames() == ["I\(first)s41 r\(next) \(parts[0])"])
      try pair.supervise(.receiverReady, first + 1)
      #expect(pair.frames() == ["I\(first + 1)c r\(next) \(parts[1])"])
      try pair.supervise(.receiverReady, first + 2)
      #expect(pair.frames() == ["I\(first + 2)e r\(next) \(parts[2])"])
      try pair.supervise(.receiverReady, first + 3)
      #expect(pair.frames() == [])
    }
  }

  // MARK: Timers

  @Test(
    "L2CAP/ERM/BV-08-C: without an acknowledgement in the time that the central has chosen, the accessory polls",
    arguments: [2000, 3000] as [UInt16])
  func polls(after time: UInt16) throws {
    let pair = try RetransmissionScene(timeouts: (time, 12_000))
    try pair.notify()
    #expect(pair.frames(within: .milliseconds(Int(time) - 100)) == ["I1 r1 1b140001"])
    #expect(pair.frames(within: .milliseconds(300)) == ["RR r1 P"])
    try pair.supervise(.receiverReady, 2, isFinal: true)
    #expect(pair.frames(within: .seconds(30)) == [])
  }

  @Test("L2CAP/ERM/BV-09-C: a poll is answered")
  func answersPolls() throws {
    let pair = try RetransmissionScene()
    try pair.supervise(.receiverReady, 1, isPoll: true)
    #expect(pair.frames() == ["RR r1 F"])
  }

  @Test("L2CAP/ERM/BV-10-C: a poll without an answer is repeated in the time of the monitor, until it is answered")
  func repeatsPolls() throws {
    let pair = try RetransmissionScene(timeouts: (2000, 13_000))
    try pair.notify()
    #expect(pair.frames(within: .seconds(3)) == ["I1 r1 1b140001", "RR r1 P"])
    #expect(pair.frames(within: .milliseconds(11_800)) == [])
    #expect(pair.frames() == ["RR r1 P"])
    try pair.supervise(.receiverReady, 2, isFinal: true)
    #expect(pair.frames(within: .seconds(60)) == [])
    #expect(!pair.isClosed())
  }

  @Test("L2CAP/ERM/BV-11-C: a poll that stays without an answer closes the channel")
  func unansweredPolls() throws {
    let pair = try RetransmissionScene { $0.maximumTransmissions = 1 }
    try pair.notify()
    #expect(pair.frames(within: .seconds(13)) == ["I1 r1 1b140001", "RR r1 P"])
    #expect(!pair.isClosed())
    #expect(pair.frames(within: .seconds(2)) == [])
    #expect(pair.isClosed())
  }

  @Test(
    "L2CAP/ERM/BV-12-C: an I-frame that has been sent as often as allowed, and is not acknowledged, closes the channel")
  func unacknowledged() throws {
    let pair = try RetransmissionScene { $0.maximumTransmissions = 1 }
    try pair.notify()
    #expect(pair.frames(within: .seconds(3)) == ["I1 r1 1b140001", "RR r1 P"])
    try pair.supervise(.receiverReady, 1, isFinal: true)
    #expect(pair.frames() == [] && pair.isClosed())
  }

  // MARK: What is sent again

  /// Sends so many SDUs, whose frames get lost.
  private func lose(_ count: Int, _ pair: RetransmissionScene) throws {
    try pair.notify(count)
    #expect(pair.frames().count == count)
  }

  @Test("L2CAP/ERM/BV-13-C: REJ repeats the I-frames from that number on")
  func rejected() throws {
    let pair = try RetransmissionScene()
    try lose(3, pair)
    try pair.supervise(.reject, 2)
    #expect(pair.frames() == ["I2 r1 1b140002", "I3 r1 1b140003"])
    try pair.supervise(.receiverReady, 4)
    #expect(pair.frames(within: .seconds(30)) == [])
  }

  @Test("L2CAP/ERM/BV-14-C: SREJ with a poll acknowledges the I-frames before, and that frame is the answer")
  func selectivelyRejectedWithPoll() throws {
    let pair = try RetransmissionScene { $0.transmitWindow = 3 }
    try pair.notify(4)
    #expect(pair.frames() == ["I1 r1 1b140001", "I2 r1 1b140002", "I3 r1 1b140003"])
    try pair.supervise(.selectiveReject, 2, isPoll: true)
    #expect(pair.frames() == ["I2 r1 1b140002 F", "I4 r1 1b140004"])
  }

  @Test("L2CAP/ERM/BV-15-C: SREJ without a poll repeats that frame, and acknowledges nothing")
  func selectivelyRejected() throws {
    let pair = try RetransmissionScene { $0.transmitWindow = 3 }
    try pair.notify(4)
    #expect(pair.frames() == ["I1 r1 1b140001", "I2 r1 1b140002", "I3 r1 1b140003"])
    try pair.supervise(.selectiveReject, 2)
    #expect(pair.frames() == ["I2 r1 1b140002"])
  }

  @Test("L2CAP/ERM/BV-18-C: the answer to a poll, if it does not acknowledge an I-frame, repeats that")
  func repeats() throws {
    let pair = try RetransmissionScene()
    try pair.notify()
    #expect(pair.frames(within: .seconds(3)) == ["I1 r1 1b140001", "RR r1 P"])
    try pair.supervise(.receiverReady, 1, isFinal: true)
    #expect(pair.frames() == ["I1 r1 1b140001"])
  }

  @Test("L2CAP/ERM/BV-19-C: so does an I-frame that answers the poll")
  func repeatsForInformation() throws {
    let pair = try RetransmissionScene()
    try pair.notify()
    #expect(pair.frames(within: .seconds(3)) == ["I1 r1 1b140001", "RR r1 P"])
    try pair.inform(1, reqSeq: 1, isFinal: true)
    #expect(pair.frames() == ["I1 r2 1b140001"])
  }

  @Test("L2CAP/ERM/BV-20-C: nothing is repeated while the central is busy")
  func busy() throws {
    let pair = try RetransmissionScene()
    try pair.notify()
    #expect(pair.frames(within: .seconds(3)) == ["I1 r1 1b140001", "RR r1 P"])
    try pair.supervise(.receiverNotReady, 1, isFinal: true)
    #expect(pair.frames(within: .seconds(60)).allSatisfy { !$0.hasPrefix("I") })
    #expect(!pair.isClosed())
  }

  @Test("L2CAP/ERM/BI-03-C: a frame that SREJ asks for twice is repeated once")
  func duplicateSelectiveReject() throws {
    let pair = try RetransmissionScene()
    try lose(2, pair)
    #expect(pair.frames(within: .seconds(3)) == ["RR r1 P"])
    try pair.supervise(.selectiveReject, 1)
    #expect(pair.frames() == ["I1 r1 1b140001"])
    try pair.supervise(.selectiveReject, 1, isFinal: true)
    #expect(pair.frames() == [])
  }

  @Test("L2CAP/ERM/BI-04-C: what REJ has repeated is not repeated for the answer to the poll, RR")
  func rejectAndAnswer() throws {
    let pair = try RetransmissionScene()
    try lose(2, pair)
    #expect(pair.frames(within: .seconds(3)) == ["RR r1 P"])
    try pair.supervise(.reject, 1)
    #expect(pair.frames() == ["I1 r1 1b140001", "I2 r1 1b140002"])
    try pair.supervise(.receiverReady, 1, isFinal: true)
    #expect(pair.frames() == [])
  }

  @Test("L2CAP/ERM/BI-05-C: what REJ has repeated is not repeated for the answer to the poll, an I-frame")
  func rejectAndInformation() throws {
    let pair = try RetransmissionScene()
    try lose(2, pair)
    #expect(pair.frames(within: .seconds(3)) == ["RR r1 P"])
    try pair.supervise(.reject, 1)
    #expect(pair.frames() == ["I1 r1 1b140001", "I2 r1 1b140002"])
    try pair.inform(1, reqSeq: 1, isFinal: true)
    #expect(pair.frames() == ["RR r2"])
  }

  // MARK: What is missing

  @Test("L2CAP/ERM/BV-16-C: a missing I-frame is rejected, and all are acknowledged once they have come")
  func rejects() throws {
    let pair = try RetransmissionScene()
    try pair.inform(1)
    #expect(pair.frames() == ["RR r2"])
    try pair.inform(3)
    #expect(pair.frames() == ["REJ r2"])
    try pair.inform(2)
    try pair.inform(3)
    #expect(pair.frames().last == "RR r4")
  }

  @Test("L2CAP/ERM/BI-01-C: if REJ gets lost, the answer to a poll says which I-frame is missing")
  func lostReject() throws {
    let pair = try RetransmissionScene()
    try pair.inform(1)
    try pair.inform(3)
    #expect(pair.frames().last == "REJ r2")
    try pair.supervise(.receiverReady, 1, isPoll: true)
    #expect(pair.frames() == ["RR r2 F"])
    try pair.inform(2)
    try pair.inform(3)
    #expect(pair.frames().last == "RR r4")
  }
}
