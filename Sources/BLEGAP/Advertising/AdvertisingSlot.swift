import BLECore
import BLEHCI

/// One advertising set at work: what it should be, and how far the controller has been told.
struct AdvertisingSlot: Sendable {
  var definition: AdvertisingSetDefinition
  /// The advertising handle on the controller.
  let handle: UInt8
  /// Whether somebody wants it on, apart from free connections.
  var isWanted: Bool
  /// What the controller does.
  var state = State.off
  /// Whether it was reported to be on the air.
  var isReported = false
  /// When it is tried again after the controller had no room for another connection.
  var retryDue: Instant?
  /// Whether the controller had no room for it the last time.
  var lacksRoom = false
  /// The phase of the schedule that is or will be advertised.
  var phase = 0
  /// When the phase ends.
  var phaseEnd: Instant?
  /// The phase that the command under way is about; the schedule may begin anew before it is answered.
  var commandedPhase = 0
  /// How often its data were changed, and how often before the command under way was given.
  var dataVersion = 0
  var commandedDataVersion = 0
  /// What the controller knows of it already.
  var applied = Applied()
  /// Whether it has to go off the air for a moment: for another address, or for other lists of peers.
  var mustPause = false
  /// Whom it calls now; nil while a directed set has nobody to call.
  var target: PeerAddress?
  /// Whether the controller filters by its list, where the set does not answer everybody.
  var isFilteredByController = true
  /// The power that the controller chose, in dBm.
  var transmitPower: Int8?

  /// What the controller does with a set.
  enum State: Hashable, Sendable {
    case off, enabling, on, disabling
    /// The last phase is over, or the controller refused it: it stays off until something starts it anew.
    case resting
  }

  /// What the controller has been told of a set.
  struct Applied: Hashable, Sendable {
    /// The phase whose interval it has.
    var phase: Int?
    /// The address it has; nil for that of the host's identity on a legacy controller, which was told at the beginning.
    var address: DeviceAddress?
    var dataOctets = 0
    var hasData = false
    var responseOctets = 0
    var hasResponse = false
    /// The power, in dBm, by Zephyr's vendor command; nil where its parameters are newer.
    var power: Int8?
  }

  init(_ definition: AdvertisingSetDefinition, handle: UInt8) {
    self.definition = definition
    self.handle = handle
    isWanted = definition.startsAutomatically
  }

  /// Whether its last phase is over.
  var isOver: Bool { phase >= definition.schedule.count }

  /// Whether it should be on: wanted, neither over nor resting, and with a connection to give if it offers one.
  func shouldRun(hasCapacity: Bool, isAsleep: Bool) -> Bool {
    isWanted && !isAsleep && !isOver && state != .resting && (hasCapacity || !definition.isConnectable)
      && (definition.target == nil || target != nil)
  }

  /// Whether it is directed advertising that the controller ends by itself.
  var isHighDuty: Bool { definition.target != nil && definition.kind == .legacy && definition.isHighDuty }

  /// Whether it is as it should be.
  func isUpToDate(hasCapacity: Bool, isAsleep: Bool) -> Bool {
    let shouldRun = shouldRun(hasCapacity: hasCapacity, isAsleep: isAsleep)
    return state == .on ? shouldRun && applied.phase == phase && !mustPause : !shouldRun
  }

  /// Takes other data, which the controller is told from the beginning.
  mutating func setData(_ data: [UInt8], scanResponse: [UInt8]) {
    if data != definition.data { (applied.hasData, applied.dataOctets) = (false, 0) }
    if scanResponse != definition.scanResponse { (applied.hasResponse, applied.responseOctets) = (false, 0) }
    (definition.data, definition.scanResponse) = (data, scanResponse)
    dataVersion += 1
  }

  /// Begins the schedule anew, at the fast end. A set that is on the air in its first phase stays there: taking it off for a moment
  /// would cost a central its connection that connects in that moment.
  mutating func restart(at now: Instant) {
    phase = 0
    let goesOn = state == .on && applied.phase == 0
    phaseEnd = goesOn ? definition.schedule[0].duration.map { now + $0 } : nil
    retryDue = nil
    lacksRoom = false
    if state == .resting { state = .off }
  }

  /// Notes the power that the controller has chosen. Data that name another one are told anew.
  mutating func learnTransmitPower(_ power: Int8) {
    let before = data
    transmitPower = power
    guard data != before else { return }
    applied.hasData = false
    applied.dataOctets = 0
  }

  /// Rests after a refusal. What was told in part is told from its beginning the next time.
  mutating func rest() {
    state = .resting
    if !applied.hasData { applied.dataOctets = 0 }
    if !applied.hasResponse { applied.responseOctets = 0 }
  }

  /// The advertising data with the transmit power that the controller chose in its Tx Power Level structure
  /// (Core Specification Supplement Part A 1.5).
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
