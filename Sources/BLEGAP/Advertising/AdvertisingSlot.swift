import BLECore
import BLEHCI

/// One advertising set in use: its desired state, and the settings applied in the controller.
struct AdvertisingSlot: Sendable {
  var definition: AdvertisingSetDefinition
  /// The advertising handle on the controller.
  let handle: UInt8
  /// Whether the set is switched on, regardless of free connections.
  var isWanted: Bool
  /// The state of the set in the controller.
  var state = State.off
  /// Whether it was reported to be on the air.
  var isReported = false
  /// When the set is retried after the controller had no room for another connection.
  var retryDue: Instant?
  /// Whether the controller had no room for the set at the last attempt.
  var lacksRoom = false
  /// The current or next phase of the schedule.
  var phase = 0
  /// When the phase ends.
  var phaseEnd: Instant?
  /// The phase that the command in progress is for. The schedule may restart before the answer arrives.
  var commandedPhase = 0
  /// The number of changes of the data, and that number when the command in progress was issued.
  var dataVersion = 0
  var commandedDataVersion = 0
  /// The settings applied in the controller.
  var applied = Applied()
  /// Whether the set has to go off the air for a moment, to change its address, its data or the lists of peers.
  var mustPause = false
  /// The current target of a directed set; nil while it has none.
  var target: TypedAddress?
  /// Whether the controller applies its filter accept list to the set, if the set does not respond to everybody.
  var isFilteredByController = true
  /// The power that the controller chose, in dBm.
  var transmitPower: Int8?

  /// The state of a set in the controller.
  enum State: Hashable, Sendable {
    case off, enabling, on, disabling
    /// The last phase is over, or the controller refused the set. The set stays off until something restarts it.
    case resting
  }

  /// The settings of a set that the controller has accepted.
  struct Applied: Hashable, Sendable {
    /// The phase whose parameters are applied.
    var phase: Int?
    /// The address that is applied; nil for the address of the host's identity on a controller with legacy commands, which bring-up has
    /// set.
    var address: DeviceAddress?
    var dataOctets = 0
    var hasData = false
    var responseOctets = 0
    var hasResponse = false
    /// The power in dBm that Zephyr's vendor command has set; nil if the parameters were set after it.
    var power: Int8?
  }

  init(_ definition: AdvertisingSetDefinition, handle: UInt8) {
    self.definition = definition
    self.handle = handle
    isWanted = definition.startsAutomatically
  }

  /// Whether the last phase is over.
  var isOver: Bool { phase >= definition.schedule.count }

  /// Returns whether the set should be on the air: it is wanted, neither over nor resting, has a free connection if it is connectable,
  /// and has a target if it is directed.
  func shouldRun(hasCapacity: Bool, isAsleep: Bool) -> Bool {
    isWanted && !isAsleep && !isOver && state != .resting && (hasCapacity || !definition.isConnectable)
      && (definition.target == nil || target != nil)
  }

  /// Whether the set uses directed advertising that the controller ends by itself.
  var isHighDuty: Bool { definition.target != nil && definition.kind == .legacy && definition.isHighDuty }

  /// Returns whether the set is in its desired state.
  func isUpToDate(hasCapacity: Bool, isAsleep: Bool) -> Bool {
    let shouldRun = shouldRun(hasCapacity: hasCapacity, isAsleep: isAsleep)
    return state == .on ? shouldRun && applied.phase == phase && !mustPause : !shouldRun
  }

  /// Replaces the data, which is then sent from the beginning.
  mutating func setData(_ data: [UInt8], scanResponse: [UInt8]) {
    if data != definition.data { (applied.hasData, applied.dataOctets) = (false, 0) }
    if scanResponse != definition.scanResponse { (applied.hasResponse, applied.responseOctets) = (false, 0) }
    (definition.data, definition.scanResponse) = (data, scanResponse)
    dataVersion += 1
  }

  /// Restarts the schedule with its first phase. A set that is on the air in its first phase stays there: a pause would cost a central
  /// its connection if it connects at that moment.
  mutating func restart(at now: Instant) {
    phase = 0
    let goesOn = state == .on && applied.phase == 0
    phaseEnd = goesOn ? definition.schedule[0].duration.map { now + $0 } : nil
    retryDue = nil
    lacksRoom = false
    if state == .resting { state = .off }
  }

  /// Records the power that the controller has chosen. If the data contains another value, it is sent again.
  mutating func learnTransmitPower(_ power: Int8) {
    let before = data
    transmitPower = power
    guard data != before else { return }
    applied.hasData = false
    applied.dataOctets = 0
  }

  /// Rests after a refusal. Data that was sent in part is sent from the beginning the next time.
  mutating func rest() {
    state = .resting
    if !applied.hasData { applied.dataOctets = 0 }
    if !applied.hasResponse { applied.responseOctets = 0 }
  }

  /// The advertising data, with the transmit power that the controller chose in its Tx Power Level structure (Core Specification
  /// Supplement Part A 1.5).
  var data: [UInt8] {
    guard let transmitPower else { return definition.data }
    var data = definition.data
    var offset = 0
    while offset + 1 < data.count, data[offset] > 0 {
      if data[offset] == 2, data[offset + 1] == 0x0A, offset + 2 < data.count {
        data[offset + 2] = UInt8(bitPattern: transmitPower)
      }
      offset += 1 + Int(data[offset])
    }
    return data
  }
}
