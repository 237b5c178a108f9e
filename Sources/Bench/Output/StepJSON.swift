import AccessoryProfile
import BLECore

extension StepResult {
  /// Returns the result as a JSON object. A failed step has `error` instead of the figures.
  package func json(events: EventLimit = .none) -> ProfileValue {
    let reference = step.reference(octets: transfer?.octets ?? Ladder.defaultOctets, events: events)
    var fields: [String: ProfileValue] = [
      "step": .int(Int64(step.number)), "name": .string(step.name), "method": .string(step.method.rawValue),
      "apple_kbps": step.appleKbps.map { .double($0) } ?? .null,
      "reference_kbps": .double(reference.kbps.rounded(places: 2)), "reference": .string(reference.source.rawValue),
    ]
    switch outcome {
    case .success(let transfer): fields.merge(transfer.fields) { first, _ in first }
    case .failure(let failure): fields["error"] = .string(failure.reason)
    }
    return .object(fields)
  }
}

extension Transfer {
  fileprivate var fields: [String: ProfileValue] {
    [
      "kbps": .double(kbps.rounded(places: 2)), "limit_kbps": .double(limitKbps.rounded(places: 2)),
      "percent_of_limit": .double(percent.rounded(places: 1)), "bound_by": .string(bound.rawValue),
      "octets": .int(Int64(octets)), "seconds": .double(time.inSeconds.rounded(places: 3)),
      "interval_ms": .double((link.interval.inSeconds * 1000).rounded(places: 2)), "mtu": .int(Int64(link.mtu)),
      "pdu_octets": .int(Int64(link.dataLength)), "phy": .string(link.phy.shortName), "unit_octets": .int(Int64(unit)),
      "packets_per_event": .double(packetsPerEvent.rounded(places: 2)),
      "missed_events": .double(missedEvents.rounded(places: 3)), "notes": .array(notes.map { .string($0) }),
    ]
  }
}

extension PHY {
  /// The PHY's name in profiles.
  var shortName: String {
    switch self {
    case .le1M: "1M"
    case .le2M: "2M"
    case .leCoded: "coded"
    default: "\(rawValue)"
    }
  }
}

extension Double {
  /// Returns the number rounded to that many decimal places.
  package func rounded(places: Int) -> Double {
    let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
    return (self * scale).rounded() / scale
  }
}
