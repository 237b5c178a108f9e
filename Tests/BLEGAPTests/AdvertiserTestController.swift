import BLECore
import BLEGAP
import BLEHCI
import Testing

/// The advertising part of a controller, as strict as Core 5.4 Vol 4 Part E 7.8 permits.
struct AdvertiserTestController {
  /// One set; legacy commands work on the one with handle 0.
  struct AdvertisingSet {
    var properties: AdvertisingEventProperties = []
    var type: AdvertisingType?
    var interval = AdvertisingInterval(rawValue: 0)
    var ownAddressType = OwnAddressType.publicDevice
    var secondaryPHY = PHY.le1M
    var sid: UInt8 = 0
    var wantedPower: Int8 = 127
    var address: DeviceAddress?
    var data: [UInt8] = []
    var response: [UInt8] = []
    var isDataWhole = true
    var isResponseWhole = true
    var isOn = false
  }

  var sets: [UInt8: AdvertisingSet] = [:]
  /// The power that it always selects, in dBm.
  var power: Int8 = 0
  /// The commands to refuse, and how often.
  var refusals: [(opcode: CommandOpcode, status: ErrorCode)] = []
  /// Max_Extended_Advertising_Events of the last LE Set Extended Advertising Enable.
  private(set) var maximumEvents: UInt8 = 0
  /// All received commands.
  private(set) var log: [CommandOpcode] = []
  /// The operation and length of every fragment of data.
  private(set) var fragments: [(operation: AdvertisingDataOperation, count: Int)] = []
  private var usesExtended: Bool?

  var activeHandles: Set<UInt8> { Set(sets.filter(\.value.isOn).keys) }

  mutating func forgetLog() {
    log = []
    fragments = []
  }

  /// Executes a command and returns the return parameters.
  mutating func execute(_ command: any HCICommand) -> [UInt8] {
    let opcode = type(of: command).opcode
    log.append(opcode)
    if let index = refusals.firstIndex(where: { $0.opcode == opcode }) {
      return [refusals.remove(at: index).status.rawValue]
    }
    let isExtended = opcode.rawValue >= CommandOpcode.leSetAdvertisingSetRandomAddress.rawValue
    if let usesExtended, usesExtended != isExtended { return [ErrorCode.commandDisallowed.rawValue] }
    usesExtended = isExtended
    let status = isExtended ? executeExtended(command) : executeLegacy(command)
    guard status == .success else { return [status.rawValue] }
    let returnsPower =
      command is LEReadAdvertisingPhysicalChannelTxPower || command is LESetExtendedAdvertisingParameters
    return [0] + (returnsPower ? [UInt8(bitPattern: power)] : [])
  }

  private mutating func executeLegacy(_ command: any HCICommand) -> ErrorCode {
    var set = sets[0] ?? AdvertisingSet()
    defer { sets[0] = set }
    switch command {
    case let command as LESetAdvertisingParameters:
      guard !set.isOn else { return .commandDisallowed }
      guard command.intervalMinimum <= command.intervalMaximum else { return .invalidHCICommandParameters }
      set.type = command.advertisingType
      set.interval = command.intervalMaximum
      set.ownAddressType = command.ownAddressType
    case is LEReadAdvertisingPhysicalChannelTxPower: break
    case let command as LESetAdvertisingData:
      guard let data = command.data.significant else { return .invalidHCICommandParameters }
      set.data = data
    case let command as LESetScanResponseData:
      guard let data = command.data.significant else { return .invalidHCICommandParameters }
      set.response = data
    case let command as LESetAdvertisingEnable:
      if command.enable && set.type == nil { return .commandDisallowed }
      set.isOn = command.enable
    default: return .unknownHCICommand
    }
    return .success
  }

  private mutating func executeExtended(_ command: any HCICommand) -> ErrorCode {
    switch command {
    case let command as LESetExtendedAdvertisingParameters: return setParameters(command)
    case let command as LESetAdvertisingSetRandomAddress:
      guard let set = sets[command.advertisingHandle] else { return .unknownAdvertisingIdentifier }
      guard !set.isOn else { return .commandDisallowed }
      sets[command.advertisingHandle]?.address = command.address
    case let command as LESetExtendedAdvertisingData:
      guard var set = sets[command.advertisingHandle] else { return .unknownAdvertisingIdentifier }
      let status = take(command.operation, command.data, set.isOn, &set.data, &set.isDataWhole)
      sets[command.advertisingHandle] = set
      return status
    case let command as LESetExtendedScanResponseData:
      guard var set = sets[command.advertisingHandle] else { return .unknownAdvertisingIdentifier }
      let status = take(command.operation, command.data, set.isOn, &set.response, &set.isResponseWhole)
      sets[command.advertisingHandle] = set
      return status
    case let command as LESetExtendedAdvertisingEnable: return enable(command)
    default: return .unknownHCICommand
    }
    return .success
  }

  private mutating func setParameters(_ command: LESetExtendedAdvertisingParameters) -> ErrorCode {
    var set = sets[command.advertisingHandle] ?? AdvertisingSet()
    guard !set.isOn else { return .commandDisallowed }
    guard command.primaryIntervalMinimum <= command.primaryIntervalMaximum else {
      return .invalidHCICommandParameters
    }
    set.properties = command.eventProperties
    set.interval = command.primaryIntervalMaximum
    set.ownAddressType = command.ownAddressType
    set.secondaryPHY = command.secondaryPHY
    set.sid = command.advertisingSID
    set.wantedPower = command.txPower
    sets[command.advertisingHandle] = set
    return .success
  }

