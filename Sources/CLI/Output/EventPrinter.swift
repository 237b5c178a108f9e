import AccessoryProfile
import Understudy

/// Prints the events of a run: JSON lines for programs, or text for people.
struct EventPrinter: Sendable {
  let json: Bool
  let showsAccess: Bool
  let profile: Profile

  /// Prints an event.
  func print(_ event: AccessoryEvent) {
    if json { return Terminal.print(event.json.jsonText) }
    if case .ready(let report) = event.kind { return announce(report) }
    if case .awaitingController(let place) = event.kind {
      return Terminal.print("Waiting for a controller (H4) at \(place).")
    }
    if case .controllerMissing(let reason) = event.kind {
      return Terminal.print("Waiting for the controller: \(reason).")
    }
    if let line = EventText.line(for: event, showsAccess: showsAccess) { Terminal.print(line) }
  }

  /// What a newcomer wants to know: who this is, where it is, how to meet it.
  private func announce(_ report: ReadyReport) {
    Terminal.print("")
    Terminal.print(Terminal.styled(report.name, .bold) + (profile.about.isEmpty ? "" : ": \(profile.about)"))
    Terminal.print(
      "  on the air as \(report.address) through \(report.controller), sets: "
        + report.sets.joined(separator: ", "))
    if !report.joining.isEmpty {
      Terminal.print("  This is the virtual radio: nothing is on a real air. Attach any other Bluetooth host (H4)")
      Terminal.print("  to it, for example a Bumble central:")
      for address in report.joining { Terminal.print(Terminal.styled("    \(address)", .bold)) }
      Terminal.print("  Put it on a real air with a board: --controller serial:/dev/ttyACM0")
    }
    Terminal.print("  Stop it with Control-C.")
    Terminal.print("")
  }
}
