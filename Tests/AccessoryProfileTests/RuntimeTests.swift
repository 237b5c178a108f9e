import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import Testing

@Suite("Runtime")
struct RuntimeTests {
  // MARK: Values

  @Test func whatNeverChangesIsStored() throws {
    let profile = try profile(
      """
      services:
        - uuid: FFF0
          characteristics:
            - { id: fixed, uuid: FFF1, properties: [read], value: hex:0102 }
            - { id: none, uuid: FFF2, properties: [write] }
            - { id: moving, uuid: FFF3, properties: [read], format: u8, value: { ramp: 1 per 1 s } }
            - { id: refused, uuid: FFF4, properties: [read], value: hex:01, on-read: { error: 0x81 } }
            - { id: record, uuid: FFF5, properties: [read], format: { struct: { a: u8, b: u8 } }, value: { a: 1, b: 2 } }
      """)
    #expect(
      profile.services[0].characteristics.map(\.value) == [
        .stored([1, 2]), .stored([]), .asked, .asked, .stored([1, 2]),
      ])
    var runtime = ProfileRuntime(profile: profile)
    #expect(runtime.readOctets("fixed", at: .zero) == [1, 2])
    let refused = try #require(runtime.index(of: "refused"))
    #expect(runtime.read(refused, for: 1, at: .zero) == .error(ATTErrorCode(rawValue: 0x81)))
    #expect(runtime.presentValue(of: refused, at: .zero) == [1])
    #expect(runtime.read(CharacteristicIndex(99), for: 1, at: .zero) == .error(.unlikelyError))
  }

  @Test func characteristicsAreFoundByIDAndByUUID() throws {
    let profile = try profile(
      """
      services:
        - { uuid: FFF0, characteristics: [ { id: a, uuid: FFF1, properties: [read] }, { id: b, uuid: FFF1, properties: [read] } ] }
        - include: battery
      """)
    let runtime = ProfileRuntime(profile: profile)
    #expect(runtime.index(of: "b") == CharacteristicIndex(1))
    #expect(runtime.index(of: "battery-level") == CharacteristicIndex(2))
    #expect(runtime.index(of: "2A19") == CharacteristicIndex(2))
    #expect(runtime.index(of: "FFF1") == nil && runtime.index(of: "c") == nil)
  }

  @Test func settingAStoredValueStoresItAndTellsSubscribers() throws {
    let profile = try characteristic("properties: [read, notify, indicate], format: u8, value: 1")
    var runtime = ProfileRuntime(profile: profile)
    let x = CharacteristicIndex(0)
    #expect(try runtime.set(x, to: .int(2), at: .zero) == [.store(x, [2])])
    runtime.subscribe("x", notified: 1, at: .zero)
    #expect(try runtime.set(x, to: .int(3), at: .zero) == [.store(x, [3]), .notify(x)])
    #expect(try runtime.set(x, to: .int(3), at: .zero) == [.store(x, [3])])
    runtime.subscribe("x", notified: 1, indicated: 1, at: .zero)
    #expect(try runtime.set(x, toOctets: [4], at: .zero) == [.store(x, [4]), .notify(x), .indicate(x)])
    #expect(runtime.typedValue(of: x, at: .zero) == .int(4))
    #expect(runtime.resume(x, at: .zero) == [.store(x, [1]), .notify(x), .indicate(x)])
    #expect(throws: ProfileValueError("256 is not within 0...255")) { try runtime.set(x, to: .int(256), at: .zero) }
    #expect(throws: ProfileValueError.self) { try runtime.set(x, toOctets: Array(repeating: 0, count: 513), at: .zero) }
    #expect(throws: ProfileValueError.self) { try runtime.set(CharacteristicIndex(5), to: .int(0), at: .zero) }
  }

  @Test func someFieldsOfAStoredRecordCanBeSet() throws {
    let profile = try characteristic("properties: [read], format: { struct: { a: u8, b: u16 } }, value: { a: 1, b: 2 }")
    var runtime = ProfileRuntime(profile: profile)
    #expect(
      try runtime.set(CharacteristicIndex(0), to: .object(["b": .int(5)]), at: .zero) == [
        .store(CharacteristicIndex(0), [1, 5, 0])
      ])
    #expect(throws: ProfileValueError.self) {
      try runtime.set(CharacteristicIndex(0), to: .object(["c": .int(5)]), at: .zero)
    }
  }

  @Test func aGeneratedValueThatIsSetStaysUntilItIsResumed() throws {
    let profile = try characteristic("properties: [read], format: u8, value: { ramp: 1 per 1 s }")
    var runtime = ProfileRuntime(profile: profile)
    #expect(runtime.readOctets("x", at: .ms(3000)) == [3])
    #expect(try runtime.set(CharacteristicIndex(0), to: .int(99), at: .ms(3000)) == [])
    #expect(runtime.readOctets("x", at: .ms(9000)) == [99])
    #expect(runtime.resume(CharacteristicIndex(0), at: .ms(9000)) == [])
    #expect(runtime.readOctets("x", at: .ms(10_000)) == [10])
    #expect(runtime.reset(CharacteristicIndex(0), field: nil, at: .ms(10_000)) == [])
    #expect(runtime.readOctets("x", at: .ms(12_000)) == [2])
  }

  // MARK: Sending

  @Test func timersOfNotificationsAndIndications() throws {
    let profile = try characteristic(
      "properties: [notify, indicate], value: hex:01, notify: { every: 30 ms }, indicate: { every: 50 ms }")
    var runtime = ProfileRuntime(profile: profile)
    let x = CharacteristicIndex(0)
    runtime.subscribe("x", notified: 1, indicated: 1, at: .ms(5))
    let sent = runtime.run(until: .ms(105))
    #expect(sent.map(\.at) == [.ms(35), .ms(55), .ms(65), .ms(95), .ms(105)])
    #expect(sent.map(\.action) == [.notify(x), .indicate(x), .notify(x), .notify(x), .indicate(x)])
    // Another subscriber does not change the interval; the last one ends it.
    runtime.subscribe("x", notified: 2, indicated: 0, at: .ms(110))
    #expect(runtime.nextDeadline == .ms(125))
    runtime.subscribe("x", at: .ms(120))
    #expect(runtime.nextDeadline == nil && runtime.run(until: .ms(1000)).isEmpty)
  }

  @Test func aGeneratedValueIsSentWhenItChanges() throws {
    let profile = try profile("services: [ { include: battery, level: { ramp: { from: 100, to: 0, over: 500 s } } } ]")
    var runtime = ProfileRuntime(profile: profile)
    runtime.subscribe("battery-level", notified: 1, at: .ms(500))
    let sent = runtime.run(until: .ms(21_000))
    // A percent each 5 s, rounded: from 2.5 s on.
    #expect(
      sent.map(\.at) == [.ms(3500), .ms(8500), .ms(13_500), .ms(18_500)]
        || sent.map(\.at) == [.ms(2500), .ms(7500), .ms(12_500), .ms(17_500)])
    #expect(sent.allSatisfy { $0.action == .notify(CharacteristicIndex(0)) })
    runtime.subscribe("battery-level", notified: 0, at: .ms(21_000))
    #expect(runtime.nextDeadline == nil)
  }

  @Test(arguments: ["on-demand", "{ every: buffer }"])
  func withoutATimerNothingHappensByItself(_ notify: String) throws {
    let profile = try characteristic(
      "properties: [read, notify], format: u8, value: { ramp: 1 per 1 s }, notify: \(notify)")
    var runtime = ProfileRuntime(profile: profile)
    runtime.subscribe("x", notified: 1, at: .zero)
    #expect(runtime.nextDeadline == nil)
    #expect(try runtime.set(CharacteristicIndex(0), to: .int(99), at: .zero) == [])
  }

  @Test func clocksAreNotSentEachSecond() throws {
    let profile = try profile("services: [ { include: current-time } ]")
    var runtime = ProfileRuntime(profile: profile)
    runtime.subscribe("current-time", notified: 1, at: .zero)
    #expect(runtime.nextDeadline == nil)
  }

  // MARK: Writing

  @Test func aWriteReplacesTheValueAndTellsSubscribers() throws {
    let profile = try characteristic("properties: [read, write, notify], value: hex:00")
    var runtime = ProfileRuntime(profile: profile)
    let x = CharacteristicIndex(0)
    #expect(runtime.write([1, 2], to: x, for: 1, at: .zero) == .accepted)
    #expect(runtime.presentValue(of: x, at: .zero) == [1, 2])
    runtime.subscribe("x", notified: 1, at: .zero)
    #expect(runtime.write([3], to: x, for: 1, at: .zero) == WriteAnswer(actions: [.notify(x)]))
    #expect(runtime.write([3], to: x, for: 1, at: .zero) == .accepted)
  }

  static let rules = """
    services:
      - uuid: FFF0
        characteristics:
          - id: point
            uuid: FFF1
            properties: [write, indicate]
            indicate: on-demand
            on-write:
              - { when: hex:0102, do: [ { set: { answer: 7, record: { b: 9 } } }, log ] }
              - { when: { length: 3 }, error: invalid-attribute-value-length }
              - { when: { length: [5, 6] }, do: { copy: record } }
              - { when: { first: 0xAA }, do: { set: { point: hex:1001 }, indicate: point } }
              - { when: u8:9, do: { reset: record } }
              - { when: hex:08, do: { reset: record.a, notify: answer } }
              - { when: hex:07, do: { error: 0x90 } }
              - { otherwise: { error: 0x80 } }
          - { id: answer, uuid: FFF2, properties: [read, notify], format: u8, value: 1 }
          - id: record
            uuid: FFF3
            properties: [read]
            format: { struct: { a: u8, b: u8 } }
            value: { a: { ramp: 1 per 1 s }, b: 2 }
    """

  @Test func theFirstRuleThatFitsDecides() throws {
    var runtime = ProfileRuntime(profile: try profile(Self.rules))
    let (point, answer) = (CharacteristicIndex(0), CharacteristicIndex(1))
    runtime.subscribe("answer", notified: 1, at: .zero)
    func write(_ octets: String, at now: Instant = .zero) -> WriteAnswer {
      runtime.write([UInt8](hexadecimal: octets) ?? [], to: point, for: 4, at: now)
    }
    #expect(write("0102", at: .ms(3000)) == WriteAnswer(actions: [.store(answer, [7]), .notify(answer)]))
    #expect(runtime.readOctets("record", at: .ms(5000)) == [5, 9])
    #expect(write("010203") == WriteAnswer(error: .invalidAttributeValueLength))
    #expect(write("aa") == WriteAnswer(actions: [.store(point, [0x10, 1]), .indicate(point)]))
    #expect(runtime.presentValue(of: point, at: .zero) == [0x10, 1])
    #expect(write("0807").error?.rawValue == 0x80)
    #expect(write("08", at: .ms(6000)) == WriteAnswer(actions: [.notify(answer)]))
    #expect(runtime.readOctets("record", at: .ms(7000)) == [1, 9])
    #expect(write("09", at: .ms(8000)) == .accepted)
    #expect(runtime.readOctets("record", at: .ms(10_000)) == [2, 2])
    #expect(write("0102030405") == .accepted)
    #expect(runtime.readOctets("record", at: .zero) == [1, 2, 3, 4, 5])
    #expect(write("07").error?.rawValue == 0x90)
    #expect(write("").error?.rawValue == 0x80)
    #expect(
      runtime.takeJournal() == [
        JournalEntry(characteristic: point, client: 4, value: [1, 2], instant: .ms(3000))
      ])
    #expect(runtime.takeJournal() == [])
    // A refused write does not change the value.
    #expect(runtime.presentValue(of: point, at: .zero) == [1, 2, 3, 4, 5])
  }

  @Test func aGeneratorGoesOnInSpiteOfAWrite() throws {
    let profile = try characteristic(
      "properties: [write-without-response, notify], value: { pattern: counter, length: 4 }, notify: { every: buffer }")
    var runtime = ProfileRuntime(profile: profile)
    runtime.subscribe("x", notified: 1, at: .zero)
    #expect(runtime.readOctets("x", at: .zero) == [0, 0, 0, 0])
    #expect(runtime.write([9], to: CharacteristicIndex(0), for: 1, at: .zero) == .accepted)
    #expect(runtime.readOctets("x", at: .zero) == [1, 0, 0, 0])
  }

  @Test func lengthsAndPermissionsOfDeclarations() throws {
    let profile = try profile(
      """
      services:
        - uuid: FFF0
          id: svc
          primary: false
          includes: [other]
          characteristics:
            - { id: a, uuid: FFF1, properties: [read, write], format: u16, value: 1 }
            - { id: b, uuid: FFF2, properties: [read, write], value: hex:00 }
            - { id: c, uuid: FFF3, properties: [read, write], value: hex:0011, fixed-length: true, permissions: { write: forbidden } }
            - { id: d, uuid: FFF4, properties: [write], format: u8, fixed-length: false, max-length: 20 }
            - id: e
              uuid: FFF5
              properties: [read]
              value: "text"
              description: What it is
              presentation-format: { format: u8, exponent: -1, unit: celsius }
              descriptors: [ { uuid: 2908, value: hex:0101, permissions: { write: none }, max-length: 4 } ]
        - { uuid: FFF6, id: other }
      """.replacing(", permissions: { write: forbidden }", with: ""))
    let service = profile.services[0]
    #expect(service.id == "svc" && !service.isPrimary && service.includes == ["other"])
    #expect(service.characteristics.map(\.maximumLength) == [2, 512, 2, 20, 512])
    #expect(service.characteristics.map(\.hasFixedLength) == [true, false, true, false, false])
    #expect(
      service.characteristics[4].descriptors == [
        DescriptorDefinition(uuid: BluetoothUUID(0x2901), value: Array("What it is".utf8)),
        DescriptorDefinition(uuid: BluetoothUUID(0x2904), value: [4, 0xFF, 0x2F, 0x27, 1, 0, 0]),
        DescriptorDefinition(
          uuid: BluetoothUUID(0x2908), permissions: .readableAndWritable, value: [1, 1], maximumLength: 4),
      ])
  }

  @Test(
    arguments: [
      ("none", AccessRequirement.open), ("encrypted", AccessRequirement(protection: .encrypted)),
      ("authenticated", AccessRequirement(protection: .authenticated)),
      ("secure-connections", AccessRequirement(protection: .secureConnections)), ("forbidden", nil),
    ] as [(String, AccessRequirement?)])
  func permissions(_ name: String, _ requirement: AccessRequirement?) throws {
    let profile = try characteristic("properties: [read, write], permissions: { read: \(name), write: \(name) }")
    #expect(
      profile.services[0].characteristics[0].permissions
        == AttributePermissions(read: requirement, write: requirement, signedWrite: requirement))
    #expect(profile.warnings.count == (requirement == nil || requirement == .open ? 0 : 2))
  }

  // MARK: Time

  @Test func aClientSetsTheClock() throws {
    let profile = try profile("services: [ { include: current-time } ]")
    var runtime = ProfileRuntime(
      profile: profile, clock: WallClock(nanosecondsAtZero: 1_709_222_400_000_000_000, standardOffsetMinutes: 60))
    let time = try #require(runtime.index(of: "current-time"))
    runtime.subscribe("current-time", notified: 1, at: .zero)
    #expect(runtime.readOctets("current-time", at: .zero)?.hexadecimal == "e807021d110000040000")
    // 31 December 1999, 23:59:59.5, a Friday.
    let written: [UInt8] = [0xCF, 7, 12, 31, 23, 59, 59, 5, 128, 0]
    #expect(runtime.write(written, to: time, for: 1, at: .ms(1000)) == WriteAnswer(actions: [.notify(time)]))
    #expect(
      runtime.typedValue(of: time, at: .ms(1500))
        == .object([
          "time": .string("2000-01-01T00:00:00"), "day-of-week": .string("saturday"), "fractions": .int(0),
          "adjust": .array([.string("manual")]),
        ]))
    for wrong in [[], [0xCF, 7, 13, 31, 23, 59, 59, 5, 128, 0], [0xCF, 7, 12, 31, 23, 59, 59, 1, 128, 0]] as [[UInt8]] {
      #expect(runtime.write(wrong, to: time, for: 1, at: .ms(2000)).error?.rawValue == 0x80)
    }
    #expect(runtime.readOctets("local-time-information", at: .zero) == [4, 0])
    #expect(runtime.readOctets("reference-time-information", at: .zero) == [1, 8, 0, 0])
  }

  @Test func theMachinesClockDoesNotDependOnTheInstant() {
    let early = WallClock.system(at: .zero)
    let late = WallClock.system(at: .ms(5_000_000))
    // Within a minute of each other, and after the beginning of 2024.
    #expect(abs(late.nanosecondsAtZero + 5_000_000_000_000 - early.nanosecondsAtZero) < 60_000_000_000)
    #expect(early.nanosecondsAtZero > 1_704_067_200_000_000_000)
    #expect((-720...840).contains(early.standardOffsetMinutes) && [0, 60].contains(early.daylightSavingMinutes))
  }

  // MARK: Determinism

  @Test(arguments: ShippedProfiles.list)
  func sameSeedAndCallsSameValues(_ entry: ShippedEntry) throws {
    let profile = try Profile.load(contentsOf: entry.path)
    func transcript(_ seed: UInt64) -> [String] {
      var runtime = ProfileRuntime(profile: profile, seed: seed)
      for behavior in profile.behaviors { runtime.subscribe(behavior.id, notified: 1, indicated: 1, at: .zero) }
      var lines: [String] = []
      while let deadline = runtime.nextDeadline, deadline <= .ms(60_000) {
        var actions: [ApplicationAction] = []
        runtime.advance(to: deadline, actions: &actions)
        for behavior in profile.behaviors {
          lines.append("\(deadline.nanoseconds) \(actions) \(runtime.readOctets(behavior.id, at: deadline) ?? [])")
        }
      }
      return lines
    }
    #expect(transcript(1) == transcript(1))
  }
}
