import BLECore
import BLEL2CAP
import Testing

@Suite("L2CAP packets")
struct SignallingPacketTests {
  @Test("The basic header is a length and a channel")
  func basicHeader() throws {
    var header = BasicHeader()
    header.length = 0x0102
    header.channel = .attributeProtocol
    #expect(header.encoded == [0x02, 0x01, 0x04, 0x00])
    #expect(try BasicHeader(decoding: [0x02, 0x01, 0x04, 0x00]) == header)
    #expect(header.encoded.count == BasicHeader.octetCount)
  }

  @Test("The fixed channels have the specification's numbers")
  func channels() {
    #expect(ChannelID.attributeProtocol.rawValue == 4)
    #expect(ChannelID.signalling.rawValue == 5)
    #expect(ChannelID.securityManager.rawValue == 6)
  }

  @Test("A signalling header is a code, an identifier and a length")
  func signallingHeader() throws {
    let header = try SignallingHeader(decoding: [0x12, 0x34, 0x08, 0x00])
    #expect(header.code == .connectionParameterUpdateRequest)
    #expect(header.identifier == 0x34)
    #expect(header.length == 8)
    #expect(header.encoded.count == SignallingHeader.octetCount)
  }

  @Test("Packets round trip, and missing or extra octets are an error")
  func layouts() throws {
    let update = try ConnectionParameterUpdateRequest(decoding: [6, 0, 12, 0, 1, 0, 0xC8, 0])
    #expect(update.intervalMinimum == 6)
    #expect(update.intervalMaximum == 12)
    #expect(update.latency == 1)
    #expect(update.timeout == 200)
    #expect(update.encoded == [6, 0, 12, 0, 1, 0, 0xC8, 0])
    for count in [0, 1, 7, 9] {
      let octets = [UInt8](repeating: 0, count: count)
      #expect(throws: LayoutFault.self) { try ConnectionParameterUpdateRequest(decoding: octets) }
    }
    #expect(try ConnectionParameterUpdateResponse(decoding: [1, 0]).result == 1)
    #expect(throws: LayoutFault.self) { try ConnectionParameterUpdateResponse(decoding: [1]) }
    let reject = CommandReject(reason: .invalidChannel, data: [0x40, 0, 0x41, 0])
    #expect(reject.encoded == [2, 0, 0x40, 0, 0x41, 0])
    #expect(try CommandReject(decoding: reject.encoded) == reject)
    #expect(throws: LayoutFault.self) { try CommandReject(decoding: [0]) }
  }

  @Test("A whole packet contains its length")
  func wholePacket() {
    var buffer = OctetBuffer()
    buffer.append(0xAA as UInt8)
    CommandReject(reason: .signallingMTUExceeded, data: [23, 0]).encodePacket(identifier: 9, into: &buffer)
    #expect(buffer.copy() == [0xAA, 0x01, 9, 4, 0, 1, 0, 23, 0])
  }
}
