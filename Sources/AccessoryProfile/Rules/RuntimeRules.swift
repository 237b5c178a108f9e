import BLECore
import BLEGATT

/// What happens, and which rules are followed then.
extension ProfileRuntime {
  /// How many states may follow one another at one moment.
  private static let longestChain = 16

  /// The names of the buttons that rules and client steps know, in their order.
  package var buttons: [String] {
    var names: [String] = []
    for case .button(let name) in book.rules.map(\.trigger) where !names.contains(name) { names.append(name) }
    for case .button(let name) in remote.steps.map(\.trigger) where !names.contains(name) { names.append(name) }
    return names
  }

  /// The state that it is in; nil where the profile has none.
  package var stateName: String? { book.state.map { book.states[$0] } }

  /// What rules want of the host's owner since the last call.
  package mutating func takeDeviceRequests() -> [DeviceRequest] { book.takeRequests() }

  /// What has become of rules since the last call; the oldest is forgotten beyond 1,000.
  package mutating func takeRuleReports() -> [RuleReport] { book.takeReports() }

  /// Somebody has pressed a button. Returns what the host must do.
  package mutating func press(_ button: String, at now: Instant) throws(ProfileValueError) -> [ApplicationAction] {
    guard buttons.contains(button) else {
      let hint = buttons.isEmpty ? "; its profile has no rules for buttons" : Spelling.hint(for: button, among: buttons)
      throw ProfileValueError("this accessory has no button '\(button)'\(hint)")
    }
    var actions: [ApplicationAction] = []
    remote.press(button, at: now)
    happened(.button(button), RuleContext(), at: now, &actions)
    updateDeadline()
    return actions
  }

  /// A client has paired. Returns what the host must do.
  package mutating func clientPaired(_ client: ClientID, at now: Instant) -> [ApplicationAction] {
    var actions: [ApplicationAction] = []
    happened(.paired, RuleContext(client: client), at: now, &actions)
    updateDeadline()
    return actions
  }

  // MARK: Triggers

  /// Follows the rules for something that has happened, those of the state that it happened in.
  mutating func happened(
    _ trigger: Rule.Trigger, _ context: RuleContext, at now: Instant, _ actions: inout [ApplicationAction],
    depth: Int = 0
  ) {
    guard !book.rules.isEmpty else { return }
    let meant = book.rules.indices.filter { book.rules[$0].trigger == trigger && book.isActive($0) }
    for rule in meant { follow(rule, context, at: now, &actions, depth: depth) }
  }

  /// The same where the host is not there to do something: it does at its next turn.
  mutating func happened(_ trigger: Rule.Trigger, _ context: RuleContext, at now: Instant) {
    guard !book.rules.isEmpty else { return }
    var actions: [ApplicationAction] = []
    happened(trigger, context, at: now, &actions)
    hold(actions, at: now)
    updateDeadline()
  }

  mutating func hold(_ actions: [ApplicationAction], at now: Instant) {
    guard !actions.isEmpty else { return }
    book.actions += actions
    attend(at: now)
  }

  /// Follows a rule whose time has come, or lets it wait for its delay.
  private mutating func follow(
    _ rule: Int, _ context: RuleContext, at now: Instant, _ actions: inout [ApplicationAction], depth: Int = 0
  ) {
    var context = context
    context.counter = book.runs[rule].count
    if let condition = book.rules[rule].condition, !holds(condition, context, at: now, place: "a rule") { return }
    book.runs[rule].count += 1
    guard book.rules[rule].delay > .zero else { return carryOut(rule, context, at: now, &actions, depth: depth) }
    book.wait(RuleBook.Waiting(due: now + book.rules[rule].delay, rule: rule, context: context))
  }

  private mutating func carryOut(
    _ rule: Int, _ context: RuleContext, at now: Instant, _ actions: inout [ApplicationAction], depth: Int
  ) {
    // States that follow one another can branch, each into all others.
    if depth == 0 { book.allowance = Allowance(.effects) }
    for effect in book.rules[rule].effects {
      let hadSome = book.allowance.left >= 0
      guard book.allowance.take(1) else {
        if hadSome { book.report(.failed(place: "rules", reason: "what follows \(Budget.effects.excess)")) }
        return
      }
      perform(effect, context, now, &actions, depth: depth)
    }
  }

  // MARK: States

