import BLECore
import BLESDP
import Testing

/// The octets of each PDU (Core 5.4 Vol 3 Part B 4).
@Suite("SDP PDUs")
struct SDPPDUTests {
  private static let pattern = DataElement.sequence([.uuid16(0x0100)])
  private static let attributes = DataElement.sequence([.unsigned16(0x0001), .unsigned32(0x0004_FFFF)])

  /// The PDUs with transaction 0x1234, by hand from the specification's tables.
  static let examples: [(any SDPPDU, String)] = [
    (SDPErrorResponse(error: .invalidPDUSize), "01 1234 0002 0004"),
    (
      ServiceSearchRequest(pattern: pattern, maximumRecords: 0x0010, continuation: [0xA5]),
      "02 1234 0009 3503190100 0010 01a5"
    ),
    (
      ServiceSearchResponse(
        totalRecords: 3, handles: [.init(rawValue: 0x0001_0001), .init(rawValue: 0x0001_0002)], continuation: [1, 2]),
      "03 1234 000f 0003 0002 00010001 00010002 020102"
    ),
    (
      ServiceAttributeRequest(handle: .init(rawValue: 0x0001_0001), maximumOctets: 0x0100, attributes: attributes),
      "04 1234 0011 00010001 0100 3508 090001 0a0004ffff 00"
    ),
    (ServiceAttributeResponse(part: [0x35, 0x00], continuation: [9]), "05 1234 0006 0002 3500 0109"),
    (
      ServiceSearchAttributeRequest(pattern: pattern, maximumOctets: 7, attributes: attributes),
      "06 1234 0012 3503190100 0007 3508 090001 0a0004ffff 00"
    ),
    (ServiceSearchAttributeResponse(part: [0x35, 0x00]), "07 1234 0005 0002 3500 00"),
  ]

  @Test("Every PDU has the octets of the specification, and is refused when it is cut")
  func golden() throws {
    #expect(Self.examples.map { type(of: $0.0).id.rawValue } == allSDPPDUs.map { $0.id.rawValue })
    #expect(allSDPPDUs.map { $0.id.rawValue } == Array(1...7))
    for (pdu, hexadecimal) in Self.examples { try check(pdu, hexadecimal) }
  }

  private func check<PDU: SDPPDU>(_ pdu: PDU, _ hexadecimal: String) throws {
    let octets = try #require([UInt8](hexadecimal: hexadecimal))
    #expect(pdu.encodedPDU(transaction: 0x1234) == octets, "\(PDU.id)")
    let (header, length) = try SDPHeader.decodePrefix(of: octets.span)
    #expect(header.id == PDU.id && header.transaction == 0x1234 && Int(header.length) == octets.count - length)
    let parameters = Array(octets[length...])
    #expect(try PDU(decoding: parameters).encoded == parameters, "\(PDU.id)")
    for count in parameters.indices {
      #expect(throws: LayoutFault.self, "\(PDU.id)") { try PDU(decoding: Array(parameters[..<count])) }
      let (fields, fault) = PDU.describe(Array(parameters[..<count]))
      #expect(fault != nil && fields.allSatisfy { $0.range.upperBound <= count })
    }
    #expect(throws: LayoutFault.trailing(offset: parameters.count, extra: 1)) { try PDU(decoding: parameters + [0]) }
  }

  @Test("Fields have names and values, most significant octet first")
  func fields() {
    let request = ServiceSearchAttributeRequest(
      pattern: Self.pattern, maximumOctets: 0x0102, attributes: Self.attributes, continuation: [7])
    let fields = request.described
    #expect(
      fields.map(\.name) == [
        "Service Search Pattern", "Maximum Attribute Byte Count", "Attribute ID List", "Length", "Continuation State",
      ])
    #expect(fields[0].children.map(\.meaning) == ["L2CAP (0x0100)"])
    #expect(fields[1].value == "0x0102" && fields[1].number == 0x0102)
    #expect(fields[2].children.map(\.meaning) == ["0x0001", "0x0004FFFF"])
    let error = SDPErrorResponse(error: .invalidContinuationState).described
    #expect(error.first?.meaning == "Invalid Continuation State (0x0005)")
    #expect("\(SDPPDUID.serviceSearchAttributeRequest)" == "SDP_SERVICE_SEARCH_ATTR_REQ")
    #expect("\(SDPPDUID(rawValue: 0x99))" == "SDP_0x99")
  }

  @Test("Random octets do no harm", arguments: 0..<20 as Range<UInt64>)
  func random(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for (example, _) in Self.examples {
      for _ in 0..<50 {
        var octets = example.encoded
        octets[Int.random(in: octets.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
        decode(example, as: octets)
      }
    }
  }

  private func decode<PDU: SDPPDU>(_: PDU, as octets: [UInt8]) {
    _ = PDU.describe(octets)
    guard let pdu = try? PDU(decoding: octets) else { return }
    #expect((try? PDU(decoding: pdu.encoded))?.encoded == pdu.encoded)
  }
}
