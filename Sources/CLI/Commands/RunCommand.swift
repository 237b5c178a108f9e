import AccessoryProfile
import ArgumentParser
import Transport
import Understudy

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

  @Option(help: "The controller that carries the accessory.")
  var controller: ControllerAddress = .virtual

  @Option(help: "Changes derived addresses and random values; the same seed gives the same run.")
  var seed: UInt64 = 0

  @Option(help: "The TCP port where other hosts join the virtual radio; 0 takes a free one.")
  var radioPort: UInt16 = 0

  @Option(help: "Write every packet to and from the controller to this btsnoop file, for Wireshark or btmon.")
  var capture: String?

  @Flag(help: "Print events as JSON lines.")
  var json = false

  @Flag(name: .shortAndLong, help: "Also print every single read, write and notification.")
  var verbose = false

  func run() async throws {
    let profile = try argument.load()
    let stop = StopSignal()
    do {
      let loop = try PollLoop(name: "understudy")
      try loop.start()
      let options = AccessoryOptions(
        controller: controller, seed: seed, radioPort: radioPort, capturePath: capture)
      let accessory = try Accessory(profile, options: options, loop: loop)
      try await serve(accessory, until: stop)
      loop.stopAndWait()
    } catch let failure as AccessoryFailure {
      try report(failure)
    } catch let error as TransportError {
      try report(.unavailable(error))
    }
  }

  private func serve(_ accessory: Accessory, until stop: StopSignal) async throws {
    let printer = EventPrinter(json: json, profile: accessory.profile)
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
    if case .failed(let failure) = end { try report(failure) }
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

extension ControllerAddress: ExpressibleByArgument {
  public init?(argument: String) {
    guard let address = try? ControllerAddress(parsing: argument) else { return nil }
    self = address
  }

  public var defaultValueDescription: String { description }
}
