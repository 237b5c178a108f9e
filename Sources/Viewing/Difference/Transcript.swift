import BLECore
import Capture
import Decoding

/// The conversation of two hosts, for comparison with another. It omits everything that differs from run to run: times, handles,
/// addresses, channel numbers and random values.
///
/// A step is something that one side says, or a change of the connection. Equal consecutive steps are combined.
package struct Transcript: Sendable {
  /// A step of the conversation.
  package struct Step: Hashable, Sendable {
    /// Its text.
    package var text: String
    /// The packet's number, and its time in nanoseconds since 1970-01-01 00:00 UTC.
    package var number: Int
    package var nanoseconds: Int64
    /// The number of times that it happened in a row.
    package var count = 1
  }

  /// The maximum number of steps to compare.
  package static let limit = 20_000

  /// All steps, in order of time.
  package private(set) var steps: [Step] = []
  /// Whether there were more than `limit` steps.
  package private(set) var isCut = false

  private let comparesValues: Bool
  private var timeline = ConnectionTimeline()
  /// Whether the host is the central, by connection. The beginning of the connection tells; without it, the sender of the first MTU request
  /// is taken for the central.
  private var hostIsCentral: [UInt64: Bool] = [:]
  private static let linkLimit = 1024

  /// Creates an empty transcript. It omits a server's values unless `comparingValues` is true, because most are measurements.
  package init(comparingValues: Bool = false) { comparesValues = comparingValues }

  /// Adds a packet that was just received.
  package mutating func add(
    _ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder
  ) {
    timeline.add(summary, record)
    noteRole(summary)
    for text in texts(of: summary, record, decoder) { add(text, summary) }
  }

  private mutating func add(_ text: String, _ summary: PacketSummary) {
    if steps.last?.text == text {
      steps[steps.count - 1].count += 1
    } else if steps.count < Self.limit {
      steps.append(Step(text: text, number: summary.number, nanoseconds: summary.nanoseconds))
    } else {
      isCut = true
    }
  }

  // MARK: Roles

  private mutating func noteRole(_ summary: PacketSummary) {
    guard hostIsCentral.count < Self.linkLimit else { return }
    if summary.layer == .event {
      guard timeline.news.contains(where: { $0.aspect == .connection }),
        let begun = timeline.connections.last?.isCentral
      else { return }
      hostIsCentral[summary.link] = begun
    } else if summary.layer == .att, summary.opcode == 0x02, !summary.isOnAir, hostIsCentral[summary.link] == nil {
      hostIsCentral[summary.link] = summary.isSent
    }
  }

  private func who(_ summary: PacketSummary) -> String {
    let isCentral = summary.isOnAir || hostIsCentral[summary.link] ?? true
    return summary.isSent == isCentral ? "central" : "peripheral"
  }

  // MARK: Texts

  private func texts(
    of summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder
  ) -> [String] {
    let says = PacketWords.padded(who(summary), 10) + "  "
    switch summary.layer {
    case .att: return [says + attribute(summary, record, decoder)]
    case .smp: return [says + fields(summary, record, decoder, keeping: Self.isKept)]
    case .signalling:
      return [says + fields(summary, record, decoder) { _, field in !Self.isNumbering(field.name) }]
    case .channel:
      return [says + "data on a channel to SPSM " + PacketWords.hex(UInt64(summary.opcode), 4)]
    case .sdp, .rfcomm, .avdtp, .avctp, .hid, .bnep: return [says + classic(summary, record, decoder)]
    case .event, .advertising: return links
    case .linkControl:
      guard links.isEmpty else { return links }
      let name = decoder.tree(of: summary, in: record).last?.fields.first { $0.name == "Opcode" }?.meaning
      return [says + (name ?? "LL control")]
    default: return []
    }
  }

  /// The changes of the connection that the packet shows. They are the same from every side.
  private var links: [String] {
    timeline.news.map { entry in
      let isBeginning = entry.aspect == .connection && entry.text.hasPrefix("begins")
      return PacketWords.padded("link", 10) + "  \(entry.aspect.rawValue): \(isBeginning ? "begins" : entry.text)"
    }
  }

  /// Returns whether to keep the fields of a Security Manager packet: those of requests and refusals.
  /// Keys and random values are omitted.
  private static func isKept(_ code: UInt16, _ field: DescribedField) -> Bool {
    [0x01, 0x02, 0x05, 0x0B, 0x0E].contains(code)
  }

  private static func isNumbering(_ name: String) -> Bool {
    name.contains("CID") || name.contains("Credits") || ["Identifier", "Data Length"].contains(name)
  }

  private func fields(
    _ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder,
    keeping isKept: (UInt16, DescribedField) -> Bool
  ) -> String {
    guard let layer = decoder.tree(of: summary, in: record).last else { return "" }
    let kept = layer.fields.filter { $0.name != "Code" && isKept(summary.opcode, $0) }
    return ([layer.title] + kept.map { "\($0.name): \($0.meaning ?? $0.value)" }).joined(separator: " - ")
  }

  /// Returns the line of a packet that only BR/EDR has, without what numbers it.
  private func classic(
    _ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder
  ) -> String {
    let parts = decoder.text(of: summary, in: record).split(separator: " - ")
    // Media packets have nothing but numbers.
    if parts.first == "Media" { return "Media" }
    return parts.filter { !$0.hasPrefix("Transaction: ") && !Self.isNumbering(String($0)) }.joined(separator: " - ")
  }

  private func attribute(
    _ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder
  ) -> String {
    guard let layer = decoder.tree(of: summary, in: record).last else { return "" }
    var parts = [layer.title]
    func field(_ name: String) -> DescribedField? { layer.fields.first { $0.name == name } }
    switch summary.opcode {
    case 0x01:
      parts.append(field("Request Opcode In Error").map { $0.meaning ?? $0.value } ?? "")
      parts.append(decoder.attributeName(of: summary) ?? "")
      parts.append(field("Error Code").map { $0.meaning ?? $0.value } ?? "")
    case 0x02, 0x03: parts.append(layer.fields.last?.meaning ?? "")
    case 0x04: break
    case 0x05, 0x07, 0x09, 0x11: parts += Self.found(in: layer, request: summary.opcode)
    case 0x06, 0x08, 0x10:
      let type = field("Attribute Type") ?? field("Attribute Group Type")
      parts.append(type.map { $0.meaning ?? $0.value } ?? "")
      if summary.opcode == 0x06 { parts.append(field("Attribute Value").map { $0.meaning ?? $0.value } ?? "") }
    default:
      parts.append(decoder.attributeName(of: summary) ?? "")
      let values = AttributeValues(summary, record).entries.map(\.value)
      let isWritten = [0x12, 0x16, 0x52, 0xD2].contains(summary.opcode)
      if isWritten || comparesValues { parts += values.map { $0.hexadecimal } }
    }
    return parts.filter { !$0.isEmpty }.joined(separator: " - ")
  }

  /// Returns the types that a server reports, without their handles.
  private static func found(in layer: DecodedLayer, request: UInt16) -> [String] {
    (layer.fields.last?.children ?? []).compactMap { entry in
      let wanted = ["Attribute Type", "Characteristic UUID", "Attribute Value"]
      return entry.children.first { wanted.contains($0.name) }.map { $0.meaning ?? $0.value }
    }
  }
}
