import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import Faults

/// The armed faults of a host, their counters, and their deferred tasks.
///
/// A host without faults has no plan, so the cost is one branch. With a plan, requests and pushes are looked up by opcode and handle in
/// tables; only those found there are compared with the faults.
struct FaultPlan: Sendable {
  /// A fault and its progress.
  struct Entry: Sendable {
    let fault: Fault
    var watch: FaultWatch
    var condition: FaultWatch?
    /// Since when its occasions count; nil while its condition has not been met.
    var start: Instant?
    /// How many occasions there were, and how often it has fired.
    var seen = 0
    var fired = 0
    /// When a timed fault fires next.
    var due: Instant?

    /// Whether it cannot fire again.
    var isSpent: Bool { fault.timing.limit.map { fired >= $0 } ?? false }
  }

  /// The faults in the order of arming: if several could fire at once, the first does.
  private(set) var entries: [Entry] = []
  /// The deferred tasks.
  var agenda = FaultAgenda()
  /// Whether a fault has made the accessory disappear for a while: it ignores all input.
  var isAway = false
  /// The server's initial state, to which a reboot returns.
  var pristine: GATTServer?
  /// The PSMs of channels by their ids.
  private var channels: [String: SPSM]
  private var random: SplitMix64
  /// The addresses of the peers.
  private var peers: [(connection: ConnectionHandle, address: DeviceAddress)] = []
  /// The links on which attribute requests are ignored.
  private(set) var muted: [ConnectionHandle] = []

  /// Whether a fault may resend the last value.
  private(set) var keepsValues = false
  /// Tables of the client PDUs that a fault waits for: by attribute handle, and by opcode for any attribute.
  private var attributes: [Bool] = []
  private var opcodes = [Bool](repeating: false, count: 256)
  /// Tables of the notifications and indications that a fault waits for: by attribute handle; whether there are any; whether for all attributes.
  private var pushes: [Bool] = []
  private var watchesPushes = false
  private var watchesAllPushes = false
  private var configurations: Set<UInt16> = []
  /// The other kinds of events that a fault waits for.
  private var kinds: Set<FaultWatch.Kind> = []

  init(seed: UInt64, channels: [String: SPSM]) {
    random = SplitMix64(seed: seed).generator(for: "faults")
    self.channels = channels
  }

  // MARK: - Arming

  /// Arms a fault, replacing one with the same id.
  mutating func arm(_ fault: Fault, in database: AttributeDatabase, at now: Instant) {
    let entry = Entry(
      fault: fault, watch: FaultWatch(fault.occasion, in: database, channels: channels),
      condition: fault.timing.condition.map { FaultWatch($0, in: database, channels: channels) },
      start: fault.timing.condition == nil ? now + fault.timing.delay : nil)
    if let place = entries.firstIndex(where: { $0.fault.id == fault.id }) {
      entries[place] = entry
    } else {
      entries.append(entry)
    }
    setClock(of: entries.firstIndex { $0.fault.id == fault.id } ?? 0)
    lookUp(in: database)
  }

  /// Disarms the fault with that id, or all; returns how many. Deferred tasks are still executed.
  mutating func disarm(_ id: String?, in database: AttributeDatabase) -> Int {
    let before = entries.count
    entries.removeAll { id == nil || $0.fault.id == id }
    if id == nil { muted = [] }
    lookUp(in: database)
    return before - entries.count
  }

  /// Updates the PSMs, because more channels may have been published.
  mutating func learn(_ channels: [String: SPSM]) { self.channels = channels }

  /// Looks up all names again, and rebuilds the tables.
  mutating func lookUp(in database: AttributeDatabase) {
    attributes = [Bool](repeating: false, count: Int(database.attributes.last?.handle ?? 0) + 1)
    opcodes = [Bool](repeating: false, count: 256)
    configurations = database.configurationHandles
    keepsValues = entries.contains { if case .keepSending = $0.fault.action { !$0.isSpent } else { false } }
    pushes = [Bool](repeating: false, count: attributes.count)
    watchesPushes = keepsValues
    watchesAllPushes = keepsValues
    kinds = []
    for index in entries.indices {
      entries[index].watch = FaultWatch(entries[index].fault.occasion, in: database, channels: channels)
      entries[index].condition = entries[index].fault.timing.condition.map {
        FaultWatch($0, in: database, channels: channels)
      }
      guard !entries[index].isSpent else { continue }
      note(entries[index].watch)
      if entries[index].start == nil, let condition = entries[index].condition { note(condition) }
    }
  }

  private mutating func note(_ watch: FaultWatch) {
    guard !watch.isMissing else { return }
    switch watch.kind {
    case .access(let access):
      if let attribute = watch.attribute {
        attributes[Int(attribute)] = true
      } else if access == .subscribe {
        for handle in configurations { attributes[Int(handle)] = true }
      } else {
        for code in UInt8.min...UInt8.max where access.includes(ATTOpcode(rawValue: code)) { opcodes[Int(code)] = true }
      }
    case .opcodes(let codes): for code in codes { opcodes[Int(code.rawValue)] = true }
    case .push:
      watchesPushes = true
      if let attribute = watch.attribute { pushes[Int(attribute)] = true } else { watchesAllPushes = true }
    default: kinds.insert(watch.kind)
    }
  }

  // MARK: - What happens

