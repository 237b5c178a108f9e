import AccessoryProfile
import Bench
import BLECore
import Glibc
import Transport

/// The result of a soak.
struct SoakReport: Sendable {
  var settings: SoakSettings
  /// Whether its time was virtual.
  var isVirtual: Bool
  /// How long it was.
  var elapsed: Duration
  /// What happened.
  var ledger: SoakLedger
  /// The heap; nil when the run was too short to judge.
  var heap: HeapTrend.Figure?
  /// How much processor time it took.
  var processor: Duration
  /// How often one of its own deadlines woke the accessory's host; nil when nobody counted.
  var wakes: Int?

  /// Whether nothing was wrong.
  var isClean: Bool { ledger.faultCount == 0 && !(heap?.isLeak ?? false) }

  /// Everything that the seed determines: all but the heap and the processor time.
  var reproducible: ProfileValue {
    .object([
      "seed": .int(Int64(bitPattern: settings.seed)), "centrals": .int(Int64(settings.centrals)),
      "virtual": .bool(isVirtual), "seconds": .double(elapsed.inSeconds.rounded(places: 3)),
      "counts": .object(
        Dictionary(uniqueKeysWithValues: SoakCount.allCases.map { ($0.key, .int(Int64(ledger[$0]))) })),
      "ends": .object(
        Dictionary(uniqueKeysWithValues: SoakEnd.allCases.map { ("\($0)", .int(Int64(ledger[$0]))) })),
      "reads": ledger.reads.json, "recoveries": ledger.recoveries.json, "returns": ledger.returns.json,
      "wakes": wakes.map { .int(Int64($0)) } ?? .null, "fault_count": .int(Int64(ledger.faultCount)),
      "faults": .array(ledger.faults.map { .string($0.description) }),
    ])
  }

  /// The whole report as one object.
  var json: ProfileValue {
    guard case .object(var fields) = reproducible else { return .null }
    fields["clean"] = .bool(isClean)
    fields["cpu_s"] = .double(processor.inSeconds.rounded(places: 2))
    fields["heap"] =
      heap.map {
        .object([
          "start": .int(Int64($0.atStart)), "end": .int(Int64($0.atEnd)), "sessions": .int(Int64($0.sessions)),
          "growth_per_100_sessions": .int(Int64($0.perHundredSessions)), "rise": .int(Int64($0.rise)),
        ])
      } ?? .null
    return .object(fields)
  }
}

extension DurationHistogram {
  /// The object with `count`, and with `p50`, `p99` and `max` in milliseconds.
  fileprivate var json: ProfileValue {
    func milliseconds(_ duration: Duration?) -> ProfileValue {
      duration.map { .double(($0.inSeconds * 1000).rounded(places: 2)) } ?? .null
    }
    return .object([
      "count": .int(Int64(count)), "p50_ms": milliseconds(quantile(0.5)), "p99_ms": milliseconds(quantile(0.99)),
      "max_ms": milliseconds(count > 0 ? longest : nil),
    ])
  }
}

extension SoakCount {
  /// Its key in JSON.
  var key: String {
    "\(self)".reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
  }
}

/// The processor time of this process.
enum ProcessorTime {
  static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
