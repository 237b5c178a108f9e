import AccessoryProfile
import BLECore
import Capture
import Decoding
import Reporting
import Understudy
import UnderstudyCore

/// A run, or a case of another test framework, with its events and its capture.
struct RecordedCase {
  /// The name of the case.
  var name: String
  /// The suite that the case belongs to; empty if it belongs to none.
  var suite = ""
  /// The file that describes it.
  var file: String
  /// The line of `file` that failed; 0 if unknown.
  var line = 0
  /// Why it failed; nil if it has not.
  var failure: String?
  /// Whether it is a test, which can pass or fail.
  var isTest = true
  /// The path of its capture.
  var capture: String?
  /// Its events.
  var events = MomentLog()
  /// The profiles of its accessories.
  var profiles: [Profile] = []

  /// Creates a case.
  init(name: String, file: String) { (self.name, self.file) = (name, file) }

  /// Creates a case from a line of a file of cases; nil if it has no name.
  init?(_ entry: ProfileValue) {
    guard let name = entry["name"]?.string else { return nil }
    self.init(name: name, file: entry["file"]?.string ?? "")
    (suite, failure, capture) = (entry["suite"]?.string ?? "", entry["failure"]?.string, entry["capture"]?.string)
    line = entry["line"]?.int ?? 0
    for event in entry["events"]?.elements ?? [] { events.append(event) }
  }

  /// Returns the case with at most `limit` packets.
  ///
  /// - Throws: A `CaptureReadFailure` if the capture cannot be read.
  func reported(limit: Int = RunReport.packetLimit) throws -> ReportedCase {
    var reported = ReportedCase(name: name, file: file, outcome: isTest ? .passed : .recorded)
    (reported.scenario, reported.hasTimesOfDay) = (suite, true)
    if let failure {
      reported.outcome = .failed(ReportedCase.Failure(line: line, step: name, reason: failure))
      if let (text, _) = try? Profile.text(at: file) {
        reported.scenarioText = Excerpt(of: text, file: file, marked: line)
      }
    }
    var track: PacketTrack?
    if let capture {
      var shelf = RecordShelf()
      var reader = try CaptureFileReader(opening: capture)
      var record = CaptureRecord()
      while try reader.next(into: &record) { shelf.append(record) }
      var (formats, names): ([BluetoothUUID: ValueFormat], [BluetoothUUID: String]) = ([:], [:])
      for profile in profiles {
        formats.merge(profile.valueFormats) { $1 }
        names.merge(profile.valueNames) { $1 }
      }
      var builder = TrackBuilder(decoder: PacketDecoder(valueText: CaptureReading.valueText(formats), names: names))
      (builder.formats, builder.limit) = (formats, limit)
      builder.epoch = events.began.map { began in min(began, shelf.began ?? began) }
      let made = builder.track(of: shelf)
      track = made.packets.isEmpty ? nil : made
    }
    reported.epoch = [events.began, track?.began].compactMap(\.self).min() ?? 0
    reported.moments = events.moments(since: reported.epoch)
    reported.track = track
    reported.duration = max(
      reported.moments.last?.nanoseconds ?? 0, track?.packets.last?.nanoseconds ?? 0)
    return reported
  }
}