  /// Returns whether a fault may wait for this PDU of a client. This check is the only cost for most requests.
  func concerns(_ pdu: Span<UInt8>) -> Bool {
    if opcodes[Int(pdu[0])] { return true }
    guard pdu.count > 2 else { return false }
    let handle = Int(pdu[1]) | Int(pdu[2]) << 8
    if handle < attributes.count, attributes[handle] { return true }
    return Self.namesSeveral(pdu[0])
      && Self.handles(of: pdu).contains { Int($0) < attributes.count && attributes[Int($0)] }
  }

  /// Returns whether a fault may act on this PDU of the server. This check is the only cost for most of them.
  func concerns(_ pdu: ServerPDU) -> Bool {
    switch pdu {
    case .response: return !agenda.pending.isEmpty
    case .push(let attribute):
      // A value that is held back for reordering follows the next one of its attribute.
      if watchesAllPushes || agenda.holdsValues { return true }
      guard watchesPushes else { return false }
      guard let attribute else { return true }
      return Int(attribute) < pushes.count && pushes[Int(attribute)]
    }
  }

  /// Returns whether a fault may wait for an event of that kind.
  func watches(_ kind: FaultWatch.Kind) -> Bool { kinds.contains(kind) }

  private static func namesSeveral(_ opcode: UInt8) -> Bool {
    opcode == ATTOpcode.readMultipleRequest.rawValue || opcode == ATTOpcode.readMultipleVariableRequest.rawValue
  }

  /// Returns the handles in a Read Multiple Request.
  private static func handles(of pdu: Span<UInt8>) -> [UInt16] {
    stride(from: 1, to: pdu.count - 1, by: 2).map { UInt16(pdu[$0]) | UInt16(pdu[$0 + 1]) << 8 }
  }

  /// Returns the fault that a client's PDU triggers.
  mutating func fault(of pdu: Span<UInt8>, on connection: ConnectionHandle, at now: Instant) -> Fault? {
    let opcode = ATTOpcode(rawValue: pdu[0])
    guard Self.namesSeveral(pdu[0]) else {
      let handle = pdu.count > 2 ? UInt16(pdu[1]) | UInt16(pdu[2]) << 8 : nil
      return fault(of: .request(opcode, attribute: handle), on: connection, at: now)
    }
    for handle in Self.handles(of: pdu) {
      if let fault = fault(of: .request(opcode, attribute: handle), on: connection, at: now) { return fault }
    }
    return nil
  }

  /// Returns the fault that an event triggers. All faults that wait for the event count it; the first that is due fires.
  mutating func fault(of event: FaultEvent, on connection: ConnectionHandle?, at now: Instant) -> Fault? {
    var chosen: Int?
    for index in entries.indices where !entries[index].isSpent && isAbout(connection, event, entries[index].fault) {
      guard let start = entries[index].start else {
        guard entries[index].condition?.matches(event, configurations: configurations) == true else { continue }
        entries[index].start = now + entries[index].fault.timing.delay
        setClock(of: index)
        continue
      }
      guard start <= now, entries[index].watch.matches(event, configurations: configurations) else { continue }
      entries[index].seen += 1
      guard chosen == nil, entries[index].fault.timing.includes(entries[index].seen) else { continue }
      if let probability = entries[index].fault.timing.probability, random.fraction() >= probability { continue }
      chosen = index
    }
    guard let chosen else { return nil }
    entries[chosen].fired += 1
    return entries[chosen].fault
  }

  /// Returns whether the fault with that id cannot fire again.
  func isSpent(_ id: String) -> Bool { entries.first { $0.fault.id == id }?.isSpent ?? true }

  /// Returns the next timed fault that is due.
  mutating func faultOfTime(at now: Instant) -> Fault? {
    for index in entries.indices {
      guard let due = entries[index].due, due <= now else { continue }
      entries[index].due = nil
      entries[index].seen += 1
      let fault = entries[index].fault
      if case .periodic(let period) = fault.occasion, period > .zero { entries[index].due = due + period }
      guard !entries[index].isSpent, fault.timing.includes(entries[index].seen) else { continue }
      if let probability = fault.timing.probability, random.fraction() >= probability { continue }
      entries[index].fired += 1
      if entries[index].isSpent { entries[index].due = nil }
      return fault
    }
    return nil
  }

  private mutating func setClock(of index: Int) {
    guard let start = entries[index].start else { return }
    switch entries[index].fault.occasion {
    case .elapsed(let delay): entries[index].due = start + delay
    case .periodic(let period): entries[index].due = start + period
    default: break
    }
  }

  /// When the host has to call `advance` for faults.
  var nextDeadline: Instant? {
    var deadline = agenda.nextDeadline
    for index in entries.indices { deadline = Instant.earliest(deadline, entries[index].due) }
    return deadline
  }

  // MARK: - Links

  private func isAbout(_ connection: ConnectionHandle?, _ event: FaultEvent, _ fault: Fault) -> Bool {
    if let wanted = fault.connection, connection?.rawValue != wanted { return false }
    guard let peer = fault.peer else { return true }
    if case .paged(let address) = event { return address == peer }
    return peers.contains { $0.connection == connection && $0.address == peer }
  }

  mutating func linkCame(_ connection: ConnectionHandle, _ peer: DeviceAddress) { peers.append((connection, peer)) }

  mutating func linkWent(_ connection: ConnectionHandle) {
    peers.removeAll { $0.connection == connection }
    muted.removeAll { $0 == connection }
    agenda.forget(connection)
  }

  /// Ignores all attribute requests on a link from now on.
  mutating func mute(_ connection: ConnectionHandle) { muted.append(connection) }
}
