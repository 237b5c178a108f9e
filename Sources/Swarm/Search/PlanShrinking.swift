import Glibc

/// Shrinks a plan by running smaller plans in separate processes, to see which still show the aim.
package struct PlanShrinking {
  /// What a run of a smaller plan must show.
  package enum Aim: Sendable {
    /// A finding of this rule, and about this subject unless it is nil.
    case finding(rule: String, subject: String?)
    /// These sightings.
    case sightings([Sighting])
  }

  private let aim: Aim
  private let program: SwarmProgram
  /// The folder for the plans to try.
  private let folder: String

  /// Creates the temporary folder. Returns nil if that fails.
  package init?(_ aim: Aim, by program: SwarmProgram) {
    (self.aim, self.program) = (aim, program)
    var template = Array("/tmp/understudy-swarm-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Returns the smallest plan that shows the aim, after at most this many attempts.
  package func shrink(_ plan: SwarmPlan, attempts: Int) -> SwarmPlan {
    defer { rmdir(folder) }
    return plan.shrunk(attempts: attempts) { isShown(by: $0) }
  }

  private func isShown(by plan: SwarmPlan) -> Bool {
    let path = "\(folder)/plan.json"
    defer { unlink(path) }
    guard let file = fopen(path, "we") else { return false }
    let octets = Array(plan.text.utf8)
    let count = fwrite(octets, 1, octets.count, file)
    guard fclose(file) == 0, count == octets.count, let worker = SwarmWorker(program.plan(path), last: 0) else {
      return false
    }
    var lines: [String] = []
    while let more = worker.lines() { lines += more }
    let signal = worker.end()
    switch aim {
    case .finding(let rule, let subject):
      if let signal { return rule == SwarmWorker.rule(of: signal) }
      return lines.contains { line in
        guard line.hasPrefix("finding "), let finding = Finding(line: line.dropFirst("finding ".count)) else {
          return false
        }
        return finding.rule == rule && (subject == nil || finding.subject == subject)
      }
    case .sightings(let wanted):
      guard signal == nil else { return false }
      var seen = Sightings()
      for line in lines where line.hasPrefix("saw ") { seen.add(line: line.dropFirst("saw ".count), of: 0) }
      return wanted.allSatisfy { seen[$0] > 0 }
    }
  }
}
