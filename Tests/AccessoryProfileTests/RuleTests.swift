import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import Testing

@Suite("Rules")
struct RuleTests {
  @Test func rulesFollowWhatClientsDo() throws {
    var runtime = try ruled(
      """
      rules:
        - { when: start, do: { set: { a: 1 } } }
        - { when: connected, do: { set: { a: 2 } } }
        - { when: { subscribed: b }, do: { set: { a: 3 } } }
        - { when: { unsubscribed: b }, do: { set: { a: 4 } } }
        - { when: { written: b }, if: written > 9, do: { set: { a: { compute: written + 1 } } } }
        - { when: { read: b }, do: { set: { a: 6 } } }
        - { when: paired, do: { set: { a: 7 } } }
        - { when: disconnected, do: { set: { a: 8 } } }
      """)
    #expect(runtime.number("a") == 1)
    runtime.clientArrived(1, at: .zero)
    #expect(runtime.number("a") == 2)
    let b = try #require(runtime.index(of: "b"))
    runtime.configurationChanged(b, of: 1, to: [.notification], at: .zero)
    #expect(runtime.number("a") == 3)
    runtime.configurationChanged(b, of: 1, to: [], at: .zero)
    #expect(runtime.number("a") == 4)
    runtime.write([9], to: "b")
    #expect(runtime.number("a") == 4)
    runtime.write([20], to: "b")
    #expect(runtime.number("a") == 21)
    #expect(runtime.readOctets("b", at: .zero) == [20])
    #expect(runtime.number("a") == 6)
    _ = runtime.clientPaired(1, at: .zero)
    #expect(runtime.number("a") == 7)
    runtime.clientLeft(1, at: .zero)
    #expect(runtime.number("a") == 8)
    #expect(runtime.takeRuleReports() == [])
  }

  /// Those of clients are the event `write`, and generated ones are too many.
  @Test func changesByRulesAndTheOwnerAreReportedOnRequest() throws {
    let rules = "rules: [ { when: { written: b }, do: { set: { a: { compute: written } } } } ]"
    var runtime = try ruled(rules)
    let a = try #require(runtime.index(of: "a"))
    _ = try runtime.set(a, to: .int(5), at: .zero)
    #expect(runtime.takeRuleReports() == [])
    runtime.reportsChanges = true
    _ = try runtime.set(a, to: .int(6), at: .zero)
    _ = try runtime.set(a, to: .int(6), at: .zero)
    runtime.write([7], to: "a")
    #expect(runtime.takeRuleReports() == [.changed(a, [6])])
    runtime.write([9], to: "b")
    _ = runtime.reset(a, field: nil, at: .zero)
    #expect(runtime.takeRuleReports() == [.changed(a, [9]), .changed(a, [0])])
  }

  @Test func whoIsLostHasNotLeft() throws {
    var runtime = try ruled(
      "rules: [ { when: lost, do: { set: { a: 1 } } }, { when: lost, after: 5 s, do: { set: { b: 1 } } } ]")
    runtime.clientArrived(1, at: .zero)
    runtime.clientLeft(1, at: .zero)
    #expect(runtime.number("a") == 0)
    runtime.clientArrived(1, at: .ms(1))
    runtime.clientLost(1, at: .ms(2))
    runtime.clientLeft(1, at: .ms(2))
    #expect(runtime.number("a") == 1)
    // A pending action does not end with the client.
    _ = runtime.run(until: .ms(6000))
    #expect(runtime.number("b") == 1)
  }

  @Test(arguments: [("client", DeviceAction.Bonded.client), ("others", .others), ("all", .all)])
  func bondsAreForgotten(_ word: String, _ bonded: DeviceAction.Bonded) throws {
    var runtime = try ruled("rules: [ { when: { written: a }, do: { forget-bonds: \(word) } } ]")
    runtime.write([1], to: "a", client: 3)
    let requests = runtime.takeDeviceRequests()
    #expect(requests.map(\.action) == [.forgetBonds(of: bonded)] && requests.map(\.client) == [3])
  }

  @Test func theMTUIsThatOfTheClient() throws {
    var runtime = try ruled(
      """
      rules:
        - { when: { written: b }, do: { set: { a: { compute: mtu } } } }
        - { when: { button: all }, do: { set: { a: { compute: mtu } } } }
      """)
    for client in [1, 2] as [ClientID] { runtime.clientArrived(client, at: .zero) }
    runtime.write([1], to: "b", client: 1)
    #expect(runtime.number("a") == 23)
    runtime.mtuExchanged(185, with: 1, at: .zero)
    runtime.write([2], to: "b", client: 1)
    #expect(runtime.number("a") == 185)
    // Without a client it is the smallest.
    _ = try runtime.press("all", at: .zero)
    #expect(runtime.number("a") == 23)
    runtime.mtuExchanged(100, with: 2, at: .zero)
    _ = try runtime.press("all", at: .zero)
    #expect(runtime.number("a") == 100)
  }

