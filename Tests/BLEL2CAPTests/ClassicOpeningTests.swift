import BLECore
import BLEL2CAP
import Testing

@Suite("Channels on BR/EDR: opening and closing")
struct ClassicOpeningTests {
  private static let secured = PublishedClassicChannel(
    psm: .serviceDiscovery, requirement: AccessRequirement(protection: .encrypted))
  private static let asking = PublishedClassicChannel(
    psm: .serviceDiscovery, requirement: AccessRequirement(needsAuthorization: true), authorization: .asked)

  // MARK: The peer opens

  @Test("A channel to a published PSM is configured in both directions, and open")
  func accept() {
    var peer = ClassicPeer()
    let id = peer.accept()
    let events = peer.takeEvents()
    #expect(events.count == 1)
    guard case .opened(let status) = events.first else { return #expect(Bool(false)) }
    #expect(status.id == id && status.remote.rawValue == 0x0050 && status.psm == .serviceDiscovery)
    #expect(status.isIncoming && status.isOpen && status.receiveMTU == 672 && status.sendMTU == 100)
    #expect(peer.deadline == nil)
  }

  @Test(
    "Requests that cannot be granted are refused",
    arguments: [
      ("0300 5000", "psm", 0x0002), ("0000 5000", "even PSM", 0x0002), ("0101 0150 0000", "long PSM", 0x0002),
      ("0100 3f00", "CID of a fixed channel", 0x0006), ("0100 0000", "no CID", 0x0006),
    ] as [(String, String, UInt16)])
  func refused(_ fields: String, _ comment: String, _ result: UInt16) throws {
    var peer = ClassicPeer()
    let data = [UInt8](hexadecimal: fields) ?? []
    let responses = peer.signal("02 07 \([UInt8(data.count), 0].hexadecimal)" + fields)
    let octets = try #require(responses.first.flatMap { [UInt8](hexadecimal: $0) })
    let response = try ChannelConnectionResponse(decoding: Array(octets.dropFirst(4)))
    #expect(responses.count == 1 && response.result.rawValue == result && response.destination.rawValue == 0)
    #expect(octets[1] == 7)
    #expect(peer.takeEvents() == [.peerRefused(PSM(rawValue: UInt16(data[0]) | UInt16(data[1]) << 8), response.result)])
    #expect(peer.channels.all.isEmpty)
  }

  @Test("A source CID that another channel has is refused")
  func usedSource() {
    var peer = ClassicPeer()
    _ = peer.accept()
    #expect(peer.signal("02 09 0400 0100 5000") == ["030908000000500007000000"])
  }

  @Test("A repeated request gets the same response, and no second channel")
  func repeated() {
    var peer = ClassicPeer()
    let response = "030108004000500000000000"
    #expect(peer.signal("02 01 0400 0100 5000").first == response)
    #expect(peer.signal("02 01 0400 0100 5000") == [response])
    #expect(peer.channels.all.count == 1)
  }

  @Test("A PSM has room for so many channels, and so has a link")
  func noResources() {
    var peer = ClassicPeer([
      PublishedClassicChannel(psm: .serviceDiscovery, maximumChannels: 1), PublishedClassicChannel(psm: .rfcomm),
    ])
    _ = peer.accept()
    #expect(peer.signal("02 09 0400 0100 5100") == ["030908000000510004000000"])
    for place in 1..<UInt16(ClassicChannels.maximumChannels) {
      peer.signal(ChannelConnectionRequest(psm: .rfcomm, source: ChannelID(rawValue: 0x0100 + place)), 2)
    }
    #expect(peer.channels.all.count == ClassicChannels.maximumChannels)
    #expect(peer.signal("02 09 0400 0300 5200") == ["030908000000520004000000"])
    #expect(peer.channels.open(.rfcomm) == nil)
  }

  @Test("A link without the security that a PSM needs is refused, unless the application raises it")
  func security() {
    var peer = ClassicPeer([Self.secured])
    #expect(peer.signal("02 01 0400 0100 5000") == ["030108000000500003000000"])
    #expect(peer.asked == [ClassicAuthorizationRequest(psm: .serviceDiscovery, shortfall: .authentication)])
    peer.decision = .ask(AnswerTicket(1))
    #expect(peer.signal("02 02 0400 0100 5000") == ["030208004000500001000100"])
    #expect(peer.channels.tickets == [AnswerTicket(1)])
    let isAwaited = peer.answer(AnswerTicket(1), isAuthorized: true)
    #expect(isAwaited)
    #expect(peer.signalling().first == "030208004000500000000000")
    peer.security = LinkSecurity(protection: .encrypted, keySize: 16)
    #expect(peer.signal("02 03 0400 0100 5100").first == "030308004100510000000000")
  }

  @Test("Authorization is pending until the application answers", arguments: [true, false])
  func authorization(isAuthorized: Bool) {
    var peer = ClassicPeer([Self.asking])
    peer.decision = .ask(AnswerTicket(7))
    #expect(peer.signal("02 01 0400 0100 5000") == ["030108004000500001000200"])
    #expect(peer.signal("02 01 0400 0100 5000") == ["030108004000500001000000"])
    let question = ClassicAuthorizationRequest(psm: .serviceDiscovery, shortfall: .authorization)
    #expect(peer.takeEvents() == [.authorizationAsked(question, AnswerTicket(7))])
    // There is no channel yet that could be configured.
    #expect(peer.signal("04 02 0400 4000 0000") == ["01020600020040000000"])
    let isAwaited = peer.answer(AnswerTicket(7), isAuthorized: isAuthorized)
    let isAwaitedAgain = peer.answer(AnswerTicket(7), isAuthorized: isAuthorized)
    #expect(isAwaited && !isAwaitedAgain)
    if isAuthorized {
      #expect(peer.signalling().count == 2)
      #expect(peer.takeEvents().isEmpty)
    } else {
      #expect(peer.signalling() == ["030108000000500003000000"])
      #expect(peer.takeEvents() == [.peerRefused(.serviceDiscovery, .securityBlock)])
    }
  }

  @Test("A peer may withdraw a request that is pending, and only some may be")
  func withdrawn() {
    var peer = ClassicPeer([Self.asking])
    for number in 1...UInt8(4) {
      peer.decision = .ask(AnswerTicket(UInt64(number)))
      peer.signal("02 \([number].hexadecimal) 0400 0100 \([0x50 + number].hexadecimal)00")
    }
    #expect(peer.signal("02 09 0400 0100 6000") == ["030908000000600004000000"])
    peer.events = []
    #expect(peer.signal("06 0a 0400 4000 5100") == ["070a040040005100"])
    #expect(peer.takeEvents() == [.authorizationWithdrawn(AnswerTicket(1))])
    peer.channels.linkLost(events: &peer.events)
    #expect(peer.takeEvents().isEmpty && peer.channels.tickets.isEmpty)
  }

  @Test("An application may grant or refuse at once", arguments: [true, false])
  func immediate(isGranted: Bool) {
    var peer = ClassicPeer([Self.asking])
    peer.decision = isGranted ? .granted : .refused
    let result = isGranted ? "400050000000" : "000050000300"
    #expect(peer.signal("02 01 0400 0100 5000").first == "03010800" + result + "0000")
    peer.published[0].authorization = .denied
    #expect(peer.signal("02 02 0400 0100 5100") == ["030208000000510003000000"])
  }

  // MARK: This side opens

  @Test("A channel that the peer accepts, even after a while, is configured and open")
  func open() {
    var peer = ClassicPeer()
    let id = peer.open(mtu: 100)
    peer.wait(.seconds(29))
    #expect(peer.signal("03 01 0800 5000 4000 0100 0000") == [])
    peer.wait(.seconds(299))
    #expect(peer.signal("03 01 0800 5000 4000 0000 0000") == ["040208005000000001026400"])
    #expect(peer.signal("04 05 0400 4000 0000") == ["05050600500000000000"])
    #expect(peer.takeEvents().isEmpty)
    peer.signal("05 02 0600 4000 0000 0000")
    guard case .opened(let status) = peer.takeEvents().first else { return #expect(Bool(false)) }
    #expect(status.id == id && status.receiveMTU == 100 && status.sendMTU == 672 && !status.isIncoming)
    #expect(peer.deadline == nil)
  }

  @Test("A refusal ends a channel", arguments: [0x0002, 0x0003, 0x0004, 0x0006, 0x0007, 0x1234] as [UInt16])
  func refusal(_ result: UInt16) {
    var peer = ClassicPeer()
    let id = peer.open()
    let response = ChannelConnectionResponse(
      destination: .init(rawValue: 0), source: id, result: ConnectionResult(rawValue: result))
    #expect(peer.signal(response) == [])
    let closure = ClassicChannelClosure.refused(ConnectionResult(rawValue: result))
    #expect(peer.takeEvents() == [.closed(id, psm: .serviceDiscovery, closure, unsent: 0)])
    #expect(peer.channels.all.isEmpty && peer.deadline == nil)
  }

  @Test("A response with a CID that cannot be ends a channel", arguments: ["0000", "3f00"])
  func invalidDestination(_ destination: String) {
    var peer = ClassicPeer()
    let id = peer.open()
    #expect(peer.signal("03 01 0800 \(destination) 4000 0000 0000") == [])
    #expect(peer.takeEvents() == [.closed(id, psm: .serviceDiscovery, .invalidDestination, unsent: 0)])
  }

  @Test("A response with the CID of another channel ends the new one")
  func usedDestination() {
    var peer = ClassicPeer()
    _ = peer.accept()
    peer.events = []
    let id = peer.channels.open(.rfcomm)
    #expect(peer.signalling() == ["0202040003004100"])
    #expect(peer.signal("03 02 0800 5000 4100 0000 0000") == [])
    #expect(peer.takeEvents() == [.closed(id ?? .first, psm: .rfcomm, .invalidDestination, unsent: 0)])
    #expect(peer.channels.all.count == 1)
  }

  @Test("Responses that belong to no request are ignored")
  func strayResponses() {
    var peer = ClassicPeer()
    let id = peer.open()
    for frame in [
      "03 02 0800 5000 4000 0000 0000", "03 01 0800 5000 4100 0000 0000", "05 01 0600 4000 0000 0000",
      "07 01 0400 5000 4000", "01 07 0200 0000", "0b 01 0400 0200 0100", "03 01 0200 5000",
    ] {
      #expect(peer.signal(frame) == [], "\(frame)")
      #expect(peer.takeEvents().isEmpty, "\(frame)")
    }
    #expect(peer.channels.status(id)?.isOpen == false)
  }

  @Test("A request that is rejected, or not answered in time, ends the channel", arguments: [true, false])
  func noAnswer(isRejected: Bool) {
    var peer = ClassicPeer()
    let id = peer.open()
    if isRejected {
      #expect(peer.signal("01 01 0200 0000") == [])
    } else {
      peer.wait(.seconds(29))
      #expect(peer.takeEvents().isEmpty)
      peer.wait(.seconds(1))
    }
    #expect(peer.takeEvents() == [.closed(id, psm: .serviceDiscovery, isRejected ? .rejected : .unanswered, unsent: 0)])
    // A late response finds nothing, and the next channel has another CID.
    #expect(peer.signal("03 01 0800 5000 4000 0000 0000") == [])
    #expect(peer.channels.open(.serviceDiscovery) == .second)
  }

  // MARK: Closing

  @Test("This side closes a channel when its data has been sent")
  func close() {
    var peer = ClassicPeer()
    let id = peer.accept()
    peer.events = []
    let submission = peer.send([1, 2, 3], on: id)
    #expect(submission == .queued)
    peer.close(id)
    let refusal = peer.send([4], on: id)
    #expect(refusal == .notOpen)
    #expect(peer.nextPDU()?.hexadecimal == "03005000010203")
    #expect(peer.signalling() == ["0602040050004000"])
    let late = peer.receive([9], on: id)
    #expect(late == .discarded)
    #expect(peer.takeEvents().isEmpty)
    #expect(peer.signal("07 02 0400 5000 4000") == [])
    #expect(peer.takeEvents() == [.closed(id, psm: .serviceDiscovery, .local, unsent: 0)])
  }

  @Test("A channel that is closed before it is open goes", arguments: [0, 1, 2])
  func closeEarly(stage: Int) {
    var peer = ClassicPeer()
    let id = peer.channels.open(.serviceDiscovery) ?? .first
    if stage > 0 { #expect(peer.signalling() == ["0201040001004000"]) }
    if stage == 2 { #expect(peer.signal("03 01 0800 5000 4000 0000 0000").count == 1) }
    peer.close(id)
    if stage == 0 { #expect(peer.signalling() == []) }
    if stage == 1 { #expect(peer.signal("03 01 0800 5000 4000 0000 0000") == ["0602040050004000"]) }
    if stage == 2 { #expect(peer.signalling() == ["0603040050004000"]) }
    if stage > 0 {
      #expect(peer.takeEvents().isEmpty)
      peer.signal(DisconnectionResponse(destination: .init(rawValue: 0x0050), source: id), UInt8(stage + 1))
    }
    #expect(peer.takeEvents() == [.closed(id, psm: .serviceDiscovery, .local, unsent: 0)])
    #expect(peer.deadline == nil && peer.channels.all.isEmpty)
  }

  @Test("A peer that does not answer a disconnection is not waited for")
  func disconnectionUnanswered() {
    var peer = ClassicPeer()
    let id = peer.accept()
    peer.events = []
    _ = peer.send([1], on: id)
    peer.channels.abort(id, at: peer.now, events: &peer.events)
    #expect(peer.signalling() == ["0602040050004000"])
    peer.wait(.seconds(30))
    #expect(peer.takeEvents() == [.closed(id, psm: .serviceDiscovery, .local, unsent: 1)])
  }

  @Test("The peer closes a channel; CIDs that do not belong together do nothing, unknown ones are rejected")
  func remoteClose() {
    var peer = ClassicPeer()
    let id = peer.accept()
    peer.events = []
    #expect(peer.signal("06 05 0400 4000 5100") == [])
    #expect(peer.signal("06 05 0400 4100 5000") == ["01050600020041005000"])
    #expect(peer.outcome == .rejected(.disconnectionRequest))
    #expect(peer.signal("06 06 0400 4000 5000") == ["0706040040005000"])
    #expect(peer.takeEvents() == [.closed(id, psm: .serviceDiscovery, .remote, unsent: 0)])
    let late = peer.receive([1], on: id)
    #expect(late == .unknownChannel)
  }

  @Test("Both sides close at once")
  func crossing() {
    var peer = ClassicPeer()
    let id = peer.accept()
    peer.events = []
    peer.close(id)
    #expect(peer.signalling() == ["0602040050004000"])
    #expect(peer.signal("06 06 0400 4000 5000") == ["0706040040005000"])
    #expect(peer.signal("07 02 0400 5000 4000") == [])
    #expect(peer.takeEvents() == [.closed(id, psm: .serviceDiscovery, .local, unsent: 0)])
  }

  @Test("A PSM that is withdrawn closes its incoming channels, a lost link all")
  func withdrawnAndLost() {
    var peer = ClassicPeer()
    let id = peer.accept()
    let other = peer.channels.open(.rfcomm) ?? .first
    let isAsked = peer.channels.requestInformation(.extendedFeatures)
    peer.events = []
    peer.channels.closeIncoming(.serviceDiscovery, at: peer.now, events: &peer.events)
    peer.channels.linkLost(events: &peer.events)
    #expect(isAsked)
    #expect(
      peer.takeEvents() == [
        .informed(.extendedFeatures, nil), .closed(other, psm: .rfcomm, .linkLost, unsent: 0),
        .closed(id, psm: .serviceDiscovery, .unpublished, unsent: 0),
      ])
    #expect(peer.deadline == nil && peer.nextPDU() == nil)
  }
}
