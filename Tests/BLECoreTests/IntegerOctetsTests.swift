import BLECore
import Testing

@Suite("Octets of numbers")
struct IntegerOctetsTests {
  @Test("the least significant octet is first, whatever the width")
  func order() {
    #expect(UInt8(0x9A).littleEndianOctets == [0x9A])
    #expect(UInt16(0x1234).littleEndianOctets == [0x34, 0x12])
    #expect(UInt64(0x0102_0304_0506_0708).littleEndianOctets == [8, 7, 6, 5, 4, 3, 2, 1])
  }
}