  /// Begins a state: the one before ends, and what waited in it is forgotten.
  mutating func enter(
    _ state: Int, _ context: RuleContext, at now: Instant, _ actions: inout [ApplicationAction], depth: Int
  ) {
    guard depth < Self.longestChain else {
      return book.report(
        .failed(
          place: "the state '\(book.states[state])'",
          reason: "more than \(depth) states follow one another at one moment"))
    }
    happened(.left, context, at: now, &actions, depth: depth + 1)
    if let before = book.state { book.forgetState(before) }
    book.state = state
    book.report(.entered(state: book.states[state]))
    startClocks(at: now)
    happened(.entered, context, at: now, &actions, depth: depth + 1)
    attend(at: now)
  }

  /// Begins what happens again and again, of all rules that begin now.
  mutating func startClocks(at now: Instant, isStart: Bool = false) {
    for rule in book.rules.indices where isStart || book.rules[rule].state != nil {
      guard book.isActive(rule) else {
        book.runs[rule].due = nil
        continue
      }
      switch book.rules[rule].trigger {
      case .every(let interval): book.runs[rule].due = now + interval
      case .at(let second): book.runs[rule].due = next(second: second, after: now)
      default: break
      }
    }
  }

  /// When it is so many seconds after midnight next.
  private func next(second: Int, after now: Instant) -> Instant {
    let day: Int64 = 86_400_000_000_000
    let local = clock.nanoseconds(at: now, .local)
    let since = ((local % day) + day) % day
    let wait = Int64(second) * 1_000_000_000 - since
    return now + .nanoseconds(wait > 0 ? wait : wait + day)
  }

  // MARK: Turns

  /// What the profile does at its start.
  mutating func beginRules() {
    guard !book.rules.isEmpty else { return }
    startClocks(at: start, isStart: true)
    happened(.start, RuleContext(), at: start)
    happened(.entered, RuleContext(), at: start)
    if book.hasThresholds { attend(at: start) }
  }

  /// How long it runs at least before a rule may restart it: a rule for the start that restarts would never end.
  static var shortestRun: Duration { .milliseconds(100) }

  mutating func refuseRestart() {
    book.report(
      .failed(place: "a rule", reason: "it restarts within \(Self.shortestRun) of the start, so it would never end"))
  }

  /// Begins anew, as after the power was off: values that are not persistent are those of the profile again. Returns what the host
  /// must do. To be called when no client is there.
  package mutating func restart(at now: Instant) -> [ApplicationAction] {
    let kept = persistentValues
    start = now
    var actions: [ApplicationAction] = []
    for index in behaviors.indices where behaviors[index].isPresent {
      states[index] = Self.state(of: behaviors[index], seed: seed, startingAt: now)
    }
    for isDerived in [false, true] {
      for index in behaviors.indices where behaviors[index].isPresent && behaviors[index].source.isComputed == isDerived
      {
        states[index].octets = computed(index, at: now)
        if behaviors[index].isStored { actions.append(.store(CharacteristicIndex(index), states[index].octets)) }
      }
    }
    for (id, octets) in kept { actions += restore(octets, of: id, at: now) ?? [] }
    book.begin()
    let wasAsleep = sleep.isAsleep
    sleep = Sleep(sleep.plan, at: now)
    if sleep.isAsleep != wasAsleep { actions.append(wasAsleep ? .wake : .sleep) }
    advertising.restart(at: now)
    advertising.attend(at: now)
    beginRules()
    updateDeadline()
    return actions
  }

  /// Looks at thresholds, derived values and advertising data at the next turn.
  mutating func attend(at now: Instant) {
    if !advertising.sets.isEmpty {
      advertising.attend(at: now)
      advertising.nextDeadline.map { hasEarlierDeadline($0) }
    }
    guard book.hasThresholds || hasDerivedValues || !book.actions.isEmpty else { return }
    book.attention = .earliest(book.attention, now)
    hasEarlierDeadline(now)
  }

  /// Does what is due.
  mutating func advanceRules(_ now: Instant, _ actions: inout [ApplicationAction]) {
    while let entry = book.takeDue(at: now) { carryOut(entry.rule, entry.context, at: now, &actions, depth: 0) }
    for rule in book.runs.indices {
      guard let due = book.runs[rule].due, due <= now else { continue }
      switch book.rules[rule].trigger {
      case .every(let interval): book.runs[rule].due = due + interval > now ? due + interval : now + interval
      case .at(let second): book.runs[rule].due = next(second: second, after: now)
      default: book.runs[rule].due = nil
      }
      follow(rule, RuleContext(), at: now, &actions)
    }
    guard let attention = book.attention, attention <= now else { return }
    book.attention = nil
    actions += book.actions
    book.actions.removeAll()
    lookAtDerivedValues(at: now, &actions)
    passThresholds(at: now, &actions)
    // What that has changed is looked at a little later, so that rules that wake each other leave time for others.
    if let again = book.attention, again <= now { book.attention = now + .milliseconds(1) }
    if book.hasThresholds, hasMovingValues { book.attention = .earliest(book.attention, now + .seconds(1)) }
  }

