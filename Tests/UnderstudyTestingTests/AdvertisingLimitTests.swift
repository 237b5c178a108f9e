import BLEGAP
import Testing
import UnderstudyTesting

/// The controller ends a set with `max-events` after that many events (Core 5.4 Vol 4 Part E 7.8.56, 7.7.65.18).
@Suite("A maximum of advertising events")
struct AdvertisingLimitTests {
  private static let tag = """
    understudy: 1
    name: Tag
    rules:
      - { when: { button: knob }, do: { advertise: burst } }
    advertising:
      - id: burst
        kind: extended
        connectable: false
        interval: 100 ms
        max-events: 5
        data: { manufacturer-data: { company: 0xFFFF, data: hex:01 } }
    services: []
    """

  @Test("The set ends after its events, reports its end, and starts again only on request")
  func ends() throws {
    let air = TestAir(seed: 3)
    let tag = try air.accessory(try Profile.load(text: Self.tag))
    try tag.expect(EventPattern("advertising-started", ["set": "burst"]))
    let ended = try tag.expect(EventPattern("advertising-limit-reached", ["set": "burst", "events": 5]))
    try tag.expect(EventPattern("advertising-stopped", ["set": "burst"]))
    // Five events of 100 ms, each with up to 10 ms of delay (Core 5.4 Vol 6 Part B 4.4.2.2.1).
    #expect(ended.fields["events"] == .int(5))
    try tag.expectNone(EventPattern("advertising-started"), for: .seconds(60))
    try tag.press("knob")
    try tag.expect(EventPattern("advertising-limit-reached", ["set": "burst", "events": 5]), within: .seconds(2))
  }
}
