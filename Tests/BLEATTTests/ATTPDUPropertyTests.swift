import BLEATT
import BLECore
import Testing

/// Properties of every PDU.
@Suite("All ATT PDUs")
struct ATTPDUPropertyTests {
  @Test("The list contains every assigned opcode once")
  func list() {
    let assigned: Set<UInt8> = Set(0x01...0x13).union([0x16, 0x17, 0x18, 0x19, 0x1B, 0x1D, 0x1E, 0x20, 0x21, 0x23])
      .union([0x52, 0xD2])
    #expect(Set(allATTPDUs.map { $0.opcode.rawValue }) == assigned)
    #expect(allATTPDUs.count == assigned.count)
  }

  @Test("Octets of a possible length decode, and encode to themselves; all others are an error")
  func lengths() {
    var random = SeededRandom(seed: 1)
    for type in allATTPDUs {
      for count in 0...64 { check(type, random.octets(count)) }
      for count in [255, 512, 517] { check(type, random.octets(count)) }
    }
  }

  @Test("Random octets do no harm", arguments: 0..<20 as Range<UInt64>)
  func random(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for type in allATTPDUs {
      for _ in 0..<50 { check(type, random.octets(Int.random(in: 0...40, using: &random))) }
    }
  }

  private func check<PDU: ATTPDU>(_ type: PDU.Type, _ octets: [UInt8]) {
    let isAllowed = ParameterLength.of(PDU.opcode).allows(octets.count)
    do throws(LayoutFault) {
      let pdu = try PDU(decoding: octets)
      #expect(isAllowed, "\(PDU.opcode) took \(octets.count) octets")
      #expect(pdu.encoded == octets, "\(PDU.opcode)")
      #expect(pdu.encodedPDU == [PDU.opcode.rawValue] + octets, "\(PDU.opcode)")
      var buffer = OctetBuffer()
      pdu.encodePDU(into: &buffer)
      #expect(buffer.copy() == pdu.encodedPDU, "\(PDU.opcode)")
      let whole = pdu.encodedPDU
      let again = try PDU(decodingPDU: whole.span)
      #expect(again?.encoded == octets, "\(PDU.opcode)")
    } catch {
      #expect(!isAllowed, "\(PDU.opcode) refused \(octets.count) octets: \(error)")
    }
  }

  @Test("A PDU with a different opcode, and an empty one, do not decode")
  func otherOpcode() throws {
    for type in allATTPDUs { try checkOpcode(type) }
  }

  private func checkOpcode<PDU: ATTPDU>(_ type: PDU.Type) throws {
    for opcode in UInt8.min...UInt8.max where opcode != PDU.opcode.rawValue {
      let octets = [opcode, 0, 0, 0, 0]
      let decoded = try PDU(decodingPDU: octets.span)
      #expect(decoded == nil)
    }
    let nothing: [UInt8] = []
    let decoded = try PDU(decodingPDU: nothing.span)
    #expect(decoded == nil)
  }

  @Test("Every PDU describes its fields for a dissector")
  func describes() {
    let without: Set<ATTOpcode> = [.writeResponse, .executeWriteResponse, .handleValueConfirmation]
    for type in allATTPDUs {
      let fields = describedFields(of: type)
      #expect(fields.isEmpty == without.contains(type.opcode), "\(type.opcode)")
      #expect(fields.allSatisfy { !$0.name.isEmpty }, "\(type.opcode)")
    }
  }

  private func describedFields<PDU: ATTPDU>(of type: PDU.Type) -> [DescribedField] {
    let pdu = PDU()
    return pdu.described
  }
}
