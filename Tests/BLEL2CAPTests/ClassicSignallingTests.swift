import BLECore
import BLEL2CAP
import Testing

@Suite("Channels on BR/EDR: signalling and data")
struct ClassicSignallingTests {
  @Test("Echo Requests are answered with their data", arguments: ["", "00", "0102030405"])
  func echo(_ data: String) {
    var peer = ClassicPeer()
    let length = [UInt8(data.count / 2), 0].hexadecimal
    #expect(peer.signal("08 05 \(length)" + data) == ["0905" + length + data])
  }

  @Test("Information Requests are answered")
  func information() {
    var peer = ClassicPeer()
    #expect(peer.signal("0a 01 0200 0200") == ["0b0108000200000080000000"])
    #expect(peer.signal("0a 02 0200 0300") == ["0b020c00030000000200000000000000"])
    #expect(peer.signal("0a 03 0200 0100") == ["0b03040001000100"])
    #expect(peer.signal("0a 04 0200 0900") == ["0b04040009000100"])
    peer.channels.information = ClassicInformation(
      features: [], fixedChannels: [.signalling, .securityManager], connectionlessMTU: 672)
    #expect(peer.signal("0a 05 0200 0100") == ["0b05060001000000a002"])
    #expect(peer.signal("0a 06 0200 0300") == ["0b06040003000100"])
    #expect(peer.signal("0a 07 0100 03") == ["010702000000"])
  }

  @Test("This side's Information Requests are answered, refused, rejected, or not answered")
  func ownInformation() {
    var peer = ClassicPeer()
    let outcomes: [(String?, ClassicChannelEvent)] = [
      (
        "0b 01 0800 0200 0000 8a000000",
        .informed(
          .extendedFeatures,
          InformationResponse(
            extendedFeatures: ExtendedFeatures(rawValue: 0x8A)))
      ),
      ("0b 02 0400 0200 0100", .informed(.extendedFeatures, nil)),
      ("01 03 0200 0000", .informed(.extendedFeatures, nil)), (nil, .informed(.extendedFeatures, nil)),
    ]
    for (identifier, (answer, event)) in outcomes.enumerated() {
      let isAsked = peer.channels.requestInformation(.extendedFeatures)
      let isAskedAgain = peer.channels.requestInformation(.extendedFeatures)
      #expect(isAsked && !isAskedAgain)
      #expect(peer.signalling() == ["0a0\(identifier + 1)0200" + "0200"])
      if let answer { peer.signal(answer) } else { peer.wait(.seconds(30)) }
      #expect(peer.takeEvents() == [event])
    }
    #expect(peer.deadline == nil)
  }

  @Test("Unknown commands are rejected, unknown responses are not", arguments: UInt8.min...UInt8.max)
  func unknown(_ code: UInt8) {
    var peer = ClassicPeer()
    let known: Set<UInt8> = [0x02, 0x04, 0x06, 0x08, 0x0A]
    guard !known.contains(code) else { return }
    let isResponse = SignallingCode(rawValue: code).isResponse
    let answers = peer.signal("\([code].hexadecimal) 05 0100 00")
    #expect(answers == (isResponse ? [] : ["010502000000"]))
  }

