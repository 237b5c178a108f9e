import AccessoryProfile
import Transport
import Understudy

/// Prints the findings of `understudy doctor` for a person.
enum ExaminationPrinter {
  /// Prints a finding. The reason and the advice are printed only for problems.
  static func print(_ finding: StepFinding) {
    let title = finding.step.title + String(repeating: " ", count: max(1, width - finding.step.title.count))
    Terminal.print("\(mark(finding.verdict))  \(title)\(finding.found)")
    guard let fix = finding.fix else { return }
    Terminal.print("\(indent)why: \(finding.step.why)")
    Terminal.print("\(indent)do:  \(fix)")
  }

  /// Prints a summary.
  static func print(_ report: ExaminationReport) {
    Terminal.print("")
    Terminal.print(Terminal.styled(summary(of: report), .bold))
  }

  private static func summary(of report: ExaminationReport) -> String {
    func count(_ verdict: ExaminationVerdict, _ word: String) -> String? {
      let number = report.findings.count { $0.verdict == verdict }
      return number == 0 ? nil : "\(number) \(word)\(number == 1 ? "" : "s")"
    }
    let counts = [count(.failed, "fault"), count(.warning, "warning")].compactMap(\.self).joined(separator: ", ")
    guard report.isControllerThere else { return "No controller can be used: \(counts)." }
    return switch report.verdict {
    case .failed: "The controller cannot be used: \(counts)."
    case .warning: "The controller works: \(counts)."
    default: "The controller works."
    }
  }

  private static func mark(_ verdict: ExaminationVerdict) -> TerminalText {
    switch verdict {
    case .ok: Terminal.styled("ok     ", .green)
    case .warning: Terminal.styled("warning", .cyan)
    case .failed: Terminal.styled("failed ", .red)
    case .skipped: Terminal.styled("skipped", .dim)
    }
  }

  private static let width = (ExaminationStep.allCases.map(\.title.count).max() ?? 0) + 2
  private static let indent = String(repeating: " ", count: 9)
}
