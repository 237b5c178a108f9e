import BLECore
import BLEL2CAP
import Testing

/// LE credit-based flow control, on the accepting side: Core 5.4 Vol 3 Part A 4.22...4.24, 10.1.
@Suite("Conformance: L2CAP/LE/CFC, acceptor")
struct ConformanceFlowControl {
  private static let remote = ChannelID(rawValue: 0x0050)

  /// The peer's request for PSM 0x0080 from source CID 0x0050: MTU 200, MPS 60, 5 credits.
  private static let request = "14 07 0a00 8000 5000 c800 3c00 0500"

  /// Returns a response that opens nothing.
  private static func refusal(_ result: UInt8) -> String { "15070a00" + "0000000000000000" + [result, 0].hexadecimal }

  // MARK: - Connection

  @Test("L2CAP/LE/CFC/BV-03-C: a request for a published PSM is accepted, and data goes to the peer's CID")
  func accepts() {
    var peer = ChannelPeer([.test()])
    #expect(peer.signal(Self.request) == "15070a00" + "4000" + "6400" + "3200" + "0a00" + "0000")
    #expect(peer.outcome == .handled)
    guard case .opened(let status) = peer.takeEvents().first else {
      Issue.record("not opened")
      return
    }
    #expect(status.id == .first && status.remote == Self.remote && status.isIncoming && !status.isEnhanced)
    #expect((status.sendMTU, status.sendMPS, status.sendCredits) == (200, 60, 5))
    #expect((status.receiveMTU, status.receiveMPS, status.receiveCredits) == (100, 50, 10))
    #expect(peer.send([1, 2, 3], on: .first) == .queued)
    #expect(peer.next(on: Self.remote) == "0300010203")
  }

  @Test(
    "L2CAP/LE/CFC/BV-05-C: an unpublished PSM is refused",
    arguments: ["8100", "2500", "0000", "0001", "ffff"])
  func unsupported(psm: String) {
    var peer = ChannelPeer([.test()])
    #expect(peer.signal("14 07 0a00 \(psm) 5000 c800 3c00 0500") == Self.refusal(0x02))
    #expect(peer.channels.all.isEmpty)
  }

  @Test("L2CAP/LE/CFC/BV-17-C: a second channel is refused if there is room for only one")
  func noResources() throws {
    var peer = ChannelPeer([.test(maximum: 1)])
    let first = try peer.accept()
    #expect(peer.signal("14 07 0a00 8000 5100 c800 3c00 0500") == Self.refusal(0x04))
    #expect(peer.channels.all.map(\.id) == [first])
  }

  @Test("A peer is refused while this side has no free CID")
  func noCID() throws {
    var peer = ChannelPeer([.test()])
    let parameters = peer.published[0].parameters
    for _ in 0..<LinkChannels.maximumChannels {
      #expect(peer.channels.open(SPSM(rawValue: 0x0080), parameters: parameters) != nil)
    }
    #expect(peer.signal(Self.request) == Self.refusal(0x04))
    peer.close(.third)
    #expect(try peer.accept() == .third)
  }

  @Test("L2CAP/LE/CFC/BV-20-C: a source CID that is in use is refused")
  func allocated() throws {
    var peer = ChannelPeer([.test()])
    let first = try peer.accept()
    #expect(peer.signal(Self.request) == Self.refusal(0x0A))
    #expect(peer.channels.all.map(\.id) == [first])
  }

