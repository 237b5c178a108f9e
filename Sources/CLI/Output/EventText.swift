import AccessoryProfile
import BLECore
import Understudy

/// An event as text for a person: the time of day, what happened, and the details.
enum EventText {
  /// The events of single reads, writes and notifications, which are shown only on request.
  private static let access: Set<String> = [
    "read", "write", "value-changed", "refused", "notified", "indicated", "confirmed", "remote-began", "answer-awaited",
  ]

  /// Returns one line for an event; nil for events that do not matter to a person, and for single accesses unless `showsAccess`.
  static func line(for event: AccessoryEvent, showsAccess: Bool) -> TerminalText? {
    guard case .object(var fields) = event.json, case .string(let name) = fields["event"] else { return nil }
    switch name {
    // A first run has nothing to restore.
    case "restored":
      fields = fields.filter { !$0.value.isNothing }
      guard fields.keys.contains(where: { !["event", "time", "folder"].contains($0) }) else { return nil }
    case "ready", "advertising-ready", "failed", "controller-failed", "stopped": return nil
    default: if access.contains(name), !showsAccess { return nil }
    }
    for key in ["event", "time", "uuid"] { fields[key] = nil }
    // A channel that has just opened has no traffic.
    if name == "channel-opened" { for key in ["sent", "received", "queued", "open"] { fields[key] = nil } }
    let details = fields.sorted { rank($0.key) < rank($1.key) }
      .map { phrase($0.key, $0.value) }
      .joined(separator: ", ")
    let padded = name + String(repeating: " ", count: max(1, 22 - name.count))
    return "\(Terminal.styled(timeOfDay(event.time), .dim))  \(Terminal.styled(padded, style(of: name)))\(details)"
  }

  /// Orders the fields: the connection first, then the channel or characteristic, then the rest by name.
  private static func rank(_ key: String) -> String {
    switch key {
    case "ticket": "/"
    case "connection": "0"
    case "characteristic", "channel": "1"
    default: "2" + key
    }
  }

  private static func style(of name: String) -> Terminal.Style {
    switch name {
    case "fault", "refused", "channel-refused", "disconnected", "advertising-refused", "advertising-unavailable",
      "advertising-unfiltered", "central-turned-away", "connection-failed",
      "capture-failed", "state-damaged", "state-failed", "controller-lost", "remote-failed", "pairing-failed",
      "program-ended", "write-gap", "advertising-limit-reached",
      "program-refused":
      .red
    case "connected", "channel-opened", "paired", "ring-saved": .green
    default: .cyan
    }
  }

  /// Returns a field as text. Times have their unit.
  private static func phrase(_ key: String, _ value: ProfileValue) -> String {
    if key.hasSuffix("_ms"), let milliseconds = value.number {
      let text = Duration.nanoseconds(Int64(milliseconds * 1e6)).shortText
      return "\(key.dropLast(3)) \(text)"
    }
    if key == "deadline", let seconds = value.number { return "until \(timeOfDay(.seconds(seconds)))" }
    if key == "psm", case .int(let psm) = value { return "PSM 0x" + String(psm, radix: 16, uppercase: true) }
    let name = key.replacing("_", with: " ")
    if case .string(let text) = value { return "\(name) \(text)" }
    return "\(name) \(value.jsonText)"
  }

  /// Returns the time of day in UTC, with milliseconds.
  private static func timeOfDay(_ time: Duration) -> String {
    let milliseconds = time.inNanoseconds / 1_000_000
    let seconds = milliseconds / 1000
    func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let fraction = milliseconds % 1000
    let padding = String(repeating: "0", count: 3 - "\(fraction)".count)
    return "\(two(seconds / 3600 % 24)):\(two(seconds / 60 % 60)):\(two(seconds % 60)).\(padding)\(fraction)Z"
  }
}

extension ProfileValue {
  /// Whether the value is zero or empty.
  fileprivate var isNothing: Bool {
    switch self {
    case .int(0): true
    case .array(let elements): elements.isEmpty
    case .object(let fields): fields.isEmpty
    default: false
    }
  }
}
