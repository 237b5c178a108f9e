import BLECore

/// PDUs of the Audio/Video Distribution Transport Protocol as fields (AVDTP 1.3 8 and 7.2).
enum AVDTPTree {
  static let signals = [
    "Signal 0x00", "Discover", "Get Capabilities", "Set Configuration", "Get Configuration", "Reconfigure", "Open",
    "Start", "Close", "Suspend", "Abort", "Security Control", "Get All Capabilities", "Delay Report",
  ]
  private static let messages = ["Command", "General Reject", "Accept", "Reject"]
  private static let packets = ["single", "start", "continue", "end"]
  private static let mediaTypes = ["Audio", "Video", "Multimedia"]
  private static let categories = [
    "Category 0x00", "Media Transport", "Reporting", "Recovery", "Content Protection", "Header Compression",
    "Multiplexing", "Media Codec", "Delay Reporting",
  ]
  private static let codecs: [UInt64: String] = [
    0x00: "SBC", 0x01: "MPEG-1,2 Audio", 0x02: "MPEG-2,4 AAC", 0x03: "MPEG-D USAC", 0x04: "ATRAC family",
    0xFF: "vendor specific",
  ]
  private static let errors: [UInt64: String] = [
    0x01: "Bad Header Format", 0x11: "Bad Length", 0x12: "Bad ACP SEID", 0x13: "SEP In Use", 0x14: "SEP Not In Use",
    0x17: "Bad Service Category", 0x18: "Bad Payload Format", 0x19: "Not Supported Command",
    0x1A: "Invalid Capabilities", 0x22: "Bad Recovery Type", 0x23: "Bad Media Transport Format",
    0x25: "Bad Recovery Format", 0x26: "Bad ROHC Format", 0x27: "Bad CP Format", 0x28: "Bad Multiplexing Format",
    0x29: "Unsupported Configuration", 0x31: "Bad State",
  ]

  static func decode(_ octets: [UInt8]) -> ClassicPDU {
    var list = FieldList(octets)
    guard let head = list.number("Header", 1) else { return ClassicPDU("AVDTP", "AVDTP", list) }
    let message = Int(head & 3)
    let packet = Int(head >> 2 & 3)
    list.bits("Packet Type", head >> 2 & 3, packets[packet])
    list.bits("Message Type", head & 3, messages[message])
    list.bits("Transaction", head >> 4)
    if packet > 1 {
      list.rest("Data")
      return ClassicPDU("AVDTP", "Fragment", list)
    }
    if packet == 1 { list.number("Number of Packets", 1) { "\($0)" } }
    let signal = Int((list.number("Signal", 1) { name(of: Int($0 & 0x3F)) } ?? 0) & 0x3F)
    if packet == 0 { parameters(signal, message, &list) }
    list.rest("Parameters")
    return ClassicPDU("AVDTP", "\(name(of: signal)) \(messages[message])", list)
  }

  private static func name(of signal: Int) -> String {
    signal < signals.count ? signals[signal] : "Signal 0x" + [UInt8(truncatingIfNeeded: signal)].uppercaseHexadecimal
  }

  private static func parameters(_ signal: Int, _ message: Int, _ list: inout FieldList) {
    switch (signal, message) {
    // A reject names the category or the endpoint that is at fault (8.9, 8.13, 8.15).
    case (3, 3), (5, 3):
      list.number("Service Category", 1) { categories.indices.contains(Int($0)) ? categories[Int($0)] : nil }
      error(&list)
    case (7, 3), (9, 3):
      endpoint("ACP SEID", &list)
      error(&list)
    case (1...13, 3): error(&list)
    case (1, 2): endpoints(&list)
    case (2, 2), (4, 2), (12, 2): capabilities(&list)
    case (3, 0):
      endpoint("ACP SEID", &list)
      endpoint("INT SEID", &list)
      capabilities(&list)
    case (5, 0):
      endpoint("ACP SEID", &list)
      capabilities(&list)
    case (7, 0), (9, 0): while list.remaining > 0 { endpoint("ACP SEID", &list) }
    case (13, 0):
      endpoint("ACP SEID", &list)
      list.bigEndian("Delay", 2) { "\(Double($0) / 10) ms" }
    case (2, 0), (4, 0), (6, 0), (8, 0), (10, 0), (11, 0), (12, 0): endpoint("ACP SEID", &list)
    default: break
    }
  }

  private static func endpoint(_ name: String, _ list: inout FieldList) {
    list.number(name, 1) { "\($0 >> 2)" }
  }

  private static func error(_ list: inout FieldList) {
    list.number("Error Code", 1) { errors[$0].map { name in "\(name)" } }
  }

  private static func endpoints(_ list: inout FieldList) {
    while list.has(2) {
      let id = (list.next ?? 0) >> 2
      list.group("Stream Endpoint", 2, "\(id)") { inner in
        inner.number("SEID", 1) { "\($0 >> 2)" + ($0 & 2 != 0 ? ", in use" : "") }
        inner.number("Media and Type", 1) {
          let media = Int($0 >> 4)
          return (media < mediaTypes.count ? mediaTypes[media] : "Media \(media)") + ($0 & 8 != 0 ? " sink" : " source")
        }
      }
      list.amend { field in
        field.meaning = field.children.compactMap(\.meaning).joined(separator: ", ")
      }
    }
  }

  private static func capabilities(_ list: inout FieldList) {
    while list.has(2) {
      let category = Int(list.next ?? 0)
      let name = category < categories.count ? categories[category] : "Category \(category)"
      let length = Int(list.number(at: 1, width: 1) ?? 0)
      var codec: String?
      list.group(name, 2 + length) { inner in
        inner.number("Service Category", 1) { _ in name }
        inner.number("Length", 1) { "\($0)" }
        if category == 7 {
          inner.number("Media Type", 1) {
            let media = Int($0 >> 4)
            return media < mediaTypes.count ? mediaTypes[media] : nil
          }
          codec = inner.number("Media Codec Type", 1) { codecs[$0] }.map { codecs[$0] ?? "codec \($0)" }
        }
        inner.rest("Information")
      }
      list.amend { $0.meaning = codec ?? "\(length) octets" }
    }
  }

  /// Decodes a packet of a media channel: RTP (AVDTP 1.3 7.2.1).
  static func decodeMedia(_ octets: [UInt8]) -> ClassicPDU {
    var list = FieldList(octets)
    let first = list.number("Version and Sources", 1)
    list.number("Marker and Payload Type", 1) { "\($0 & 0x7F)" }
    list.bigEndian("Sequence Number", 2) { "\($0)" }
    list.bigEndian("Timestamp", 4) { "\($0)" }
    list.bigEndian("Synchronization Source", 4)
    list.octets("Contributing Sources", 4 * Int((first ?? 0) & 0xF))
    let count = list.remaining
    list.rest("Media Payload")
    list.amend { if $0.name == "Media Payload" { $0.meaning = "\(count) octets" } }
    return ClassicPDU("AVDTP", "Media", list)
  }
}
