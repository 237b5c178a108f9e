import AccessoryProfile
import BLECore
import Understudy

/// Something that must hold and did not.
package struct Finding: Hashable, Sendable {
  /// The rule that was broken, by its short name: `determinism`, `life`.
  package var rule: String
  /// What of the accessory it is about: the id of a characteristic, a state; nil where it is about the whole.
  package var subject: String?
  /// What was seen, for people.
  package var message: String
  /// When, in virtual time; nil where it is about the whole run.
  package var instant: Instant?

  /// A finding.
  package init(_ rule: String, about subject: String? = nil, _ message: String, at instant: Instant? = nil) {
    (self.rule, self.subject, self.message, self.instant) = (rule, subject, message, instant)
  }

  /// When and what, in one line.
  package var text: String { instant.map { "at \($0.nanoseconds / 1_000_000) ms: \(message)" } ?? message }

  /// The finding as a process tells another.
  var line: String {
    var fields: [String: ProfileValue] = ["rule": .string(rule), "message": .string(message)]
    fields["subject"] = subject.map { .string($0) }
    fields["at"] = instant.map { .int($0.nanoseconds) }
    return ProfileValue.object(fields).jsonText
  }

  /// The finding that a line tells.
  init?(line: Substring) {
    guard let fields = try? ProfileValue(json: Array(line.utf8)), let rule = fields["rule"]?.string,
      let message = fields["message"]?.string
    else { return nil }
    self.init(
      rule, about: fields["subject"]?.string, message,
      at: fields["at"]?.int.map { Instant(nanoseconds: Int64($0)) })
  }
}
