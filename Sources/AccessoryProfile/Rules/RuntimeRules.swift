import BLECore
import BLEGATT

/// The triggers and the execution of rules.
extension ProfileRuntime {
  /// The maximum number of consecutive changes of the state, or between sleep and wakefulness, at one instant.
  static let longestChain = 16

  /// The names of the buttons that rules and client steps use, in order.
  package var buttons: [String] {
    var names: [String] = []
    for case .button(let name) in book.rules.map(\.trigger) where !names.contains(name) { names.append(name) }
    for case .button(let name) in remote.steps.map(\.trigger) where !names.contains(name) { names.append(name) }
    return names
  }

  /// The current state; nil if the profile has none.
  package var stateName: String? { book.state.map { book.states[$0] } }

  /// Returns and removes the rules' requests to the host's owner since the last call.
  package mutating func takeDeviceRequests() -> [DeviceRequest] { book.takeRequests() }

  /// Returns and removes the reports of rules since the last call. At most 1,000 are kept; the oldest are dropped first.
  package mutating func takeRuleReports() -> [RuleReport] { book.takeReports() }

  /// Presses a button. Returns the actions for the host.
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

  /// Handles the pairing of a client. Returns the actions for the host.
  package mutating func clientPaired(_ client: ClientID, at now: Instant) -> [ApplicationAction] {
    var actions: [ApplicationAction] = []
    happened(.paired, RuleContext(client: client), at: now, &actions)
    updateDeadline()
    return actions
  }

  // MARK: Triggers

  /// Executes the rules for an event, which are those of the state in which it occurs.
  mutating func happened(
    _ trigger: Rule.Trigger, _ context: RuleContext, at now: Instant, _ actions: inout [ApplicationAction],
    depth: Int = 0
  ) {
    guard !book.rules.isEmpty else { return }
    let meant = book.rules.indices.filter { book.rules[$0].trigger == trigger && book.isActive($0) }
    for rule in meant { follow(rule, context, at: now, &actions, depth: depth) }
  }

  /// Does the same if no actions can be returned to the host. It gets them in its next turn.
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

  /// Executes a triggered rule, or delays it.
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
    // State changes can branch, each into all others.
    if depth == 0 { book.allowance = Allowance(.effects) }
    for effect in book.rules[rule].effects {
      let hadSome = book.allowance.left >= 0
      guard book.allowance.take(1) else {
        if hadSome { book.report(.failed(place: "rules", reason: "this \(Budget.effects.excess)")) }
        return
      }
      perform(effect, context, now, &actions, depth: depth)
    }
  }

  // MARK: States

  /// Enters a state. The previous state is left, and its delayed executions are forgotten.
  mutating func enter(
    _ state: Int, _ context: RuleContext, at now: Instant, _ actions: inout [ApplicationAction], depth: Int
  ) {
    guard depth < Self.longestChain else {
      return book.report(
        .failed(
          place: "the state '\(book.states[state])'",
          reason: "more than \(depth) consecutive state changes at one instant"))
    }
    happened(.left, context, at: now, &actions, depth: depth + 1)
    if let before = book.state { book.forgetState(before) }
    book.state = state
    book.report(.entered(state: book.states[state]))
    startClocks(at: now)
    happened(.entered, context, at: now, &actions, depth: depth + 1)
    attend(at: now)
  }

  /// Starts the clocks of periodic rules and of rules for a time of day that become active.
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

  /// Returns the next instant at which the local time is that number of seconds after midnight.
  private func next(second: Int, after now: Instant) -> Instant {
    let day: Int64 = 86_400_000_000_000
    let local = clock.nanoseconds(at: now, .local)
    let since = ((local % day) + day) % day
    let wait = Int64(second) * 1_000_000_000 - since
    return now + .nanoseconds(wait > 0 ? wait : wait + day)
  }

  // MARK: Turns

  /// Executes the rules for the start.
  mutating func beginRules() {
    guard !book.rules.isEmpty else { return }
    startClocks(at: start, isStart: true)
    happened(.start, RuleContext(), at: start)
    happened(.entered, RuleContext(), at: start)
    if book.hasThresholds { attend(at: start) }
  }

  /// The minimum run time before a rule may restart the accessory. Otherwise, a rule for the start could restart it endlessly.
  static var shortestRun: Duration { .milliseconds(100) }

  mutating func refuseRestart() {
    book.report(
      .failed(place: "a rule", reason: "it restarts within \(Self.shortestRun) of the start, so it would never end"))
  }

  /// Restarts as after a power cycle: all values except persistent ones are again those of the profile. Returns the actions for the host.
  /// May only be called while no client is connected.
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

  /// Schedules a check of conditions, derived values and advertising data for the next turn.
  mutating func attend(at now: Instant) {
    if !advertising.sets.isEmpty {
      advertising.attend(at: now)
      advertising.nextDeadline.map { hasEarlierDeadline($0) }
    }
    guard book.hasThresholds || hasDerivedValues || !book.actions.isEmpty else { return }
    book.attention = .earliest(book.attention, now)
    hasEarlierDeadline(now)
  }

  /// Executes everything that is due.
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
    // Resulting changes are checked a little later, so that rules that trigger each other leave time for others.
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
      // The effects of the rule can make its condition false at once.
      let isOver =
        if let until { holds(until, context, at: now, place: "until") } else {
          !holds(condition, context, at: now, place: "becomes")
        }
      if isOver { book.runs[rule].isPassed = false }
    }
  }

  /// Sends derived values that have changed to subscribers.
  private mutating func lookAtDerivedValues(at now: Instant, _ actions: inout [ApplicationAction]) {
    for index in behaviors.indices where behaviors[index].source.isComputed && !states[index].isOverridden {
      let present = presentValue(of: CharacteristicIndex(index), at: now) ?? []
      if present != states[index].lastSent { announceChange(index, present, &actions) }
    }
  }

  // MARK: Computing

  /// Returns whether a condition holds. If it cannot be computed, it does not hold, and the failure is reported.
  mutating func holds(_ condition: Expression, _ context: RuleContext, at now: Instant, place: String) -> Bool {
    do throws(ExpressionError) {
      return try compute(condition, context, at: now).boolean()
    } catch {
      book.report(.failed(place: "\(place): \(condition.text)", reason: error.reason))
      return false
    }
  }

  /// Evaluates an expression.
  mutating func compute(
    _ expression: Expression, _ context: RuleContext, at now: Instant
  ) throws(ExpressionError) -> ExpressionValue {
    book.draws &+= 1
    var environment = RuleEnvironment(self, context, at: now, stream: book.draws)
    return try expression.evaluate(in: &environment)
  }

  /// Computes a value. If that fails, reports the failure and returns nil.
  mutating func compute(
    _ value: ComputedValue, _ format: ValueFormat?, _ context: RuleContext, at now: Instant
  ) -> ProfileValue? {
    compute(value, format, fields: format?.fields ?? [], context, at: now)
  }

  /// Computes a value with the given fields.
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
  /// Converts a computed value to the format. Numbers are rounded and clamped to its range.
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
