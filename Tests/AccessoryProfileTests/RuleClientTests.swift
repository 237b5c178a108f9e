import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import Testing

/// What becomes of a rule's actions if its client has left, or if its write is refused.
@Suite("Rules and their clients")
struct RuleClientTests {
  /// A lock that locks itself does so although the phone has left. What concerns only the phone is left out, above all for a phone that
  /// has the identity of the first by now.
  @Test func delayedActionsGoOnWithoutTheClient() throws {
    var runtime = try ruled(
      """
      variables: { own: { value: 0, per: connection } }
      states:
        closed: [ { when: { written: a }, do: { enter: open } } ]
        open: [ { when: entered, after: 10 s, do: [ { set: { own: 5 } }, disconnect, { enter: closed } ] } ]
      rules:
        - { when: { written: b }, after: 10 s, do: [ { set: { a: 7 } }, { reply: { b: hex:01 } } ] }
        - { when: { button: own }, do: { set: { a: { compute: own } } } }
      """)
    let b = try #require(runtime.index(of: "b"))
    runtime.clientArrived(1, at: .zero)
    runtime.write([1], to: "a", client: 1, at: .ms(1))
    runtime.write([1], to: "b", client: 1, at: .ms(1))
    #expect(runtime.stateName == "open")
    runtime.clientLeft(1, at: .ms(2))
    runtime.clientArrived(1, at: .ms(3))
    runtime.configurationChanged(b, of: 1, to: [.notification], at: .ms(4))
    _ = runtime.run(until: .ms(11_000))
    #expect(runtime.stateName == "closed" && runtime.number("a") == 7)
    #expect(runtime.takeDeviceRequests() == [])
    #expect(runtime.takeRuleReports() == [.entered(state: "open"), .entered(state: "closed")])
    #expect(runtime.nextMessage(for: 1, limit: 100, at: .ms(11_000)) == nil)
  }

  /// Wrong attempts are counted although they are refused; the value stays.
  @Test(arguments: ["", "after: 1 s, "]) func aRefusedWriteHasActions(_ timing: String) throws {
    var runtime = ProfileRuntime(
      profile: try profile(
        """
        variables: { wrong: 0 }
        services:
          - uuid: FFF0
            characteristics:
              - id: a
                uuid: FFF1
                properties: [read, write]
                format: u8
                value: 0
                on-write:
                  - { when: 0x01, do: { set: { wrong: 0 } } }
                  - { \(timing)otherwise: [ { set: { wrong: { compute: wrong + 1 } } }, { error: 0x80 } ] }
              - { id: b, uuid: FFF2, properties: [read], format: u8, value: 0 }
        rules:
          - { when: { becomes: wrong >= 3 }, do: { set: { b: 1 } } }
          - { when: { written: a }, do: { set: { b: 9 } } }
        """))
    let a = try #require(runtime.index(of: "a"))
    for attempt in 1...3 {
      let now = Instant.ms(Int64(attempt) * 2000)
      let answer = runtime.write([5], to: a, for: 1, at: now)
      #expect(timing.isEmpty ? answer.error?.rawValue == 0x80 : answer.ticket != nil)
      #expect(answer.actions.isEmpty)
      _ = runtime.run(until: .ms(Int64(attempt) * 2000 + 1500))
      #expect(runtime.number("a") == 0 && runtime.number("b") == (attempt < 3 ? 0 : 1))
    }
  }
}
