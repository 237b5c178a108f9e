/// A rule that the swarm judges by, for lists and reports.
package struct SwarmRule: Sendable {
  /// Its short name, which findings have.
  package var name: String
  /// What must hold.
  package var text: String

  /// The rules that an exploration of a profile judges by.
  package static let exploration: [SwarmRule] = [
    SwarmRule("start", "the accessory begins, with the controllers that have what it wants"),
    SwarmRule("trap", "nothing ends the process"),
    SwarmRule("hang", "a run comes to its end"),
    SwarmRule("readable", "a characteristic that can be read by its properties can be read by somebody"),
    SwarmRule("state", "each state is reached, and left again"),
    SwarmRule("rule", "what the rules want can be computed and done"),
    SwarmRule("control-point", "a command that a control point has taken gets its response"),
    SwarmRule("security", "nothing that is protected is read, written, subscribed to or sent on a link with less"),
    SwarmRule("bond", "a bond is replaced only by one at least as strong, and survives a kill"),
    SwarmRule("pairing", "a pairing of two that keep to the protocol does not fail in its cryptography"),
    SwarmRule("wire", "neither the controller nor a central has a complaint about what the accessory sends"),
    SwarmRule("answer", "a write that was answered with success was made"),
    SwarmRule("delivery", "what is sent arrives once and in order"),
    SwarmRule("subscription", "a configuration is what this client wrote last"),
    SwarmRule("records", "a Record Access Control Point that answers with success has sent every record"),
    SwarmRule("value", "what is read is what was written last"),
    SwarmRule("address", "a private address is used no longer than the profile says"),
    SwarmRule("presence", "what is withdrawn is not offered, and who sleeps has no links"),
    SwarmRule("life", "60 s after faults have ended, a fresh central finds, connects to and discovers the accessory"),
    SwarmRule("bounds", "links, bonds and packets have a bound"),
  ]

  private init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }
}
