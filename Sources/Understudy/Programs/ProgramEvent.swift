import AccessoryProfile
import BLECore

/// An event of a program of the profile.
public enum ProgramEvent: Sendable {
  /// It runs, as the process with that number.
  case started(String, process: Int)
  /// It has ended or could not be run; with the reason, and the delay before it is run again, or nil if it is not.
  case ended(String, reason: String, again: Duration?)
  /// It has written a line to standard error.
  case said(String, text: String)
  /// It has written a line that cannot be carried out; with the line and the reason.
  case refused(String, text: String, reason: String)

  /// The event's name and fields.
  var described: (name: String, fields: [String: ProfileValue]) {
    switch self {
    case .started(let id, let process):
      ("program-started", ["program": .string(id), "process": .int(Int64(process))])
    case .ended(let id, let reason, let again):
      (
        "program-ended",
        ["program": .string(id), "reason": .string(reason)].merging(again.map { ["again_ms": $0.milliseconds] } ?? [:])
        {
          $1
        }
      )
    case .said(let id, let text): ("program-said", ["program": .string(id), "text": .string(text)])
    case .refused(let id, let text, let reason):
      ("program-refused", ["program": .string(id), "text": .string(text), "reason": .string(reason)])
    }
  }
}
