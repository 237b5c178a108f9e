import AccessoryProfile
import BLECore

/// Notifications by ATT MTU as text for a person: one line for each row.
package enum NotificationTable {
  private static let columns: [(title: String, width: Int)] = [
    ("MTU", 5), ("PDU", 6), ("payload", 9), ("kbit/s", 9), ("gain", 9), ("limit", 8), ("%", 7), ("interval", 10),
  ]

  /// The heading.
  package static let head = line(columns.map(\.title))

  /// Returns the line of a row. `base` is the throughput with an MTU of 23 and data PDUs of the same length, to which the gain refers.
  package static func text(of result: NotificationResult, base: Double?) -> String {
    let link = result.rung.link
    switch result.outcome {
    case .failure(let failure):
      return line(["\(link.mtu)", "\(link.dataLength)", "\(result.rung.unit)"]) + "  failed: \(failure)"
    case .success(let figures):
      let gain = base.map { "\(figures.kbps < $0 ? "" : "+")\((100 * (figures.kbps / $0 - 1)).rounded(places: 1)) %" }
      return line([
        "\(figures.link.mtu)", "\(figures.link.dataLength)", "\(result.rung.unit)", LadderTable.number(figures.kbps),
        gain ?? "–", LadderTable.number(figures.limitKbps), "\(figures.percent.rounded(places: 1))",
        "\(LadderTable.number(figures.link.interval.inSeconds * 1000)) ms",
      ])
    }
  }

  private static func line(_ cells: [String]) -> String {
    zip(cells, columns).map { cell, column in
      String(repeating: " ", count: max(1, column.width - cell.count)) + cell
    }.joined()
  }
}

extension NotificationResult {
  /// Returns the result as a JSON object. A failed row has `error` instead of the figures.
  package func json(base: Double?) -> ProfileValue {
    var fields: [String: ProfileValue] = [
      "mtu": .int(Int64(rung.link.mtu)), "pdu_octets": .int(Int64(rung.link.dataLength)),
      "unit_octets": .int(Int64(rung.unit)), "phy": .string(rung.link.phy.shortName),
      "interval_ms": .double((rung.link.interval.inSeconds * 1000).rounded(places: 2)),
    ]
    switch outcome {
    case .failure(let failure): fields["error"] = .string(failure.reason)
    case .success(let figures):
      fields["mtu"] = .int(Int64(figures.link.mtu))
      fields["pdu_octets"] = .int(Int64(figures.link.dataLength))
      fields["octets"] = .int(Int64(figures.octets))
      fields["seconds"] = .double(figures.time.inSeconds.rounded(places: 3))
      fields["kbps"] = .double(figures.kbps.rounded(places: 2))
      fields["limit_kbps"] = .double(figures.limitKbps.rounded(places: 2))
      fields["percent_of_limit"] = .double(figures.percent.rounded(places: 1))
      fields["gain_percent"] = base.map { .double((100 * (figures.kbps / $0 - 1)).rounded(places: 1)) }
    }
    return .object(fields)
  }

  /// The throughput; nil if the row failed.
  package var kbps: Double? { (try? outcome.get())?.kbps }
}
