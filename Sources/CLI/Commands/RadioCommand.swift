import AccessoryProfile
import ArgumentParser
import Capture
import ControlAPI
import Transport
import Understudy
import VirtualRadio

struct RadioCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "radio",
    abstract: "Run the virtual radio alone; every host that joins gets its own controller.",
    discussion: """
      Hosts use HCI (H4). Each connection to a TCP port or a Unix socket gets its own controller, which is removed when the connection \
      closes. A pseudoterminal has a controller that stays when a host closes it. Without --join, two free TCP ports are opened.
      """)

  @OptionGroup var radio: RadioArguments

  @OptionGroup var controlAPI: ControlAPIArguments

  @Option(
    help: ArgumentHelp(
      "Write everything on the air, and every packet between the controllers and their hosts, to this "
        + "pcapng file.",
      valueName: "file"))
  var capture: String?

  @OptionGroup var captureFilter: CaptureFilterArguments

  @Option(help: "The seed for everything random on the radio.")
  var seed: UInt64 = 0

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    try captureFilter.validate(capture)
    guard capture?.hasSuffix(".pcapng") != false else {
      throw ValidationError("--capture takes a file that ends in .pcapng: other formats hold only one controller")
    }
  }

  func run() async throws {
    let stop = StopSignal()
    do {
      let loop = try PollLoop(name: "radio", pace: radio.pace)
      try loop.start()
      let hub = RadioHub(loop: loop, configuration: radio.preset ?? .full, seed: seed)
      try await radio.prepare(hub, freePorts: 2)
      if let capture {
        try await hub.startCapture(to: capture, includingAdvertising: captureFilter.includesAdvertising)
      }
      let service = try await controlAPI.start { address, token throws(ControlServerError) in
        try ControlServer(radio: hub, address: address, token: token)
      }
      if let service { service.announce(json: json, path: "/v1/radio") }
      let events = BoundedQueue<RadioEvent>(limit: Self.waitingOctets)
      await hub.observe(closed: { events.finish() }) { events.offer($0, cost: $0.json.jsonText.utf8.count) }
      await announce(hub)
      let printing = Task { while let delivery = await events.next() { print(delivery) } }
      await stop.wait()
      await service?.stop()
      await hub.close()
      await printing.value
      loop.stopAndWait()
      if let failure = await hub.captureFailure { throw failure }
    } catch let error as TransportError {
      Terminal.error("\(error)")
      throw ExitStatus.unavailable
    } catch let failure as CaptureFailure {
      Terminal.error("\(failure)")
      throw ExitStatus.inputOutput
    }
  }

  /// The maximum octets that wait for a slow reader of standard output.
  private static let waitingOctets = 1_048_576

  private func print(_ delivery: BoundedQueue<RadioEvent>.Delivery) {
    switch delivery {
    case .element(let event, _): print(event)
    case .lost(let count):
      if json {
        Terminal.print(json: LostEvents(count: count).json)
      } else {
        Terminal.print("(\(count) events are missing)")
      }
    }
  }

  private func announce(_ hub: RadioHub) async {
    let (open, addresses) = (await hub.ports, await hub.addresses)
    if json {
      let event = ProfileValue.object([
        "event": .string("ready"), "ports": .array(open.map { .int(Int64($0)) }),
        "joining": .array(addresses.map { .string($0) }),
      ])
      Terminal.print(json: event)
    } else {
      Terminal.print("The virtual radio is on. Attach HCI hosts (H4) to:")
      for address in addresses { Terminal.print("  \(address)") }
      Terminal.print("Stop it with Control-C.")
    }
  }

  private func print(_ event: RadioEvent) {
    if json { return Terminal.print(json: event.json) }
    switch event {
    case .joined(let name, let place): Terminal.print("\(name) has joined through \(place)")
    case .left(let name): Terminal.print("\(name) has left")
    case .captureFailed(let reason): Terminal.error(TerminalText(reason))
    case .lineRefused(let name, let refusal): Terminal.error("\(name) at \(refusal.place) was closed: \(refusal.text)")
    case .listeningPaused(let place):
      Terminal.error("no file descriptors are left: no host can join at \(place) for now")
    case .listeningResumed(let place): Terminal.print("hosts can join at \(place) again")
    case .turnedAway(let place):
      Terminal.error("a host at \(place) was turned away: the radio has \(RadioHub.hostLimit) hosts")
    }
  }
}