  @Test("A C-frame may contain several commands, each of which is answered in a C-frame of its own")
  func several() {
    var peer = ClassicPeer()
    let answers = peer.signal("0801 00000a02 0200 0200ff03 00000804 0100 aa")
    #expect(
      answers == [
        "09010000", "0b0208000200000080000000", "010302000000", "09040100aa",
      ])
    #expect(peer.outcome == .rejected(SignallingCode(rawValue: 0xFF)))
    #expect(peer.signal("0801 00000804 0200 aa") == ["09010000", "010402000000"])
    #expect(peer.outcome == .rejected(.echoRequest))
    #expect(peer.signal("0801 00000904 0200 aa") == ["09010000"])
    #expect(peer.outcome == .malformed)
  }

  @Test("Commands that are cut at any octet, and the identifier 0, are rejected; such responses are ignored")
  func malformed() {
    for frame in ["0201040001005000", "0405080040000000010264", "08050100aa"] {
      for length in stride(from: 2, to: frame.count - 1, by: 2) {
        var peer = ClassicPeer()
        let identifier = length > 2 ? String(frame.dropFirst(2).prefix(2)) : "00"
        #expect(peer.signal(String(frame.prefix(length))) == ["01\(identifier)02000000"])
        #expect(peer.outcome == .rejected(SignallingCode(rawValue: UInt8(frame.prefix(2), radix: 16) ?? 0)))
      }
    }
    var peer = ClassicPeer()
    #expect(peer.signal("08 00 0000") == ["010002000000"])
    for ignored in ["", "03", "0301 0800 4000", "09 00 0000"] {
      #expect(peer.signal(ignored) == [])
      #expect(peer.outcome == .malformed)
    }
  }

  @Test("A frame beyond the signalling MTU is rejected with the identifier of its first request")
  func tooLong() {
    let padding = String(repeating: "00", count: ClassicChannels.signallingMTU)
    var peer = ClassicPeer()
    #expect(peer.signal("0805 a002" + padding) == ["010504000100a002"])
    #expect(peer.outcome == .rejected(.echoRequest))
    #expect(peer.signal("0906 00000807 a002" + padding) == ["010704000100a002"])
    #expect(peer.signal("0906 a002" + padding) == [])
    #expect(peer.outcome == .malformed)
    let longest = String(padding.dropLast(8))
    #expect(peer.signal("0808 9c02" + longest) == ["09089c02" + longest])
  }

  @Test("A peer that does not take its answers gets no more of them")
  func flood() {
    var peer = ClassicPeer()
    for _ in 0..<1000 { peer.receive("08 01 0000") }
    #expect(peer.signalling().count == 64)
  }

  // MARK: Data

  @Test("SDUs up to the MTU arrive; a longer one ends the channel")
  func receiving() {
    var peer = ClassicPeer()
    let id = peer.accept()
    peer.events = []
    for count in [0, 1, 672] {
      let outcome = peer.receive([UInt8](repeating: 1, count: count), on: id)
      #expect(outcome == .sdu)
    }
    #expect(peer.channels.status(id)?.received.octets == 673)
    let outcome = peer.receive([UInt8](repeating: 1, count: 673), on: id)
    #expect(outcome == .violation)
    #expect(peer.signalling() == ["0602040050004000"])
    peer.signal("07 02 0400 5000 4000")
    #expect(peer.takeEvents() == [.closed(id, psm: .serviceDiscovery, .sduTooLong(octets: 673), unsent: 0)])
  }

  @Test("Data before a channel is open is discarded")
  func early() {
    var peer = ClassicPeer()
    peer.signal("02 01 0400 0100 5000")
    let outcome = peer.receive([1], on: .first)
    #expect(outcome == .discarded)
    let submission = peer.send([1], on: .first)
    #expect(submission == .notOpen)
    let unknown = peer.receive([1], on: .second)
    #expect(unknown == .unknownChannel)
  }

  @Test("SDUs are sent as they are, up to the peer's MTU, and a full queue says when it has room")
  func sending() {
    var peer = ClassicPeer([
      PublishedClassicChannel(psm: .serviceDiscovery, parameters: ClassicChannelParameters(queueLimit: 250))
    ])
    let id = peer.accept()
    peer.events = []
    let tooLong = peer.send([UInt8](repeating: 1, count: 101), on: id)
    #expect(tooLong == .tooLong(limit: 100))
    let sizes = [0, 100, 100, 100, 100]
    let submissions = sizes.map { peer.send([UInt8](repeating: 1, count: $0), on: id) }
    #expect(submissions == [.queued, .queued, .queued, .queued, .full])
    #expect(peer.channels.status(id)?.queuedOctets == 300)
    let frames = peer.signalling(on: ChannelID(rawValue: 0x0050))
    #expect(frames.map { $0.count / 2 } == [0, 100, 100, 100])
    #expect(peer.takeEvents() == [.maySend(id)])
    #expect(peer.channels.status(id)?.sent.sdus == 4)
  }

  @Test("Channels take turns, and signalling goes first")
  func turns() {
    var peer = ClassicPeer()
    _ = peer.accept()
    peer.signal("02 21 0400 0100 5100")
    peer.signal("04 22 0400 4100 0000")
    peer.signal("05 02 0600 4100 0000 0000")
    for _ in 0..<2 {
      _ = peer.send([1], on: .first)
      _ = peer.send([2], on: .second)
    }
    peer.receive("08 09 0000")
    var order: [UInt8] = []
    while let pdu = peer.nextPDU() { order.append(pdu[2]) }
    #expect(order.first == 0x01)
    #expect(order.dropFirst() == [0x50, 0x51, 0x50, 0x51] || order.dropFirst() == [0x51, 0x50, 0x51, 0x50])
  }
}
