import AccessoryProfile

/// Values that the tables' types do not determine: names, and values that depend on each other.
extension TableDrawing {
  /// Returns a value for a key whose type alone would give a wrong value; nil for other keys.
  mutating func special(_ table: String, _ key: String) -> ProfileTree? {
    switch (table, key) {
    case ("profile", "understudy"): return .number(1)
    case ("profile", "name"): return .word("Swarm \(values.hexadecimal(2))")
    case ("profile", "services"):
      return .list((0...values.below(4)).map { _ in mapping(values.chance(0.1) ? "include" : "service") })
    case ("service", "characteristics"), ("include", "characteristics"):
      return .list((0...values.below(5)).map { _ in mapping("characteristic") })
    case ("profile", "states"):
      return .mapping(names.states.map { .init($0, rules()) })
    case ("profile", "variables"):
      return .mapping(names.variables.map { .init($0, values.chance(0.5) ? mapping("variable") : .number(1)) })
    case ("service", "id"): return .word(nextName("service", "s"))
    case ("include", "id"): return .word(nextName("include", "i"))
    case ("characteristic", "id"): return .word(nextName("characteristic", "c"))
    case ("channel", "id"): return .word(nextName("channel", "channel"))
    case ("struct-format", "struct"): return structFields()
    case ("table", "id"): return .word(nextName("table", "table"))
    case ("table", "columns"): return .mapping([.init("k", .word("u16")), .init("v", .word("u8"))])
    case ("table", "rows"): return .list((1...3).map { record($0) })
    case ("table", "key"): return .word("k")
    case ("table-step", "add"), ("table-step", "modify"): return record(values.below(8))
    case ("table-step", "remove"): return .number(1)
    case ("advertising-set", "id"):
      let name = nextName("set", "set")
      return .word(name == "set0" ? "main" : name)
    case ("fault", "id"): return .word(nextName("fault", "f"))
    case (_, "button"): return .word("press")
    case ("trigger", "at"): return .word("07:30")
    case (_, "enter"): return values.one(of: names.states).map { .word($0) }
    case (_, "advertise"), (_, "stop-advertising"):
      return table.hasSuffix("effect") ? values.one(of: names.sets).map { .word($0) } : nil
    case (_, "publish"), (_, "withdraw"): return values.one(of: names.channels).map { .word($0) }
    case (_, "add-service"), (_, "remove-service"): return values.one(of: names.services).map { .word($0) }
    case (_, "includes"): return .list([.word(values.one(of: names.services) ?? "s0")])
    case ("rule-effect", "set"), ("effect", "set"), ("command-effect", "set"):
      let target = values.chance(0.3) ? names.variables : Array(names.numbers.prefix(8))
      return .mapping([
        .init(values.one(of: target) ?? "count", values.chance(0.5) ? .number(7) : mapping("computed-value"))
      ])
    case (_, "reply"): return .mapping([.init(near(), .number(9))])
    case (_, "transmit"): return .mapping([.init("channel0", values.octets(4))])
    case ("rule-effect", "add"), ("effect", "add"), ("command-effect", "add"):
      return .mapping([.init("table0", record(9 + values.below(9)))])
    case (_, "copy"), (_, "reset"), (_, "notify"), (_, "indicate"), ("trigger", _), ("control-point", "answer"),
      ("advertised-value", "value"), ("check", "value"), ("check", "subscribed"):
      if table == "characteristic" || key == "every" || key == "becomes" || key == "until" { return nil }
      return .word(near())
    case ("command", "parameters"):
      return .mapping([.init("p", values.chance(0.3) ? mapping("records-parameter") : .word("u8"))])
    case ("records-parameter", "records"), ("check", "row"): return .word("table0")
    case ("channel", "mps"): return .number(23 + values.below(values.chance(0.5) ? 20 : 900))
    case ("ibeacon", "uuid"): return .word("F7826DA6-4FA2-4E98-8024-BC5B71E0893E")
    default: return nil
    }
  }

  /// Returns the name of a characteristic that probably exists.
  private mutating func near() -> String { "c\(values.below(8))" }

  private mutating func record(_ key: Int) -> ProfileTree {
    .mapping([.init("k", .number(key)), .init("v", .number(values.below(200)))])
  }

  private mutating func rules() -> ProfileTree { .list((0..<values.below(4)).map { _ in mapping("rule") }) }
}
