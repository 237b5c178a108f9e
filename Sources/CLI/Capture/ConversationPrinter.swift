import BLECore
import Capture
import Decoding
import Viewing

/// Prints a conversation: who says what, how long after what was said before, and of pairings how they ended.
struct ConversationPrinter {
  let subject: Following.Subject
  private var connection: String?
  private var latest: Int64?
  /// The numbers of the packets that begin the pairings that were printed.
  private var pairings: Set<Int> = []

  init(subject: Following.Subject) { self.subject = subject }

  mutating func print(_ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder) {
    if let name = PacketWords.connection(summary), name != connection {
      connection = name
      latest = nil
      Terminal.print("\(Terminal.styled("connection \(name)", .bold))")
    }
    if summary.layer == .smp, let first = summary.request { pairings.insert(first) }
    let since = latest.map { "+" + PacketWords.span(summary.nanoseconds.elapsed(since: $0)) } ?? ""
    latest = summary.nanoseconds
    let arrow = summary.isSent ? "→" : "←"
    let columns = "\(PacketWords.clock(summary.nanoseconds))  \(PacketWords.padded(since, 12))  \(arrow)"
    let latency = summary.layer == .smp ? nil : summary.latency
    let answer = latency.map { "  (answered after \(PacketWords.span($0)))" } ?? ""
    let text = decoder.text(of: summary, in: record) + answer + PacketWords.remarks(record)
    Terminal.print("\(Terminal.styled(columns, PacketPrinter.style(summary)))  \(text)")
  }

  /// Says how the pairings ended that were followed.
  func end(_ decoder: borrowing PacketDecoder) {
    guard case .pairing = subject else { return }
    for (place, pairing) in decoder.pairings.enumerated() where pairings.contains(pairing.number) {
      let kind =
        switch pairing.isSecureConnections {
        case true: "LE Secure Connections"
        case false: "LE legacy pairing"
        case nil: "of an unknown kind"
        }
      let outcome =
        switch pairing.outcome {
        case .open: "has not ended in the capture"
        case .encrypted: "ended with an encrypted link after \(PacketWords.span(pairing.duration))"
        case .failed(let reason): "failed: \(PacketDecoder.pairingFailure(reason))"
        case .disconnected: "ended with the connection"
        }
      Terminal.print(
        "\(Terminal.styled("pairing \(place + 1)", .bold)), from packet \(pairing.number), \(kind), \(outcome)")
    }
  }
}

/// Prints the values of one attribute as a table whose columns are parted by commas (RFC 4180).
struct ValueTable {
  private let following: Following
  private var began: Int64?

  init(_ following: Following) { self.following = following }

  static func printHead() { Terminal.print("time,seconds,number,connection,way,kind,handle,name,hex,value") }

  mutating func print(_ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder) {
    guard let first = summary.attributeIndex else { return }
    for (handle, value) in AttributeValues(summary, record).entries {
      var place = first
      place.handle = handle
      guard following.isFollowed(place, decoder) else { continue }
      let began = began ?? summary.nanoseconds
      self.began = began
      let text = decoder.attributeType(at: place).flatMap { CaptureReading.valueText($0, value) } ?? ""
      let cells = [
        PacketWords.clock(summary.nanoseconds), "\(Double(summary.nanoseconds.elapsed(since: began)) / 1e9)", "\(summary.number)",
        PacketWords.connection(summary) ?? "", summary.isSent ? "sent" : "received", Self.kind(summary.opcode),
        PacketWords.hex(UInt64(handle), 4), decoder.attributeName(at: place) ?? "", value.hexadecimal, text,
      ]
      Terminal.print("\(cells.map(Self.quoted).joined(separator: ","))")
    }
  }

  private static func kind(_ opcode: UInt16) -> String {
    switch opcode {
    case 0x0B, 0x0D: "read"
    case 0x12, 0x16, 0x17, 0x52, 0xD2: "write"
    case 0x1B, 0x23: "notification"
    case 0x1D: "indication"
    default: "other"
    }
  }

  private static func quoted(_ cell: String) -> String {
    guard cell.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return cell }
    return "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
