import AccessoryProfile
import ArgumentParser
import BLECore
import BLEGAP
import BLELink
import Capture
import CentralHost
import Learning
import PeripheralHost
import Proxying
import RealCentral
import Simulation
import Transport

/// Stands between an app and an accessory, and learns from the packets that pass.
struct ProxyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "proxy",
    abstract: "Stand between an app and a real accessory, pass everything on, and learn its profile.",
    discussion: """
      The proxy reads the accessory with one controller, and then advertises like it with the other. While an app is connected to the \
      proxy, the proxy is connected to the accessory, and passes on every packet unchanged. Only pairing is separate for each side. \
      Control-C ends the proxy, and writes what it has learnt: commands with their answers, and the order of the app's actions.

      Exit codes: 65 the packets do not show enough, 69 a controller or the accessory cannot be used, 73 a file exists.
      """)

  @Argument(
    help: "The accessory: its name, its address or a service that it advertises. Without it, choose one from a list.")
  var device: String?

  @Option(
    help: "The controller to which apps connect, such as serial:/dev/ttyACM0.",
    transform: { try ControllerAddress(parsing: $0) })
  var controller: ControllerAddress

  @Option(help: "The controller that connects to the accessory.", transform: { try ControllerAddress(parsing: $0) })
  var accessory: ControllerAddress

  @OptionGroup var output: LearntFilesArguments

  @Option(name: .customLong("for"), help: "How long to run (default: until Control-C).", transform: RunningTime.parse)
  var duration: Duration?

  @Option(help: "How long to listen to the accessory's advertising first.", transform: RunningTime.parse)
  var listen: Duration = .seconds(10)

  @Flag(help: "Pair with the accessory first if it demands pairing.")
  var pair = false

  @Option(help: "The accessory's passkey, which the app must enter too. Without it, the app needs none.")
  var passkey: UInt32?

  func validate() throws {
    guard passkey ?? 0 <= 999_999 else { throw ValidationError("a passkey has six digits") }
  }

  func run() throws {
    try output.check(records: true)
    let stage = try LineStage.interruptible(accessory, controller)
    var records: [CaptureRecord] = []
    var address: DeviceAddress?
    do {
      try stage.perform(.proxy(passkey: passkey, address: 0xCE1E)) { central in
        central.user = .accepts(passkey: passkey)
        let tape = PacketTape(of: central, epoch: SystemClock.epochOfZero)
        defer { records = tape.take() }
        let filter = DeviceFilter(try device ?? DeviceChoice.made(with: central))
        let found = try read(filter, with: central)
        address = found.address
        // Control-C may have interrupted the reading.
        guard !stage.isInterrupted else { return }
        try stand(between: found, filter, central, tape, on: stage)
      }
    } catch let code as ExitCode { throw code } catch {
      Terminal.error(TerminalText(String(describing: error)))
      throw ExitStatus.unavailable
    }
    guard let device = Self.observed(records, at: address) else {
      Terminal.error("no packets of the accessory were received")
      throw ExitStatus.unavailable
    }
    guard output.output != nil || output.scenario != nil else { return }
    try output.write(device, source: "the air, with a client between", keeping: records)
  }

  private func read(_ filter: DeviceFilter, with central: ScriptedCentral) throws -> Advertisement {
    var plan = DeviceReader.Plan(filter)
    plan.listening = listen
    plan.watching = .zero
    plan.pairs = pair
    return try DeviceReader(central, plan) { Terminal.note(TerminalText($0)) }.read()
  }

  /// Returns what records show of the device at an address, or else of a device with a link.
  private static func observed(_ records: [CaptureRecord], at address: DeviceAddress?) -> ObservedDevice? {
    let observer = DeviceObserver(records)
    return observer.found.first { $0.address == address } ?? observer.found.first { !$0.links.isEmpty }
  }

  private func stand(
    between found: Advertisement, _ filter: DeviceFilter, _ central: ScriptedCentral, _ tape: PacketTape,
    on stage: LineStage
  ) throws {
    guard let device = Self.observed(tape.records, at: found.address) else { return }
    let profile: Profile
    do throws(LearningFailure) { profile = try device.learnProfile(path: "learnt.yaml").profile } catch {
      Terminal.error(TerminalText(lines: "\(error)"))
      throw ExitStatus.invalidCapture
    }
    let stack = try HostStack(
      profile.proxyConfiguration(passkey: passkey, seed: 0), application: NoApplication())
    let front = stage.addAccessory(stack)
    front.stack.watchInterval = .seconds(1)
    let proxy = AccessoryProxy(front, central, to: found, filter) { Terminal.note(TerminalText($0)) }
    try front.start()
    let address = front.stack.address.map { "\($0)" } ?? "an unknown address"
    Terminal.print(TerminalText("\(profile.name) can be used at \(address). Control-C ends it."))
    var passed = 0
    stage.counts = {
      defer { passed = proxy.counts.toAccessory + proxy.counts.toClient }
      return proxy.counts.toAccessory + proxy.counts.toClient != passed
    }
    stage.run(until: { false }, limit: duration ?? .seconds(86_400 * 365))
    proxy.stop()
    stage.counts = nil
    Terminal.print(TerminalText(summary(of: proxy, on: stage)))
  }

  /// Returns the number of packets that passed, and how long they took in this process.
  private func summary(of proxy: AccessoryProxy, on stage: LineStage) -> String {
    let counts = proxy.counts
    var text =
      "\(counts.clients) connections, \(counts.toAccessory) packets to the accessory, \(counts.toClient) to the app"
    if let median = stage.turns.quantile(0.5), let late = stage.turns.quantile(0.99) {
      text += "; half of them took at most \(Durations.text(median)), 99 of 100 at most \(Durations.text(late))"
    }
    if counts.signedWrites > 0 { text += "; \(counts.signedWrites) signed writes could not be passed on" }
    return text
  }
}
