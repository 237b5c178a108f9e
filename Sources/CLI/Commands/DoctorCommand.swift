import AccessoryProfile
import ArgumentParser
import Bench
import Transport
import Understudy
import VirtualRadio

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Test a controller step by step, explain why each problem matters, and say what to do.",
    discussion: """
      The steps go from the port to the air: the port and which programs use it, the speed, H4, the firmware and its features, \
      lost octets, flow control, latency, and whether advertising is received. The controller is reset, and advertises as \
      Understudy for a moment. With --central, a second controller listens and then connects, and the latency and throughput \
      of the connection are measured; the virtual radio always has a second controller.

      Controllers: \(ControllerAddress.forms.joined(separator: "; ")). With tcp-server and pty, the test waits half a minute for one.

      Exit codes: 0 the controller works, possibly with warnings; 1 the controller answers, but something failed; 69 no \
      controller answers.
      """)

  @Option(
    help: "The controller to test (default: auto, the one board that is plugged in).",
    transform: { try ControllerAddress(parsing: $0) })
  var controller: ControllerAddress = .auto

  @Option(
    help: ArgumentHelp(
      "A second controller, which listens for the first one; it is reset too.", valueName: "address"),
    transform: { try ControllerAddress(parsing: $0) })
  var central: ControllerAddress?

  @Option(
    help: ArgumentHelp(
      "With --controller virtual: the kind of controller. Known: \(JoiningPlace.presets).", valueName: "name"),
    transform: { try JoiningPlace.preset($0) })
  var preset: ControllerConfiguration?

  @Option(
    name: .customLong("impair"),
    help: ArgumentHelp(
      """
      With --controller virtual: impair the radio, to see what the test finds; may be repeated. The controller's name is accessory, \
      the listener's is accessory-2. Known: \(RadioImpairment.forms.joined(separator: "; ")).
      """, valueName: "settings"),
    transform: { try RadioImpairment(parsing: $0) })
  var impairments: [RadioImpairment] = []

  @Option(help: "The seed for the addresses of its advertising.")
  var seed: UInt64 = 0

  @Flag(help: "Print one JSON object with all steps.")
  var json = false

  func validate() throws {
    guard controller == .virtual || (preset == nil && impairments.isEmpty) else {
      throw ValidationError("--preset and --impair need --controller virtual")
    }
    guard controller != .virtual || central == nil else {
      throw ValidationError("--controller virtual has its own listener: leave out --central")
    }
    guard central != .virtual, central != .auto else {
      throw ValidationError("--central takes the address of a board")
    }
  }

  func run() async throws {
    // Report errors of the installation before using the controller.
    let profile = try central.map { _ in try ProfileArguments.load("throughput") }
    let report: ExaminationReport
    do throws(TransportError) {
      report = try await examine(with: profile)
    } catch {
      Terminal.error("\(error)")
      throw ExitStatus.unavailable
    }
    if json {
      Terminal.print(json: report.json(of: "\(controller)"))
    } else {
      ExaminationPrinter.print(report)
    }
    guard report.isControllerThere else { throw ExitStatus.unavailable }
    if report.verdict == .failed { throw ExitCode.failure }
  }

  /// Examines the controller, and a connection between both controllers if there is a profile for that.
  private func examine(with profile: Profile?) async throws(TransportError) -> ExaminationReport {
    let loop = try PollLoop(name: "doctor")
    try loop.start()
    defer { loop.stopAndWait() }
    var radio: RadioHub?
    if controller == .virtual {
      let hub = RadioHub(loop: loop, configuration: preset ?? .full, seed: seed)
      for impairment in impairments { await hub.impair(impairment) }
      radio = hub
    }
    let printsText = !json
    let doctor = Doctor(controller, listener: central, radio: radio, loop: loop, seed: seed) { finding in
      if printsText { ExaminationPrinter.print(finding) }
    }
    let report = await doctor.examine()
    return await tryLink(behind: report, with: profile, on: loop).reduce(report) { report, finding in
      if printsText { ExaminationPrinter.print(finding) }
      return report.replacing(finding)
    }
  }

  /// Returns the findings about a connection between both controllers, or why there are none.
  private func tryLink(behind report: ExaminationReport, with profile: Profile?, on loop: PollLoop) async
    -> [StepFinding]
  {
    guard report.isControllerThere else { return [] }
    func skipped(_ reason: SkipReason) -> [StepFinding] {
      [StepFinding(.linkLatency, .skipped(reason)), StepFinding(.linkThroughput, .skipped(reason))]
    }
    guard let central, let profile else { return skipped(.noListener) }
    guard report[.legacyOnAir]?.observation == .heard || report[.extendedOnAir]?.observation == .heard else {
      return skipped(.notHeard)
    }
    switch controller {
    case .auto, .serial, .tcpClient, .unix, .hci: break
    case .virtual, .tcpServer, .pty: return skipped(.openedOnce)
    }
    return await LinkTrial(profile, accessory: controller, central: central, seed: seed).play(on: loop)
  }
}
