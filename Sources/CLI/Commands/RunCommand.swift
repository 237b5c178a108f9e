import AccessoryProfile
import ArgumentParser
import BLECore
import Capture
import ControlAPI
import Faults
import Reporting
import Synchronization
import Transport
import Understudy
import VirtualRadio

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run the accessories that profiles or a fleet file describe, until Control-C.",
    discussion: """
      Controllers: \(ControllerAddress.forms.joined(separator: "; ")).

      The virtual controller is part of this process; any other Bluetooth host can join its radio through the H4 TCP port \
      that is printed.

      Several accessories run in one process. If --controller is given once, it is for all of them. With virtual, each gets \
      its own controller on the same radio. Any other controller is shared: it needs extended advertising, and each accessory \
      has its own address. auto takes as many boards as there are profiles, in the order of their serial numbers, if exactly \
      that many answer at the start; if only one answers, they share it. If --controller is given once for each profile, \
      in the same order, each accessory has its own. If several accessories derive their addresses from the same name, as \
      when one profile is given twice, the second runs with the seed plus 1, the third plus 2, and so on. If one \
      accessory fails, all end.

      A fleet file lists accessories with their profiles, names, seeds and controllers, and says what the air is like; it \
      contains `understudy-fleet: 1`, and is given alone.
      """)

  @OptionGroup var arguments: ProfileArguments

  @Option(
    name: .customLong("controller"),
    help: "The controller of the accessory (default: virtual). Give it once for each profile, or once for all.",
    transform: { try ControllerAddress(parsing: $0) })
  var controllers: [ControllerAddress] = []

  @Flag(
    inversion: .prefixedNo,
    help: """
      Wait for a controller that is missing or disappears, instead of exiting with 69 (default: wait for serial ports, \
      adapters and auto only; a pseudo-terminal never comes back).
      """)
  var wait: Bool?

  @Option(help: "The seed for derived addresses and random values; the same seed gives the same run.")
  var seed: UInt64 = 0

  @OptionGroup var state: StateArguments

  @Flag(help: "Keep no state: no identity, no bonds, no changes.")
  var ephemeral = false

  @Flag(help: "Run the programs that the profiles name. They can do everything that you can: read them first.")
  var allowPrograms = false

  @OptionGroup var radio: RadioArguments

  @Option(
    help: ArgumentHelp(
      """
      Write every packet to and from the controller to this file, for Wireshark: as pcapng if it ends in .pcapng, including \
      everything on the virtual radio; otherwise as btsnoop, which btmon can read, too. If one file cannot hold several \
      accessories, there is a file for each, with the accessory's name before the extension.
      """, valueName: "file"))
  var capture: String?

  @OptionGroup var captureFilter: CaptureFilterArguments

  @Option(
    name: .customLong("report"),
    help: ArgumentHelp(
      "At the end, write a report of this run: one HTML file, with the packets of --capture.",
      valueName: "file"))
  var reportFile: String?

  @OptionGroup var ring: RingArguments

  @Option(
    name: .customLong("fault"),
    help: ArgumentHelp(
      "A fault to inject, written as in a profile: \"on: { read: level }, do: { error: 0x80 }\"; may be "
        + "repeated.",
      valueName: "spec"))
  var faults: [String] = []

  @OptionGroup var controlAPI: ControlAPIArguments

  @OptionGroup var bridgeArguments: BridgeArguments

  @Flag(help: "Print events as JSON lines.")
  var json = false

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "End after this time, such as 30s or 5min; with --speed, in the radio's time.", valueName: "time"),
    transform: { try RunningTime.parse($0) })
  var limit: Duration?

  @Option(
    name: .customLong("until"),
    help: ArgumentHelp(
      "End after the first event with this name, such as disconnected; exit with 1 if --for or a signal ends "
        + "the run first.",
      valueName: "event"))
  var awaitedEvent: String?

  @Option(
    help: ArgumentHelp(
      "Events to leave out of the output, by name, separated by commas; advertising means all advertising "
        + "events.",
      valueName: "events"),
    transform: { try EventFilter(leavingOut: $0) })
  var without: EventFilter?

  @Flag(name: .shortAndLong, help: "Also print every single read, write and notification.")
  var verbose = false

  func validate() throws {
    try captureFilter.validate(capture)
    if reportFile != nil, capture?.hasSuffix(".pcapng") != true {
      throw ValidationError("--report shows the packets of --capture, which must be a .pcapng file")
    }
    try EventWatch.validate(awaitedEvent)
    guard !ephemeral || state.directory == nil else {
      throw ValidationError("--ephemeral keeps no state: leave out --state")
    }
    if let file = arguments.profiles.first(where: { Fleet.isFleet(at: $0) }) {
      guard controllers.isEmpty else {
        throw ValidationError("\(file) says which controllers its accessories have: leave out --controller")
      }
      guard faults.isEmpty else { throw ValidationError("--fault is for profiles: \(file) has 'faults'") }
      return
    }
    let assignment = try assignment()
    guard assignment.hasVirtual || !radio.areGiven else {
      throw ValidationError("--join, --preset, --impair and --speed need --controller virtual")
    }
    guard !assignment.hasLine || radio.speed == .real else {
      throw ValidationError("--speed is for virtual controllers only: others have their own clocks")
    }
  }

  private func assignment() throws -> GroupControllers {
    do throws(GroupControllersError) {
      return try GroupControllers(controllers, accessories: arguments.profiles.count)
    } catch {
      throw ValidationError("\(error)")
    }
  }

  func run() async throws {
    var options = AccessoryOptions(seed: seed, capturePath: capture)
    options.state = ephemeral ? nil : state.path
    options.allowsPrograms = allowPrograms
    options.capturesAdvertising = captureFilter.includesAdvertising
    ring.apply(to: &options)
    let fleet = try FleetArguments.load(arguments)
    let radio = try fleet.map { try self.radio.merged(with: $0.air) } ?? self.radio
    var plans: [AccessoryPlan]
    if let fleet {
      plans = try FleetArguments.plans(for: fleet, options: options, waits: wait)
      try checkSpeed(radio, plans)
    } else {
      plans = try AccessoryPlan.checked(try arguments.load(), options: options)
      for index in plans.indices { plans[index].options.faults = try loadFaults(for: plans[index].profile) }
    }
    let stop = StopSignal()
    do {
      let loop = try PollLoop(name: "understudy", pace: radio.pace)
      try loop.start()
      if fleet == nil { assign(try await assignment().found(on: loop), to: &plans) }
      for index in plans.indices where plans[index].options.controller == .virtual && capturesRadio {
        plans[index].options.capturePath = nil
      }
      let hub = try await openRadio(radio, for: plans, on: loop)
      let group = try AccessoryGroup(plans, loop: loop, radio: hub)
      let service = try await startControlAPI(of: group)
      let watch = EventWatch(awaitedEvent)
      let saving = ring.saveOnRequest(of: group)
      defer { withExtendedLifetime(saving) {} }
      let log = Mutex(MomentLog())
      let end = try await serve(group, on: loop, until: stop, watch, speed: radio.speed) { event in
        log.withLock { $0.append(event.json) }
      }
      await service?.stop()
      await hub?.close()
      loop.stopAndWait()
      if case .failed(let failure) = end { throw failure }
      try await reportCapture(group, hub)
      if let reportFile { try writeReport(to: reportFile, log.withLock { $0 }, of: group.members) }
      if let name = watch.missing {
        Terminal.error("the event \(name) has not occurred")
        throw ExitCode.failure
      }
    } catch let failure as GroupFailure {
      try report(failure)
    } catch let error as TransportError {
      Terminal.error("\(error)")
      throw ExitStatus.unavailable
    } catch let failure as CaptureFailure {
      Terminal.error("\(failure)")
      throw ExitStatus.inputOutput
    }
  }

  /// Loads the faults of the command line for a profile. The profile must contain everything that they refer to.
  private func loadFaults(for profile: Profile) throws -> [Fault] {
    let first = profile.faults.count + 1
    return try faults.enumerated().map { number, text in
      do throws(ProfileValueError) { return try profile.loadFault(text, number: first + number) } catch {
        throw ValidationError("--fault '\(text)': \(error.message)")
      }
    }
  }

  private func assign(_ assignment: GroupControllers, to plans: inout [AccessoryPlan]) {
    for (index, controller) in zip(plans.indices, assignment.addresses) {
      plans[index].options.controller = controller
      plans[index].options.sharesController = assignment.isShared
      plans[index].options.waitsForController = wait ?? controller.mayComeBack
    }
  }

  /// Whether the capture can contain more than the packets of one controller.
  private var capturesRadio: Bool { capture?.hasSuffix(".pcapng") == true }

  /// Opens the virtual radio if any accessory uses it.
  private func openRadio(
    _ radio: RadioArguments, for plans: [AccessoryPlan], on loop: PollLoop
  ) async throws -> RadioHub? {
    guard plans.contains(where: { $0.options.controller == .virtual }) else { return nil }
    let hub = RadioHub(loop: loop, configuration: radio.preset ?? .full, seed: plans.first?.options.seed ?? seed)
    try await radio.prepare(hub, freePorts: 1)
    if let capture, capturesRadio {
      try await hub.startCapture(to: capture, includingAdvertising: captureFilter.includesAdvertising)
    }
    return hub
  }

  /// Checks a fleet's speed. It applies to all accessories, so all of them must be on the virtual radio.
  private func checkSpeed(_ radio: RadioArguments, _ plans: [AccessoryPlan]) throws {
    let isVirtual = plans.map { $0.options.controller == .virtual }
    guard radio.speed == .real || isVirtual.allSatisfy({ $0 }) else {
      throw ValidationError("a speed is for virtual controllers only: others have their own clocks")
    }
    guard !radio.areGiven || isVirtual.contains(true) else {
      throw ValidationError("no accessory of the fleet is on the virtual radio: leave out its settings")
    }
  }

  /// Writes the report of the run.
  private func writeReport(to path: String, _ log: MomentLog, of members: [AccessoryGroup.Member]) throws {
    let name = members.map(\.name).joined(separator: ", ")
    var recorded = RecordedCase(name: name, file: arguments.profiles.joined(separator: ", "))
    (recorded.isTest, recorded.capture, recorded.events) = (false, capture, log)
    recorded.profiles = members.map(\.accessory.profile)
    do {
      let report = RunReport(title: name, maker: "understudy \(Version.number)", cases: [try recorded.reported()])
      try NewFile.replace(path, with: ReportPage.text(of: report))
    } catch let failure as CaptureReadFailure {
      Terminal.error("\(failure)")
      throw ExitStatus.inputOutput
    }
  }

  private func serve(
    _ group: AccessoryGroup, on loop: PollLoop, until stop: StopSignal, _ watch: EventWatch, speed: LoopPace,
    _ taken: @escaping @Sendable (GroupEvent) -> Void
  ) async throws -> GroupEnd {
    let printer = EventPrinter(json: json, showsAccess: verbose, filter: without, members: group.members)
    let lines = BoundedQueue<TerminalText>(limit: Self.waitingOctets)
    _ = await group.observe(ended: { lines.finish() }) { event in
      for line in printer.lines(for: event) { lines.offer(line, cost: line.rendered.utf8.count) }
      if reportFile != nil { taken(event) }
      if watch.isMet(by: event) { stop.trigger() }
    }
    if json || verbose || reportFile != nil { await group.reportAccess() }
    printer.begin(
      joining: await group.radio?.addresses ?? [], buttons: await KeyButton.all(of: group.members))
    let printing = Task { while let delivery = await lines.next() { printer.print(delivery) } }
    let timer = limit.map { _ in loop.addTimer { stop.trigger() } }
    defer { if let timer { loop.removeTimer(timer) } }
    // If time can jump, the limit starts later: it would pass before anything could happen.
    if speed == .real { begin(timer, on: loop) }
    let stopping = Task {
      await stop.wait()
      await group.stop()
    }
    defer { stopping.cancel() }
    do throws(GroupFailure) {
      try await group.start()
    } catch {
      await printing.value
      throw error
    }
    if speed != .real { begin(timer, on: loop) }
    let end = await group.end()
    await printing.value
    return end
  }

  /// Starts the time limit.
  private func begin(_ timer: TimerID?, on loop: PollLoop) {
    if let timer, let limit { loop.setTimer(timer, loop.now() + limit) }
  }

  /// The maximum octets that wait for a slow reader of standard output.
  private static let waitingOctets = 16_777_216

  /// Serves the control API if requested.
  private func startControlAPI(of group: AccessoryGroup) async throws -> ControlAPIService? {
    let bridges = try bridgeArguments.allowance()
    let service = try await controlAPI.start { address, token throws(ControlServerError) in
      try ControlServer(group: group, address: address, token: token, bridges: bridges)
    }
    service?.announce(json: json, path: group.members.count > 1 ? "/v1/accessories" : "/v1/accessory")
    return service
  }

  /// Throws if a capture is incomplete, even if everything else went well.
  private func reportCapture(_ group: AccessoryGroup, _ hub: RadioHub?) async throws {
    var failures = [await hub?.captureFailure]
    for member in group.members { failures.append(await member.accessory.captureFailure) }
    guard let failure = failures.compactMap(\.self).first else { return }
    throw failure
  }

  private func report(_ failure: GroupFailure) throws {
    let isAlone = arguments.profiles.count == 1 && !Fleet.isFleet(at: arguments.profiles[0])
    Terminal.error(isAlone ? "\(failure.failure)" : "\(failure)")
    switch failure.failure {
    case .unavailable, .unusable, .unsharable, .vanished: throw ExitStatus.unavailable
    case .definition: throw ExitStatus.invalidProfile
    case .capture: throw ExitStatus.inputOutput
    case .state(.unwritable): throw ExitStatus.inputOutput
    case .state: throw ExitStatus.cannotKeepState
    case .programs: throw ExitCode.validationFailure
    }
  }
}
