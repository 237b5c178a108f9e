import BLECore
import Testing

@testable import BLEATT

/// Responses and notifications that are written piece by piece equal their layouts, after whatever is in the buffer.
@Suite("Writers of PDUs beside their layouts")
struct ATTWriterTests {
  static let prefix: [UInt8] = [0xAA, 0xBB]
  static let seeds = 0..<50 as Range<UInt64>

  /// Returns what `write` appends to a buffer that is not empty.
  private func written(_ write: (inout OctetBuffer) -> Void) -> [UInt8] {
    var buffer = OctetBuffer()
    buffer.append(Self.prefix)
    write(&buffer)
    let octets = buffer.copy()
    #expect(octets.starts(with: Self.prefix))
    return Array(octets.dropFirst(Self.prefix.count))
  }

  @Test("Find Information Response: all types of one length, as many as fit", arguments: seeds)
  func findInformation(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let limit = Int.random(in: 23...200, using: &random)
    let length = Bool.random(using: &random) ? 2 : 16
    let types = (0..<20).map { _ in BluetoothUUID(littleEndianOctets: random.octets(length)) }.compactMap { $0 }
    var count = 0
    let pdu = written { buffer in
      let writer = FindInformationResponse.Writer(typeLength: length, limit: limit, into: &buffer)
      for (number, type) in types.enumerated() {
        guard writer.append(UInt16(number + 1), type, into: &buffer) else { break }
        count += 1
      }
      let other = BluetoothUUID(littleEndianOctets: random.octets(18 - length))
      let takesOther = other.map { writer.append(99, $0, into: &buffer) } ?? false
      #expect(!takesOther, "another length")
    }
    #expect(count == min(types.count, (limit - 2) / (2 + length)))
    let information = types.prefix(count).enumerated().flatMap { number, type in
      UInt16(number + 1).octets + type.littleEndianOctets
    }
    #expect(pdu == FindInformationResponse(format: length == 2 ? 1 : 2, information: information).encodedPDU)
  }

  @Test("Find By Type Value Response", arguments: seeds)
  func findByTypeValue(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let limit = Int.random(in: 23...60, using: &random)
    var handles: [HandlesInformation] = []
    let pdu = written { buffer in
      let writer = FindByTypeValueResponse.Writer(limit: limit, into: &buffer)
      let isEmpty = writer.isEmpty(in: buffer)
      #expect(isEmpty)
      while writer.hasRoom(in: buffer) {
        let entry = HandlesInformation(found: .random(in: 1 ... .max, using: &random), groupEnd: .max)
        writer.append(found: entry.found, groupEnd: entry.groupEnd, into: &buffer)
        handles.append(entry)
      }
      let isStillEmpty = writer.isEmpty(in: buffer)
      #expect(!isStillEmpty)
    }
    #expect(handles.count == (limit - 1) / 4)
    #expect(pdu == FindByTypeValueResponse(handles: handles).encodedPDU)
  }

  @Test("Read By Type and Read By Group Type Responses: equally long entries, the first truncated", arguments: seeds)
  func attributeData(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let limit = Int.random(in: 23...517, using: &random)
    let hasGroups = Bool.random(using: &random)
    let headLength = hasGroups ? 4 : 2
    let valueLength = Int.random(in: 0...300, using: &random)
    let entryLength = min(headLength + valueLength, limit - 2, 255)
    var data: [UInt8] = []
    let opcode: ATTOpcode = hasGroups ? .readByGroupTypeResponse : .readByTypeResponse
    let pdu = written { buffer in
      var writer = AttributeDataWriter(opcode, limit: limit, into: &buffer)
      #expect(writer.isEmpty)
      for handle in 1...300 as ClosedRange<UInt16> {
        let value = random.octets(valueLength)
        guard writer.append(handle, groupEnd: hasGroups ? handle + 1 : nil, value, into: &buffer) else { break }
        data += handle.octets + (hasGroups ? (handle + 1).octets : []) + value.prefix(entryLength - headLength)
      }
      let longer = random.octets(valueLength + 300)
      let takesLonger = writer.append(1, groupEnd: hasGroups ? 2 : nil, longer, into: &buffer)
      #expect(!takesLonger)
    }
    #expect(data.count / entryLength == (limit - 2) / entryLength)
    let length = UInt8(entryLength)
    let expected =
      hasGroups
      ? ReadByGroupTypeResponse(length: length, data: data).encodedPDU
      : ReadByTypeResponse(length: length, data: data).encodedPDU
    #expect(pdu == expected)
  }

  @Test("Read Multiple Responses are truncated at the limit, and never within a length", arguments: seeds)
  func readMultiple(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let limit = Int.random(in: 23...40, using: &random)
    let values = (0..<4).map { _ in random.octets(.random(in: 0...15, using: &random)) }
    for isVariable in [false, true] {
      let pdu = written { buffer in
        var writer = ReadMultipleWriter(isVariable: isVariable, limit: limit, into: &buffer)
        for value in values { writer.append(value, into: &buffer) }
        writer.finish(in: &buffer)
      }
      let whole = values.flatMap { isVariable ? UInt16($0.count).octets + $0 : $0 }
      let isWhole = whole.count <= limit - 1
      #expect(pdu.count <= limit)
      #expect(pdu.dropFirst().elementsEqual(whole.prefix(pdu.count - 1)))
      #expect(pdu.count == whole.count + 1 || !isWhole)
      #expect(pdu.count >= limit - 1 || isWhole, "at most half a length is missing")
      let opcode: ATTOpcode = isVariable ? .readMultipleVariableResponse : .readMultipleResponse
      #expect(pdu.first == opcode.rawValue)
    }
  }

  @Test("Values that fill a PDU are truncated at its limit", arguments: [0, 1, 19, 20, 21, 22, 23, 512])
  func values(count: Int) {
    var random = SeededRandom(seed: UInt64(count))
    let value = random.octets(count)
    #expect(
      written { ReadResponse.write(value[...], limit: 23, into: &$0) }
        == ReadResponse(value: Array(value.prefix(22))).encodedPDU)
    #expect(
      written { ReadResponse.write(value[...], opcode: .readBlobResponse, limit: 23, into: &$0) }
        == ReadBlobResponse(value: Array(value.prefix(22))).encodedPDU)
    #expect(
      written { HandleValueNotification.write(value, of: 7, limit: 23, into: &$0) }
        == HandleValueNotification(handle: 7, value: Array(value.prefix(20))).encodedPDU)
    #expect(
      written { WriteCommand.write(value.span, to: 7, into: &$0) } == WriteCommand(handle: 7, value: value).encodedPDU)
    let tuple = UInt16(7).octets + UInt16(count).octets + value
    let multiple = written { buffer in
      MultipleHandleValueNotification.begin(into: &buffer)
      for _ in 0..<2 { MultipleHandleValueNotification.appendTuple(7, value, into: &buffer) }
    }
    #expect(multiple == MultipleHandleValueNotification(tuples: tuple + tuple).encodedPDU)
  }
}

extension UInt16 {
  fileprivate var octets: [UInt8] { [UInt8(truncatingIfNeeded: self), UInt8(self >> 8)] }
}
