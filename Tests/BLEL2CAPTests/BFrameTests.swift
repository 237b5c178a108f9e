import BLECore
import Testing

@testable import BLEL2CAP

@Suite("B-frames as written")
struct BFrameTests {
  @Test("Header and payload equal the layout, after whatever is in the buffer", arguments: [1, 2, 255, 65_535])
  func frame(length: Int) throws {
    let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var buffer = OctetBuffer()
    buffer.append(0xAA)
    let isWritten = buffer.appendBFrame(on: .attributeProtocol) { $0.append(payload) }
    #expect(isWritten)
    var header = BasicHeader()
    (header.length, header.channel) = (UInt16(length), .attributeProtocol)
    #expect(buffer.copy() == [0xAA] + header.encoded + payload)
  }

  @Test("Without a payload nothing is appended")
  func empty() {
    var buffer = OctetBuffer()
    buffer.append(0xAA)
    let isWritten = buffer.appendBFrame(on: .signalling) { _ in }
    #expect(!isWritten)
    #expect(buffer.copy() == [0xAA])
  }

  @Test("A header alone equals the layout", arguments: [0, 1, 65_535])
  func head(length: Int) {
    var buffer = OctetBuffer()
    buffer.appendBasicHeader(length: length, on: ChannelID(rawValue: 0x0041))
    var header = BasicHeader()
    (header.length, header.channel) = (UInt16(length), ChannelID(rawValue: 0x0041))
    #expect(buffer.copy() == header.encoded)
  }
}
