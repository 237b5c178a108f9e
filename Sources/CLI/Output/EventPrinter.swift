import AccessoryProfile
import Understudy

/// Prints the events of a run: JSON lines for programs, or text for people. If there are several accessories,
/// the text includes their names.
struct EventPrinter: Sendable {
  let json: Bool
  let showsAccess: Bool
  /// The events to leave out.
  let filter: EventFilter?
  let members: [AccessoryGroup.Member]
  /// Asks a person the questions of pairings; nil if a program reads the output.
  let prompt: PairingPrompt?

  init(json: Bool, showsAccess: Bool, filter: EventFilter?, members: [AccessoryGroup.Member]) {
    (self.json, self.showsAccess, self.filter, self.members) = (json, showsAccess, filter, members)
    prompt = json ? nil : PairingPrompt(members: members)
  }

  /// Whether there are several accessories.
  private var areSeveral: Bool { members.count > 1 }

  /// Prints an introduction, unless the only accessory prints it when it is ready.
  func begin(joining: [String], buttons: [KeyButton]) {
    guard !json else { return }
    defer { for line in prompt?.offer(buttons) ?? [] { Terminal.print(line) } }
    guard areSeveral else { return }
    Terminal.print("Running \(members.map(\.name).joined(separator: ", ")). Stop them with Control-C.")
    for line in radioExplanation(joining) { Terminal.print(line) }
  }

  /// Returns the lines that show an event.
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

  /// Prints a line, or the number of missing lines.
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

  /// Returns an event on one line; nil for events that do not matter to a person.
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
      ? "running as \(report.address) through \(report.controller), with nothing on the air"
      : "on the air as \(report.address) through \(report.controller), sets: \(report.sets.joined(separator: ", "))"
  }

  /// Returns the lines for a new user: the accessory, its address, and how to connect to it.
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

  /// Returns the lines that explain how to join the virtual radio; empty if there is none.
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
