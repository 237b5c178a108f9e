import BLECore
import BLEL2CAP
import Testing

/// LE credit-based flow control, on the initiating side: Core 5.4 Vol 3 Part A 4.22, 4.23.
@Suite("Conformance: L2CAP/LE/CFC, initiator")
struct ConformanceInitiator {
  private static let psm = SPSM(rawValue: 0x0080)
  private static let parameters = ChannelParameters(mtu: 100, mps: 50, credits: .frames(10))

  @Test("L2CAP/LE/CFC/BV-01-C: a peer that does not support the request opens nothing")
  func legacyPeer() {
    var peer = ChannelPeer()
    #expect(peer.channels.open(Self.psm, parameters: Self.parameters) == .first)
    #expect(peer.next() == "14010a00" + "8000" + "4000" + "6400" + "3200" + "0a00")
    peer.signal("01 01 0200 0000")
    #expect(peer.takeEvents() == [.closed(.first, psm: Self.psm, .refused(.notUnderstood), unsent: 0)])
    #expect(peer.channels.all.isEmpty)
    #expect(peer.channels.deadline == nil)
  }

  @Test("L2CAP/LE/CFC/BV-02-C: a peer that accepts sends data")
  func accepted() {
    var peer = ChannelPeer()
    #expect(peer.channels.open(Self.psm, parameters: Self.parameters) == .first)
    #expect(peer.next().hasPrefix("1401"))
    #expect(peer.channels.status(.first)?.isOpen == false)
    #expect(peer.signal("15 01 0a00 7f00 c800 3c00 0500 0000") == "")
    guard case .opened(let status) = peer.takeEvents().first else {
      Issue.record("not opened")
      return
    }
    #expect(status.id == .first && status.remote == ChannelID(rawValue: 0x007F) && !status.isIncoming)
    #expect((status.sendMTU, status.sendMPS, status.sendCredits) == (200, 60, 5))
    #expect(peer.frame(.first, [2, 0, 8, 9]) == .whole)
    #expect(peer.channels.deadline == nil)
  }

  @Test(
    """
    L2CAP/LE/CFC/BV-04-C, L2CAP/LE/CFC/BV-10-C, L2CAP/LE/CFC/BV-12-C, L2CAP/LE/CFC/BV-14-C, L2CAP/LE/CFC/BV-16-C, \
    L2CAP/LE/CFC/BV-18-C, L2CAP/LE/CFC/BV-19-C, L2CAP/LE/CFC/BV-21-C, L2CAP/LE/CFC/BV-24-C: a peer that refuses opens nothing, and nothing \
    is sent
    """,
    arguments: [
      ("L2CAP/LE/CFC/BV-04-C", 0x0002), ("L2CAP/LE/CFC/BV-10-C", 0x0005), ("L2CAP/LE/CFC/BV-12-C", 0x0006),
      ("L2CAP/LE/CFC/BV-14-C", 0x0007), ("L2CAP/LE/CFC/BV-16-C", 0x0004), ("L2CAP/LE/CFC/BV-18-C", 0x0009),
      ("L2CAP/LE/CFC/BV-19-C", 0x000A), ("L2CAP/LE/CFC/BV-21-C", 0x000B), ("L2CAP/LE/CFC/BV-24-C", 0x0008),
      ("a result that nobody knows", 0xBEEF),
    ] as [(String, UInt16)])
  func refused(name: String, result: UInt16) throws {
    var peer = ChannelPeer()
    let opening = peer.channels.open(Self.psm, parameters: Self.parameters)
    let id = try #require(opening)
    let identifier = try peer.nextPacket(LECreditBasedConnectionRequest.self).identifier
    var response = LECreditBasedConnectionResponse()
    response.destination = ChannelID(rawValue: 0x0050)
    response.result = CreditBasedResult(rawValue: result)
    peer.signal(response, identifier: identifier)
    #expect(
      peer.takeEvents() == [.closed(id, psm: Self.psm, .refused(.result(response.result)), unsent: 0)], "\(name)")
    #expect(peer.send([1], on: id) == .notOpen)
    #expect(peer.nextPDU() == nil)
  }

  @Test("L2CAP/LE/CFC/BV-29-C: every channel has its own source CID in 0x0040...0x007F")
  func sources() throws {
    var peer = ChannelPeer()
    var ids: [ChannelID] = []
    for index in 0..<LinkChannels.maximumChannels {
      ids.append(try peer.open(destination: 0x0040 + UInt16(index)))
    }
    #expect(ids.map(\.rawValue) == Array(0x0040...0x007F))
    #expect(peer.channels.open(Self.psm, parameters: Self.parameters) == nil)
    for id in ids {
      let request = DisconnectionRequest(destination: id, source: id)
      var response = OctetBuffer()
      DisconnectionResponse(destination: id, source: id).encodePacket(identifier: 3, into: &response)
      #expect(peer.signal(request, identifier: 3) == response.copy().hexadecimal)
    }
    #expect(peer.channels.all.isEmpty)
  }
}
