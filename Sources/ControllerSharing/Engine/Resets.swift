import BLECore
import BLEHCI

extension SharedController {
  /// Handles a host's reset. It resets the controller if necessary, and otherwise only removes the host's state from it.
  mutating func hostResets(_ seat: Seat, at now: Instant, into line: inout OctetBuffer) {
    let isRepeated = hosts[seat].awaitsReset
    let isOfThisReset = hosts[seat].resetAsked == resetCount
    hosts[seat].waiting = []
    hosts[seat].data = []
    hosts[seat].isInformed = false
    hosts[seat].awaitsReset = true
    if current?.asker == seat { current?.asker = nil }
    // If a reset is in progress, the controller is reset again only for a host that has already waited for that reset in vain.
    if isResetting ? isOfThisReset : isDown || isSuspect {
      resetController(stuffing: hosts[seat].stuffing, at: now, into: &line)
    }
    if isResetting {
      hosts[seat].resetAsked = resetCount
    } else {
      if !isRepeated { cleanUp(after: seat) }
      internalTasks.append(.answerReset(seat))
    }
  }

  /// Removes a host's state from the controller: its sets are stopped and removed, and its connections ended.
  mutating func cleanUp(after seat: Seat) {
    if current?.asker == seat { current?.asker = nil }
    let own = sets.filter { $0.seat == seat }
    if !own.isEmpty {
      let stop = LESetExtendedAdvertisingEnable { command in
        command.sets = own.map { AdvertisingSetActivation(advertisingHandle: $0.handle) }
      }
      internalTasks.append(.command(HostCommand(opcode: .leSetExtendedAdvertisingEnable, packet: stop.h4)))
    }
    for set in own {
      let removal = LERemoveAdvertisingSet { $0.advertisingHandle = set.handle }
      internalTasks.append(.command(HostCommand(opcode: .leRemoveAdvertisingSet, packet: removal.h4)))
    }
    for index in links.indices where links[index].owner == .host(seat) { end(index) }
  }

  /// Resets the controller itself. All its state is lost, and every host that relies on it receives a fault event.
  mutating func resetController(stuffing: Int = 0, at now: Instant, into line: inout OctetBuffer) {
    isDown = true
    isSuspect = false
    isOnLastChance = false
    // An answer from before the reset and one from after do not count as two in a row.
    doubt = [:]
    resetCount += 1
    tellAll(Self.fault)
    for index in hosts.indices {
      hosts[index].isUp = false
      hosts[index].waiting = []
      hosts[index].data = []
    }
    forgetController()
    // Before a repeated reset, a host sends stuffing. As many zeros complete the packet that the controller may be waiting for.
    line.append(Array(repeating: 0, count: min(stuffing, Self.stuffingLimit)))
    queue.reset()
    current = CommandUnderWay(command: HostCommand(opcode: .reset, packet: HCIReset().h4))
    queue.enqueue(HCIReset())
    queue.send(into: &line, at: now)
  }

  private static var stuffingLimit: Int { 4096 }

  /// The event for a host that has to restart because of another host: the controller has failed (Core 5.4 Vol 4 Part E 7.7.16).
  private static var fault: [UInt8] { HCIHardwareError().h4 }

  private mutating func forgetController() {
    links = []
    sets = []
    internalTasks = []
    settings = SharedSettings()
    bufferCount = 0
  }

  /// Processes the answer to the controller's reset, which also answers all hosts that wait for one.
  mutating func resetAnswered(_ status: ErrorCode, _ event: [UInt8]) {
    isDown = status != .success
    for seat in hosts.indices where hosts[seat].awaitsReset { answerReset(of: seat, event) }
  }

  mutating func answerReset(of seat: Seat, _ event: [UInt8]) {
    guard hosts[seat].awaitsReset else { return }
    hosts[seat].awaitsReset = false
    hosts[seat].isInformed = false
    hosts[seat].isUp = true
    hosts[seat].output += event
  }

  /// Sends octets to a host, if it relies on the controller.
  mutating func give(_ octets: [UInt8], to seat: Seat) {
    if isServing(seat) { hosts[seat].output += octets }
  }

  /// Returns whether a host is up and is not waiting for a reset.
  func isServing(_ seat: Seat) -> Bool { hosts[seat].isUp && !hosts[seat].awaitsReset }

  /// Sends an event to every host that relies on the controller, unless the host has already received a fault event.
  mutating func tellAll(_ event: [UInt8]) {
    for seat in hosts.indices where !hosts[seat].isInformed { give(event, to: seat) }
  }

  /// Handles a failure of the controller, which `event` reports: all hosts restart.
  mutating func controllerFailed(_ event: [UInt8], at now: Instant, into line: inout OctetBuffer) {
    isDown = true
    tellAll(event)
    for seat in hosts.indices where isServing(seat) { hosts[seat].isInformed = true }
    if hosts.contains(where: \.awaitsReset) { resetController(at: now, into: &line) }
  }

  /// Handles a command that was not answered. While there are links, the controller gets a last chance, because perhaps only the command
  /// or its answer was lost. Otherwise it has failed. The host that sent the command notices that itself, as all hosts do after a reset.
  /// The others receive a fault event.
  mutating func commandTimedOut(_ timeout: CommandTimeout, at now: Instant, into line: inout OctetBuffer) {
    let silent = current
    current = nil
    if let silent, silent.command.opcode != .reset, !isOnLastChance, !links.isEmpty {
      return retry(after: silent, at: now, into: &line)
    }
    isDown = true
    guard silent?.command.opcode != .reset else { return }
    if let asker = silent?.asker { hosts[asker].isInformed = true }
    controllerFailed(Self.fault, at: now, into: &line)
  }

  /// Continues after a command that was not answered, with a question that any controller answers. A host repeats its command itself.
  private mutating func retry(after silent: CommandUnderWay, at now: Instant, into line: inout OctetBuffer) {
    isOnLastChance = true
    if silent.isInternal { internalTasks.insert(.command(silent.command), at: 0) }
    queue.reset()
    let question = HCIReadLocalVersionInformation()
    current = CommandUnderWay(
      command: HostCommand(opcode: .readLocalVersionInformation, packet: question.h4), isInternal: true)
    queue.enqueue(question)
    queue.send(into: &line, at: now)
    queue.expectAnswer(by: now + Self.lastChance)
  }

  /// The time limit for the answer that decides whether the controller has failed: less than the time limit of hosts.
  private static var lastChance: Duration { .milliseconds(500) }
}
