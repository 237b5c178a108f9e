import BLECore
import BLEL2CAP
import BLESMP

/// L2CAP signalling and Security Manager packets as fields, from their layouts.
enum L2CAPTree {
  private static let packets: [UInt8: any SignallingPacket.Type] = {
    let all: [any SignallingPacket.Type] = [
      CommandReject.self, ChannelConnectionRequest.self, ChannelConnectionResponse.self, ConfigurationRequest.self,
      ConfigurationResponse.self, EchoRequest.self, EchoResponse.self, InformationRequest.self,
      InformationResponse.self, DisconnectionRequest.self, DisconnectionResponse.self,
      ConnectionParameterUpdateRequest.self, ConnectionParameterUpdateResponse.self,
      LECreditBasedConnectionRequest.self, LECreditBasedConnectionResponse.self, FlowControlCredit.self,
      CreditBasedConnectionRequest.self, CreditBasedConnectionResponse.self, CreditBasedReconfigureRequest.self,
      CreditBasedReconfigureResponse.self,
    ]
    return Dictionary(uniqueKeysWithValues: all.map { ($0.code.rawValue, $0) })
  }()

  static let signallingNames: [UInt8: String] = [
    0x01: "Command Reject", 0x02: "Connection Request", 0x03: "Connection Response", 0x04: "Configuration Request",
    0x05: "Configuration Response", 0x06: "Disconnection Request", 0x07: "Disconnection Response",
    0x08: "Echo Request", 0x09: "Echo Response", 0x0A: "Information Request", 0x0B: "Information Response",
    0x12: "Connection Parameter Update Request", 0x13: "Connection Parameter Update Response",
    0x14: "LE Credit Based Connection Request", 0x15: "LE Credit Based Connection Response",
    0x16: "Flow Control Credit", 0x17: "Credit Based Connection Request", 0x18: "Credit Based Connection Response",
    0x19: "Credit Based Reconfigure Request", 0x1A: "Credit Based Reconfigure Response",
  ]

  static let results: [UInt8: String] = [
    0x00: "Success", 0x02: "SPSM Not Supported", 0x04: "No Resources", 0x05: "Insufficient Authentication",
    0x06: "Insufficient Authorization", 0x07: "Encryption Key Size Too Short", 0x08: "Insufficient Encryption",
    0x09: "Invalid Source CID", 0x0A: "Source CID Already Allocated", 0x0B: "Unacceptable Parameters",
    0x0C: "Invalid Parameters", 0x0D: "Pending", 0x0E: "Authentication Pending", 0x0F: "Authorization Pending",
  ]

  /// Returns where the packets of a C-frame are: at least one, of which the last may be cut off.
  static func packets(_ octets: [UInt8]) -> [Range<Int>] {
    var packets: [Range<Int>] = []
    var start = 0
    repeat {
      let end = octets.count - start < 4 ? octets.count : start + 4 + Int(octets.span.word(start + 2))
      packets.append(start..<min(end, octets.count))
      start = end
    } while start < octets.count
    return packets
  }

  /// Returns the fields of all packets of a C-frame. Only on BR/EDR it has several.
  static func signalling(_ octets: [UInt8]) -> FieldList {
    let packets = packets(octets)
    guard packets.count > 1 else { return signalling(octets, in: packets[0]) }
    var list = FieldList(octets)
    for packet in packets {
      let name = signallingNames[octets[packet.lowerBound]] ?? "Packet"
      list.group(name, packet.count) { inner in inner = signalling(octets, in: packet) }
    }
    return list
  }

  /// Returns the fields of one packet of a C-frame.
  static func signalling(_ octets: [UInt8], in packet: Range<Int>) -> FieldList {
    var list = FieldList(octets, from: packet.lowerBound, to: packet.upperBound)
    let code = list.number("Code", 1) { signallingNames[UInt8(truncatingIfNeeded: $0)] }
    list.number("Identifier", 1)
    list.number("Data Length", 2) { "\($0)" }
    if let type = code.flatMap({ packets[UInt8($0)] }) { list.layout(type, list.remaining) } else { list.rest("Data") }
    list.amendAll { field in
      if field.name == "Options" { field.meaning = options(field.children) }
      guard let number = field.number else { return }
      switch field.name {
      case "Interval Min", "Interval Max": field.meaning = "\(Double(number) * 1.25) ms"
      case "Timeout": field.meaning = "\(number * 10) ms"
      case "Result" where (0x15...0x18).contains(code ?? 0): field.meaning = results[UInt8(clamping: number)]
      case "Result" where code == 0x13: field.meaning = number == 0 ? "Accepted" : "Rejected"
      case "SPSM" where number == 0x27: field.meaning = "Enhanced Attribute Protocol"
      case "MTU", "MPS", "Credits", "Initial Credits", "Latency": field.meaning = "\(number)"
      default: break
      }
    }
    return list
  }

  /// Returns the options of a configuration packet on a line: their types, and their first values.
  private static func options(_ options: [DescribedField]) -> String? {
    let texts = options.map { option -> String in
      let fields = option.children
      let type = fields.first.map { $0.number.flatMap { optionNames[UInt8($0 & 0x7F)] } ?? $0.value } ?? ""
      return fields.count > 2 ? "\(type) \(fields[2].meaning ?? fields[2].value)" : type
    }
    return texts.isEmpty ? nil : texts.joined(separator: ", ")
  }

  private static let optionNames: [UInt8: String] = [
    1: "MTU", 2: "Flush Timeout", 3: "QoS", 4: "Mode", 5: "FCS", 6: "Flow Specification", 7: "Window",
  ]

  static func security(_ octets: [UInt8]) -> FieldList {
    var list = FieldList(octets)
    let code = list.number("Code", 1) { SMPTree.names[UInt8(truncatingIfNeeded: $0)] }
    if let type = code.flatMap({ SMPTree.packets[UInt8($0)] }) {
      list.layout(type, list.remaining)
    } else {
      list.rest("Data")
    }
    list.amendAll { field in
      guard let number = field.number else { return }
      let octet = UInt8(truncatingIfNeeded: number)
      switch field.name {
      case "Reason": field.meaning = PairingFailed.Reason(rawValue: octet).name
      case "IO Capability": field.meaning = number < 5 ? capabilities[Int(number)] : nil
      case "AuthReq": field.meaning = flags(octet, requirements)
      case "Initiator Key Distribution", "Responder Key Distribution": field.meaning = flags(octet, keys)
      case "Maximum Encryption Key Size": field.meaning = "\(number)"
      default: break
      }
    }
    return list
  }

  private static let capabilities = [
    "DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput", "KeyboardDisplay",
  ]
  private static let requirements: [(UInt8, String)] = [
    (0x01, "Bonding"), (0x04, "MITM"), (0x08, "SC"), (0x10, "Keypress"), (0x20, "CT2"),
  ]
  private static let keys: [(UInt8, String)] = [
    (0x01, "EncKey"), (0x02, "IdKey"), (0x04, "SignKey"), (0x08, "LinkKey"),
  ]

  private static func flags(_ octet: UInt8, _ names: [(UInt8, String)]) -> String {
    let present = names.filter { octet & $0.0 != 0 }.map(\.1)
    return present.isEmpty ? "none" : present.joined(separator: ", ")
  }
}
