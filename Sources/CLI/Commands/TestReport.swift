import AccessoryProfile
import BLECore
import Capture
import Decoding
import Reporting
import Scenarios
import Understudy
import UnderstudyTesting

/// The report of the cases of `understudy test`.
enum TestReport {
  /// Returns the report of cases that ran in virtual time. Failed cases, or all of them, run again for their packets. Cases on one air have
  /// no packets, because each would have the packets of all.
  static func report(
    _ results: [CaseResult], of entries: [ScenarioRun.Entry], recordingAll: Bool, sharingAir: Bool
  ) -> RunReport {
    let recorded = sharingAir ? 0 : results.count { recordingAll || !$0.hasPassed }
    let limit = RunReport.packetShare(cases: recorded)
    let cases = zip(results, entries).map { result, entry in
      var reported = reported(result, of: entry)
      guard !sharingAir, recordingAll || !result.hasPassed else { return reported }
      var shelf = RecordShelf()
      let again = CaseRunner.run(entry.test, of: entry.scenario) { shelf.append($0) }
      // An observed air skips no idle connection events, so times may differ by a connection interval from those of the first run. The
      // report shows the second run, except for its outcome if that differs.
      if again.hasPassed == result.hasPassed {
        reported = Self.reported(again, of: entry)
      } else {
        (reported.moments, reported.duration) = (Moment.all(of: again.transcript), again.duration.inNanoseconds)
      }
      var builder = TrackBuilder(of: entry.scenario.profile)
      builder.limit = limit
      builder.epoch = reported.epoch
      if let recorded = again.recorded { builder.learn(recorded) }
      reported.track = builder.track(of: shelf)
      return reported
    }
    return RunReport(title: title(of: results), maker: "understudy \(Version.number)", cases: cases)
  }

  /// Returns the report of cases that ran on a device, with the packets of its central, by the number of the case.
  static func report(
    _ results: [CaseResult], of entries: [ScenarioRun.Entry], onDevice packets: [Int: [CaptureRecord]]
  ) -> RunReport {
    let limit = RunReport.packetShare(cases: packets.count)
    let cases = zip(results, entries).enumerated().map { index, pair in
      var reported = reported(pair.0, of: pair.1)
      guard let records = packets[index] else { return reported }
      var shelf = RecordShelf()
      for record in records { shelf.append(record) }
      var builder = TrackBuilder(of: pair.1.scenario.profile)
      builder.limit = limit
      let track = builder.track(of: shelf)
      (reported.track, reported.epoch, reported.hasTimesOfDay) = (track, track.began, true)
      return reported
    }
    return RunReport(title: title(of: results), maker: "understudy \(Version.number)", cases: cases)
  }

  private static func title(of results: [CaseResult]) -> String {
    let names = Set(results.map(\.scenario))
    return names.count == 1 ? names.first ?? "" : "\(results.count) cases of \(names.count) scenarios"
  }

  private static func reported(_ result: CaseResult, of entry: ScenarioRun.Entry) -> ReportedCase {
    var reported = ReportedCase(name: result.name, file: result.file, outcome: .passed)
    reported.scenario = result.scenario
    reported.duration = result.duration.inNanoseconds
    reported.epoch = TestAccessory.clock.nanosecondsAtZero
    reported.moments = Moment.all(of: result.transcript)
    if let skipped = result.skipped { reported.outcome = .skipped(skipped) }
    guard let failure = result.failure else { return reported }
    var shown = ReportedCase.Failure(
      line: failure.line, step: failure.step, reason: failure.reason, expected: failure.comparison?.expected,
      actual: failure.comparison?.actual)
    (shown.time, shown.injected) = (failure.time?.inNanoseconds, failure.injectedLines)
    reported.outcome = .failed(shown)
    if let (text, _) = try? Profile.text(at: result.file) {
      reported.scenarioText = Excerpt(of: text, file: result.file, marked: failure.line)
    }
    reported.profileText = failure.subject.flatMap { Excerpt(declaring: $0, in: entry.scenario.profile) }
    return reported
  }
}

extension TrackBuilder {
  /// Creates a builder that knows the formats and names of a profile.
  init(of profile: Profile) {
    let formats = profile.valueFormats
    self.init(decoder: PacketDecoder(valueText: CaptureReading.valueText(formats), names: profile.valueNames))
    self.formats = formats
  }

  /// Gives the decoder the attributes of a case's accessory, from the points of view of the accessory, the air and the centrals.
  fileprivate mutating func learn(_ recorded: RecordedHosts) {
    hostNames = recorded.names
    for (handle, type, id, isDescriptor) in recorded.attributes {
      let name = isDescriptor || type.assignedName != nil ? nil : id
      decoder.define(attribute: handle, type, name: name, isDescriptor: isDescriptor, source: recorded.accessory)
      for address in recorded.addresses {
        decoder.define(attribute: handle, type, name: name, isDescriptor: isDescriptor, ofPeer: address)
      }
    }
  }
}
