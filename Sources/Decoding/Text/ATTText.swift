import BLEATT
import BLECore
import Capture

/// ATT PDUs on one line.
extension PacketDecoder {
  func writeATT(_ summary: PacketSummary, in record: CaptureRecord, to text: inout OctetBuffer) {
    let opcode = ATTOpcode(rawValue: UInt8(truncatingIfNeeded: summary.opcode))
    text.append(ATTTree.title(opcode.rawValue))
    switch opcode {
    case .exchangeMTURequest, .exchangeMTUResponse, .findInformationRequest, .readByTypeRequest,
      .readByGroupTypeRequest, .findByTypeValueRequest, .readByGroupTypeResponse, .readByTypeResponse,
      .findInformationResponse, .findByTypeValueResponse, .errorResponse:
      writeFields(of: opcode, summary, Array(summary.octets(in: record)), to: &text)
    default:
      if let attribute = summary.attribute { text.append(handle: attribute) }
      if let name = attributeName(of: summary) { text.append(part: name) }
      let value = summary.valueOctets(in: record)
      guard !value.isEmpty else { return }
      text.append(" - ")
      if let meaning = attTree(summary).value(value) { text.append(meaning) } else { text.append(hexadecimal: value) }
    }
  }

  /// Appends the parameters of a PDU that has more than a value.
  private func writeFields(
    of opcode: ATTOpcode, _ summary: PacketSummary, _ octets: [UInt8], to text: inout OctetBuffer
  ) {
    let fields = attTree(summary).fields(octets).fields
    func field(_ name: String) -> DescribedField? { fields.first { $0.name == name } }
    func number(_ name: String) -> String { field(name)?.value ?? "?" }
    switch opcode {
    case .exchangeMTURequest, .exchangeMTUResponse: text.append(part: "MTU: \(fields.last?.meaning ?? "?")")
    case .errorResponse:
      text.append(part: "Attribute Handle: \(number("Attribute Handle In Error"))")
      text.append(part: "Error Code: \(field("Error Code")?.meaning ?? "?")")
    case .findInformationRequest, .readByTypeRequest, .readByGroupTypeRequest, .findByTypeValueRequest:
      let (start, end) = (number("Starting Handle"), number("Ending Handle"))
      if start == end {
        text.append(part: "Handle: \(start)")
        if let name = attributeName(of: summary) { text.append(part: name) }
      } else {
        text.append(part: "Start Handle: \(start)")
        text.append(part: "End Handle: \(end)")
      }
      let type = field("Attribute Type") ?? field("Attribute Group Type")
      if let type, type.value != "0028" {
        text.append(part: "UUID: \(Self.typeName(type.value) ?? type.meaning ?? type.value)")
      }
    default: text.append(part: "Attributes: \(fields.last?.children.count ?? 0)")
    }
  }

  /// Returns the types with names that are customary in the Attribute Protocol but differ from the Assigned Numbers.
  static func typeName(_ octets: String) -> String? {
    switch octets {
    case "0028": "GATT Primary Service Declaration"
    case "0128": "GATT Secondary Service Declaration"
    case "0228": "GATT Include Declaration"
    case "0328": "GATT Characteristic Declaration"
    default: nil
    }
  }
}
