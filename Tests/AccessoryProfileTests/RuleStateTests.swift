import AccessoryProfile
import BLECore
import Testing

@Suite("States of rules")
struct RuleStateTests {
  @Test func statesFollowOneAnother() throws {
    var runtime = try ruled(
      """
      states:
        closed:
          - { when: entered, do: { set: { a: 0 } } }
          - { when: { written: b }, if: written == 1, do: { enter: open } }
        open:
          - { when: entered, do: { set: { a: 1 } } }
          - { when: entered, after: 5 s, do: { enter: closed } }
          - { when: { written: b }, if: written == 1, do: { set: { a: 2 } } }
          - { when: left, do: { set: { b: 50 } } }
      """)
    #expect(runtime.stateName == "closed")
    runtime.write([2], to: "b")
    #expect(runtime.stateName == "closed")
    runtime.write([1], to: "b")
    // The rules of the new state do not apply to the write that began it.
    #expect(runtime.stateName == "open" && runtime.number("a") == 1)
    runtime.write([1], to: "b", at: .ms(100))
    #expect(runtime.number("a") == 2)
    _ = runtime.run(until: .ms(5000))
    #expect(runtime.stateName == "closed" && runtime.number("a") == 0 && runtime.number("b") == 50)
    #expect(runtime.takeRuleReports() == [.entered(state: "open"), .entered(state: "closed")])
  }

  @Test func aClockOfAStateBeginsWithIt() throws {
    var runtime = try ruled(
      """
      rules: [ { when: { button: go }, do: { enter: on } }, { when: { button: halt }, do: { enter: idle } } ]
      states:
        idle:
        on: [ { when: { every: 1 s }, do: { set: { a: { compute: a + 1 } } } } ]
      """)
    #expect(runtime.run(until: .ms(3000)).isEmpty)
    _ = try runtime.press("go", at: .ms(3500))
    #expect(runtime.run(until: .ms(6000)).map(\.at) == [.ms(4500), .ms(5500)])
    _ = try runtime.press("halt", at: .ms(6000))
    #expect(runtime.run(until: .ms(9000)).isEmpty)
  }

  @Test func statesWithoutEndAreCutShort() throws {
    var runtime = try ruled(
      """
      rules: [ { when: { button: go }, do: { enter: one } } ]
      states:
        none:
        one: [ { when: entered, do: { enter: two } } ]
        two: [ { when: entered, do: { enter: one } } ]
      """)
    _ = try runtime.press("go", at: .zero)
    let isCut = runtime.takeRuleReports().contains { if case .failed = $0 { true } else { false } }
    #expect(isCut)
  }
}
