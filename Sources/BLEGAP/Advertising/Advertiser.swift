import BLECore
import BLEHCI

/// Keeps the advertising sets in their desired state: it compares that with the settings applied in the controller, and determines the
/// next command.
package struct Advertiser: Sendable {
  var slots: [AdvertisingSlot] = []
  let capabilities: AdvertisingCapabilities
  var addresses: OnAirAddresses
  var lists = PeerListUpdate()
  /// Whether another central may connect. If not, connectable sets are off the air.
  package private(set) var hasCapacity = true
  /// Whether all sets are off the air, regardless of other settings.
  var isAsleep = false
  /// The events since the owner last took them.
  package var events: [AdvertisingEvent] = []

  /// Creates an advertiser for the sets that the controller supports. The others are reported as unavailable.
  package init(
    _ definitions: [AdvertisingSetDefinition], capabilities: AdvertisingCapabilities, addresses: OnAirAddresses
  ) {
    self.capabilities = capabilities
    self.addresses = addresses
    for definition in definitions {
      if let reason = obstacle(to: definition) {
        events.append(.unavailable(set: definition.id, reason: reason))
      } else {
        slots.append(AdvertisingSlot(definition, handle: UInt8(slots.count)))
      }
    }
  }

  private func obstacle(to definition: AdvertisingSetDefinition) -> String? {
    if definition.kind == .extended && !capabilities.usesExtendedCommands {
      return "the controller has no extended advertising"
    }
    if slots.count >= capabilities.setCount {
      return "the controller supports only \(capabilities.setCount) advertising set(s)"
    }
    let longest = max(definition.data.count, definition.scanResponse.count)
    let limit = definition.kind == .legacy ? 31 : capabilities.maximumDataLength
    guard longest <= limit else { return "it has \(longest) octets of data, but the controller accepts \(limit)" }
    guard definition.kind == .extended, definition.isConnectable else { return nil }
    let oneLimit = capabilities.maximumConnectableDataLength
    return longest > oneLimit
      ? "it has \(longest) octets of data, but the controller accepts \(oneLimit) in a connectable set" : nil
  }

  /// The sets that the controller supports.
  package var availableSets: [String] { slots.map(\.definition.id) }

  /// The sets that are on the air.
  package var activeSets: [String] { slots.filter { $0.state == .on }.map(\.definition.id) }

  /// Whether all sets and lists are in their desired state and no command is needed.
  package var isUpToDate: Bool {
    !lists.isStale
      && slots.indices.allSatisfy {
        slots[$0].isUpToDate(hasCapacity: hasCapacity, isAsleep: isAsleep)
          && (slots[$0].state != .on || missingData(of: $0) == nil)
      }
  }

  /// Sets whether another central may connect. When this becomes true, the schedules of connectable sets restart.
  package mutating func setCapacity(_ hasCapacity: Bool, at now: Instant) {
    if hasCapacity && !self.hasCapacity { restartConnectable(at: now) }
    self.hasCapacity = hasCapacity
  }

  /// Restarts the schedules of all connectable sets.
  package mutating func restartConnectable(at now: Instant) {
    for index in slots.indices where slots[index].definition.isConnectable { slots[index].restart(at: now) }
  }

  /// Starts or stops a set by its name. Returns false when there is no such set.
  package mutating func setWanted(_ isWanted: Bool, set name: String, at now: Instant) -> Bool {
    guard let index = slots.firstIndex(where: { $0.definition.id == name }) else { return false }
    slots[index].isWanted = isWanted
    slots[index].restart(at: now)
    return true
  }

  /// Changes the addresses of the sets. Sets that are on the air go off for a moment, because their addresses cannot be changed while
  /// they are on (Core 5.4 Vol 4 Part E 7.8.4, 7.8.52).
  package mutating func setAddresses(_ new: OnAirAddresses) {
    for index in slots.indices {
      let kind = slots[index].definition.address
      let (old, wanted) = (addresses.address(of: kind), new.address(of: kind))
      guard old != wanted else { continue }
      if slots[index].applied.address == nil { slots[index].applied.address = old.address }
      // The address type is a parameter of the set.
      if old.type != wanted.type { slots[index].applied.phase = nil }
      if slots[index].state != .off { slots[index].mustPause = true }
    }
    addresses = new
  }

  /// Changes the controller's lists of peers. All sets pause meanwhile, because advertising may use the lists.
  package mutating func setLists(_ wanted: PeerLists) {
    guard wanted != lists.wanted else { return }
    lists.wanted = wanted
    for index in slots.indices where slots[index].state != .off { slots[index].mustPause = true }
  }

  /// Sets the targets of directed sets, by set name. A directed set without a target is off the air.
  package mutating func setTargets(_ targets: [String: TypedAddress]) {
    for index in slots.indices where slots[index].definition.target != nil {
      let target = targets[slots[index].definition.id]
      guard target != slots[index].target else { continue }
      slots[index].target = target
      slots[index].applied.phase = nil
    }
  }

  /// Sets whether the controller applies its filter accept list, for sets that do not respond to everybody.
  package mutating func setFiltering(byController isFiltering: Bool) {
    for index in slots.indices where slots[index].definition.filters {
      guard isFiltering != slots[index].isFilteredByController else { continue }
      slots[index].isFilteredByController = isFiltering
      slots[index].applied.phase = nil
    }
  }

  /// The connectable set that is on the air with legacy commands, which support only one; nil with extended commands.
  package var legacyConnectableSet: AdvertisingSetDefinition? {
    capabilities.usesExtendedCommands ? nil : slots.first { $0.isReported && $0.definition.isConnectable }?.definition
  }

  /// Returns the set with this advertising handle.
  package func definition(ofHandle handle: UInt8) -> AdvertisingSetDefinition? {
    slots.first { $0.handle == handle }?.definition
  }

  /// The current or last address of a connectable set, which is that of a connection that is made now.
  package var connectableAddress: DeviceAddress? {
    slots.first { $0.definition.isConnectable && $0.isReported }.map { $0.applied.address ?? addresses.identity }
      ?? slots.first { $0.definition.isConnectable }?.applied.address
  }

  /// Returns the current or last address of the set with this advertising handle.
  package func address(ofHandle handle: UInt8) -> DeviceAddress? {
    slots.first { $0.handle == handle }.map {
      $0.applied.address ?? addresses.address(of: $0.definition.address).address
    }
  }

  /// Stops all sets permanently.
  package mutating func stopAll() {
    for index in slots.indices { slots[index].isWanted = false }
  }

  /// Records that the controller ended a set after `count` events, because of a connection or not: Advertising Set Terminated (Core 5.4
  /// Vol 4 Part E 7.7.65.18).
  package mutating func terminated(handle: UInt8, by status: ErrorCode, events count: UInt8 = 0) {
    guard let index = slots.firstIndex(where: { $0.handle == handle }) else { return }
    if status == .limitReached, slots[index].definition.maximumEvents != nil {
      if slots[index].isReported {
        events.append(.limitReached(set: slots[index].definition.id, events: Int(count)))
      }
      return ended(index, rests: true)
    }
    // Only high duty cycle directed advertising has a time limit. If another set reaches one, the line damaged a command for it, and the
    // set is started again.
    let isLimit = status == .limitReached || status == .advertisingTimeout
    ended(index, rests: status != .success && (!isLimit || slots[index].isHighDuty))
  }

  /// Records that a controller with legacy commands has ended high duty cycle directed advertising (Core 5.4 Vol 4 Part E 7.7.65.1).
  package mutating func callTimedOut() {
    for index in slots.indices where slots[index].isHighDuty { ended(index, rests: true) }
  }

  /// Records that a central has connected, which ends legacy connectable advertising.
  package mutating func connected() {
    guard !capabilities.usesExtendedCommands else { return }
    for index in slots.indices where slots[index].definition.isConnectable { ended(index, rests: false) }
  }

  private mutating func ended(_ index: Int, rests: Bool) {
    guard slots[index].state == .on || slots[index].state == .disabling else { return }
    slots[index].state = rests ? .resting : .off
    slots[index].phaseEnd = nil
    slots[index].phase = 0
    reportStopped(index)
  }

  /// Reports that a set is off the air, if it was reported as on.
  private mutating func reportStopped(_ index: Int) {
    guard slots[index].isReported else { return }
    slots[index].isReported = false
    events.append(.stopped(set: slots[index].definition.id))
  }

  /// The time at which the next phase of a schedule begins, or a set is retried.
  package var nextDeadline: Instant? {
    slots.reduce(nil) { Instant.earliest($0, $1.state == .on ? $1.phaseEnd : $1.retryDue) }
  }

  /// Advances the schedules whose phase is over to their next phase or their end, and retries sets that are due.
  package mutating func advance(to now: Instant) {
    for index in slots.indices where slots[index].retryDue.map({ $0 <= now }) ?? false {
      slots[index].retryDue = nil
      if slots[index].state == .resting { slots[index].state = .off }
    }
    for index in slots.indices where slots[index].state == .on {
      guard let end = slots[index].phaseEnd, end <= now else { continue }
      slots[index].phaseEnd = nil
      slots[index].phase += 1
    }
  }

  /// Returns the next command; nil when everything is in its desired state. Called while no command is in progress.
  package mutating func nextCommand() -> RoleCommand? {
    for index in slots.indices {
      if let command = nextCommand(of: index) {
        slots[index].commandedPhase = slots[index].phase
        slots[index].commandedDataVersion = slots[index].dataVersion
        return (command, .advertisingSet(index))
      }
    }
    // Every set that uses the lists is off the air now.
    return lists.isStale ? lists.nextCommand().map { ($0, .peerLists) } : nil
  }

  /// Returns the next command for one set. This is called on every turn, so the slot is read in place.
  private mutating func nextCommand(of index: Int) -> (any HCICommand)? {
    let shouldRun = slots[index].shouldRun(hasCapacity: hasCapacity, isAsleep: isAsleep)
    switch slots[index].state {
    case .on:
      let isInPhase = slots[index].applied.phase == slots[index].phase
      guard !shouldRun || !isInPhase || slots[index].mustPause else { return missingData(of: index) }
      slots[index].state = .disabling
      if !shouldRun || !isInPhase { slots[index].phaseEnd = nil }
      return enabling(false, slots[index])
    case .off where shouldRun && !lists.isStale:
      slots[index].mustPause = false
      if let missing = missingCommand(of: slots[index]) { return missing }
      slots[index].state = .enabling
      return enabling(true, slots[index])
    default: return nil
    }
  }

  /// Processes the answer to the command from `nextCommand`. `parameters` are its return parameters, status included.
  package mutating func answered(
    _ command: any HCICommand, about subject: CommandSubject, _ parameters: Span<UInt8>, at now: Instant
  ) {
    let status = ErrorCode(rawValue: parameters.count > 0 ? parameters[0] : ErrorCode.unspecifiedError.rawValue)
    guard case .advertisingSet(let index) = subject, slots.indices.contains(index) else {
      return listsAnswered(command, status)
    }
    let name = slots[index].definition.id
    switch slots[index].state {
    case .enabling:
      guard status == .success else { return refuseStart(index, command, status, at: now) }
      slots[index].state = .on
      slots[index].lacksRoom = false
      let phase = slots[index].definition.schedule[slots[index].commandedPhase]
      // After a pause for another address, the phase continues with its old end.
      slots[index].phaseEnd = slots[index].phaseEnd ?? phase.duration.map { now + $0 }
      slots[index].isReported = true
      events.append(.started(set: name, interval: phase.interval))
    case .disabling:
      // The status does not matter: a set that could not be stopped was not running.
      slots[index].state = slots[index].isOver ? .resting : .off
      reportStopped(index)
    case .off where command is LESetAdvertisingEnable || command is LESetExtendedAdvertisingEnable:
      // The set ended by itself while it was being stopped, so nothing was left to stop.
      break
    case _ where command is ZephyrWriteTxPowerLevel && status != .success:
      // The set is usable with another power.
      slots[index].applied.power = slots[index].definition.transmitPower
    default:
      guard status == .success else {
        // A controller that rejects new data while the set is on the air accepts it while the set is off.
        guard slots[index].state == .on else { return refuse(index, command, status) }
        return slots[index].mustPause = true
      }
      learn(command, parameters, index)
    }
  }

  /// The command about the lists that was refused, and why; nil if none was refused since the controller came up.
  package private(set) var listRefusal: (opcode: CommandOpcode, status: ErrorCode)?

  private mutating func listsAnswered(_ command: any HCICommand, _ status: ErrorCode) {
    guard !lists.answered(status) else { return }
    listRefusal = (type(of: command).opcode, status)
  }

  /// How long to wait before a controller without room for another connection is asked again.
  private static let retryPause = Duration.seconds(1)

  /// Handles a refused start. Some controllers reserve a connection for every connectable set that is on the air (Zephyr answers 0x07,
  /// others 0x09). When other sets or connections end, there is room again, but no event says so. So the set is retried, and the refusal
  /// is reported once.
  private mutating func refuseStart(_ index: Int, _ command: any HCICommand, _ status: ErrorCode, at now: Instant) {
    guard slots[index].definition.isConnectable, [.memoryCapacityExceeded, .connectionLimitExceeded].contains(status)
    else { return refuse(index, command, status) }
    if slots[index].lacksRoom { slots[index].rest() } else { refuse(index, command, status) }
    slots[index].lacksRoom = true
    slots[index].retryDue = now + Self.retryPause
  }

  /// Returns whether a set that was refused is retried automatically.
  package func triesAgain(set name: String) -> Bool {
    slots.contains { $0.definition.id == name && $0.retryDue != nil }
  }

  private mutating func refuse(_ index: Int, _ command: any HCICommand, _ status: ErrorCode) {
    slots[index].rest()
    events.append(.refused(set: slots[index].definition.id, type(of: command).opcode, status))
  }

  /// Returns Selected_Tx_Power in dBm. Zephyr returns the requested value, even the 127 that leaves the choice to it and that is not a
  /// power (Core 5.4 Vol 4 Part E 7.8.53). Its firmware uses 0 dBm unless it was built with another value.
  private static func power(_ octet: UInt8) -> Int8 {
    let power = Int8(bitPattern: octet)
    return (-127...20).contains(power) ? power : 0
  }

  /// Records the settings that the controller has accepted.
  private mutating func learn(_ command: any HCICommand, _ parameters: Span<UInt8>, _ index: Int) {
    switch command {
    case is LESetExtendedAdvertisingParameters:
      slots[index].applied.phase = slots[index].commandedPhase
      // New parameters restore the power that the firmware was built with.
      slots[index].applied.power = nil
      if parameters.count > 1 { slots[index].learnTransmitPower(Self.power(parameters[1])) }
    case is LESetAdvertisingParameters:
      slots[index].applied.phase = slots[index].commandedPhase
      slots[index].applied.power = nil
    case let command as ZephyrWriteTxPowerLevel:
      slots[index].applied.power = command.txPowerLevel
      guard let power = try? ZephyrWriteTxPowerLevel.returned(parameters).selectedTxPowerLevel else { break }
      slots[index].learnTransmitPower(power)
      events.append(.powered(set: slots[index].definition.id, power: power))
    case is LEReadAdvertisingPhysicalChannelTxPower:
      slots[index].learnTransmitPower(parameters.count > 1 ? Int8(bitPattern: parameters[1]) : 0)
    case let command as LESetAdvertisingSetRandomAddress: slots[index].applied.address = command.address
    case let command as LESetRandomAddress: slots[index].applied.address = command.address
    // Data that has changed meanwhile is sent again from the beginning.
    case _ where slots[index].commandedDataVersion != slots[index].dataVersion:
      if !slots[index].applied.hasData { slots[index].applied.dataOctets = 0 }
      if !slots[index].applied.hasResponse { slots[index].applied.responseOctets = 0 }
    case let command as LESetExtendedAdvertisingData:
      slots[index].applied.dataOctets += command.data.count
      slots[index].applied.hasData = command.operation.isLast
    case let command as LESetExtendedScanResponseData:
      slots[index].applied.responseOctets += command.data.count
      slots[index].applied.hasResponse = command.operation.isLast
    case is LESetAdvertisingData: slots[index].applied.hasData = true
    case is LESetScanResponseData: slots[index].applied.hasResponse = true
    default: break
    }
  }
}
