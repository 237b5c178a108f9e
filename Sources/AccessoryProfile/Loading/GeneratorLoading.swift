import BLECore

extension ProfileLoader {
  /// Loads the generator that is identified by the first key of a table.
  mutating func generator(_ node: SyntaxNode, _ table: KeyTable, _ format: ValueFormat) -> ValueSource? {
    guard let keys = keys(node, table), let headName = table.names.first, let head = keys[headName] else { return nil }
    switch headName {
    case "constant": return source(head, format)
    case "sequence": return sequence(keys, head, format)
    case "clock": return clock(head, format)
    case "pattern": return pattern(keys, head, format)
    case "replay": return replay(keys, head, format)
    case "compute":
      guard let expression = unresolved(head) else { return nil }
      valueExpressions.append(head)
      return .computed(expression)
    case "intervals":
      error(node, "'intervals' is for a list of integers in a record, after the field that it names")
      return nil
    default:
      let generator: NumberGenerator? =
        switch headName {
        case "wave": wave(keys, head)
        case "ramp": ramp(head)
        case "random": random(head)
        default: counter(head)
        }
      guard let generator, fits(generator, format, node) else { return nil }
      return refined(generator, keys).map { .number($0) }
    }
  }

  /// Applies the keys `noise` and `round` to a generator.
  private mutating func refined(_ generator: NumberGenerator, _ keys: Keys) -> NumberGenerator? {
    var result = generator
    if let noise = keys["noise"] {
      guard let amount = number(noise) else { return nil }
      result = .noisy(result, abs(amount))
    }
    guard let node = keys["round"] else { return result }
    guard let unit = number(node) else { return nil }
    guard unit > 0 else {
      error(node, "'round' must be above 0")
      return nil
    }
    return .rounded(result, to: unit)
  }

  /// Checks that the format can hold the smallest and the largest number.
  private mutating func fits(_ generator: NumberGenerator, _ format: ValueFormat, _ node: SyntaxNode) -> Bool {
    guard format.isNumeric else {
      let octets = "numbers need a 'format' that sets their width, such as u8"
      error(node, format == .octets ? octets : "this generates numbers, but the value is not a number")
      return false
    }
    for extreme in generator.extremes {
      do throws(ProfileValueError) {
        _ = try format.raw(format.number(nearest: extreme))
      } catch {
        self.error(node, error.message)
        return false
      }
    }
    return true
  }

  // MARK: Numbers

  private mutating func range(_ low: SyntaxNode?, _ high: SyntaxNode?) -> (low: Double, high: Double)? {
    guard let low, let high, let least = number(low), let most = number(high) else { return nil }
    guard least <= most else {
      error(low, "the smallest number is greater than the largest")
      return nil
    }
    return (least, most)
  }

  private mutating func wave(_ keys: Keys, _ head: SyntaxNode) -> NumberGenerator? {
    let shape = oneOf(head, Language.wave.words(of: "wave")).flatMap { NumberGenerator.Shape(rawValue: $0) }
    let range = range(keys["low"], keys["high"])
    let period = duration(keys, "period")
    guard let shape, let range, let period else { return nil }
    return .wave(shape, low: range.low, high: range.high, period: period)
  }

  private mutating func ramp(_ head: SyntaxNode) -> NumberGenerator? {
    guard head.pairs == nil else {
      guard let keys = keys(head, Language.rampRange) else { return nil }
      let from = keys["from"].flatMap { number($0) }
      let to = keys["to"].flatMap { number($0) }
      let over = duration(keys, "over")
      guard let from, let to, let over else { return nil }
      return .ramp(from: from, to: to, over: over)
    }
    // NUMBER [UNIT] per DURATION: the unit is for readers only.
    if let text = head.text {
      let words = text.split(separator: " ")
      if let middle = words.firstIndex(of: "per"), (1...2).contains(middle), let amount = Numbers.decimal(words[0]),
        middle == 1 || Numbers.decimal(words[1]) == nil,
        let time = Durations.parse(words[(middle + 1)...].joined(separator: " ")),
        ValueType.anyTime.durations?.range.contains(time) == true
      {
        return .rate(amount: amount, per: time)
      }
    }
    error(head, "expected a ramp such as '1 kJ per 10 s', or one with from, to and over, not \(head.kindName)")
    return nil
  }

  private mutating func random(_ head: SyntaxNode) -> NumberGenerator? {
    guard let keys = keys(head, Language.randomRange), let range = range(keys["low"], keys["high"]) else { return nil }
    guard let node = keys["every"] else { return .random(low: range.low, high: range.high, every: .seconds(1)) }
    return duration(node, keys.table, "every").map { .random(low: range.low, high: range.high, every: $0) }
  }

