import BLECore
import BLEHCI

/// What a controller can advertise, as it reported.
public struct AdvertisingCapabilities: Hashable, Sendable {
  /// Whether the extended commands are used; chosen once, because the first command of one family locks the other out
  /// (Core 5.4 Vol 4 Part E 3.1.1).
  public var usesExtendedCommands: Bool
  /// The longest advertising data of a set, in octets.
  public var maximumDataLength: Int
  /// The longest advertising data of an extended set that is connectable, in octets, where that is less: it has to fit into one
  /// packet (Core 5.4 Vol 6 Part B 2.3.1.6), and some controllers say only what they put into a chain of packets.
  public var maximumConnectableDataLength = Int.max
  /// How many sets there can be.
  public var setCount: Int
  /// How many devices its filter accept list and its resolving list hold; zero where they are not wanted or there are none.
  public var acceptListSize = 0
  /// How many peers its resolving list holds; 0 when it has none.
  public var resolvingListSize = 0
  /// Whether it sets the power of advertising by Zephyr's vendor command. Such a controller does not do so by the parameters of a
  /// set, where it only gives back what it was asked for.
  public var writesTransmitPower = false

  /// Capabilities.
  public init(usesExtendedCommands: Bool, maximumDataLength: Int = 31, setCount: Int = 1) {
    self.usesExtendedCommands = usesExtendedCommands
    self.maximumDataLength = maximumDataLength
    self.setCount = setCount
  }
}

/// What an observer learns of advertising.
public enum AdvertisingEvent: Hashable, Sendable {
  /// A set is on the air at that interval.
  case started(set: String, interval: Duration)
  /// A set is off the air.
  case stopped(set: String)
  /// The controller has ended a set after the most events that it is to have; it stays off until something starts it anew.
  case limitReached(set: String, events: Int)
  /// A controller of Zephyr's was told the power of a set, and sends with this one, in dBm.
  case powered(set: String, power: Int8)
  /// The controller refused a set.
  case refused(set: String, CommandOpcode, ErrorCode)
  /// The controller cannot carry a set at all, and why.
  case unavailable(set: String, reason: String)
  /// The controller cannot keep a set to bonded centrals, and why: the host ends the connections of others, and scans are answered.
  case unfiltered(set: String, reason: String)
}

