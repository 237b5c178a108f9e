import BLECore
import Glibc
import Swarm
import Transport

/// Runs seeds in other processes, and shrinks what they find.
struct SwarmSearch {
  let seeds: ClosedRange<UInt64>
  let jobs: Int
  /// What every worker is told beside its seeds.
  let arguments: [String]
  /// When it stops.
  let end: Instant?
  let stopsAtFirst: Bool
  /// How many seeds have been run to their end.
  private(set) var finished = 0

  /// What was found: the seed and the rule.
  private(set) var failures: [(seed: UInt64, rule: String)] = []

  init(seeds: ClosedRange<UInt64>, jobs: Int, arguments: [String], end: Instant?, stopsAtFirst: Bool) {
    (self.seeds, self.jobs, self.arguments, self.end) = (seeds, jobs, arguments, end)
    self.stopsAtFirst = stopsAtFirst
  }

  /// Seeds that one process runs after one another.
  private static let batch: UInt64 = 20

  /// Runs all seeds.
  mutating func run() {
    let began = SystemClock.now()
    var next = seeds.lowerBound
    var workers: [SwarmWorker] = []
    func start(_ first: UInt64, _ last: UInt64) {
      let worker = SwarmWorker(["--worker", "--seeds", "\(first)-\(last)"] + arguments, last: last)
      if let worker { workers.append(worker) }
    }
    while true {
      let isOver = (end.map { SystemClock.now() >= $0 } ?? false) || (stopsAtFirst && !failures.isEmpty)
      while !isOver, workers.count < jobs, next <= seeds.upperBound {
        let last = min(seeds.upperBound, next + Self.batch - 1)
        start(next, last)
        next = last + 1
      }
      guard !workers.isEmpty else { break }
      var polled = workers.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      poll(&polled, nfds_t(polled.count), -1)
      for (worker, entry) in zip(workers, polled) where entry.revents != 0 {
        if let lines = worker.lines() {
          take(lines, of: worker, since: began)
          continue
        }
        workers.removeAll { $0 === worker }
        let signal = worker.end()
        guard let seed = worker.current else { continue }
        let rule = signal.map { SwarmWorker.rule(of: $0) } ?? "trap"
        report(seed, "finding \(rule) \(signal.map { "signal \($0)" } ?? "the process ended")", since: began)
        failures.append((seed, rule))
        if seed < worker.last, !isOver { start(seed + 1, worker.last) }
      }
    }
  }

  private mutating func take(_ lines: [String], of worker: SwarmWorker, since began: Instant) {
    for line in lines {
      let words = line.split(separator: " ")
      switch words.first {
      case "begin": worker.current = words.last.flatMap { UInt64($0) }
      case "finding":
        guard let seed = worker.current else { continue }
        report(seed, line, since: began)
        failures.append((seed, words.count > 1 ? String(words[1]) : ""))
      case "end": (worker.current, finished) = (nil, finished + 1)
      default: break
      }
    }
  }

  private func report(_ seed: UInt64, _ line: String, since began: Instant) {
    let seconds = ((SystemClock.now() - began).inSeconds * 10).rounded() / 10
    print("seed \(seed) after \(seconds) s: \(line.dropFirst("finding ".count))")
    fflush(nil)
  }
}