  private mutating func take(
    _ operation: AdvertisingDataOperation, _ part: [UInt8], _ isOn: Bool, _ data: inout [UInt8], _ isWhole: inout Bool
  ) -> ErrorCode {
    fragments.append((operation, part.count))
    guard !isOn || operation == .complete else { return .commandDisallowed }
    guard part.count <= 251, operation == .complete || !part.isEmpty else { return .invalidHCICommandParameters }
    switch operation {
    case .complete, .first: data = part
    case .intermediate, .last:
      guard !isWhole else { return .invalidHCICommandParameters }
      data += part
    default: return .invalidHCICommandParameters
    }
    isWhole = operation == .complete || operation == .last
    return .success
  }

  private mutating func enable(_ command: LESetExtendedAdvertisingEnable) -> ErrorCode {
    for activation in command.sets {
      guard let set = sets[activation.advertisingHandle] else { return .unknownAdvertisingIdentifier }
      guard command.enable else { continue }
      if set.ownAddressType == .random, set.address == nil { return .invalidHCICommandParameters }
      guard set.isDataWhole, set.isResponseWhole else { return .commandDisallowed }
      // A scannable set of extended PDUs needs a scan response (7.8.56).
      if set.properties.contains(.scannable), !set.properties.contains(.legacy), set.response.isEmpty {
        return .commandDisallowed
      }
    }
    for activation in command.sets {
      sets[activation.advertisingHandle]?.isOn = command.enable
      maximumEvents = activation.maximumEvents
    }
    return .success
  }
}

/// An advertiser and its controller, in virtual time.
struct AdvertiserScene {
  var advertiser: Advertiser
  var controller = AdvertiserTestController()
  var now = Instant(nanoseconds: 1_000_000_000)
  /// What the command that was taken last is about.
  private var subject = CommandSubject.advertisingSet(0)

  static let address = DeviceAddress(bits: 0xC4_12_34_56_78_9A)

  init(
    _ definitions: [AdvertisingSetDefinition], extended: Bool, maximumDataLength: Int = 1650, setCount: Int = 4,
    addressType: OwnAddressType = .random, power: Int8 = 0
  ) {
    advertiser = Advertiser(
      definitions,
      capabilities: AdvertisingCapabilities(
        usesExtendedCommands: extended, maximumDataLength: maximumDataLength, setCount: setCount),
      addresses: OnAirAddresses(identity: Self.address, type: addressType))
    controller.power = power
  }

  /// Executes one command and its answer; returns false if there is none.
  mutating func step() -> Bool {
    guard let (command, subject) = advertiser.nextCommand() else { return false }
    let answer = controller.execute(command)
    advertiser.answered(command, about: subject, answer.span, at: now)
    return true
  }

  /// Executes all commands until `isReached` is true, or to the last; records an issue if they do not end.
  mutating func runCommands(
    until isReached: (AdvertiserTestController) -> Bool = { _ in false },
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for _ in 0..<200 {
      guard !isReached(controller), step() else { return }
    }
    Issue.record("commands without end", sourceLocation: sourceLocation)
  }

  /// Returns the next command, which must exist.
  mutating func nextCommand(sourceLocation: SourceLocation = #_sourceLocation) throws -> any HCICommand {
    let command = takeCommand()
    return try #require(command, sourceLocation: sourceLocation)
  }

  /// Returns the next command; nil if there is none.
  mutating func takeCommand() -> (any HCICommand)? {
    guard let (command, subject) = advertiser.nextCommand() else { return nil }
    self.subject = subject
    return command
  }

  /// Answers the command that was taken last.
  mutating func answered(_ command: any HCICommand, _ parameters: [UInt8]) {
    advertiser.answered(command, about: subject, parameters.span, at: now)
  }

  /// Starts or stops a set by its name, which must exist.
  mutating func want(_ isWanted: Bool, set name: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let isKnown = advertiser.setWanted(isWanted, set: name, at: now)
    #expect(isKnown, sourceLocation: sourceLocation)
  }

  /// Advances time from deadline to deadline.
  mutating func pass(_ duration: Duration) {
    let end = now + duration
    while let deadline = advertiser.nextDeadline, deadline <= end {
      now = max(now, deadline)
      advertiser.advance(to: now)
      runCommands()
    }
    now = end
  }

  /// Connects a central to the set with that handle, which is then off the air.
  mutating func airLost(_ handle: UInt8 = 0) { controller.sets[handle]?.isOn = false }

  /// Returns the events since the last call.
  mutating func takeEvents() -> [AdvertisingEvent] {
    defer { advertiser.events = [] }
    return advertiser.events
  }

  /// Returns the controller's set with that handle.
  func set(_ handle: UInt8 = 0) -> AdvertiserTestController.AdvertisingSet {
    controller.sets[handle] ?? AdvertiserTestController.AdvertisingSet()
  }
}

extension AdvertisingSetDefinition {
  /// Returns a set with two phases and then silence: 20 ms for 30 s, 152.5 ms for 10 s.
  static func twoPhases(_ kind: Kind, isConnectable: Bool = true) -> AdvertisingSetDefinition {
    AdvertisingSetDefinition(
      id: "two", kind: kind, isConnectable: isConnectable, data: [2, 1, 6],
      schedule: [
        .init(interval: .milliseconds(20), duration: .seconds(30)),
        .init(interval: .microseconds(152_500), duration: .seconds(10)),
      ])
  }
}