  private mutating func counter(_ head: SyntaxNode) -> NumberGenerator? {
    guard let keys = keys(head, Language.counterRange), let toNode = keys["to"], let to = number(toNode) else {
      return nil
    }
    let from = keys["from"].flatMap { number($0) } ?? 0
    let step = keys["step"].flatMap { number($0) } ?? (to < from ? -1 : 1)
    guard step != 0, (to - from) / step >= 0 else {
      error(keys["step"] ?? toNode, "the step does not lead from the first number to the last")
      return nil
    }
    let every = duration(keys, "every")
    return .counter(from: from, to: to, step: step, every: every)
  }

  // MARK: Other values

  private mutating func sequence(_ keys: Keys, _ head: SyntaxNode, _ format: ValueFormat) -> ValueSource? {
    let every = keys["every"].map { duration($0, keys.table, "every") } ?? .seconds(1)
    let repeats = keys["repeat"].flatMap { boolean($0) } ?? true
    guard let elements = list(head) else { return nil }
    guard !elements.isEmpty else {
      error(head, "expected at least one value")
      return nil
    }
    let values = elements.compactMap { element -> ProfileValue? in
      guard format.fields != nil, element.pairs != nil else { return constant(element, format) }
      guard let source = source(element, format) else { return nil }
      guard source.isConstant else {
        error(element, "the values of a sequence must be constants")
        return nil
      }
      return ValueEvaluator.constant(source, format).map { .octets($0) }
    }
    guard let every, values.count == elements.count else { return nil }
    return .sequence(values, every: every, repeats: repeats)
  }

  private mutating func clock(_ head: SyntaxNode, _ format: ValueFormat) -> ValueSource? {
    guard let word = oneOf(head, Language.clock.words(of: "clock")), let zone = ValueSource.Zone(rawValue: word) else {
      return nil
    }
    guard format.canShowTime else {
      error(
        head,
        "a clock needs a format that holds a time: that of current-time, local-time-information, date-time, time-zone, u32 or wider, or fields with the key 'clock'"
      )
      return nil
    }
    return .clock(zone)
  }

  private mutating func pattern(_ keys: Keys, _ head: SyntaxNode, _ format: ValueFormat) -> ValueSource? {
    guard oneOf(head, Language.pattern.words(of: "pattern")) != nil, let length = integer(keys, "length")
    else { return nil }
    guard format == .octets else {
      error(head, "a pattern is only for octets without a format")
      return nil
    }
    return .pattern(length: Int(length))
  }
}

extension ProfileLoader {
  /// Loads the generator of a field that lists the times between events; `.none` if the field has no such generator, `.some(nil)` after an
  /// error.
  mutating func intervals(_ node: SyntaxNode, _ field: ValueFormat.Field, after others: [String]) -> ValueSource?? {
    let short = node.plainText?.dropping(prefix: "from-").map { String($0) }
    guard short != nil || node.value(of: "intervals") != nil, case .list(.integer, _) = field.format else { return nil }
    var place = node
    var keys: Keys?
    if let short {
      let new = "{ intervals: \(short) }"
      deprecate(
        node, "'from-\(short)'", new, "a generator is a mapping whose first key is its name", replacing(node, by: new))
    } else {
      guard let given = self.keys(node, Language.intervals), let head = given["intervals"] else { return .some(nil) }
      (keys, place) = (given, head)
    }
    guard let name = short ?? text(place) else { return .some(nil) }
    guard others.contains(name) else {
      error(
        place,
        "there is no field '\(name)' before this one\(others.isEmpty ? "" : hint(for: name, among: others))")
      return .some(nil)
    }
    var intervals = ValueSource.Intervals(field: name)
    if let per = keys.flatMap({ duration($0, "per") }) { intervals.per = per }
    if let ticks = keys?["ticks"].flatMap({ number($0) }) { intervals.ticks = ticks }
    if let most = keys.flatMap({ integer($0, "most") }) { intervals.most = Int(most) }
    return .intervals(intervals)
  }
}

extension ValueFormat {
  /// Returns a number as a value, rounded if the format has no fractions.
  func number(nearest number: Double) -> ProfileValue {
    switch self {
    case .integer(let format): format.whole(nearest: number)
    case .named: .int(Int64(clamping: number))
    default: .double(number)
    }
  }
}

extension Int64 {
  /// Rounds a number to the nearest whole number, and clamps it to the range.
  init(clamping value: Double) {
    let rounded = value.rounded()
    if rounded >= 9.2e18 {
      self = .max
    } else if rounded <= -9.2e18 {
      self = .min
    } else {
      self = Int64(rounded)
    }
  }
}