  @Test func aRuleCanEndItsOwnCondition() throws {
    var runtime = try ruled(
      "rules: [ { when: { becomes: a > 0 }, do: [ { set: { b: { compute: b + 1 } } }, { set: { a: 0 } } ] } ]")
    for round in 1...3 {
      // It is evaluated between two writes.
      runtime.write([1], to: "a", at: .ms(Int64(round)))
      _ = runtime.run(until: .ms(Int64(round)))
      #expect(runtime.number("b") == Double(round))
    }
  }

  @Test func whatRulesSetIsStoredAndToldWhenTheHostIsThere() throws {
    var runtime = try ruled("rules: [ { when: connected, do: { set: { a: 5 } } } ]")
    runtime.subscribe("a", notified: 1, at: .zero)
    runtime.clientArrived(1, at: .ms(3))
    let a = CharacteristicIndex(0)
    #expect(runtime.run(until: .ms(3)).map(\.action) == [.store(a, [5]), .notify(a)])
  }

  @Test func buttonsArePressed() throws {
    var runtime = try ruled(
      "rules: [ { when: { button: up }, do: { set: { a: { compute: a + 1 } } } }, { when: { button: down }, if: a > 0, do: { set: { a: { compute: a - 1 } } } } ]"
    )
    #expect(runtime.buttons == ["up", "down"])
    _ = try runtime.press("down", at: .zero)
    #expect(runtime.number("a") == 0)
    #expect(try runtime.press("up", at: .zero) == [.store(CharacteristicIndex(0), [1])])
    #expect(throws: ProfileValueError("this accessory has no button 'upp', did you mean 'up'? (known: up, down)")) {
      try runtime.press("upp", at: .zero)
    }
  }

  @Test func clocksAndDelays() throws {
    var runtime = try ruled(
      """
      rules:
        - { when: { every: 2 s }, do: { set: { a: { compute: a + 1 } } } }
        - { when: start, after: 3 s, do: { set: { b: 9 } } }
        - { when: connected, after: 1 s, do: { set: { b: 77 } } }
      """)
    #expect(runtime.run(until: .ms(5000)).map(\.at) == [.ms(2000), .ms(3000), .ms(4000)])
    #expect(runtime.number("a") == 2 && runtime.number("b") == 9)
    // A client that has left is not waited for.
    runtime.clientArrived(1, at: .ms(5000))
    runtime.clientLeft(1, at: .ms(5500))
    _ = runtime.run(until: .ms(7000))
    #expect(runtime.number("b") == 9)
  }

  @Test func aTimeOfDay() throws {
    let profile = try profile(
      """
      services:
        - { uuid: FFF0, characteristics: [ { id: a, uuid: FFF1, properties: [read], format: u8, value: 0 } ] }
      rules: [ { when: { at: "07:30" }, do: { set: { a: { compute: a + 1 } } } } ]
      """)
    // 05:00 UTC, and two hours east of it.
    let clock = WallClock(nanosecondsAtZero: 5 * 3_600_000_000_000, standardOffsetMinutes: 120)
    var runtime = ProfileRuntime(profile: profile, clock: clock)
    let times = runtime.run(until: .ms(30 * 3_600_000)).map(\.at)
    #expect(times == [.ms(1_800_000), .ms(1_800_000 + 86_400_000)])
  }

  @Test func thresholdsHaveHysteresis() throws {
    var runtime = try ruled(
      "rules: [ { when: { becomes: b < 20, until: b > 25 }, do: { set: { a: { compute: a + 1 } } } } ]")
    let b = CharacteristicIndex(1)
    _ = runtime.run(until: .ms(0))
    #expect(runtime.number("a") == 1)
    for (value, count) in [(19, 1), (22, 1), (18, 1), (26, 1), (21, 1), (19, 2)] {
      _ = try runtime.set(b, to: .int(Int64(value)), at: .zero)
      _ = runtime.run(until: .ms(5))
      #expect(runtime.number("a") == Double(count), "at \(value)")
    }
  }

  @Test func conditionsAreEvaluatedWhenAClientSubscribesOrExchangesItsMTU() throws {
    var runtime = try ruled(
      "rules: [ { when: { becomes: subscribed(a) }, do: { set: { b: 1 } } }, { when: { becomes: mtu > 100 }, do: { set: { b: 2 } } } ]"
    )
    runtime.clientArrived(1, at: .zero)
    _ = runtime.run(until: .ms(1))
    #expect(runtime.number("b") == 0)
    runtime.configurationChanged(CharacteristicIndex(0), of: 1, to: .notification, at: .ms(2))
    _ = runtime.run(until: .ms(3))
    #expect(runtime.number("b") == 1)
    runtime.mtuExchanged(185, with: 1, at: .ms(4))
    _ = runtime.run(until: .ms(5))
    #expect(runtime.number("b") == 2)
  }

  @Test func aGeneratedValueCrossesAThresholdByItself() throws {
    var runtime = ProfileRuntime(
      profile: try profile(
        """
        services:
          - uuid: FFF0
            characteristics:
              - { id: low, uuid: FFF1, properties: [read], format: bool, value: false }
              - { id: level, uuid: FFF2, properties: [read], format: u8, value: { ramp: { from: 100, to: 0, over: 100 s } } }
        rules: [ { when: { becomes: level <= 90 }, do: { set: { low: true } } } ]
        """))
    #expect(
      runtime.run(until: .ms(60_000)).filter { if case .store = $0.action { true } else { false } }.map(\.at) == [
        .ms(10_000)
      ])
  }

  @Test func rulesThatWakeEachOtherLeaveTimeForOthers() throws {
    var runtime = try ruled(
      "rules: [ { when: { becomes: a == 0 }, do: { set: { a: 1 } } }, { when: { becomes: a == 1 }, do: { set: { a: 0 } } } ]"
    )
    #expect(runtime.run(until: .ms(50)).count <= 200)
  }

  // MARK: Values

  @Test func derivedValuesFollowOthers() throws {
    var runtime = ProfileRuntime(
      profile: try profile(
        """
        services:
          - uuid: FFF0
            characteristics:
              - { id: sum, uuid: FFF1, properties: [read, notify], format: u8, value: { compute: pair.x + twice } }
              - { id: pair, uuid: FFF2, properties: [read], format: { struct: { x: u8, y: u8 } }, value: { x: 1, y: 2 } }
              - { id: twice, uuid: FFF3, properties: [read], format: u16, value: { compute: pair.y * 2 } }
              - { id: frame, uuid: FFF4, properties: [read], value: { compute: "octets(pair) ++ u16-be(crc16(octets(pair)))" } }
              - id: record
                uuid: FFF5
                properties: [read]
                format: { struct: { n: u8, sum: u8 } }
                value: { n: 7, sum: { compute: sum } }
        """))
    #expect(runtime.readOctets("sum", at: .zero) == [5])
    #expect(runtime.readOctets("record", at: .zero) == [7, 5])
    #expect(runtime.readOctets("frame", at: .zero)?.count == 4)
    runtime.subscribe("sum", notified: 1, at: .zero)
    _ = try runtime.set(CharacteristicIndex(1), to: .object(["y": .int(200)]), at: .zero)
    // A result out of range becomes the nearest value.
    #expect(runtime.readOctets("sum", at: .zero) == [255])
    #expect(runtime.run(until: .ms(1)).map(\.action).contains(.notify(CharacteristicIndex(0))))
  }

  @Test func variablesAreSharedOrOfEachConnection() throws {
    var runtime = ProfileRuntime(
      profile: try profile(
        """
        variables: { all: 0, own: { value: 10, per: connection } }
        services:
          - uuid: FFF0
            characteristics:
              - id: count
                uuid: FFF1
                properties: [read, write]
                value: { compute: all ++ own }
                rules:
                  - { when: written, do: { set: { all: { compute: all + 1 }, own: { compute: own + 1 } } } }
        """))
    runtime.clientArrived(1, at: .zero)
    runtime.clientArrived(2, at: .zero)
    runtime.write([1], to: "count", client: 1)
    runtime.write([1], to: "count", client: 1)
    runtime.write([1], to: "count", client: 2)
    #expect(runtime.readOctets("count", client: 1, at: .zero) == [3, 12])
    #expect(runtime.readOctets("count", client: 2, at: .zero) == [3, 11])
    runtime.clientLeft(2, at: .zero)
    runtime.clientArrived(2, at: .zero)
    #expect(runtime.readOctets("count", client: 2, at: .zero) == [3, 10])
  }

  @Test func whatFailsIsReportedAndChangesNothing() throws {
    var runtime = try ruled(
      "rules: [ { when: { button: x }, do: [ { set: { a: { compute: a + 'x' } } }, { set: { b: 4 } } ] } ]")
    _ = try runtime.press("x", at: .zero)
    #expect(runtime.number("a") == 0 && runtime.number("b") == 4)
    #expect(runtime.takeRuleReports() == [.failed(place: "a + 'x'", reason: "expected a number, not text")])
  }

  @Test func writesAreJudgedByConditions() throws {
    var runtime = ProfileRuntime(
      profile: try characteristic(
        """
        properties: [read, write], format: { struct: { kind: u8, level: u8 } }, value: { kind: 0, level: 0 },
          on-write: [ { if: written.level > 100, error: 0x80 }, { when: { first: 1 }, if: written.level == x.level, error: 0x81 } ]
        """))
    let x = CharacteristicIndex(0)
    #expect(runtime.write([0, 101], to: x, for: 1, at: .zero).error == ATTErrorCode(rawValue: 0x80))
    #expect(runtime.write([1, 0], to: x, for: 1, at: .zero).error == ATTErrorCode(rawValue: 0x81))
    #expect(runtime.write([1, 5], to: x, for: 1, at: .zero).error == nil)
  }

  @Test func aReplyGoesToTheClientInAsManyNotificationsAsItTakes() throws {
    var runtime = ProfileRuntime(
      profile: try profile(
        """
        services:
          - uuid: FFF0
            characteristics:
              - { id: rx, uuid: FFF1, properties: [write], on-write: [ { otherwise: { reply: { tx: { compute: "written ++ written" } } } } ] }
              - { id: tx, uuid: FFF2, properties: [notify], notify: on-demand }
        """))
    let tx = CharacteristicIndex(1)
    runtime.configurationChanged(tx, of: 1, to: [.notification], at: .zero)
    runtime.configurationChanged(tx, of: 2, to: [.notification], at: .zero)
    runtime.write([1, 2, 3], to: "rx", client: 1)
    #expect(runtime.hasMessages && runtime.nextMessage(for: 2, limit: 4, at: .zero) == nil)
    #expect(runtime.nextMessage(for: 1, limit: 4, at: .zero)?.value == [1, 2, 3, 1])
    #expect(runtime.nextMessage(for: 1, limit: 4, at: .zero)?.value == [2, 3])
    #expect(!runtime.hasMessages)
  }

  @Test func theHostsOwnerIsAskedForTheRest() throws {
    var runtime = try ruled(
      """
      advertising: [ { id: main, data: { flags: [general] } } ]
      l2cap: [ { id: log, handler: sink } ]
      rules:
        - { when: { written: b }, do: [ disconnect, { advertise: main }, { stop-advertising: main }, { publish: log }, { withdraw: log } ] }
        - { when: { button: off }, do: [ restart, { remove-service: FFF0 }, { add-service: FFF0 } ] }
      """)
    runtime.write([1], to: "b", client: 3)
    #expect(
      runtime.takeDeviceRequests().map(\.action) == [
        .disconnect, .advertise(set: "main", isOn: true), .advertise(set: "main", isOn: false),
        .publish(channel: "log", isOn: true), .publish(channel: "log", isOn: false),
      ])
    // If this were allowed sooner after the start, it would never end.
    _ = try runtime.press("off", at: .zero)
    #expect(!runtime.takeDeviceRequests().contains { $0.action == .restart })
    #expect(runtime.takeRuleReports().count == 1)
    _ = try runtime.press("off", at: .zero + .milliseconds(100))
    let requests = runtime.takeDeviceRequests()
    #expect(requests.map(\.client) == [nil, nil, nil])
    #expect(
      requests.map(\.action) == [
        .restart, .service(id: "FFF0", isPresent: false), .service(id: "FFF0", isPresent: true),
      ]
    )
  }

  @Test func aRestartBeginsAnew() throws {
    var runtime = try ruled(
      """
      variables: { n: 0 }
      rules: [ { when: { button: x }, do: [ { set: { a: 3, n: 9 } }, { enter: two } ] } ]
      states: { one: [ { when: entered, do: { set: { b: { compute: n + 1 } } } } ], two: }
      """)
    _ = try runtime.press("x", at: .zero)
    #expect(runtime.stateName == "two" && runtime.number("a") == 3)
    _ = runtime.restart(at: .ms(10))
    #expect(runtime.stateName == "one" && runtime.number("a") == 0 && runtime.number("b") == 1)
  }
}
