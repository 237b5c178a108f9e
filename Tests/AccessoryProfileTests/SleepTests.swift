import BLECore
import BLEGATT
import Testing

@testable import AccessoryProfile

@Suite("Sleep")
struct SleepTests {
  /// Returns the changes up to a time, each with its time in seconds.
  private func changes(_ runtime: inout ProfileRuntime, until end: Int64) -> [String] {
    runtime.run(until: .ms(end * 1000)).compactMap { entry in
      let second = entry.at.nanoseconds / 1_000_000_000
      switch entry.action {
      case .sleep: return "\(second) sleep"
      case .wake: return "\(second) wake"
      default: return nil
      }
    }
  }

  @Test func itIsAwakeInWindows() throws {
    let profile = try profile("advertising: []\nsleep: { start: asleep, after: 30 s, wakes-every: 10 min }")
    var runtime = ProfileRuntime(profile: profile)
    #expect(runtime.isAsleep)
    #expect(
      changes(&runtime, until: 1900) == ["600 wake", "630 sleep", "1200 wake", "1230 sleep", "1800 wake", "1830 sleep"])
  }

  @Test func aConnectionKeepsItAwake() throws {
    var runtime = ProfileRuntime(profile: try profile("advertising: []\nsleep: { after: 30 s }"))
    runtime.clientArrived(1, at: .ms(10_000))
    #expect(changes(&runtime, until: 100) == [])
    runtime.clientLeft(1, at: .ms(100_000))
    #expect(changes(&runtime, until: 200) == ["130 sleep"])
    // A client that arrives at the last moment is disconnected.
    runtime.clientArrived(2, at: .ms(200_000))
    #expect(changes(&runtime, until: 201) == ["200 sleep"])
  }

  @Test(arguments: [
    "[ { when: asleep, do: [ wake, sleep ] } ]",
    "[ { when: asleep, do: wake }, { when: awake, do: sleep } ]",
  ])
  func rulesThatNeverSettleAreStopped(_ rules: String) throws {
    var runtime = ProfileRuntime(profile: try profile("advertising: []\nrules: \(rules)"))
    let actions = runtime.setAsleep(true, at: .ms(1000))
    #expect(actions.first == .sleep && actions.count < 100)
    let failed = runtime.takeRuleReports().contains { if case .failed("sleep", _) = $0 { true } else { false } }
    #expect(failed)
  }

  @Test func rulesAndPeopleWakeIt() throws {
    var runtime = ProfileRuntime(
      profile: try profile(
        """
        advertising: []
        sleep: { start: asleep, after: 5 s }
        variables: { woken: 0 }
        rules:
          - { when: { button: shake }, do: wake }
          - { when: { button: off }, do: sleep }
          - { when: awake, do: { set: { woken: { compute: woken + 1 } } } }
        """))
    #expect(try runtime.press("shake", at: .ms(1000)) == [.wake])
    // When pressed again, it stays awake longer.
    #expect(try runtime.press("shake", at: .ms(3000)) == [])
    #expect(changes(&runtime, until: 20) == ["8 sleep"])
    #expect(runtime.setAsleep(false, at: .ms(20_000)) == [.wake])
    #expect(try runtime.press("off", at: .ms(21_000)) == [.sleep])
    #expect(runtime.takeRuleReports() == [.awake, .asleep, .awake, .asleep])
    #expect(runtime.book.value(of: 0, for: nil) == .whole(2))
  }
}
