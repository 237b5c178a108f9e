import Bench
import BLECore
import Transport
import Understudy

/// The report of a soak as a table for people.
enum SoakTable {
  /// Returns the lines of a report.
  static func lines(for report: SoakReport) -> [String] {
    let ledger = report.ledger
    var lines = [head(report), ""]
    lines += SoakCount.allCases.map { row($0.rawValue, "\(ledger[$0])") }
    lines += ["", "sessions ended by"]
    lines += SoakEnd.allCases.filter { ledger[$0] > 0 }.map { row("  " + $0.rawValue, "\(ledger[$0])") }
    lines += [
      "", row("heard again after a restart", text(ledger.recoveries)),
      row("heard again after another end", text(ledger.returns)), row("latency of reads", text(ledger.reads)),
    ]
    if let wakes = report.wakes { lines.append(row("wakes of the accessory's host", "\(wakes)")) }
    lines.append(row("heap", text(report.heap)))
    lines.append(row("processor time", "\(report.processor.inSeconds.rounded(places: 1)) s, " + ratio(report)))
    lines += ["", report.isClean ? "nothing was wrong" : "\(ledger.faultCount) faults"]
    lines += ledger.faults.map { "  \($0)" }
    if report.heap?.isLeak == true { lines.append("  the heap grows with every session") }
    if !report.isClean, report.isVirtual { lines.append("to see them again, use --seed \(report.settings.seed)") }
    return lines
  }

  /// Returns one line for a person who waits.
  static func line(for progress: SoakProgress, of settings: SoakSettings) -> String {
    let share = (progress.elapsed / settings.duration * 1000).rounded() / 10
    return "\(share) %, \(progress.ledger[.sessions]) sessions, \(progress.ledger.faultCount) faults"
  }

  private static func head(_ report: SoakReport) -> String {
    "\(duration(report.elapsed)) of \(report.isVirtual ? "virtual" : "real") time, \(report.settings.centrals) "
      + "central\(report.settings.centrals == 1 ? "" : "s"), seed \(report.settings.seed)"
  }

  private static func ratio(_ report: SoakReport) -> String {
    let times = report.elapsed / report.processor
    return report.isVirtual
      ? "\(Int(times)) times as fast as real time" : "\((100 / times).rounded(places: 2)) % of a core"
  }

  private static func row(_ name: String, _ value: String) -> String {
    name + String(repeating: " ", count: max(1, 56 - name.count)) + value
  }

  private static func text(_ histogram: DurationHistogram) -> String {
    guard let median = histogram.quantile(0.5), let p99 = histogram.quantile(0.99) else { return "–" }
    return "median \(duration(median)), p99 \(duration(p99)), max \(duration(histogram.longest)) of \(histogram.count)"
  }

  private static func text(_ heap: HeapTrend.Figure?) -> String {
    guard let heap else { return "the run was too short" }
    return "\(heap.atStart) octets at the start, \(heap.atEnd) at the end; "
      + "\(heap.perHundredSessions) for each 100 sessions"
  }

  private static func duration(_ duration: Duration) -> String {
    switch duration {
    case ..<(.seconds(1)): "\((duration.inSeconds * 1000).rounded(places: 1)) ms"
    case ..<(.seconds(120)): "\(duration.inSeconds.rounded(places: 2)) s"
    case ..<(.seconds(172_800)): "\((duration.inSeconds / 3600).rounded(places: 2)) h"
    default: "\((duration.inSeconds / 86_400).rounded(places: 2)) d"
    }
  }
}
