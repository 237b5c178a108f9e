import BLECore
import BLESDP

/// PDUs of the Service Discovery Protocol as fields, from the layouts of `BLESDP` (Core 5.4 Vol 3 Part B 4).
enum SDPTree {
  private static let layouts = Dictionary(
    allSDPPDUs.map { ($0.id, $0 as any OctetLayout.Type) }, uniquingKeysWith: { first, _ in first })

  /// Decodes a PDU.
  ///
  /// - Parameter whole: The attribute lists of all parts, if this response ends them.
  static func decode(_ octets: [UInt8], whole: [UInt8]?) -> ClassicPDU {
    var list = FieldList(octets)
    list.layout(SDPHeader.self, min(SDPHeader.octetCount, octets.count))
    let id = SDPPDUID(rawValue: octets.first ?? 0)
    list.layout(layouts[id], or: "Parameters")
    list.amendAll { field in
      guard field.name == "Service Search Pattern" || field.name == "Attribute ID List" else { return }
      field.meaning = (try? DataElement(decoding: Array(octets[field.range])))?.description
    }
    if let whole { show(whole, id, &list) }
    return ClassicPDU("SDP", title(id), list)
  }

  /// Adds the elements of the attribute lists.
  private static func show(_ whole: [UInt8], _ id: SDPPDUID, _ list: inout FieldList) {
    let (name, shape): (String, DataElement.Shape) =
      id == .serviceAttributeResponse ? ("Attribute List", .attributes) : ("Attribute Lists", .attributeLists)
    guard let element = try? DataElement(decoding: whole) else { return }
    let octets = list.octets
    list.amendAll { field in
      guard field.name == name else { return }
      field.meaning = element.description
      if field.range.count == whole.count {
        field.children = DataElement.describe(name, octets, in: field.range, as: shape).children
      } else {
        // Elements of several parts have no octets of their own in this one.
        let place = field.range
        field.children = DataElement.describe(name, whole, in: 0..<whole.count, as: shape).children
          .map { placed($0, at: place) }
      }
    }
  }

  private static func placed(_ field: DescribedField, at place: Range<Int>) -> DescribedField {
    var field = field
    field.range = place
    field.children = field.children.map { placed($0, at: place) }
    return field
  }

  private static let titles: [UInt8: String] = [
    0x01: "Error Response", 0x02: "Service Search Request", 0x03: "Service Search Response",
    0x04: "Service Attribute Request", 0x05: "Service Attribute Response",
    0x06: "Service Search Attribute Request", 0x07: "Service Search Attribute Response",
  ]

  private static func title(_ id: SDPPDUID) -> String {
    titles[id.rawValue] ?? "SDP PDU 0x" + [id.rawValue].uppercaseHexadecimal
  }
}
