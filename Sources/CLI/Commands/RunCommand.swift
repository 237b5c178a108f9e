import AccessoryProfile
import ArgumentParser
import Capture
import ControlAPI
import Transport
import Understudy
import VirtualRadio

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Be the accessory that a profile describes, until Control-C.",
    discussion: """
      Controllers: \(ControllerAddress.forms.joined(separator: "; ")).

      The virtual controller lives in this process; any other Bluetooth host can join its air through the H4 TCP port \
      that is printed.
      """)

  @OptionGroup var argument: ProfileArgument

  @Option(
    help: "The controller that carries the accessory; virtual if not given.",
    transform: { try ControllerAddress(parsing: $0) })
  var controller: ControllerAddress = .virtual

  @Flag(
    inversion: .prefixedNo,
    help: """
      Wait for a controller that is not there, or goes away, instead of ending with 69. Serial ports and auto are waited \
      for if nothing is given, others are not.
      """)
  var wait: Bool?

  @Option(help: "Changes derived addresses and random values; the same seed gives the same run.")
  var seed: UInt64 = 0

  @Option(
    help: ArgumentHelp(
      "The TCP port where other hosts join the virtual radio; 0 takes a free one.", valueName: "port[=preset]"),
    transform: { try JoiningPort(parsing: $0) })
  var radioPort: JoiningPort = .free

  @OptionGroup var radio: RadioArguments

  @Option(
    help: ArgumentHelp(
      """
      Write every packet to and from the controller to this file, for Wireshark: pcapng where it ends in .pcapng, with \
      everything on the virtual air; else btsnoop, which btmon reads, too.
      """, valueName: "file"))
  var capture: String?

  @OptionGroup var controlAPI: ControlAPIArguments

  @Flag(help: "Print events as JSON lines.")
  var json = false

  @Flag(name: .shortAndLong, help: "Also print every single read, write and notification.")
  var verbose = false

  func validate() throws {
    guard controller == .virtual || !radio.areGiven else {
      throw ValidationError("--unix, --pty, --ptys, --preset, --impair and --speed need --controller virtual")
    }
  }

  func run() async throws {
    let profile = try argument.load()
    let stop = StopSignal()
    do {
      let loop = try PollLoop(name: "understudy", pace: radio.pace)
      try loop.start()
      let hub = try await openRadio(on: loop)
      let options = AccessoryOptions(
        controller: controller, waitsForController: wait ?? controller.mayComeBack, seed: seed,
        capturePath: hub != nil && capturesRadio ? nil : capture)
      let accessory =
        if let hub {
          try Accessory(profile, options: options, on: hub)
        } else {
          try Accessory(profile, options: options, loop: loop)
        }
      let service = try await startControlAPI(of: accessory)
      let end = try await serve(accessory, until: stop)
      await service?.stop()
      await hub?.close()
      loop.stopAndWait()
      if case .failed(let failure) = end { try report(failure) }
    } catch let failure as AccessoryFailure {
      try report(failure)
    } catch let error as TransportError {
      try report(.unavailable(error))
    } catch let failure as CaptureFailure {
      try report(.capture(failure))
    }
  }

  /// Whether the capture can hold more than the packets of one controller.
  private var capturesRadio: Bool { capture?.hasSuffix(".pcapng") == true }

  /// The virtual radio, where that is the controller.
  private func openRadio(on loop: PollLoop) async throws -> RadioHub? {
    guard controller == .virtual else { return nil }
    let hub = RadioHub(loop: loop, configuration: radio.preset ?? .full, seed: seed)
    _ = try await hub.openPort(port: radioPort.number, configuration: radioPort.preset)
    try await radio.prepare(hub)
    if let capture, capturesRadio { try await hub.startCapture(to: capture) }
    return hub
  }

  private func serve(_ accessory: Accessory, until stop: StopSignal) async throws -> AccessoryEnd {
    let printer = printer(of: accessory)
    let events = await accessory.events()
    if json || verbose { await accessory.reportAccess() }
    let printing = Task { for await event in events { printer.print(event) } }
    try await accessory.start()
    let stopping = Task {
      await stop.wait()
      await accessory.stop()
    }
    let end = await accessory.end()
    stopping.cancel()
    await printing.value
    return end
  }

  private func printer(of accessory: Accessory) -> EventPrinter {
    EventPrinter(json: json, showsAccess: verbose, profile: accessory.profile)
  }

  /// Serves the control API where it is wanted.
  private func startControlAPI(of accessory: Accessory) async throws -> ControlAPIService? {
    let service = try await controlAPI.start { address, token throws(ControlServerError) in
      try ControlServer(accessory: accessory, address: address, token: token)
    }
    if let service { service.announce(json: json, path: "/v1/accessory") }
    return service
  }

  private func report(_ failure: AccessoryFailure) throws {
    Terminal.error("\(failure)")
    switch failure {
    case .unavailable, .unusable, .vanished: throw ExitStatus.unavailable
    case .definition: throw ExitStatus.invalidProfile
    case .capture: throw ExitStatus.inputOutput
    }
  }
}
