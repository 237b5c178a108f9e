import AccessoryProfile
import BLECore
import Understudy

/// A violation of a rule.
package struct Finding: Hashable, Sendable {
  /// The short name of the violated rule: `determinism`, `life`.
  package var rule: String
  /// The part of the accessory that it concerns: the id of a characteristic, a state; nil if it concerns the whole.
  package var subject: String?
  /// The observation, for people.
  package var message: String
  /// The virtual time; nil if it concerns the whole run.
  package var instant: Instant?

  /// Creates a finding.
  package init(_ rule: String, about subject: String? = nil, _ message: String, at instant: Instant? = nil) {
    (self.rule, self.subject, self.message, self.instant) = (rule, subject, message, instant)
  }

  /// The time and the message, in one line.
  package var text: String { instant.map { "at \($0.nanoseconds / 1_000_000) ms: \(message)" } ?? message }

  /// The finding as a line, for another process.
  var line: String {
    var fields: [String: ProfileValue] = ["rule": .string(rule), "message": .string(message)]
    fields["subject"] = subject.map { .string($0) }
    fields["at"] = instant.map { .int($0.nanoseconds) }
    return ProfileValue.object(fields).jsonText
  }

  /// Reads the finding in a line.
  init?(line: Substring) {
    guard let fields = try? ProfileValue(json: Array(line.utf8)), let rule = fields["rule"]?.string,
      let message = fields["message"]?.string
    else { return nil }
    self.init(
      rule, about: fields["subject"]?.string, message,
      at: fields["at"]?.int.map { Instant(nanoseconds: Int64($0)) })
  }
}
