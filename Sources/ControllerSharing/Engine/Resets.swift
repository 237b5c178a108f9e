import BLECore
import BLEHCI

extension SharedController {
  /// A host begins anew. Where the controller has to, so does it; else only what is that host's in it goes.
  mutating func hostResets(_ seat: Seat, at now: Instant, into line: inout OctetBuffer) {
    let isRepeated = hosts[seat].awaitsReset
    let isOfThisReset = hosts[seat].resetAsked == resetCount
    hosts[seat].waiting = []
    hosts[seat].data = []
    hosts[seat].isInformed = false
    hosts[seat].awaitsReset = true
    if current?.asker == seat { current?.asker = nil }
    // One that asks a second time has waited in vain; of those who ask a first time meanwhile, none has.
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

  /// Has the controller forget what is a host's: its sets are stopped and removed, its connections ended.
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

  /// Resets the controller itself: nothing is left of anybody in it, and every host that relies on it is told.
  mutating func resetController(stuffing: Int = 0, at now: Instant, into line: inout OctetBuffer) {
    isDown = true
    isSuspect = false
    isTryingOn = false
    // Only what it says twice in a row is believed, and not one answer from before and one from after.
    doubt = [:]
    resetCount += 1
    tellAll(Self.fault)
    for index in hosts.indices {
      hosts[index].isUp = false
      hosts[index].waiting = []
      hosts[index].data = []
    }
    forgetController()
    // A host that asks in vain gives the controller the rest of the packet that it may be waiting for.
    line.append(Array(repeating: 0, count: min(stuffing, Self.stuffingLimit)))
    queue.reset()
    current = CommandUnderWay(command: HostCommand(opcode: .reset, packet: HCIReset().h4))
    queue.enqueue(HCIReset())
    queue.send(into: &line, at: now)
  }

  private static var stuffingLimit: Int { 4096 }

  /// What a host is told that has to begin anew for the sake of another: the controller has failed it (Core 5.4 Vol 4 Part E
  /// 7.7.16).
  private static var fault: [UInt8] { HCIHardwareError().h4 }

  private mutating func forgetController() {
    links = []
    sets = []
    internalTasks = []
    settings = SharedSettings()
    bufferCount = 0
  }

  /// The controller has answered the reset: so have all hosts that wait for one.
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

  /// Hands something to a host, if it relies on the controller.
  mutating func give(_ octets: [UInt8], to seat: Seat) {
    if isServing(seat) { hosts[seat].output += octets }
  }

  /// Whether a host is up and has not begun anew.
  func isServing(_ seat: Seat) -> Bool { hosts[seat].isUp && !hosts[seat].awaitsReset }

  /// Hands an event to every host that relies on the controller, unless a fault is on its way to it already.
  mutating func tellAll(_ event: [UInt8]) {
    for seat in hosts.indices where !hosts[seat].isInformed { give(event, to: seat) }
  }

  /// The controller has failed, which `event` tells: all begin anew.
  mutating func controllerFailed(_ event: [UInt8], at now: Instant, into line: inout OctetBuffer) {
    isDown = true
    tellAll(event)
    for seat in hosts.indices where isServing(seat) { hosts[seat].isInformed = true }
    if hosts.contains(where: \.awaitsReset) { resetController(at: now, into: &line) }
  }

  /// The controller does not answer. While there are links it gets a last chance, because only the command or its answer may be
  /// lost. Then the host that asked notices by itself, and after a reset all do; the others are told.
  mutating func commandTimedOut(_ timeout: CommandTimeout, at now: Instant, into line: inout OctetBuffer) {
    let silent = current
    current = nil
    if let silent, silent.command.opcode != .reset, !isTryingOn, !links.isEmpty {
      return retry(after: silent, at: now, into: &line)
    }
    isDown = true
    guard silent?.command.opcode != .reset else { return }
    if let asker = silent?.asker { hosts[asker].isInformed = true }
    controllerFailed(Self.fault, at: now, into: &line)
  }

  /// Goes on after a command that was not answered, with a question that any controller answers. A host gives its command again by
  /// itself.
  private mutating func retry(after silent: CommandUnderWay, at now: Instant, into line: inout OctetBuffer) {
    isTryingOn = true
    if silent.isInternal { internalTasks.insert(.command(silent.command), at: 0) }
    queue.reset()
    let question = HCIReadLocalVersionInformation()
    current = CommandUnderWay(
      command: HostCommand(opcode: .readLocalVersionInformation, packet: question.h4), isInternal: true)
    queue.enqueue(question)
    queue.send(into: &line, at: now)
    queue.expectAnswer(by: now + Self.lastChance)
  }

  /// How long the answer may take that decides whether the controller is gone: less than hosts give theirs.
  private static var lastChance: Duration { .milliseconds(500) }
}
