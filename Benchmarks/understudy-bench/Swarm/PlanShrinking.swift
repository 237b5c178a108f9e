import Glibc
import Swarm

/// Makes a plan smaller that breaks a rule, by running smaller ones in processes of their own.
struct PlanShrinking {
  let rule: String
  /// Where the plans lie that are tried.
  private let folder: String

  /// Nil when there is no room for temporary files.
  init?(rule: String) {
    self.rule = rule
    var template = Array("/tmp/understudy-swarm-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The smallest plan to be found that breaks the rule, after at most so many attempts.
  func shrink(_ plan: SwarmPlan, attempts: Int) -> SwarmPlan {
    defer { rmdir(folder) }
    return plan.shrunk(attempts: attempts) { breaksRule($0) }
  }

  private func breaksRule(_ plan: SwarmPlan) -> Bool {
    let path = "\(folder)/plan.json"
    defer { unlink(path) }
    guard let file = fopen(path, "we") else { return false }
    let octets = Array(plan.text.utf8)
    let count = fwrite(octets, 1, octets.count, file)
    guard fclose(file) == 0, count == octets.count, let worker = SwarmWorker(["--worker", "--replay", path], last: 0)
    else {
      return false
    }
    var lines: [String] = []
    while let more = worker.lines() { lines += more }
    if let signal = worker.end() { return rule == SwarmWorker.rule(of: signal) }
    return lines.contains { $0.hasPrefix("finding \(rule) ") }
  }
}
