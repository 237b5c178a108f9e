import BLECore
import BLEL2CAP
import Testing

/// Connection parameters and rejections on the LE signalling channel: Core 5.4 Vol 3 Part A 4.1, 4.20, 4.21.
@Suite("Conformance: L2CAP/LE/CPU, L2CAP/LE/REJ")
struct ConformanceSignalling {
  @Test("L2CAP/LE/CPU/BV-01-C: a peripheral requests connection parameters, and is accepted or not", arguments: [0, 1])
  func asks(result: UInt8) {
    var peer = ChannelPeer()
    var request = ConnectionParameterUpdateRequest()
    (request.intervalMinimum, request.intervalMaximum, request.latency, request.timeout) = (12, 24, 4, 600)
    var buffer = OctetBuffer()
    peer.channels.requestParameters(request, at: peer.now, into: &buffer)
    #expect(buffer.copy().hexadecimal == "12010800" + "0c00" + "1800" + "0400" + "5802")
    #expect(peer.channels.deadline == peer.now + SignallingChannel.responseTimeout)
    #expect(peer.signal("13 01 0200 0\(result)00") == "")
    #expect(peer.outcome == .parametersAnswered(accepted: result == 0))
    #expect(peer.channels.deadline == nil)
  }

  @Test("L2CAP/LE/CPU/BV-02-C: a central answers a request for connection parameters", arguments: [true, false])
  func answers(isAccepted: Bool) {
    var peer = ChannelPeer(role: .central)
    #expect(peer.signal("12 09 0800 0600 0c00 0000 c800") == "")
    guard case .parametersRequested(let request, let identifier) = peer.outcome else {
      Issue.record("\(peer.outcome)")
      return
    }
    #expect((request.intervalMinimum, request.intervalMaximum, request.latency, request.timeout) == (6, 12, 0, 200))
    var buffer = OctetBuffer()
    peer.channels.signalling.answerParameters(identifier, isAccepted: isAccepted, into: &buffer)
    #expect(buffer.copy().hexadecimal == "13090200" + (isAccepted ? "0000" : "0100"))
  }

  @Test(
    "L2CAP/LE/CPU/BI-01-C: a central rejects invalid connection parameters",
    arguments: [
      "0500 0c00 0000 c800", "0c00 0600 0000 c800", "0600 810c 0000 c800", "0600 0c00 f401 800c",
      "0600 0c00 0000 0900", "0600 0c00 0000 810c", "0600 2003 0000 c800", "ffff ffff ffff ffff",
      "0600 2000 1800 c800",
    ])
  func rejects(parameters: String) {
    var peer = ChannelPeer(role: .central)
    #expect(peer.signal("12 09 0800" + parameters) == "130902000100")
    guard case .parametersRefused = peer.outcome else {
      Issue.record("\(peer.outcome)")
      return
    }
  }

  @Test(
    "Connection parameters at the limits are valid",
    arguments: ["0600 0600 0000 0a00", "0600 800c 0000 800c", "0600 0600 f301 800c", "0600 2003 0000 c900"])
  func limits(parameters: String) {
    var peer = ChannelPeer(role: .central)
    #expect(peer.signal("12 09 0800" + parameters) == "")
    guard case .parametersRequested = peer.outcome else {
      Issue.record("\(peer.outcome)")
      return
    }
  }

  @Test("L2CAP/LE/CPU/BI-02-C: a peripheral rejects a request for connection parameters")
  func peripheralRejects() {
    var peer = ChannelPeer()
    #expect(peer.signal("12 01 0800 0600 0600 0000 c800") == "010102000000")
    #expect(peer.outcome == .rejected(.connectionParameterUpdateRequest))
  }

  @Test(
    "L2CAP/LE/REJ/BI-01-C: requests that LE does not have are rejected with their identifiers",
    arguments: [0x02, 0x04, 0x08, 0x0A, 0x0C, 0x0E, 0x10] as [UInt8])
  func rejectsClassic(code: UInt8) {
    var peer = ChannelPeer([.test()])
    #expect(peer.signal([code, 0x42, 4, 0, 1, 0, 2, 0].hexadecimal) == "014202000000")
    #expect(peer.outcome == .rejected(SignallingCode(rawValue: code)))
  }

  @Test(
    "L2CAP/LE/REJ/BI-02-C: unassigned codes are rejected", arguments: [0x00, 0x1B, 0x7F, 0xFF] as [UInt8])
  func rejectsReserved(code: UInt8) {
    var peer = ChannelPeer([.test()])
    #expect(peer.signal([code, 0x42, 0, 0].hexadecimal) == "014202000000")
    #expect(peer.outcome == .rejected(SignallingCode(rawValue: code)))
  }

  /// Core 5.4 Vol 3 Part A 4.6.
  @Test("A close request with mismatched CIDs is silently discarded, and is not a fault")
  func unpairedDisconnection() throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept()
    #expect(peer.signal(DisconnectionRequest(destination: id, source: ChannelID(rawValue: 0x0051))) == "")
    #expect(peer.outcome == .handled)
    #expect(peer.channels.all.map(\.id) == [id])
  }

  @Test(
    "Channel requests with too few or too many octets are rejected; such responses and indications are not answered",
    arguments: [
      ("14 09 0900 8000 5000 c800 3c00 05", true), ("14 09 0b00 8000 5000 c800 3c00 0500 00", true),
      ("17 09 0700 8000 c800 3c00 05", true), ("17 09 0900 8000 c800 c800 0500 50", true),
      ("06 09 0300 4000 50", true), ("19 09 0300 c800 50", true), ("16 09 0300 5000 01", true),
      ("15 09 0000", false), ("18 09 0000", false), ("07 09 0000", false), ("1a 09 0000", false),
    ])
  func malformed(frame: String, isRejected: Bool) throws {
    var peer = ChannelPeer([.test()])
    let id = try peer.accept()
    #expect(peer.signal(frame) == (isRejected ? "010902000000" : ""))
    #expect(peer.channels.all.map(\.id) == [id])
    #expect(peer.nextPDU() == nil)
  }
}
