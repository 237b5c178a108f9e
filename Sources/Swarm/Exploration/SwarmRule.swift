/// A rule that the swarm checks, for lists and reports.
package struct SwarmRule: Sendable {
  /// Its short name, as in findings.
  package var name: String
  /// The statement that must hold.
  package var text: String

  /// The rules that an exploration of a profile checks.
  package static let exploration: [SwarmRule] = [
    SwarmRule("start", "the accessory starts, with controllers that support what it needs"),
    SwarmRule("trap", "nothing crashes the process"),
    SwarmRule("hang", "every run ends"),
    SwarmRule("readable", "a characteristic whose properties contain `read` can be read by some central"),
    SwarmRule("state", "each state is reached, and left again"),
    SwarmRule("rule", "the expressions of rules can be computed, and their actions carried out"),
    SwarmRule("control-point", "a command that a control point has accepted gets its response"),
    SwarmRule(
      "security", "nothing that is protected is read, written, subscribed to or sent on a link with less protection"),
    SwarmRule("bond", "a bond is replaced only by one at least as strong, and survives a kill"),
    SwarmRule("pairing", "a pairing of two devices that follow the protocol does not fail in its cryptography"),
    SwarmRule("wire", "neither the controller nor a central finds an error in what the accessory sends"),
    SwarmRule("answer", "a write that was answered with success was made"),
    SwarmRule("delivery", "what is sent arrives once and in order"),
    SwarmRule("subscription", "a subscription is as its client wrote it last"),
    SwarmRule("records", "a Record Access Control Point that answers with success has sent every record"),
    SwarmRule("value", "a read returns what was written last"),
    SwarmRule("address", "a private address is used no longer than the profile says"),
    SwarmRule("presence", "what is withdrawn is not offered, and a sleeping accessory has no links"),
    SwarmRule("discovery", "the records of Service Discovery over BR/EDR are valid, and agree with the services"),
    SwarmRule("life", "60 s after faults have ended, a new central finds, connects to and discovers the accessory"),
    SwarmRule("bounds", "links, bonds and packets are bounded"),
  ]

  private init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }
}
