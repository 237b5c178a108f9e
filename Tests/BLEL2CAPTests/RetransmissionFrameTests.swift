import BLECore
import BLEL2CAP
import Testing

/// Frames as Bumble 0.0.236 encodes them, with their basic headers and check sequences.
@Suite("Enhanced Retransmission Mode: frames")
struct RetransmissionFrameTests {
  /// Returns the frame with this head and payload on a channel.
  private static func frame(
    _ control: EnhancedControl, length: UInt16 = 0, _ payload: [UInt8] = [], on channel: UInt16 = 0x40
  ) -> String {
    var head = ControlledHead<EnhancedControl>()
    head.control = control
    head.sduLength = length
    let content = ClassicPeer.checked(head.encoded + payload, on: ChannelID(rawValue: channel))
    return (UInt16(content.count).littleEndianOctets + channel.littleEndianOctets + content).hexadecimal
  }

  @Test("I-frames")
  func information() {
    #expect(
      Self.frame(EnhancedControl(txSeq: 0, .unsegmented, reqSeq: 0), Array("hello".utf8))
        == "09004000000068656c6c6fcd6b")
    #expect(
      Self.frame(EnhancedControl(txSeq: 5, .unsegmented, reqSeq: 9, isFinal: true), [1, 2, 3], on: 0x1234)
        == "070034128a09010203da63")
    #expect(
      Self.frame(EnhancedControl(txSeq: 62, .start, reqSeq: 63), length: 300, [7, 7, 7, 7])
        == "0a0040007c7f2c01070707075a51")
    #expect(
      Self.frame(EnhancedControl(txSeq: 63, .continuation, reqSeq: 1), [8, 8, 8, 8]) == "080040007ec10808080837b1")
    #expect(Self.frame(EnhancedControl(txSeq: 0, .end, reqSeq: 1), [9, 9]) == "06004000008109091894")
  }

  @Test("S-frames")
  func supervisory() {
    let vectors: [(SupervisoryFunction, String, String)] = [
      (.receiverReady, "040040000111d5d8", "04004000813f3404"), (.reject, "040040000511d718", "04004000853f36c4"),
      (.receiverNotReady, "040040000911d218", "04004000893f33c4"),
      (.selectiveReject, "040040000d11d0d8", "040040008d3f3104"),
    ]
    for (function, plain, final) in vectors {
      #expect(Self.frame(EnhancedControl(function, reqSeq: 17)) == plain)
      #expect(Self.frame(EnhancedControl(function, reqSeq: 63, isFinal: true)) == final)
    }
    // Bumble has no polls: this bit is from Core 5.4 Vol 3 Part A table 3.4.
    #expect(EnhancedControl(.receiverReady, reqSeq: 0, isPoll: true).rawValue == 0x0011)
  }

  @Test("Fields come back", arguments: 0..<64 as Range<UInt8>)
  func fields(_ number: UInt8) {
    for final in [false, true] {
      let information = EnhancedControl(txSeq: number, .continuation, reqSeq: 63 - number, isFinal: final)
      #expect(information.isInformation && information.segment == .continuation && information.isFinal == final)
      #expect(information.txSeq == number && information.reqSeq == 63 - number)
      let supervisory = EnhancedControl(.selectiveReject, reqSeq: number, isPoll: !final, isFinal: final)
      #expect(!supervisory.isInformation && supervisory.function == .selectiveReject && supervisory.reqSeq == number)
      #expect(supervisory.isPoll != final && supervisory.isFinal == final)
    }
    let extended = ExtendedControl(rawValue: UInt32(number) << 18 | 1 << 16)
    #expect(extended.isInformation && extended.segment == .start)
  }

  @Test("The check sequence of the usual example")
  func check() {
    var check = FrameCheckSequence()
    check.add(Array("123456789".utf8).span)
    #expect(check.value == 0xBB3D)
  }
}
