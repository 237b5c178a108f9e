/// The events that the steps of scenarios can expect. docs/events.md describes them; a test compares them with that list.
package enum ScenarioEvents {
  /// The names of those that most scenarios need, for messages.
  package static let common = [
    "connected", "disconnected", "mtu", "paired", "pairing-failed", "subscribed", "unsubscribed", "read", "write",
    "notified", "indicated", "confirmed", "refused", "state", "fault", "channel-opened", "sdu",
  ]

  /// The names of the events.
  package static let names = [
    "state", "asleep", "awake", "rule-failed", "write-gap", "fault", "stopped", "controller-failed",
    "command-refused", "identity-changed", "br-edr", "advertising-ready", "advertising-started", "advertising-stopped",
    "advertising-limit-reached", "advertising-power", "advertising-refused", "advertising-unavailable",
    "advertising-unfiltered", "connected", "central-turned-away", "connection-failed", "disconnected", "parameters",
    "parameters-requested", "parameters-answered", "phy", "data-length", "mtu", "security", "pairing", "paired",
    "pairing-failed", "key-missing", "encryption-failed", "authenticated-payload-timeout", "bond-changed",
    "bond-removed", "keypress", "pairing-question", "pairing-question-ended", "security-requested", "subscribed",
    "unsubscribed", "read", "write", "value-changed", "notified", "notification-dropped", "indicated", "confirmed",
    "broadcast",
    "client-features", "refused", "early-request", "database-changed", "question", "question-ended",
    "answer-awaited", "answer-overdue", "answer-cancelled", "channel-opened", "channel-closed", "channel-may-send",
    "channel-reconfigured", "channel-reconfiguration-answered", "channel-authorization-asked", "channel-refused",
    "channel-bridged", "sdu", "frame", "ready-for-more", "remote-began", "remote-ended", "remote-failed",
    "remote-notification", "remote-indication", "remote-services-changed", "remote-out-of-sync", "remote-violation",
    "remote-step", "inquiring", "found", "remote-name", "attribute-channel", "service-records", "scanning",
    "advertisement",
  ]
}

extension ProfileLoader {
  /// Reads the fields of an event, and warns about those that fit no event or any.
  mutating func eventFields(_ node: SyntaxNode) -> ProfileValue {
    let known = ScenarioEvents.names
    if let name = node.value(of: "event") {
      if let text = name.text, !known.contains(text) {
        warn(name, "docs/events.md has no event '\(text)'\(hint(for: text, among: known))")
      }
    } else if let pairs = node.pairs {
      let meant = pairs.lazy.compactMap { FamiliarValue.hint(for: $0.name, among: known) }.first ?? ""
      warn(
        node,
        "these fields fit any event, because 'event' is missing\(meant), as in { event: write, characteristic: ID } "
          + "(known: \(ScenarioEvents.common.joined(separator: ", ")), and the others of docs/events.md)")
    }
    return node.json
  }
}
