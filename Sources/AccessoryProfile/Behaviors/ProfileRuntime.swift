import BLEATT
import BLECore
import BLEGATT
import BLEL2CAP

/// Executes the behaviors of a profile: the application behind its attributes.
///
/// It is deterministic: the same profile, seed and calls give the same values. Indices are those of `Profile.behaviors`. The host's own
/// characteristics and removed ones have placeholders that do nothing.
package struct ProfileRuntime: AttributeApplication {
  /// The behavior of each characteristic.
  package internal(set) var behaviors: [CharacteristicBehavior]
  /// The wall clock. Setting it changes the values of clocks.
  package var clock: WallClock
  var states: [CharacteristicState]
  /// The present services by id, and the number of characteristics at the start.
  var services: [String: PlayedService]
  let profileCharacteristics: Int
  var channels: ChannelRuntime
  /// The records in their present state.
  var tables: [RecordTable]
  /// The named formats of the profile, for services that are added later.
  let formats: [String: ValueFormat]
  /// The number of completed steps of each table's timeline.
  var timelineSteps: [Int]
  /// The scopes that need authorization, and the clients that were authorized by an answer to a question.
  var authorizations: [AuthorizationScope: AuthorizationPolicy]
  var authorized: Set<AuthorizedClient> = []
  /// The pending questions of clients.
  var questions = QuestionBook()
  var sessions: [ClientSession] = []
  package internal(set) var hasMessages = false
  /// The client that uses the servers of centrals.
  var remote: ClientRuntime
  /// The start time of generators and timelines.
  var start: Instant
  /// The seed of everything random.
  let seed: UInt64
  /// The positions of the persistent characteristics.
  var persistentPositions: [Int] = []
  /// Packets that are received in part.
  var assemblies: [PacketAssembly] = []
  /// The sequence numbers of written values.
  var writtenNumbers = WrittenNumbers()
  /// The rules and their state.
  var book: RuleBook
  /// The advertising data that follow from values.
  var advertising: LiveAdvertising
  /// The sleep state.
  var sleep: Sleep
  /// Whether changes of values by rules and the owner are reported. Generated values and writes of clients are not among them.
  package var reportsChanges = false
  /// A program's own code for writes, by the ids of the characteristics.
  package var writeCode: [String: WriteDecision.Code] = [:]
  /// Whether any value is derived from others, and whether any condition depends on values that change by themselves.
  private(set) var hasDerivedValues = false
  private(set) var hasMovingValues = false
  /// The clients whose kept values have changed.
  var clientsWithNewValues: [ClientID] = []
  private var journal: [JournalEntry] = []
  private static let journalLimit = 1000
  package private(set) var nextDeadline: Instant?

  /// Creates a runtime whose generators begin at `start`. `seed` determines everything random.
  package init(profile: Profile, seed: UInt64 = 0, clock: WallClock = WallClock(), startingAt start: Instant = .zero) {
    behaviors = profile.behaviors
    self.clock = clock
    self.start = start
    self.seed = seed
    services = Self.played(profile)
    profileCharacteristics = profile.behaviors.count
    tables = profile.tables
    formats = profile.formats
    timelineSteps = profile.tables.map { _ in 0 }
    authorizations = profile.authorizations
    channels = ChannelRuntime(seed: seed)
    remote = ClientRuntime(profile.clientSteps)
    book = RuleBook(profile)
    advertising = LiveAdvertising(profile.liveAdvertising)
    sleep = Sleep(profile.sleep, at: start)
    states = profile.behaviors.map { Self.state(of: $0, seed: seed, startingAt: start) }
    // Derived values are computed last.
    for isDerived in [false, true] {
      for index in states.indices where behaviors[index].source.isComputed == isDerived {
        states[index].octets = computed(index, at: start)
      }
    }
    for channel in profile.channels {
      if case .fixed(let psm) = channel.psm { setHandler(channel.handler, of: SPSM(rawValue: psm)) }
    }
    dateNotifications()
    updatePersistentPositions()
    updateMovingValues()
    beginRules()
    advertising.attend(at: start)
    updateDeadline()
  }

  /// Returns the initial state of a characteristic, without its value.
  static func state(
    of behavior: CharacteristicBehavior, seed: UInt64, startingAt start: Instant
  ) -> CharacteristicState {
    var state = CharacteristicState()
    state.readError = behavior.readError
    state.readTiming = behavior.readTiming
    state.refresh = refresh(of: behavior)
    state.writing = writing(of: behavior)
    state.hasRules = !behavior.writeRules.isEmpty
    state.seed = SplitMix64.seed(seed, for: behavior.id)
    state.origin = start
    state.isComputed = behavior.source.isComputed
    state.isNumbered = behavior.numbering != nil
    state.isOwned = behavior.owner != .accessory
    state.plan = ValueEvaluator.plan(for: behavior.source, behavior.format, seed: state.seed)
    return state
  }

  /// Makes reads follow the source again.
  mutating func restoreRefresh(_ index: Int) { states[index].refresh = Self.refresh(of: behaviors[index]) }

  private static func refresh(of behavior: CharacteristicBehavior) -> CharacteristicState.Refresh {
    if behavior.source.isConstant { return .kept }
    let isTimed =
      switch (behavior.notify, behavior.indicate) {
      case (.every, _), (_, .every): true
      // Values sent on change are checked from time to time.
      case (.onChange, _), (_, .onChange): true
      default: false
      }
    if !behavior.source.countsSamples(behavior.format) { return .live }
    if isTimed { return .timed }
    if case .pattern = behavior.source { return .pattern }
    return .counted
  }

  private static func writing(of behavior: CharacteristicBehavior) -> CharacteristicState.Writing {
    if case .clock = behavior.source, behavior.format.canSetTime { return .clock }
    return behavior.source.isConstant ? .kept : .ignored
  }

  // MARK: Reading

  package mutating func read(_ characteristic: CharacteristicIndex, for client: ClientID, at now: Instant) -> ReadAnswer
  {
    let index = characteristic.position
    guard states.indices.contains(index) else { return .error(.unlikelyError) }
    defer { happened(.read(characteristic), RuleContext(client: client), at: now) }
    if followsReadRule(index, for: client, at: now) {
      if let timing = states[index].readTiming { return readLater(timing, characteristic, for: client, at: now) }
      if let error = states[index].readError { return .error(error) }
    }
    return .value(octets(of: index, for: client, at: now))
  }

  /// Returns whether the rule for reads applies to a read by that client.
  private mutating func followsReadRule(_ index: Int, for client: ClientID, at now: Instant) -> Bool {
    guard let requirement = behaviors[index].readRequirement else { return true }
    return holds(requirement, RuleContext(client: client), at: now, place: "on-read")
  }

  package mutating func currentValue(
    of characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> [UInt8]? {
    let index = characteristic.position
    guard states.indices.contains(index),
      states[index].readError == nil || !followsReadRule(index, for: client, at: now)
    else { return nil }
    return octets(of: index, for: client, at: now)
  }

  /// Returns the value as it is sent now.
  mutating func octets(of index: Int, for client: ClientID, at now: Instant) -> [UInt8] {
    if states[index].isOwned, let own = states[index].own[client] { return own }
    switch states[index].refresh {
    case .kept, .timed: break
    case .live:
      states[index].octets = computed(index, at: now, client)
      if states[index].isComputed { reportFailure(of: index, client, at: now) }
    case .counted: sample(index, at: now)
    case .pattern: states[index].advanceSequence(of: client)
    }
    return states[index].octets
  }

  /// Returns the value that a client would get now; without a client, the accessory's value.
  func value(of characteristic: CharacteristicIndex, for client: ClientID?, at now: Instant) -> [UInt8] {
    let index = characteristic.position
    guard states.indices.contains(index) else { return [] }
    if states[index].isOwned, let client, let own = states[index].own[client] { return own }
    return states[index].refresh == .live ? computed(index, at: now, client) : states[index].octets
  }

  package func presentValue(of characteristic: CharacteristicIndex, at now: Instant) -> [UInt8]? {
    let index = characteristic.position
    guard states.indices.contains(index) else { return nil }
    return states[index].refresh == .live ? computed(index, at: now) : states[index].octets
  }

  /// Returns the present value, decoded.
  package func typedValue(of characteristic: CharacteristicIndex, at now: Instant) -> ProfileValue {
    decode(presentValue(of: characteristic, at: now) ?? [], of: characteristic)
  }

  /// Decodes octets of a characteristic.
  package func decode(_ octets: [UInt8], of characteristic: CharacteristicIndex) -> ProfileValue {
    guard behaviors.indices.contains(characteristic.position) else { return .octets(octets) }
    return behaviors[characteristic.position].format.decode(octets)
  }

  /// Encodes a value in the characteristic's format.
  package func encode(
    _ value: ProfileValue, of characteristic: CharacteristicIndex
  ) throws(ProfileValueError) -> [UInt8] {
    if let octets = value.octets { return octets }
    guard behaviors.indices.contains(characteristic.position) else {
      throw ProfileValueError("it belongs to the host itself, and can only be set as octets")
    }
    return try behaviors[characteristic.position].format.encode(value)
  }

  /// Returns the behavior of a characteristic, or nil if it does not exist.
  package func behavior(of characteristic: CharacteristicIndex) -> CharacteristicBehavior? {
    let position = characteristic.position
    return behaviors.indices.contains(position) && behaviors[position].isPresent ? behaviors[position] : nil
  }

  /// Returns the characteristic whose id is `name`, or else the only one whose UUID is `name`; nil if there is none or more than one.
  package func index(of name: String) -> CharacteristicIndex? {
    if let position = behaviors.firstIndex(where: { $0.id == name && $0.isPresent }) {
      return CharacteristicIndex(position)
    }
    guard let uuid = BluetoothUUID(name) ?? AssignedName.uuid(named: name, kind: .characteristic) else { return nil }
    let fitting = behaviors.indices.filter { behaviors[$0].uuid == uuid && behaviors[$0].isPresent }
    return fitting.count == 1 ? CharacteristicIndex(fitting[0]) : nil
  }

  // MARK: Computing

  /// Returns the value at a time, computed from its source and the overrides.
  func computed(_ index: Int, at now: Instant, _ client: ClientID? = nil) -> [UInt8] {
    var beats = states[index].beats
    return computed(index, at: now, &beats, client)
  }

  private func computed(
    _ index: Int, at now: Instant, _ beats: inout Heartbeat, _ client: ClientID? = nil
  ) -> [UInt8] {
    // Passes single fields: copying a whole state or behavior costs more than everything else here.
    if states[index].isOverridden { return states[index].octets }
    if case .pattern(let length) = behaviors[index].source {
      return (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    }
    let context = EvaluationContext(
      now: now, origin: states[index].origin, fieldOrigins: states[index].fieldOrigins,
      fieldOffsets: states[index].fieldOffsets, samples: states[index].samples, seed: states[index].seed, clock: clock,
      clockShift: states[index].clockShift, clockAdjusted: states[index].clockAdjusted,
      environment: states[index].isComputed ? { environment(of: index, client, at: now) } : nil)
    // Sources were checked when the profile was loaded. A value that still does not fit leaves the old one unchanged.
    return ValueEvaluator.octets(
      of: behaviors[index].source, behaviors[index].format, plan: states[index].plan,
      overrides: states[index].fieldOverrides, context, &beats) ?? states[index].octets
  }

  /// Returns the environment of a value's expressions. Its random numbers differ at every instant.
  private func environment(of index: Int, _ client: ClientID?, at now: Instant) -> RuleEnvironment {
    let context = RuleContext(client: client, counter: states[index].samples)
    return RuleEnvironment(self, context, at: now, stream: states[index].seed ^ UInt64(bitPattern: now.nanoseconds))
  }

  /// Reports why a derived value could not be computed and stays the same.
  private mutating func reportFailure(of index: Int, _ client: ClientID, at now: Instant) {
    var environment = environment(of: index, client, at: now)
    for expression in behaviors[index].source.expressions {
      do throws(ExpressionError) {
        _ = try expression.evaluate(in: &environment)
      } catch {
        book.report(.failed(place: behaviors[index].id, reason: error.reason))
      }
    }
  }

  /// Determines again which values change by themselves, after services have changed.
  mutating func updateMovingValues() {
    hasDerivedValues = behaviors.contains { $0.source.isComputed }
    hasMovingValues = book.rules.contains { rule in
      guard case .becomes(let condition, let until) = rule.trigger else { return false }
      return [condition, until].contains { $0.map { isMoving($0) } ?? false }
    }
  }

  func isMoving(_ expression: Expression) -> Bool {
    expression.dependsOnTime
      || expression.references.contains { reference in
        if case .characteristic(let index) = reference { !behaviors[index.position].source.isConstant } else { false }
      }
  }

  /// Notes that something is due at that time at the latest.
  mutating func hasEarlierDeadline(_ deadline: Instant) { nextDeadline = .earliest(nextDeadline, deadline) }

  /// Computes the value and counts it as sent.
  mutating func sample(_ index: Int, at now: Instant) {
    if case .pattern = behaviors[index].source, !states[index].isOverridden {
      states[index].patch(sequence: UInt32(truncatingIfNeeded: states[index].samples))
    } else {
      var beats = states[index].beats
      states[index].octets = computed(index, at: now, &beats)
      states[index].beats = beats
    }
    states[index].samples += 1
  }

  // MARK: The journal and the deadline

  /// Returns and removes the entries that rules have logged since the last call. At most 1,000 entries are kept; the oldest are dropped
  /// first.
  package mutating func takeJournal() -> [JournalEntry] {
    defer { journal.removeAll() }
    return journal
  }

  mutating func note(_ entry: JournalEntry) {
    if journal.count >= Self.journalLimit { journal.removeFirst() }
    journal.append(entry)
  }

  /// Determines the next deadline again, after timers have changed.
  mutating func updateDeadline() {
    var deadline = Instant.earliest(.earliest(nextStepDeadline, remote.nextDeadline), questions.nextDeadline)
    deadline = .earliest(deadline, .earliest(book.nextDeadline, advertising.nextDeadline))
    deadline = .earliest(deadline, sleep.nextDeadline)
    for index in states.indices { deadline = .earliest(deadline, states[index].nextDeadline) }
    nextDeadline = deadline
  }
}
