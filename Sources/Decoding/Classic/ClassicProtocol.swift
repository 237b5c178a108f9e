import BLECore
import BLEL2CAP

/// A protocol that travels on a connection-oriented channel of BR/EDR, by the channel's PSM (Assigned Numbers 2.6).
enum ClassicProtocol: Sendable {
  case sdp, rfcomm, bnep, hid, avctp, avctpBrowsing, avdtp
  /// The second channel of AVDTP to a device, and any further one (AVDTP 1.3 5.4.6).
  case media
  case att, eatt

  init?(_ psm: PSM) {
    switch psm {
    case .serviceDiscovery: self = .sdp
    case .rfcomm: self = .rfcomm
    case .networkEncapsulation: self = .bnep
    case .hidControl, .hidInterrupt: self = .hid
    case .audioVideoControl: self = .avctp
    case .audioVideoControlBrowsing: self = .avctpBrowsing
    case .audioVideoDistribution: self = .avdtp
    case .attributeProtocol: self = .att
    case .enhancedAttributeProtocol: self = .eatt
    default: return nil
    }
  }

  /// The layer of its packets.
  var layer: PacketLayer {
    switch self {
    case .sdp: .sdp
    case .rfcomm: .rfcomm
    case .bnep: .bnep
    case .hid: .hid
    case .avctp, .avctpBrowsing: .avctp
    case .avdtp, .media: .avdtp
    case .att, .eatt: .att
    }
  }
}

/// The numbers in `PacketSummary.opcode` that say more than the packet itself.
enum ClassicOpcode {
  /// AVDTP: a packet of a media channel.
  static let media: UInt16 = 0x0100
  /// AVCTP: a packet of the browsing channel, whose PDU is in the lower octet.
  static let browsing: UInt16 = 0x0100
  /// L2CAP: connectionless data.
  static let connectionless: UInt16 = 0x0002
}

/// A decoded PDU of a protocol over BR/EDR.
struct ClassicPDU {
  /// The name of the protocol.
  var layer: String
  /// The name of the PDU.
  var title: String
  /// All fields.
  var fields: FieldList

  init(_ layer: String, _ title: String, _ fields: FieldList) {
    self.layer = layer
    self.title = title
    self.fields = fields
  }

  /// The fields for a line: without those that the title says already, or that only matter to the protocol.
  var lineFields: [DescribedField] {
    let shown = fields.fields.flatMap { $0.name == Self.multiplexer ? $0.children : [$0] }
    let isMultiplexer = shown.count != fields.fields.count
    return shown.filter { field in
      let isEmpty = field.value.isEmpty && field.meaning == nil
      return !isEmpty && !Self.silent.contains(field.name)
        && !(isMultiplexer && field.name == "DLCI" && field.number == 0)
    }
  }

  /// The name of the field with the fields of a command of RFCOMM's multiplexer.
  static let multiplexer = "Multiplexer"

  private static let silent: Set<String> = [
    "PDU ID", "Transaction ID", "Parameter Length",
    "Address", "C/R", "Control", "P/F", "Length", "FCS", "Command Type", "Command Length",
    "Header", "Packet Type", "Message Type", "Signal",
    "Profile", "Profile Present", "Subunit", "Opcode", "Company ID", "Response", "AVRCP Packet Type",
    "Type", "Extension", "Control Type",
    "Version and Sources", "Marker and Payload Type", "Synchronization Source",
  ]

  /// Decodes a whole PDU of a layer; nil if the layer has no such PDUs.
  init?(_ summary: PacketSummary, _ octets: [UInt8]) {
    switch summary.layer {
    case .sdp: self = SDPTree.decode(octets, whole: summary.sdu)
    case .rfcomm: self = RFCOMMTree.decode(octets)
    case .bnep: self = BNEPTree.decode(octets)
    case .hid: self = HIDTree.decode(octets)
    case .avctp where summary.opcode & ClassicOpcode.browsing != 0: self = AVCTPTree.decodeBrowsing(octets)
    case .avctp: self = AVCTPTree.decode(octets)
    case .avdtp where summary.opcode == ClassicOpcode.media: self = AVDTPTree.decodeMedia(octets)
    case .avdtp: self = AVDTPTree.decode(octets)
    default: return nil
    }
  }
}

extension FieldList {
  /// Adds a number of at most eight octets, most significant octet first, or as much of it as exists.
  @discardableResult
  mutating func bigEndian(_ name: String, _ width: Int, _ meaning: (UInt64) -> String? = { _ in nil }) -> UInt64? {
    guard has(width) else {
      rest(name)
      return nil
    }
    let number = rest.prefix(width).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    octets(name, width)
    amend {
      $0.value = "0x" + $0.value.uppercased()
      $0.number = number
      $0.meaning = meaning(number)
    }
    return number
  }
}
