import BLEATT
import BLECore
import BLEGATT

extension ProfileRuntime {
  // MARK: Clients

  package mutating func write(
    _ value: [UInt8], to characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> WriteAnswer {
    guard states.indices.contains(characteristic.position) else { return WriteAnswer(error: .unlikelyError) }
    guard !writeCode.isEmpty else { return writeByProfile(value, to: characteristic, for: client, at: now) }
    var replies: [RuleEffect] = []
    if let error = decide(value, characteristic, for: client, at: now, &replies) { return WriteAnswer(error: error) }
    var answer = writeByProfile(value, to: characteristic, for: client, at: now)
    guard answer.error == nil else { return answer }
    let context = RuleContext(client: client, writer: characteristic, written: value)
    for reply in replies { perform(reply, context, now, &answer.actions) }
    return answer
  }

  /// Answers a write as the profile says.
  private mutating func writeByProfile(
    _ value: [UInt8], to characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> WriteAnswer {
    let index = characteristic.position
    if states[index].isNumbered, let numbering = behaviors[index].numbering {
      noteNumber(in: value, numbering, of: characteristic, from: client)
    }
    if let controlPoint = behaviors[index].controlPoint {
      var answer = perform(value, on: characteristic, controlPoint, for: client, at: now)
      if answer.error == nil { wasWritten(characteristic, value, client, now, &answer.actions) }
      return answer
    }
    if let framing = behaviors[index].framing {
      return assemble(value, framing, on: characteristic, for: client, at: now)
    }
    let rule = rule(for: value, index, client, at: now)
    if let rule, let timing = rule.timing {
      return writeLater(timing, rule, value, to: characteristic, for: client, at: now)
    }
    if let rule, let error = rule.error {
      refuse(value, of: characteristic, rule, for: client, at: now)
      return WriteAnswer(error: error)
    }
    return accept(value, to: characteristic, rule, for: client, at: now)
  }

  /// Performs the other actions of a rule that refuses a write. The host gets what concerns it in its next turn, after the Error Response.
  mutating func refuse(
    _ value: [UInt8], of characteristic: CharacteristicIndex, _ rule: WriteRule, for client: ClientID, at now: Instant
  ) {
    guard !rule.effects.isEmpty else { return }
    var actions: [ApplicationAction] = []
    let context = RuleContext(client: client, writer: characteristic, written: value)
    for effect in rule.effects { perform(effect, context, now, &actions) }
    hold(actions, at: now)
    updateDeadline()
  }

  /// Returns the rule that applies to a write.
  mutating func rule(for value: [UInt8], _ index: Int, _ client: ClientID, at now: Instant) -> WriteRule? {
    guard states[index].hasRules else { return nil }
    let context = RuleContext(client: client, writer: CharacteristicIndex(index), written: value)
    for rule in behaviors[index].writeRules where rule.condition.holds(for: value) {
      guard let requirement = rule.requirement else { return rule }
      if holds(requirement, context, at: now, place: "on-write") { return rule }
    }
    return nil
  }

  /// Executes the rules for a write that was accepted.
  mutating func wasWritten(
    _ characteristic: CharacteristicIndex, _ value: [UInt8], _ client: ClientID, _ now: Instant,
    _ actions: inout [ApplicationAction]
  ) {
    let context = RuleContext(client: client, writer: characteristic, written: value)
    happened(.written(characteristic), context, at: now, &actions)
    updateDeadline()
  }

  /// Stores a written value, and performs the effects of its rule.
  mutating func accept(
    _ value: [UInt8], to characteristic: CharacteristicIndex, _ rule: WriteRule?, for client: ClientID, at now: Instant
  ) -> WriteAnswer {
    let index = characteristic.position
    var actions: [ApplicationAction] = []
    switch states[index].writing {
    case .ignored: break
    case .kept where states[index].isOwned: setOwn(index, to: value, for: client, at: now)
    case .kept:
      let isChange = states[index].octets != value
      states[index].octets = value
      states[index].isOverridden = true
      if isChange {
        announceChange(index, value, &actions)
        attend(at: now)
      }
    case .clock:
      guard setClock(index, to: value, at: now) else { return WriteAnswer(error: Self.dataFieldIgnored) }
      announceChange(index, states[index].octets, &actions)
    }
    // Returns early: most values have no rules, and clients may write streams of them.
    guard rule != nil || !book.rules.isEmpty else { return WriteAnswer(actions: actions) }
    let context = RuleContext(client: client, writer: characteristic, written: value)
    for effect in rule?.effects ?? [] { perform(effect, context, now, &actions) }
    wasWritten(characteristic, value, client, now, &actions)
    return WriteAnswer(actions: actions)
  }

  /// Current Time Service 3.1.2: the server does not use a field of the written time.
  private static let dataFieldIgnored = ATTErrorCode(rawValue: 0x80)

  /// Sets the clock to a written time. Returns false if the value is not a time.
  private mutating func setClock(_ index: Int, to value: [UInt8], at now: Instant) -> Bool {
    guard case .clock(let zone) = behaviors[index].source, let time = behaviors[index].format.time(value) else {
      return false
    }
    let wanted = time.seconds &* 1_000_000_000 &+ time.nanoseconds
    states[index].clockShift = wanted &- clock.nanoseconds(at: now, zone)
    states[index].clockAdjusted = [.string("manual")]
    states[index].octets = computed(index, at: now)
    return true
  }

  mutating func perform(
    _ effect: RuleEffect, _ context: RuleContext, _ now: Instant, _ actions: inout [ApplicationAction], depth: Int = 0
  ) {
    if context.hasLeft, concernsClient(effect) { return }
    switch effect {
    case .reset(let target, let field):
      if let owner = self.owner(of: target, context) {
        resetOwn(target.position, for: owner, at: now)
      } else {
        actions += reset(target, field: field, at: now)
      }
    // The values in rules were checked when the profile was loaded.
    case .set(let target, let value): actions += (try? set(target, to: value, context, at: now)) ?? []
    case .compute(let target, let value): actions += set(target, to: value, context, at: now)
    case .assign(let variable, let value):
      guard let value = compute(value, nil, context, at: now) else { return }
      book.set(variable, to: ExpressionValue(value), for: context.client)
      if let client = context.client { noteNewValues(book.variables[variable].owner, of: client) }
      attend(at: now)
    case .reply(let target, let value): reply(value, on: target, context, at: now)
    case .sleep(let isAsleep): setAsleep(isAsleep, at: now, &actions, depth: depth)
    case .transmit(let channel, let value): transmit(value, on: channel, context, at: now)
    case .add(let table, let record): add(record, to: table, context, at: now)
    case .enter(let state): enter(state, context, at: now, &actions, depth: depth)
    case .device(.restart) where now - start < Self.shortestRun: refuseRestart()
    case .device(let action): book.request(DeviceRequest(action: action, client: context.client))
    case .copy(let target):
      if let owner = owner(of: target, context) {
        setOwn(target.position, to: context.written, for: owner, at: now)
      } else {
        actions += copy(context.written, to: target, at: now)
      }
    case .notify(let target): actions.append(.notify(target))
    case .indicate(let target): actions.append(.indicate(target))
    case .log:
      guard let writer = context.writer, let client = context.client else { return }
      note(JournalEntry(characteristic: writer, client: client, value: context.written, instant: now))
    }
  }

  /// Whether an effect means nothing without the client of its rule.
  private func concernsClient(_ effect: RuleEffect) -> Bool {
    switch effect {
    case .reply, .transmit, .log, .device(.disconnect), .device(.forgetBonds(of: .client)),
      .device(.forgetBonds(of: .others)):
      true
    case .reset(let target, _), .set(let target, _), .compute(let target, _), .copy(let target):
      states.indices.contains(target.position) && states[target.position].isOwned
    case .assign(let variable, _): book.variables[variable].owner != .accessory
    default: false
    }
  }

  /// Sets a computed value. A value that does not fit is reported and changes nothing.
  private mutating func set(
    _ target: CharacteristicIndex, to value: ComputedValue, _ context: RuleContext, at now: Instant
  ) -> [ApplicationAction] {
    guard behaviors.indices.contains(target.position),
      let result = compute(value, behaviors[target.position].format, context, at: now)
    else { return [] }
    do throws(ProfileValueError) {
      return try set(target, to: result, context, at: now)
    } catch {
      book.report(.failed(place: behaviors[target.position].id, reason: error.message))
      return []
    }
  }

  /// Returns the client whose own value a rule refers to: the subject of the rule, if clients have values of their own.
  private func owner(of target: CharacteristicIndex, _ context: RuleContext) -> ClientID? {
    guard states.indices.contains(target.position), states[target.position].isOwned else { return nil }
    return context.client
  }

  /// Sets a value for the client that is the subject of a rule, or for all clients.
  private mutating func set(
    _ target: CharacteristicIndex, to value: ProfileValue, _ context: RuleContext, at now: Instant
  ) throws(ProfileValueError) -> [ApplicationAction] {
    guard let owner = owner(of: target, context) else { return try set(target, to: value, at: now) }
    setOwn(
      target.position, to: try ownOctets(of: target.position, value, for: owner, at: now), for: owner, at: now)
    return []
  }

  /// Sends octets on a channel.
  private mutating func transmit(_ value: ComputedValue, on channel: String, _ context: RuleContext, at now: Instant) {
    guard let result = compute(value, nil, context, at: now) else { return }
    do throws(ExpressionError) {
      let octets = try ExpressionValue(result).octets()
      if let reason = channels.transmit(octets, on: channel, of: context.client, at: now) {
        book.report(.failed(place: channel, reason: reason))
      }
    } catch {
      book.report(.failed(place: channel, reason: error.reason))
    }
  }

  /// Adds a record. If the table is full, the oldest record is removed.
  private mutating func add(
    _ value: ComputedValue, to name: String, _ context: RuleContext, at now: Instant
  ) {
    guard let table = tables.first(where: { $0.id == name }),
      case .object(let fields)? = compute(value, nil, fields: table.columns, context, at: now)
    else { return }
    do throws(ProfileValueError) {
      if table.rows.count >= RecordTable.limit, let oldest = table.rows.first?[table.key] {
        _ = try change(name, .remove(oldest), at: now)
      }
      _ = try change(name, .add(fields.filter { $0.value != .null }), at: now)
    } catch {
      book.report(.failed(place: name, reason: error.message))
    }
  }

  /// Sends a value to the client, or to every subscriber if there is no client, split over as many notifications as necessary.
  private mutating func reply(
    _ value: ComputedValue, on target: CharacteristicIndex, _ context: RuleContext, at now: Instant
  ) {
    guard behaviors.indices.contains(target.position),
      let result = compute(value, behaviors[target.position].format, context, at: now)
    else { return }
    do throws(ProfileValueError) {
      let octets = try behaviors[target.position].format.encode(result)
      for index in sessions.indices where (context.client ?? sessions[index].client) == sessions[index].client {
        guard sessions[index].takes(target, isIndication: false) else { continue }
        sessions[index].send(OutgoingValue(characteristic: target, value: octets, isSplit: true))
      }
    } catch {
      book.report(.failed(place: behaviors[target.position].id, reason: error.message))
    }
    updateMessages()
  }

  /// Copies written octets to another characteristic. They set a clock in the same way as a write to it.
  private mutating func copy(
    _ octets: [UInt8], to target: CharacteristicIndex, at now: Instant
  ) -> [ApplicationAction] {
    let index = target.position
    guard states.indices.contains(index), states[index].writing == .clock else {
      return (try? set(target, toOctets: octets, at: now)) ?? []
    }
    var actions: [ApplicationAction] = []
    if setClock(index, to: octets, at: now) { announceChange(index, states[index].octets, &actions) }
    return actions
  }

  // MARK: The control side

  /// Sets a value, which its generator then does not change until `resume`. For a value with fields, an object may contain only some: the
  /// others follow their generators as before, and `null` makes a field follow its generator again. Returns the actions for the host:
  /// storing the value, and sending it to subscribers.
  package mutating func set(
    _ characteristic: CharacteristicIndex, to value: ProfileValue, at now: Instant
  ) throws(ProfileValueError) -> [ApplicationAction] {
    let index = try known(characteristic)
    let behavior = behaviors[index]
    if value.octets == nil, case .object(let fields) = value, case .record = behavior.source,
      !behavior.source.isConstant
    {
      return try setFields(index, fields, at: now)
    }
    if value.octets == nil, case .object(var fields) = value,
      case .object(let present) = typedValue(of: characteristic, at: now),
      present["hex"] == nil
    {
      fields = present.merging(fields) { _, new in new }
      return try set(characteristic, toOctets: behavior.format.encode(.object(fields)), at: now)
    }
    return try set(characteristic, toOctets: behavior.format.encode(value), at: now)
  }

  /// Sets a value as octets, whatever their meaning.
  package mutating func set(
    _ characteristic: CharacteristicIndex, toOctets octets: [UInt8], at now: Instant
  ) throws(ProfileValueError) -> [ApplicationAction] {
    let index = try known(characteristic)
    guard octets.count <= 512 else {
      throw ProfileValueError("the value takes \(octets.count) octets; the maximum is 512")
    }
    states[index].isOverridden = true
    states[index].refresh = .kept
    return replace(index, with: octets, at: now)
  }

  /// Makes generators continue after a value was set or written. A value without generators returns to the profile's value.
  package mutating func resume(_ characteristic: CharacteristicIndex, at now: Instant) -> [ApplicationAction] {
    let index = characteristic.position
    guard states.indices.contains(index) else { return [] }
    states[index].isOverridden = false
    states[index].fieldOverrides.removeAll()
    restoreRefresh(index)
    return replace(index, with: computed(index, at: now), at: now)
  }

  /// Restarts generators and forgets values that were set, for one field or for the whole value.
  package mutating func reset(
    _ characteristic: CharacteristicIndex, field: String?, at now: Instant
  ) -> [ApplicationAction] {
    let index = characteristic.position
    guard states.indices.contains(index) else { return [] }
    if let field {
      states[index].fieldOrigins[field] = now
      states[index].fieldOffsets[field] = nil
      states[index].fieldOverrides[field] = nil
    } else {
      states[index].origin = now
      states[index].fieldOrigins.removeAll()
      states[index].fieldOffsets.removeAll()
      states[index].samples = 0
      states[index].beats.reset()
      states[index].clockShift = 0
      states[index].clockAdjusted = []
      return resume(characteristic, at: now)
    }
    return replace(index, with: computed(index, at: now), at: now)
  }

  /// Sets a characteristic, or one of its fields, to a value from which a generated number continues.
  mutating func assign(
    _ value: ProfileValue, to characteristic: CharacteristicIndex, field: String?, at now: Instant
  ) throws(ProfileValueError) -> [ApplicationAction] {
    guard let field else { return try set(characteristic, to: value, at: now) }
    let index = try known(characteristic)
    guard case .record(let fields) = behaviors[index].source,
      case .number = fields.first(where: { $0.name == field })?.source,
      case .object(let present) = decode(computed(index, at: now), of: characteristic),
      let number = present[field]?.number,
      let wanted = value.number
    else { return try set(characteristic, to: .object([field: value]), at: now) }
    states[index].fieldOffsets[field, default: 0] += wanted - number
    states[index].fieldOverrides[field] = nil
    return replace(index, with: computed(index, at: now), at: now)
  }

  private mutating func setFields(
    _ index: Int, _ fields: [String: ProfileValue], at now: Instant
  ) throws(ProfileValueError) -> [ApplicationAction] {
    let known = behaviors[index].format.fields ?? []
    var overrides = states[index].fieldOverrides
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      guard let field = known.first(where: { $0.name == name }) else {
        throw ProfileValueError("there is no field '\(name)'\(Spelling.hint(for: name, among: known.map(\.name)))")
      }
      if value != .null { _ = try field.encode(value) }
      overrides[name] = value == .null ? nil : value
    }
    states[index].fieldOverrides = overrides
    states[index].isOverridden = false
    restoreRefresh(index)
    return replace(index, with: computed(index, at: now), at: now)
  }

  private func known(_ characteristic: CharacteristicIndex) throws(ProfileValueError) -> Int {
    guard states.indices.contains(characteristic.position), behaviors[characteristic.position].isPresent else {
      throw ProfileValueError("there is no characteristic \(characteristic.position)")
    }
    return characteristic.position
  }

  /// Replaces a value. Returns the actions for the host.
  private mutating func replace(_ index: Int, with octets: [UInt8], at now: Instant) -> [ApplicationAction] {
    var actions: [ApplicationAction] = []
    if behaviors[index].isStored { actions.append(.store(CharacteristicIndex(index), octets)) }
    let isChange = states[index].octets != octets
    states[index].octets = octets
    if isChange {
      if reportsChanges { book.report(.changed(CharacteristicIndex(index), octets)) }
      announceChange(index, octets, &actions)
      attend(at: now)
    }
    return actions
  }
}
