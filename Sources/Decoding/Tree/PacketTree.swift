import BLECore
import BLEHCI
import Capture

extension PacketDecoder {
  /// Returns all layers of the latest record, from the outermost to the innermost.
  package func tree(of summary: PacketSummary, in record: CaptureRecord) -> [DecodedLayer] {
    switch record.content {
    case .message(let kind):
      let field = DescribedField(
        "Text", record.octets.hexadecimal, meaning: String(decoding: record.octets, as: UTF8.self),
        range: 0..<record.octets.count)
      return [
        DecodedLayer(name: "Message", title: "\(kind)", octets: record.octets, offset: 0, fields: [field])
      ]
    case .hci: return hciTree(of: summary, in: record)
    case .air(let reception): return airTree(of: summary, in: record, reception)
    }
  }

  private func hciTree(of summary: PacketSummary, in record: CaptureRecord) -> [DecodedLayer] {
    let octets = record.octets
    func layer(_ name: String, _ title: String, _ fields: FieldList) -> DecodedLayer {
      DecodedLayer(name: name, title: title, octets: octets, offset: 0, fields: fields.fields)
    }
    switch summary.layer {
    case .command: return [layer("HCI", "Command", HCITree.command(octets))]
    case .event: return [layer("HCI", "Event", HCITree.event(octets))]
    case .sco: return [layer("HCI", "SCO", HCITree.synchronous(octets))]
    case .iso, .unknown:
      var list = FieldList(octets)
      list.number("Packet Type", 1)
      list.rest("Data")
      return [layer("HCI", summary.layer.rawValue.uppercased(), list)]
    default:
      return [layer("ACL", "ACL Data", HCITree.acl(octets))] + upperTree(of: summary, in: record, head: 5)
    }
  }

  private func airTree(
    of summary: PacketSummary, in record: CaptureRecord, _ reception: AirReception
  ) -> [DecodedLayer] {
    let octets = record.octets
    var radio: [DescribedField] = []
    func note(_ name: String, _ meaning: String?) {
      if let meaning { radio.append(DescribedField(name, meaning, range: 0..<0)) }
    }
    note("Access Address", "0x" + String(reception.accessAddress, radix: 16, uppercase: true))
    note("RF Channel", reception.rfChannel.map { "\($0) (\(2402 + 2 * Int($0)) MHz)" })
    note("PHY", ["LE 1M", "LE 2M", "LE Coded"].dropFirst(max(0, Int(reception.phy) - 1)).first)
    note("Signal Strength", reception.signalStrength.map { "\($0) dBm" })
    note("CRC", reception.isCRCValid.map { $0 ? "valid" : "invalid" })
    if reception.isDecrypted { note("Encryption", "decrypted") }
    let isAdvertising = summary.layer == .advertising
    let isEncrypted = summary.layer == .linkData && summary.opcode == LinkDataKind.encrypted
    let fields =
      isAdvertising ? LinkLayerTree.advertising(octets) : LinkLayerTree.data(octets, isEncrypted: isEncrypted)
    let layers = [
      DecodedLayer(name: "Radio", title: "Reception", octets: [], offset: nil, fields: radio),
      DecodedLayer(
        name: "LL", title: isAdvertising ? "Advertising PDU" : "Data PDU", octets: octets, offset: 0,
        fields: fields.fields),
    ]
    switch summary.layer {
    case .advertising, .linkControl, .linkData: return layers
    default: return layers + upperTree(of: summary, in: record, head: 2)
    }
  }

  /// Returns L2CAP and the layers inside it. The data starts after `head` octets of the record.
  private func upperTree(of summary: PacketSummary, in record: CaptureRecord, head: Int) -> [DecodedLayer] {
    guard let channel = summary.channel else { return [] }
    let content = Array(summary.octets(in: record))
    var layers: [DecodedLayer] = []
    // An SDU of an enhanced bearer has its own frames.
    let isBearer = summary.layer == .att && summary.sdu != nil
    if isBearer || summary.layer == .channel || summary.layer == .l2cap {
      // The whole frame is in the record, or its end is.
      layers.append(l2cap(Array(record.octets.dropFirst(head)), offset: head))
    } else if case .record(let range) = summary.pdu, range.lowerBound >= 4 {
      layers.append(l2cap(Array(record.octets[range.lowerBound - 4..<range.upperBound]), offset: range.lowerBound - 4))
    } else {
      let count = content.count
      let words = [count, Int(channel)].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
      layers.append(l2cap(words + content, offset: nil))
    }
    var offset: Int?
    if case .record(let range) = summary.pdu { offset = range.lowerBound }
    func add(_ name: String, _ title: String?, _ fields: FieldList) {
      layers.append(
        DecodedLayer(name: name, title: title ?? name, octets: content, offset: offset, fields: fields.fields))
    }
    let code = UInt8(truncatingIfNeeded: summary.opcode)
    switch summary.layer {
    case .signalling: add("Signalling", L2CAPTree.signallingNames[code], L2CAPTree.signalling(content))
    case .smp: add("SMP", SMPTree.names[code], L2CAPTree.security(content))
    case .att: add("ATT", ATTTree.title(code), attTree(summary).fields(content))
    case .sdp, .rfcomm, .avdtp, .avctp, .hid, .bnep:
      if let pdu = ClassicPDU(summary, content) { add(pdu.layer, pdu.title, pdu.fields) }
    case .channel:
      var list = FieldList(content)
      if summary.value.lowerBound == 2 { list.number("SDU Length", 2) { "\($0)" } }
      list.rest("Information Payload")
      add("K-frame", summary.sdu.map { "K-frame, ends an SDU of \($0.count) octets" } ?? "K-frame", list)
    default: break
    }
    return layers
  }

  private func l2cap(_ octets: [UInt8], offset: Int?) -> DecodedLayer {
    var list = FieldList(octets)
    list.number("PDU Length", 2) { "\($0)" }
    list.number("Channel ID", 2) {
      switch $0 {
      case 1: "L2CAP signalling"
      case 2: "connectionless"
      case 4: "Attribute Protocol"
      case 5: "LE signalling"
      case 6: "Security Manager Protocol"
      case 7: "BR/EDR Security Manager"
      default: nil
      }
    }
    list.rest("Information Payload")
    return DecodedLayer(name: "L2CAP", title: "L2CAP PDU", octets: octets, offset: offset, fields: list.fields)
  }

  /// Returns the tree with everything that explains the ATT PDU of a packet.
  func attTree(_ summary: PacketSummary) -> ATTTree {
    ATTTree(
      table: summary.attributeIndex.map { tables[$0.table] }, valueText: valueText, attribute: summary.attribute,
      opcode: UInt8(truncatingIfNeeded: summary.opcode), response: splicedResponse(of: summary))
  }
}