/// Keeps the advertising sets as they should be: it compares what is wanted with what the controller has been told, and
/// says which command comes next. It never has more than one command under way.
package struct Advertiser: Sendable {
  var slots: [AdvertisingSlot] = []
  let capabilities: AdvertisingCapabilities
  var addresses: OnAirAddresses
  /// The slot whose command is under way.
  var busySlot: Int?
  var lists = PeerListUpdate()
  /// Whether another central may connect: without, connectable sets are off the air.
  package private(set) var hasCapacity = true
  /// Whether no set is on the air, whatever else is wanted.
  var isAsleep = false
  /// What has happened since the owner last took it.
  package var events: [AdvertisingEvent] = []

  /// An advertiser of those sets, as far as the controller can carry them.
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

  /// The sets that the controller can carry.
  package var availableSets: [String] { slots.map(\.definition.id) }

  /// The sets that are on the air.
  package var activeSets: [String] { slots.filter { $0.state == .on }.map(\.definition.id) }

  /// Whether everything is as it should be and no command is missing.
  package var isUpToDate: Bool {
    busySlot == nil && !lists.isStale
      && slots.indices.allSatisfy {
        slots[$0].isUpToDate(hasCapacity: hasCapacity, isAsleep: isAsleep)
          && (slots[$0].state != .on || missingData(of: $0) == nil)
      }
  }

  /// Says whether another central may connect. When one may again, the schedules of connectable sets begin anew.
  package mutating func setCapacity(_ hasCapacity: Bool, at now: Instant) {
    if hasCapacity && !self.hasCapacity { restartConnectable(at: now) }
    self.hasCapacity = hasCapacity
  }

  /// Begins the schedules of all connectable sets anew.
  package mutating func restartConnectable(at now: Instant) {
    for index in slots.indices where slots[index].definition.isConnectable { slots[index].restart(at: now) }
  }

  /// Starts or stops a set by its name; false when there is no such set.
  package mutating func setWanted(_ isWanted: Bool, set name: String, at now: Instant) -> Bool {
    guard let index = slots.firstIndex(where: { $0.definition.id == name }) else { return false }
    slots[index].isWanted = isWanted
    slots[index].restart(at: now)
    return true
  }

  /// Gives the sets other addresses. Those that are on the air go off for that, and on again: their addresses cannot be changed
  /// meanwhile (Core 5.4 Vol 4 Part E 7.8.4, 7.8.52).
  package mutating func setAddresses(_ new: OnAirAddresses) {
    for index in slots.indices {
      let kind = slots[index].definition.address
      let (old, wanted) = (addresses.address(of: kind), new.address(of: kind))
      guard old != wanted else { continue }
      if slots[index].applied.address == nil { slots[index].applied.address = old.address }
      // Another kind of address is a parameter of the set.
      if old.type != wanted.type { slots[index].applied.phase = nil }
      if slots[index].state != .off { slots[index].mustPause = true }
    }
    addresses = new
  }

  /// Gives the controller other lists of peers. All sets pause for that, because what is on the air may go by them.
  package mutating func setLists(_ wanted: PeerLists) {
    guard wanted != lists.wanted else { return }
    lists.wanted = wanted
    for index in slots.indices where slots[index].state != .off { slots[index].mustPause = true }
  }

  /// Says whom directed sets call now, by their names. A set that calls nobody is off the air.
  package mutating func setTargets(_ targets: [String: PeerAddress]) {
    for index in slots.indices where slots[index].definition.target != nil {
      let target = targets[slots[index].definition.id]
      guard target != slots[index].target else { continue }
      slots[index].target = target
      slots[index].applied.phase = nil
    }
  }

  /// Whether the controller filters by its list, for sets that do not answer everybody.
  package mutating func setFiltering(byController isFiltering: Bool) {
    for index in slots.indices where slots[index].definition.filters {
      guard isFiltering != slots[index].isFilteredByController else { continue }
      slots[index].isFilteredByController = isFiltering
      slots[index].applied.phase = nil
    }
  }

  /// The connectable set that is on the air by legacy commands, which know one alone; nil with extended ones.
  package var legacyConnectableSet: AdvertisingSetDefinition? {
    capabilities.usesExtendedCommands ? nil : slots.first { $0.isReported && $0.definition.isConnectable }?.definition
  }

  /// The set that has that advertising handle.
  package func definition(ofHandle handle: UInt8) -> AdvertisingSetDefinition? {
    slots.first { $0.handle == handle }?.definition
  }

  /// Under which address a connectable set is on the air, or was last: that of a connection that is made now.
  package var connectableAddress: DeviceAddress? {
    slots.first { $0.definition.isConnectable && $0.isReported }.map { $0.applied.address ?? addresses.identity }
      ?? slots.first { $0.definition.isConnectable }?.applied.address
  }

  /// Under which address the set with that advertising handle is on the air, or was last.
  package func address(ofHandle handle: UInt8) -> DeviceAddress? {
    slots.first { $0.handle == handle }.map { $0.applied.address ?? addresses.address(of: $0.definition.address).address }
  }

  /// Stops all sets for good.
  package mutating func stopAll() {
    for index in slots.indices { slots[index].isWanted = false }
  }

  /// A set ended by itself after so many events: Advertising Set Terminated (Core 5.4 Vol 4 Part E 7.7.65.18), because of a connection or
  /// not.
  package mutating func terminated(handle: UInt8, by status: ErrorCode, events count: UInt8 = 0) {
    guard let index = slots.firstIndex(where: { $0.handle == handle }) else { return }
    if status == .limitReached, slots[index].definition.maximumEvents != nil {
      if slots[index].isReported {
        events.append(.limitReached(set: slots[index].definition.id, events: Int(count)))
      }
      return ended(index, rests: true)
    }
    // A limit of time is given to high duty cycle directed advertising alone. Any other set has reached one because the controller was
    // told something else on its line, and is told anew.
    let isLimit = status == .limitReached || status == .advertisingTimeout
    ended(index, rests: status != .success && (!isLimit || slots[index].isHighDuty))
  }

  /// The controller of legacy commands has given up to call a peer at high duty cycle (Core 5.4 Vol 4 Part E 7.7.65.1).
  package mutating func callTimedOut() {
    for index in slots.indices where slots[index].isHighDuty { ended(index, rests: true) }
  }

  /// A central has connected: legacy connectable advertising has ended by itself.
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

  /// Reports that a set is off the air, if it was reported to be on.
  private mutating func reportStopped(_ index: Int) {
    guard slots[index].isReported else { return }
    slots[index].isReported = false
    events.append(.stopped(set: slots[index].definition.id))
  }

  /// When the next phase of a schedule begins, or a set is tried again.
  package var nextDeadline: Instant? {
    slots.reduce(nil) { Instant.earliest($0, $1.state == .on ? $1.phaseEnd : $1.retryDue) }
  }

  /// Moves the schedules whose phase is over on to their next phase, or to rest; tries sets again.
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

  /// The next command to send; nil when everything is as it should be, or a command is under way.
  package mutating func nextCommand() -> (any HCICommand)? {
    guard busySlot == nil, !lists.isBusy else { return nil }
    for index in slots.indices {
      if let command = nextCommand(of: index) {
        busySlot = index
        slots[index].commandedPhase = slots[index].phase
        slots[index].commandedDataVersion = slots[index].dataVersion
        return command
      }
    }
    // Everything is off the air that could stand in the way.
    return lists.isStale ? lists.nextCommand() : nil
  }

  /// The next command about one set. It is asked at every turn, so the slot is read in place.
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

  /// Takes the answer to the command that `nextCommand` gave. `parameters` are its return parameters, status included.
  package mutating func answered(_ command: any HCICommand, _ parameters: Span<UInt8>, at now: Instant) {
    let status = ErrorCode(rawValue: parameters.count > 0 ? parameters[0] : ErrorCode.unspecifiedError.rawValue)
    guard let index = busySlot else { return listsAnswered(command, status) }
    busySlot = nil
    let name = slots[index].definition.id
    switch slots[index].state {
    case .enabling:
      guard status == .success else { return refuseStart(index, command, status, at: now) }
      slots[index].state = .on
      slots[index].lacksRoom = false
      let phase = slots[index].definition.schedule[slots[index].commandedPhase]
      // A phase goes on where it went off the air for another address.
      slots[index].phaseEnd = slots[index].phaseEnd ?? phase.duration.map { now + $0 }
      slots[index].isReported = true
      events.append(.started(set: name, interval: phase.interval))
    case .disabling:
      // Whatever the status: a set that could not be stopped was not running.
      slots[index].state = slots[index].isOver ? .resting : .off
      reportStopped(index)
    case .off where command is LESetAdvertisingEnable || command is LESetExtendedAdvertisingEnable:
      // The set ended by itself while it was being stopped, so that nothing was left to stop.
      break
    case _ where command is ZephyrWriteTxPowerLevel && status != .success:
      // It is on the air as well with another power.
      slots[index].applied.power = slots[index].definition.transmitPower
    default:
      guard status == .success else {
        // A controller that takes no other data on the air takes them off it.
        guard slots[index].state == .on else { return refuse(index, command, status) }
        return slots[index].mustPause = true
      }
      learn(command, parameters, index)
    }
  }

  /// Which command about the lists was refused, and why; nil while none was since the lists were last set.
  package private(set) var listRefusal: (opcode: CommandOpcode, status: ErrorCode)?

  private mutating func listsAnswered(_ command: any HCICommand, _ status: ErrorCode) {
    guard lists.isBusy, !lists.answered(status) else { return }
    listRefusal = (type(of: command).opcode, status)
  }

  /// How long a controller without room for another connection is left alone.
  private static let retryPause = Duration.seconds(1)

  /// Some controllers keep room for the connection of every connectable set that is on the air (Zephyr answers 0x07, others 0x09).
  /// When others end there is room again, which nothing tells; so the set is tried again, and reported once.
  private mutating func refuseStart(_ index: Int, _ command: any HCICommand, _ status: ErrorCode, at now: Instant) {
    guard slots[index].definition.isConnectable, [.memoryCapacityExceeded, .connectionLimitExceeded].contains(status)
    else { return refuse(index, command, status) }
    if slots[index].lacksRoom { slots[index].rest() } else { refuse(index, command, status) }
    slots[index].lacksRoom = true
    slots[index].retryDue = now + Self.retryPause
  }

  /// Whether a set that was refused is tried again by itself.
  package func triesAgain(set name: String) -> Bool {
    slots.contains { $0.definition.id == name && $0.retryDue != nil }
  }

  private mutating func refuse(_ index: Int, _ command: any HCICommand, _ status: ErrorCode) {
    slots[index].rest()
    events.append(.refused(set: slots[index].definition.id, type(of: command).opcode, status))
  }

  /// Selected_Tx_Power in dBm. Zephyr gives back what it was asked for, also the 127 that leaves the choice to it: that is no power
  /// (Core 5.4 Vol 4 Part E 7.8.53), and 0 dBm is what it is built for unless somebody chose another.
  private static func power(_ octet: UInt8) -> Int8 {
    let power = Int8(bitPattern: octet)
    return (-127...20).contains(power) ? power : 0
  }

  /// Notes what the controller has been told.
  private mutating func learn(_ command: any HCICommand, _ parameters: Span<UInt8>, _ index: Int) {
    switch command {
    case is LESetExtendedAdvertisingParameters:
      slots[index].applied.phase = slots[index].commandedPhase
      // New parameters bring the power that the firmware was built with.
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
    // Data that have changed meanwhile are told from the beginning.
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
