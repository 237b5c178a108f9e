import BLECore

/// The ladder as text for a person: one line for each step.
package enum LadderTable {
  private static let columns: [(title: String, width: Int)] = [
    ("step", 26), ("kbit/s", 9), ("reference", 11), ("limit", 9), ("%", 7), ("interval", 10), ("MTU", 5), ("PDU", 5),
    ("PHY", 5),
    ("packets/event", 15),
  ]

  /// The heading.
  package static let head = line(columns.map(\.title)) + "  bound by"

  /// Returns the lines of a step: its figures, and how the link differs from the wanted one.
  package static func lines(for result: StepResult, events: EventLimit = .none) -> [String] {
    let title = "\(result.step.number) \(result.step.name)"
    switch result.outcome {
    case .failure(let failure): return [padded(title, columns[0].width, isRight: false) + "  failed: \(failure)"]
    case .success(let transfer):
      let cells = [
        title, number(transfer.kbps), text(result.step.reference(octets: transfer.octets, events: events)),
        number(transfer.limitKbps),
        "\(transfer.percent.rounded(places: 1))", "\(number(transfer.link.interval.inSeconds * 1000)) ms",
        "\(transfer.link.mtu)", "\(transfer.link.dataLength)", transfer.link.phy.shortName,
        "\(transfer.packetsPerEvent.rounded(places: 1))",
      ]
      return [line(cells) + "  \(transfer.bound.rawValue)"] + transfer.notes.map { "    \($0)" }
    }
  }

  /// Returns the meaning of the mark on references; nil if no step has one.
  package static func remark(on steps: [LadderStep]) -> String? {
    let marked = steps.filter { $0.appleKbps == nil }.map { "\($0.number)" }
    guard !marked.isEmpty else { return nil }
    return "* Apple has no figure for step \(marked.joined(separator: ", ")): computed from the timing of the PHY."
  }

  private static func text(_ reference: LadderStep.Reference) -> String {
    reference.source == .apple ? number(reference.kbps) : "\(number(reference.kbps))*"
  }

  private static func line(_ cells: [String]) -> String {
    zip(cells, columns).enumerated().map { place, cell in padded(cell.0, cell.1.width, isRight: place > 0) }.joined()
  }

  private static func padded(_ text: String, _ width: Int, isRight: Bool) -> String {
    let padding = String(repeating: " ", count: max(isRight ? 1 : 0, width - text.count))
    return isRight ? padding + text : text + padding
  }

  /// Formats a number, without decimals if it is whole or at least 100.
  static func number(_ value: Double) -> String {
    let rounded = value.rounded(places: value < 100 ? 1 : 0)
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }
}