  private mutating func passThresholds(at now: Instant, _ actions: inout [ApplicationAction]) {
    for rule in book.rules.indices {
      guard case .becomes(let condition, let until) = book.rules[rule].trigger else { continue }
      guard book.isActive(rule) else {
        book.runs[rule].isPassed = false
        continue
      }
      let context = RuleContext(counter: book.runs[rule].count)
      if !book.runs[rule].isPassed {
        guard holds(condition, context, at: now, place: "becomes") else { continue }
        book.runs[rule].isPassed = true
        follow(rule, RuleContext(), at: now, &actions)
      }
      // What the rule does can end its condition at once.
      let isOver =
        if let until { holds(until, context, at: now, place: "until") } else {
          !holds(condition, context, at: now, place: "becomes")
        }
      if isOver { book.runs[rule].isPassed = false }
    }
  }

  /// Tells subscribers of derived values that are others now.
  private mutating func lookAtDerivedValues(at now: Instant, _ actions: inout [ApplicationAction]) {
    for index in behaviors.indices where behaviors[index].source.isComputed && !states[index].isOverridden {
      let present = presentValue(of: CharacteristicIndex(index), at: now) ?? []
      if present != states[index].lastSent { announceChange(index, present, &actions) }
    }
  }

  // MARK: Computing

  /// Whether a condition holds; one that cannot be computed does not, and is reported.
  mutating func holds(_ condition: Expression, _ context: RuleContext, at now: Instant, place: String) -> Bool {
    do throws(ExpressionError) {
      return try compute(condition, context, at: now).boolean()
    } catch {
      book.report(.failed(place: "\(place): \(condition.text)", reason: error.reason))
      return false
    }
  }

  /// What an expression gives now.
  mutating func compute(
    _ expression: Expression, _ context: RuleContext, at now: Instant
  ) throws(ExpressionError) -> ExpressionValue {
    book.draws &+= 1
    var environment = RuleEnvironment(self, context, at: now, stream: book.draws)
    return try expression.evaluate(in: &environment)
  }

  /// A value that is partly computed; nil where that fails, which is reported.
  mutating func compute(
    _ value: ComputedValue, _ format: ValueFormat?, _ context: RuleContext, at now: Instant
  ) -> ProfileValue? {
    compute(value, format, fields: format?.fields ?? [], context, at: now)
  }

  /// The same of a value with these fields.
  mutating func compute(
    _ value: ComputedValue, _ format: ValueFormat?, fields known: [ValueFormat.Field], _ context: RuleContext,
    at now: Instant
  ) -> ProfileValue? {
    switch value {
    case .constant(let constant): return constant
    case .expression(let expression):
      do throws(ExpressionError) {
        let result = try compute(expression, context, at: now)
        return format.map { $0.fitting(result) } ?? result.profileValue
      } catch {
        book.report(.failed(place: expression.text, reason: error.reason))
        return nil
      }
    case .fields(let fields):
      var values: [String: ProfileValue] = [:]
      for field in fields {
        let format = known.first { $0.name == field.name }?.format
        guard let value = compute(field.value, format, context, at: now) else { return nil }
        values[field.name] = value
      }
      return .object(values)
    }
  }
}

extension ValueFormat {
  /// A value that was computed, as the format has it: numbers are rounded, and kept within its bounds.
  func fitting(_ value: ExpressionValue) -> ProfileValue {
    switch (self, value) {
    case (.integer(let format), .whole(let number)):
      (try? raw(.int(number))) == nil ? format.whole(nearest: format.clamp(Double(number))) : .int(number)
    case (.integer(let format), .real(let number)): format.whole(nearest: format.clamp(number))
    case (.medical, .whole(let number)), (.floating, .whole(let number)): .double(Double(number))
    case (.named, .real(let number)): .int(Int64(clamping: number))
    case (.flags, .whole(let number)): self.value(raw: UInt64(bitPattern: number)) ?? .int(number)
    case (.boolean, .whole(let number)): .bool(number != 0)
    default: value.profileValue
    }
  }
}
