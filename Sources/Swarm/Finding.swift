import BLECore

/// Something that must hold and did not.
package struct Finding: Hashable, Sendable {
  /// The rule that was broken, by its short name: `determinism`, `indications`.
  package var rule: String
  /// What was seen, for people.
  package var message: String
  /// When, in virtual time; nil where it is about the whole run.
  package var instant: Instant?

  /// A finding.
  package init(_ rule: String, _ message: String, at instant: Instant? = nil) {
    (self.rule, self.message, self.instant) = (rule, message, instant)
  }
}
