import BLECore
import Glibc
import Transport

/// Runs seeds in other processes, and collects their findings.
package struct SwarmSearch {
  /// A finding of a seed.
  package struct Failure: Sendable {
    package var seed: UInt64
    package var finding: Finding
  }

  private let seeds: ClosedRange<UInt64>
  private let jobs: Int
  private let program: SwarmProgram
  private let end: Instant?
  private let stopsAtFirst: Bool
  private let batch: UInt64
  /// The number of seeds that have ended.
  package private(set) var finished = 0
  /// The number of seeds that could not start because their controller lacks something that the profile needs, and the last reason.
  package private(set) var leftOut = (count: 0, reason: "")
  /// The findings: for each seed, the first one for each rule and subject.
  package private(set) var failures: [Failure] = []
  /// The observations.
  package private(set) var sightings = Sightings()

  /// Creates a search through seeds with this program. At most `jobs` processes run at a time, each for `batch`
  /// seeds. The search starts no more processes after `end`, or after the first finding if `stopsAtFirst` is set.
  package init(
    seeds: ClosedRange<UInt64>, jobs: Int, program: SwarmProgram, end: Instant?, stopsAtFirst: Bool = false,
    batch: UInt64 = 20
  ) {
    (self.seeds, self.jobs, self.program, self.end) = (seeds, jobs, program, end)
    (self.stopsAtFirst, self.batch) = (stopsAtFirst, batch)
  }

  /// Runs all seeds. Calls `found` for each finding, and `progress` at least once per second.
  package mutating func run(found: (Failure) -> Void, progress: (SwarmSearch) -> Void = { _ in }) {
    var next = seeds.lowerBound
    var isAtEnd = false
    var workers: [SwarmWorker] = []
    while true {
      let isOver = (end.map { SystemClock.now() >= $0 } ?? false) || (stopsAtFirst && !failures.isEmpty)
      while !isOver, !isAtEnd, workers.count < jobs {
        let last = seeds.upperBound - next < batch ? seeds.upperBound : next + batch - 1
        if let worker = SwarmWorker(program.seeds(next...last), last: last) { workers.append(worker) }
        if last == seeds.upperBound { isAtEnd = true } else { next = last + 1 }
      }
      guard !workers.isEmpty else { break }
      var polled = workers.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      poll(&polled, nfds_t(polled.count), 1000)
      for (worker, entry) in zip(workers, polled) where entry.revents != 0 {
        if let lines = worker.lines() {
          take(lines, of: worker, found)
          continue
        }
        workers.removeAll { $0 === worker }
        let signal = worker.end()
        guard let seed = worker.current else { continue }
        add(
          Failure(
            seed: seed,
            finding: signal.map { SwarmWorker.finding(of: $0) } ?? Finding("trap", "the process ended")), found)
        if seed < worker.last, !isOver,
          let heir = SwarmWorker(program.seeds(seed + 1...worker.last), last: worker.last)
        {
          workers.append(heir)
        }
      }
      progress(self)
    }
  }

  private mutating func take(_ lines: [String], of worker: SwarmWorker, _ found: (Failure) -> Void) {
    for line in lines {
      let parts = line.split(separator: " ", maxSplits: 1)
      guard let word = parts.first else { continue }
      let rest = parts.count > 1 ? parts[1] : ""
      switch (word, worker.current) {
      case ("begin", _): worker.current = UInt64(rest)
      case ("finding", let seed?):
        guard let finding = Finding(line: rest) else { continue }
        add(Failure(seed: seed, finding: finding), found)
      case ("saw", let seed?): sightings.add(line: rest, of: seed)
      case ("left-out", _): leftOut = (leftOut.count + 1, String(rest))
      case ("end", _): (worker.current, finished) = (nil, finished + 1)
      default: break
      }
    }
  }

  /// Adds a finding, unless the seed already has one of the same rule and subject.
  private mutating func add(_ failure: Failure, _ found: (Failure) -> Void) {
    let isKnown = failures.contains {
      $0.seed == failure.seed && $0.finding.rule == failure.finding.rule
        && $0.finding.subject == failure.finding.subject
    }
    if isKnown { return }
    failures.append(failure)
    found(failure)
  }
}