  @Test("L2CAP/LE/CFC/BV-22-C: a refusal of an unpublished PSM does not change the link")
  func unsupportedBesideOther() throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept(source: 0x0051)
    #expect(peer.signal("14 07 0a00 9000 5000 c800 3c00 0500") == Self.refusal(0x02))
    #expect(peer.frame(id, [1, 0, 9]) == .whole)
  }

  // MARK: - Security

  @Test(
    "L2CAP/LE/CFC/BV-11-C: a PSM that needs authentication is refused on an unauthenticated link",
    arguments: [
      LinkSecurity.open, LinkSecurity(protection: .encrypted, keySize: 16),
      LinkSecurity(protection: .encrypted, keySize: 16, isBonded: true),
    ])
  func needsAuthentication(security: LinkSecurity) {
    var peer = ChannelPeer([.test(requirement: .init(protection: .authenticated))])
    peer.security = security
    #expect(peer.signal(Self.request) == Self.refusal(0x05))
    peer.security = LinkSecurity(protection: .authenticated, keySize: 16)
    #expect(peer.signal(Self.request).hasSuffix("0000"))
  }

  @Test("L2CAP/LE/CFC/BV-13-C: a PSM that needs authorization is refused without it")
  func needsAuthorization() {
    var peer = ChannelPeer([.test(requirement: .init(needsAuthorization: true))])
    #expect(peer.signal(Self.request) == Self.refusal(0x06))
    peer.published[0].authorization = .granted
    #expect(peer.signal(Self.request).hasSuffix("0000"))
  }

  @Test("A PSM that needs a longer key is refused")
  func needsKeySize() {
    var peer = ChannelPeer([.test(requirement: .init(protection: .encrypted, minimumKeySize: 16))])
    peer.security = LinkSecurity(protection: .encrypted, keySize: 7)
    #expect(peer.signal(Self.request) == Self.refusal(0x07))
    peer.security.keySize = 16
    #expect(peer.signal(Self.request).hasSuffix("0000"))
  }

  @Test("A PSM that needs encryption is refused while a shared key is not used")
  func needsEncryption() {
    var peer = ChannelPeer([.test(requirement: .init(protection: .encrypted))])
    peer.security = LinkSecurity(protection: .none, isBonded: true)
    #expect(peer.signal(Self.request) == Self.refusal(0x08))
    peer.security = LinkSecurity(protection: .encrypted, keySize: 16, isBonded: true)
    #expect(peer.signal(Self.request).hasSuffix("0000"))
  }

  // MARK: - Credits

  @Test("L2CAP/LE/CFC/BV-06-C: as many K-frames are sent as the peer gives credits", arguments: [1, 2, 7])
  func incrementalCredits(credits: Int) throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept(credits: 0)
    for octet in 0..<40 { #expect(peer.send([UInt8(octet)], on: id) == .queued) }
    #expect(peer.nextPDU() == nil)
    for round in 0..<2 {
      peer.signal(FlowControlCredit(source: Self.remote, credits: UInt16(credits)))
      for frame in 0..<credits {
        #expect(peer.next(on: Self.remote) == [1, 0, UInt8(round * credits + frame)].hexadecimal)
      }
      #expect(peer.nextPDU() == nil)
    }
  }

  @Test("L2CAP/LE/CFC/BV-07-C: the peer gets its credits back while it sends")
  func returnsCredits() throws {
    var peer = ChannelPeer([.test(credits: .frames(4))])
    let id = try peer.accept()
    var available = 4
    for _ in 0..<20 {
      #expect(available > 0)
      available -= 1
      #expect(peer.frame(id, [1, 0, 0xAA]) == .whole)
      guard peer.channels.hasPDU else { continue }
      let credit = try peer.nextPacket(FlowControlCredit.self).packet
      #expect(credit.source == id)
      #expect(credit.credits == 2)
      available += Int(credit.credits)
    }
    #expect(peer.received[id]?.count == 20)
  }

  @Test("L2CAP/LE/CFC/BV-07-C: a channel that starts without credits gets those that its owner gives")
  func grantsCredits() throws {
    var peer = ChannelPeer([.test(credits: .frames(0))])
    let id = try peer.accept()
    #expect(peer.channels.status(id)?.receiveCredits == 0)
    peer.channels.giveCredits(3, on: id)
    #expect(try peer.nextPacket(FlowControlCredit.self).packet == FlowControlCredit(source: id, credits: 3))
    for _ in 0..<3 { #expect(peer.frame(id, [0, 0]) == .whole) }
    #expect(try peer.nextPacket(FlowControlCredit.self).packet.credits == 3)
  }

  @Test(
    "L2CAP/LE/CFC/BI-01-C: more than 65,535 credits close the channel",
    arguments: [(5 as UInt16, 65_531 as UInt16), (1, 65_535), (65_535, 1)])
  func creditOverflow(initial: UInt16, more: UInt16) throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept(credits: initial)
    #expect(peer.signal(FlowControlCredit(source: Self.remote, credits: more)) == "")
    try expectDisconnection(&peer, id, .creditOverflow)
  }

  @Test("65,535 credits are not too many")
  func mostCredits() throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept(credits: 5)
    peer.signal(FlowControlCredit(source: Self.remote, credits: 65_530))
    #expect(peer.channels.status(id)?.sendCredits == 65_535)
    #expect(peer.nextPDU() == nil)
  }

  // MARK: - Disconnection

  @Test("L2CAP/LE/CFC/BV-08-C: this side closes a channel")
  func disconnects() throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept()
    peer.close(id)
    #expect(peer.next() == "06010400" + "5000" + "4000")
    #expect(peer.events.isEmpty)
    #expect(peer.signal("07 01 0400 5000 4000") == "")
    #expect(peer.takeEvents() == [.closed(id, psm: SPSM(rawValue: 0x0080), .local, unsent: 0)])
    #expect(peer.channels.all.isEmpty)
  }

  @Test("L2CAP/LE/CFC/BV-09-C: the peer closes a channel")
  func isDisconnected() throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept()
    #expect(peer.signal("06 09 0400 4000 5000") == "07090400" + "4000" + "5000")
    #expect(peer.takeEvents() == [.closed(id, psm: SPSM(rawValue: 0x0080), .remote, unsent: 0)])
    #expect(peer.frame(id, [0, 0]) == .unknownChannel)
  }

  @Test(
    "L2CAP/LE/CFC/BV-23-C: a request to close what is not a channel is rejected with its CIDs",
    arguments: ["4100", "0500", "0400", "0000"])
  func unknownDestination(destination: String) throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept()
    #expect(peer.signal("06 09 0400 \(destination) 5000") == "01090600" + "0200" + destination + "5000")
    #expect(peer.outcome == .rejected(.disconnectionRequest))
    #expect(peer.channels.status(id)?.isOpen == true)
  }

  // MARK: - K-frames that break the rules

  @Test("L2CAP/LE/CFC/BV-26-C: an SDU length above the MTU closes the channel", arguments: [101, 1000, 0xFFFF])
  func sduTooLong(length: Int) throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept()
    let payload = [UInt8(length & 0xFF), UInt8(length >> 8), 1, 2, 3]
    #expect(peer.frame(id, payload) == .violation(.sduTooLong(octets: length)))
    try expectDisconnection(&peer, id, .sduTooLong(octets: length))
  }

  @Test("L2CAP/LE/CFC/BV-27-C: a payload above the MPS closes the channel", arguments: [false, true])
  func frameTooLong(isFirst: Bool) throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept()
    if !isFirst { #expect(peer.frame(id, [100, 0]) == .partial) }
    let payload = (isFirst ? [100, 0] : []) + [UInt8](repeating: 7, count: 51)
    #expect(peer.frame(id, payload) == .violation(.frameTooLong(octets: 51)))
    try expectDisconnection(&peer, id, .frameTooLong(octets: 51))
  }

  @Test("L2CAP/LE/CFC/BV-28-C: K-frames with more octets than their SDU close the channel", arguments: [false, true])
  func sduOverflow(isFirst: Bool) throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept()
    if !isFirst { #expect(peer.frame(id, [10, 0, 1, 2, 3, 4, 5, 6]) == .partial) }
    let payload: [UInt8] = (isFirst ? [4, 0] : []) + [1, 2, 3, 4, 5]
    #expect(peer.frame(id, payload) == .violation(.sduOverflow))
    try expectDisconnection(&peer, id, .sduOverflow)
  }

  @Test("A K-frame without a credit closes the channel")
  func noCredits() throws {
    var peer = ChannelPeer([.test(credits: .frames(2))])
    let id = try peer.accept()
    peer.channels.hold(id)
    for _ in 0..<2 { #expect(peer.frame(id, [0, 0]) == .whole) }
    #expect(peer.frame(id, [0, 0]) == .violation(.noCredits))
    try expectDisconnection(&peer, id, .noCredits)
  }

  @Test("A first K-frame without a complete SDU length closes the channel", arguments: [[], [1]] as [[UInt8]])
  func missingLength(payload: [UInt8]) throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept()
    #expect(peer.frame(id, payload) == .violation(.missingSDULength))
    try expectDisconnection(&peer, id, .missingSDULength)
  }

  /// Expects that the channel is closed for that reason, another one is not, and later frames are dropped.
  private func expectDisconnection(_ peer: inout ChannelPeer, _ id: ChannelID, _ violation: ChannelViolation) throws {
    let other = try peer.accept(source: 0x0070)
    #expect(peer.frame(id, [0, 0]) == .discarded)
    #expect(peer.send([1], on: id) == .notOpen)
    let (request, identifier) = try peer.nextPacket(DisconnectionRequest.self)
    #expect(request == DisconnectionRequest(destination: Self.remote, source: id))
    #expect(peer.nextPDU() == nil)
    let response = DisconnectionResponse(destination: Self.remote, source: id)
    #expect(peer.signal(response, identifier: identifier) == "")
    #expect(peer.takeEvents() == [.closed(id, psm: SPSM(rawValue: 0x0080), .violation(violation), unsent: 0)])
    #expect(peer.frame(other, [1, 0, 1]) == .whole)
  }

  @Test(
    "L2CAP/LE/CFC/BV-32-C: the SDU length does not count toward the MPS",
    arguments: [50, 49, 51, 100, 101, 120])
  func sduOfMPS(length: Int) throws {
    var peer = ChannelPeer()
    let id = try peer.open(ChannelParameters(mtu: 120, mps: 50, credits: .frames(10)))
    let sdu = (0..<length).map { UInt8($0) }
    var rest = sdu[...]
    var outcome = peer.frame(id, [UInt8(length), 0] + rest.prefix(50))
    rest = rest.dropFirst(50)
    while !rest.isEmpty {
      outcome = peer.frame(id, Array(rest.prefix(50)))
      rest = rest.dropFirst(50)
    }
    #expect(outcome == (length <= 50 ? .whole : .assembled(sdu)))
    #expect(peer.received[id] == [sdu])
    #expect(peer.channels.status(id)?.isOpen == true)
  }
}
