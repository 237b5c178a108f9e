import AccessoryProfile
import BLECore
import BLEHCI
import Transport

extension StepFinding {
  /// The finding for JSON.
  public var json: ProfileValue {
    var fields: [String: ProfileValue] = [
      "step": .string(step.rawValue), "title": .string(step.title), "verdict": .string(verdict.rawValue),
      "found": .string(found), "why": .string(step.why), "fix": fix.map { .string($0) } ?? .null,
      "configuration": .array(configuration.map { .string($0) }),
    ]
    if !figures.isEmpty { fields["figures"] = .object(figures) }
    return .object(fields)
  }

  /// The numbers in the finding.
  private var figures: [String: ProfileValue] {
    func int(_ value: Int) -> ProfileValue { .int(Int64(value)) }
    return switch observation {
    case .speedFits(let settings), .speedDiffers(_, let settings):
      ["baud": .int(Int64(settings.baud)), "flow_control": .bool(settings.flowControl)]
    case .synchronized(let stray): ["stray_octets": int(stray)]
    case .noise(let octets): ["octets": int(octets)]
    case .identified(let identity):
      [
        "version": .string("\(identity.version)"), "manufacturer": .int(Int64(identity.manufacturer.rawValue)),
        "firmware": identity.firmware.map { .string($0) } ?? .null,
      ]
    case .amount(let amount, let wanted, _): ["amount": int(amount), "wanted": int(wanted)]
    case .buffers(let length, let count, _): ["length": int(length), "count": int(count)]
    case .exact(let exchanges), .stable(let exchanges): ["exchanges": int(exchanges)]
    case .lossy(let exchanges, let unanswered, let different, let stray):
      [
        "exchanges": int(exchanges), "unanswered": int(unanswered), "different": int(different),
        "stray_octets": int(stray),
      ]
    case .late(let answers, let total, let longest):
      ["late": int(answers), "exchanges": int(total), "longest_ms": longest.milliseconds]
    case .latency(let median, let p99): ["median_ms": median.milliseconds, "p99_ms": p99.milliseconds]
    case .linkLatency(let median, let p99, let interval, let count):
      [
        "median_ms": median.milliseconds, "p99_ms": p99.milliseconds, "interval_ms": interval.milliseconds,
        "writes": int(count),
      ]
    case .linkRate(let kbps, let limit, let bound):
      ["kbps": .double(kbps.rounded()), "limit_kbps": .double(limit.rounded()), "bound_by": .string(bound)]
    case .burstsWhole(let exchanges, let octets, let afterPause):
      ["exchanges": int(exchanges), "octets": int(octets), "after_pause": int(afterPause)]
    case .burstsLost(let exchanges, let lost, _): ["exchanges": int(exchanges), "lost": int(lost)]
    case .rate(let octets, let limit):
      ["octets_per_second": int(octets), "limit": limit.map { int($0) } ?? .null]
    default: [:]
    }
  }
}

extension ExaminationReport {
  /// Returns the report for JSON, for the controller at that address.
  public func json(of address: String) -> ProfileValue {
    .object([
      "controller": .string(address), "verdict": .string(verdict.rawValue),
      "controller_is_there": .bool(isControllerThere),
      "steps": .array(findings.map(\.json)),
    ])
  }
}
