import BLECore
import Testing

@Suite("Octet buffer")
struct OctetBufferTests {
  @Test("A new buffer is empty, whatever its capacity", arguments: [0, 1, 64, 1000])
  func beginsEmpty(capacity: Int) {
    let buffer = OctetBuffer(minimumCapacity: capacity)
    #expect(buffer.count == 0)
    let isEmpty = buffer.isEmpty
    #expect(isEmpty)
    #expect(buffer.copy() == [])
  }

  @Test("It grows past its initial capacity without losing an octet")
  func grows() {
    var buffer = OctetBuffer(minimumCapacity: 1)
    var expected: [UInt8] = []
    for number in 0..<10_000 {
      buffer.append(UInt8(truncatingIfNeeded: number))
      expected.append(UInt8(truncatingIfNeeded: number))
    }
    #expect(buffer.count == 10_000)
    #expect(buffer.copy() == expected)
  }

  @Test("It grows for one append that is larger than twice its capacity", arguments: [63, 64, 65, 129, 5000])
  func growsAtOnce(length: Int) {
    var random = SeededRandom(seed: UInt64(length))
    let octets = random.octets(length)
    var buffer = OctetBuffer()
    buffer.append(0xAB as UInt8)
    buffer.append(octets)
    #expect(buffer.copy() == [0xAB] + octets)
  }

  @Test("Integers are appended least significant octet first, at any alignment")
  func integers() {
    var buffer = OctetBuffer()
    buffer.append(0xFF as UInt8)
    buffer.append(littleEndian: 0x1234 as UInt16)
    buffer.append(littleEndian: 0x1234_5678 as UInt32)
    buffer.append(littleEndian: 0x0102_0304_0506_0708 as UInt64)
    buffer.append(littleEndian: -2 as Int16)
    #expect(buffer.copy().hexadecimal == "ff" + "3412" + "78563412" + "0807060504030201" + "feff")
  }

  @Test("Arrays, slices and spans are appended unchanged; empty ones have no effect")
  func appends() {
    var buffer = OctetBuffer()
    let octets: [UInt8] = [1, 2, 3, 4, 5]
    buffer.append(octets)
    buffer.append(octets[1..<3])
    buffer.append(octets.span.extracting(3...))
    buffer.append([] as [UInt8])
    buffer.append(octets[2..<2])
    #expect(buffer.copy() == [1, 2, 3, 4, 5, 2, 3, 4, 5])
  }

  @Test("A length is filled in when it is known")
  func patches() {
    var buffer = OctetBuffer()
    buffer.append([0, 0, 0, 9])
    buffer.patch(littleEndian: 0xABCD, at: 1)
    #expect(buffer.copy() == [0, 0xCD, 0xAB, 9])
    buffer.patch(littleEndian: 1, at: 2)
    #expect(buffer.copy() == [0, 0xCD, 1, 0])
  }

  @Test("Single octets are read and replaced")
  func subscripting() {
    var buffer = OctetBuffer()
    buffer.append([1, 2, 3])
    buffer[1] = 9
    #expect(buffer[0] == 1)
    #expect(buffer[1] == 9)
    #expect(buffer[2] == 3)
  }

  @Test("Truncation keeps the front, and what is appended follows it", arguments: 0...5)
  func truncates(length: Int) {
    var buffer = OctetBuffer()
    buffer.append([1, 2, 3, 4, 5])
    buffer.truncate(to: length)
    #expect(buffer.count == length)
    buffer.append(7 as UInt8)
    #expect(buffer.copy() == Array([1, 2, 3, 4, 5].prefix(length)) + [7])
  }

  @Test("Removal at the front moves the rest forward, overlapping or not", arguments: 0...9)
  func removesFirst(length: Int) {
    let octets: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    var buffer = OctetBuffer()
    buffer.append(octets)
    buffer.removeFirst(length)
    #expect(buffer.copy() == Array(octets.dropFirst(length)))
    buffer.append(42 as UInt8)
    #expect(buffer.copy() == Array(octets.dropFirst(length)) + [42])
  }

  @Test("An emptied buffer is used again from the front")
  func removesAll() {
    var buffer = OctetBuffer()
    buffer.append([1, 2, 3])
    buffer.removeAll()
    let isEmpty = buffer.isEmpty
    #expect(isEmpty)
    buffer.append([4])
    #expect(buffer.copy() == [4])
  }

  @Test("Copies begin at any offset, including the end")
  func copies() {
    var buffer = OctetBuffer()
    buffer.append([1, 2, 3])
    #expect(buffer.copy(from: 1) == [2, 3])
    #expect(buffer.copy(from: 3) == [])
  }

  @Test("A span shows what has been written")
  func spans() {
    var buffer = OctetBuffer()
    #expect(buffer.withSpan { $0.count } == 0)
    buffer.append([1, 2, 3])
    let sum = buffer.withSpan { span in span.indices.reduce(0) { $0 + Int(span[$1]) } }
    #expect(sum == 6)
  }

  @Test("Octets from a reader count up to the returned number, and are appended")
  func fills() {
    var buffer = OctetBuffer()
    buffer.append([1])
    buffer.appendUnsafe(capacity: 300) { room in
      for index in 0..<100 { room[index] = UInt8(index) }
      return 100
    }
    #expect(buffer.copy() == [1] + (0..<100).map { UInt8($0) })
    buffer.appendUnsafe(capacity: 10) { _ in 0 }
    #expect(buffer.count == 101)
  }

  @Test("Any sequence of operations gives the same result as with an array", arguments: 0..<20 as Range<UInt64>)
  func behavesLikeAnArray(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var buffer = OctetBuffer()
    var model: [UInt8] = []
    for _ in 0..<500 {
      switch Int.random(in: 0..<7, using: &random) {
      case 0, 1:
        let octets = random.octets(Int.random(in: 0..<80, using: &random))
        buffer.append(octets)
        model += octets
      case 2:
        let value = UInt32(truncatingIfNeeded: random.next())
        buffer.append(littleEndian: value)
        model += (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      case 3:
        let length = Int.random(in: 0...model.count, using: &random)
        buffer.removeFirst(length)
        model.removeFirst(length)
      case 4:
        let length = Int.random(in: (model.count / 2)...model.count, using: &random)
        buffer.truncate(to: length)
        model.removeLast(model.count - length)
      case 5 where model.count >= 2:
        let offset = Int.random(in: 0...(model.count - 2), using: &random)
        buffer.patch(littleEndian: 0xBEEF, at: offset)
        model.replaceSubrange(offset..<(offset + 2), with: [0xEF, 0xBE])
      case 6 where !model.isEmpty:
        let offset = Int.random(in: 0..<model.count, using: &random)
        buffer[offset] = 0x5A
        model[offset] = 0x5A
      default: buffer.reserve(200)
      }
    }
    #expect(buffer.copy() == model)
  }
}
