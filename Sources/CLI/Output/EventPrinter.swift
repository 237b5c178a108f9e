import AccessoryProfile
import Understudy

/// Prints the events of a run: JSON lines for programs, or text for people. Which accessory an event is about stands there
/// where there are several.
struct EventPrinter: Sendable {
  let json: Bool
  let showsAccess: Bool
  /// What is not shown.
  let filter: EventFilter?
  let members: [AccessoryGroup.Member]
  /// Asks a person what pairings want to know; nil where programs read.
  let prompt: PairingPrompt?

  init(json: Bool, showsAccess: Bool, filter: EventFilter?, members: [AccessoryGroup.Member]) {
    (self.json, self.showsAccess, self.filter, self.members) = (json, showsAccess, filter, members)
    prompt = json ? nil : PairingPrompt(members: members)
  }

  /// Whether there are several accessories.
  private var areSeveral: Bool { members.count > 1 }

  /// Says what begins, where that is not said by the only accessory.
  func begin(joining: [String], buttons: [KeyButton]) {
    guard !json else { return }
    defer { for line in prompt?.offer(buttons) ?? [] { Terminal.print(line) } }
    guard areSeveral else { return }
    Terminal.print("Running \(members.map(\.name).joined(separator: ", ")). Stop them with Control-C.")
    for line in radioExplanation(joining) { Terminal.print(line) }
  }

  /// What an event is shown as.
  func lines(for event: GroupEvent) -> [TerminalText] {
    let asked = prompt?.lines(for: event) ?? []
    if let filter, !filter.passes(event.event.json) { return asked }
    if json { return [TerminalText((areSeveral ? event.json : event.event.json).jsonText)] }
    guard areSeveral, let name = event.accessory else {
      if case .ready(let report) = event.event.kind { return announcement(of: report) }
      return (line(event.event).map { [$0] } ?? []) + asked
    }
    return ([line(event.event)].compactMap(\.self) + asked).map { "\(Terminal.styled("[" + name + "]", .bold)) \($0)" }
  }

  /// Prints a line, or how many of them are missing.
  func print(_ delivery: BoundedQueue<TerminalText>.Delivery) {
    switch delivery {
    case .element(let line, _): Terminal.print(line)
    case .lost(let count):
      if json {
        Terminal.print(json: LostEvents(count: count).json)
      } else {
        Terminal.print("(\(count) lines are missing)")
      }
    }
  }

  /// An event on one line; nil for those that say nothing to a person.
  private func line(_ event: AccessoryEvent) -> TerminalText? {
    switch event.kind {
    case .ready(let report): "\(report.name) is \(Self.place(of: report))"
    case .awaitingController(let place): "Waiting for a controller (H4) at \(place)."
    case .controllerMissing(let reason): "Waiting for the controller: \(reason)."
    default: EventText.line(for: event, showsAccess: showsAccess)
    }
  }

  private static func place(of report: ReadyReport) -> String {
    report.sets.isEmpty
      ? "there as \(report.address) through \(report.controller), with nothing on the air"
      : "on the air as \(report.address) through \(report.controller), sets: \(report.sets.joined(separator: ", "))"
  }

  /// What a newcomer wants to know: who this is, where it is, how to meet it.
  private func announcement(of report: ReadyReport) -> [TerminalText] {
    let about = members.first?.accessory.profile.about ?? ""
    var lines: [TerminalText] = [
      "", Terminal.styled(report.name, .bold) + TerminalText(about.isEmpty ? "" : ": " + about),
    ]
    lines.append("  \(Self.place(of: report))")
    lines += radioExplanation(report.joining)
    if !report.instructions.isEmpty { lines += ["", TerminalText(lines: report.instructions), ""] }
    return lines + ["  Stop it with Control-C.", ""]
  }

  /// How to meet somebody on the virtual radio, if they are on one.
  private func radioExplanation(_ joining: [String]) -> [TerminalText] {
    guard !joining.isEmpty else { return [] }
    let beginning: [TerminalText] = [
      "  This is the virtual radio; nothing is transmitted over a real one. Attach any other Bluetooth",
      "  host (H4) to it, for example a Bumble central:",
    ]
    let end: TerminalText =
      areSeveral
      ? "  To use real radios, give each a board: --controller auto"
      : "  To use a real radio, add a board: --controller serial:/dev/ttyACM0"
    return beginning + joining.map { Terminal.styled("    " + $0, .bold) } + [end]
  }
}
