import AccessoryProfile
import Understudy

/// Prints the events of a run: JSON lines for programs, or text for people. Which accessory an event is about stands there
/// where there are several.
struct EventPrinter: Sendable {
  let json: Bool
  let showsAccess: Bool
  let members: [AccessoryGroup.Member]

  /// Whether there are several accessories.
  private var areSeveral: Bool { members.count > 1 }

  /// Says what begins, where that is not said by the only accessory.
  func begin(joining: [String]) {
    guard areSeveral, !json else { return }
    Terminal.print("Running \(members.map(\.name).joined(separator: ", ")). Stop them with Control-C.")
    explainRadio(joining)
  }

  /// Prints an event.
  func print(_ event: GroupEvent) {
    if json { return Terminal.print((areSeveral ? event.json : event.event.json).jsonText) }
    guard areSeveral, let name = event.accessory else {
      if case .ready(let report) = event.event.kind { return announce(report) }
      return line(event.event).map { Terminal.print($0) } ?? ()
    }
    if let line = line(event.event) { Terminal.print(Terminal.styled("[\(name)]", .bold) + " \(line)") }
  }

  /// An event on one line; nil for those that say nothing to a person.
  private func line(_ event: AccessoryEvent) -> String? {
    switch event.kind {
    case .ready(let report): "\(report.name) is \(Self.place(of: report))"
    case .awaitingController(let place): "Waiting for a controller (H4) at \(place)."
    case .controllerMissing(let reason): "Waiting for the controller: \(reason)."
    default: EventText.line(for: event, showsAccess: showsAccess)
    }
  }

  private static func place(of report: ReadyReport) -> String {
    "on the air as \(report.address) through \(report.controller), sets: \(report.sets.joined(separator: ", "))"
  }

  /// What a newcomer wants to know: who this is, where it is, how to meet it.
  private func announce(_ report: ReadyReport) {
    let about = members.first?.accessory.profile.about ?? ""
    Terminal.print("")
    Terminal.print(Terminal.styled(report.name, .bold) + (about.isEmpty ? "" : ": \(about)"))
    Terminal.print("  \(Self.place(of: report))")
    explainRadio(report.joining)
    Terminal.print("  Stop it with Control-C.")
    Terminal.print("")
  }

  /// Says how to meet somebody on the virtual radio, if they are on one.
  private func explainRadio(_ joining: [String]) {
    guard !joining.isEmpty else { return }
    Terminal.print("  This is the virtual radio: nothing is on a real air. Attach any other Bluetooth host (H4)")
    Terminal.print("  to it, for example a Bumble central:")
    for address in joining { Terminal.print(Terminal.styled("    \(address)", .bold)) }
    Terminal.print(
      areSeveral
        ? "  Put them on a real air with a board for each: --controller auto"
        : "  Put it on a real air with a board: --controller serial:/dev/ttyACM0")
  }
}
