import Simulation
import Testing
import UnderstudyTesting

@Suite("An air for tests")
struct TestAirTests {
  static let lamp = """
    understudy: 1
    name: Lamp
    rules:
      - { when: { button: knob }, do: { set: { level: 9 } } }
      - { when: { written: secret }, do: disconnect }
    services:
      - uuid: FFF0
        characteristics:
          - { id: level, uuid: FFF1, properties: [read, write, notify], format: u8, value: 3, notify: on-change }
          - { id: secret, uuid: FFF2, properties: [write], format: utf8, value: "", max-length: 20 }
    l2cap:
      - { id: echo, psm: 0x0080, handler: echo }
    """

  let air = TestAir(seed: 7)

  func scene() throws -> (lamp: TestAccessory, phone: TestCentral) {
    let lamp = try air.accessory(try Profile.load(text: Self.lamp))
    let phone = try air.central("phone")
    try phone.connect(to: lamp)
    return (lamp, phone)
  }

  @Test("A central reads and writes with the profile's names and formats")
  func values() throws {
    let (lamp, phone) = try scene()
    #expect(try phone.read("level") == 3)
    try phone.write(5, to: "level")
    let event = try lamp.expect(.write(to: "level", value: 5), within: .seconds(3))
    #expect(event.octets == [5])
    #expect(try lamp.value(of: "level") == 5)
  }

  @Test("A subscriber gets values from the accessory and the effects of a button")
  func notifications() throws {
    let (lamp, phone) = try scene()
    try phone.subscribe(to: "level")
    try lamp.set("level", to: 8)
    try lamp.press("knob")
    let values = try phone.expect(inOrder: [.value(of: "level", 8), .value(of: "level", 9)])
    #expect(values.map(\.octets) == [[8], [9]])
  }

  @Test("The accessory performs a rule's actions on the device")
  func rules() throws {
    let (lamp, phone) = try scene()
    // The link ends with the write, before the response.
    #expect(throws: GATTFailure.self) { try phone.write("sesame", to: "secret") }
    try phone.awaitEnd()
    try lamp.expect(.disconnected())
    #expect(lamp.connections == 0)
  }

  @Test("Errors of the accessory are thrown unchanged")
  func refusals() throws {
    let (lamp, phone) = try scene()
    try lamp.arm("on: { read: level }, do: { error: 0x80 }, times: 1")
    let refusal = #expect(throws: GATTFailure.self) { try phone.read("level") }
    guard case .refused(let code, _, _) = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    #expect(code.rawValue == 0x80)
    try lamp.expect(.fault())
    #expect(try phone.read("level") == 3)
  }

  @Test("An expectation that is not met reports the events")
  func transcript() throws {
    let (lamp, phone) = try scene()
    try phone.read("level")
    let failure = #expect(throws: TestFailure.self) { try lamp.expect(.write(to: "level"), within: .seconds(3)) }
    #expect(failure?.reason == "Lamp had no write with characteristic: \"level\" within 3.0 seconds")
    #expect(failure?.description.contains(#"Lamp: {"characteristic":"level","connection":"#) == true)
    #expect(air.now >= .seconds(3))
  }

  @Test("Events are expected in any order, each once")
  func anyOrder() throws {
    let (lamp, phone) = try scene()
    try phone.write(1, to: "level")
    try phone.read("level")
    try lamp.expect(inAnyOrder: [.read(of: "level"), .write(to: "level")])
    #expect(throws: TestFailure.self) {
      try lamp.expect(inAnyOrder: [.read(of: "level"), .read(of: "level")], within: .seconds(1))
    }
  }

  @Test("An excluded event fails the expectation, and its absence takes the whole time")
  func none() throws {
    let (lamp, phone) = try scene()
    let before = air.now
    try lamp.expectNone(.disconnected(), for: .seconds(60))
    #expect(air.now - before == .seconds(60))
    air.isReachable = false
    #expect(throws: TestFailure.self) { try phone.expectNone(.disconnected(), for: .seconds(60)) }
  }

  @Test("Restoring a snapshot restores the accessory and ends its links")
  func snapshots() throws {
    let (lamp, phone) = try scene()
    try lamp.set("level", to: 7)
    let seven = lamp.snapshot()
    try lamp.press("knob")
    try lamp.arm("on: { read: level }, do: ignore")
    #expect(try lamp.value(of: "level") == 9)
    try lamp.restore(seven)
    try phone.expect(.disconnected())
    try phone.connect(to: lamp)
    #expect(try phone.read("level") == 7)
    try lamp.press("knob")
    #expect(try phone.read("level") == 9)
  }

  @Test("Participants with the same name get numbers")
  func names() throws {
    let lamps = try (0..<3).map { _ in try air.accessory(try Profile.load(text: Self.lamp)) }
    #expect(lamps.map(\.name) == ["Lamp", "Lamp 2", "Lamp 3"])
    #expect(
      try [air.central().name, air.central().name, air.central("phone").name] == ["central", "central 2", "phone"])
  }

  @Test("Accessories with the same profile have different addresses, and a central finds the right one")
  func addresses() throws {
    let profile = try Profile.load(text: Self.lamp)
    let (first, second) = (try air.accessory(profile), try air.accessory(profile))
    let phone = try air.central()
    #expect(Set(try phone.scan(for: .seconds(1)).map(\.address)).count == 2)
    for lamp in [second, first] {
      try phone.connect(to: lamp)
      #expect(lamp.connections == 1)
      try phone.disconnect()
    }
  }

  @Test("Participants of a shared radio hear each other, and each has its own impairment and transcript")
  func sharing() throws {
    let radio = RadioSimulation()
    let (mine, yours) = (TestAir(seed: 1, sharing: radio), TestAir(seed: 1, sharing: radio))
    let lamps = try [mine, yours].map { try $0.accessory("heart-rate") }
    let (phone, other) = (try mine.central(), try yours.central())
    mine.isReachable = false
    #expect(Set(try other.scan(for: .seconds(2)).map(\.address)).count == 2)
    #expect(Set(try phone.scan(for: .seconds(2)).map(\.address)).count == 1)
    try other.connect(to: lamps[1])
    #expect(!mine.transcript.description.contains(" connected"))
    mine.clear()
    #expect(Set(try other.scan(for: .seconds(2)).map(\.address)).isEmpty)
    #expect(radio.participants.count == 2)
  }

  @Test("An echo channel returns an SDU")
  func channels() throws {
    let (_, phone) = try scene()
    try phone.open("echo")
    try phone.send([1, 2, 3], on: "echo")
    #expect(try phone.receive(on: "echo") == [1, 2, 3])
    try phone.close("echo")
  }

  @Test("A shipped lock accepts its passkey and refuses a wrong one")
  func pairing() throws {
    let lock = try air.accessory("smart-lock")
    let (owner, stranger) = (try air.central("owner"), try air.central("stranger"))
    try owner.connect(to: lock)
    try owner.pair(passkey: 123_456)
    #expect(try owner.read("lock-state") == "locked")
    try owner.disconnect()
    try stranger.connect(to: lock)
    #expect(throws: TestFailure.self) { try stranger.pair(passkey: 1) }
    try lock.expect(.pairingFailed)
  }

  @Test("A bonded phone finds its own value again, and another phone finds the profile's")
  func valuesOfBonds() throws {
    let lamp = try air.accessory(
      Profile.load(
        text: """
          understudy: 1
          name: Lamp
          security: { pairing: just-works }
          services:
            - uuid: FFF0
              characteristics:
                - { id: level, uuid: FFF1, properties: [read, write], format: u8, value: 50, per: bond }
          """))
    let (owner, guest) = (try air.central("owner"), try air.central("guest"))
    try owner.connect(to: lamp)
    // The bond also keeps a value that was written before it.
    try owner.write(80, to: "level")
    try owner.pair()
    try owner.disconnect()
    try guest.connect(to: lamp)
    #expect(try guest.read("level") == 50)
    try guest.disconnect()
    try owner.connect(to: lamp)
    // Only the key proves the central's identity.
    #expect(try owner.read("level") == 50)
    try owner.pair()
    #expect(try owner.read("level") == 80)
    try owner.write(90, to: "level")
    try owner.disconnect()
    try owner.connect(to: lamp)
    try owner.pair()
    #expect(try owner.read("level") == 90)
    try owner.forgetBonds()
    try owner.disconnect()
    try owner.connect(to: lamp)
    try owner.pair(anew: true)
    #expect(try owner.read("level") == 50)
  }

  @Test("A channel without a fixed PSM gets one, and its characteristic contains it", arguments: ["auto", "new"])
  func channelsGetPSMs(_ choice: String) throws {
    let air = TestAir()
    let store = try air.accessory(
      Profile.load(
        text: """
          understudy: 1
          name: Store
          services: [ { id: store, uuid: A000, characteristics: [] } ]
          l2cap: [ { id: log, psm: \(choice), psm-characteristic: { service: store }, handler: echo } ]
          """))
    let phone = try air.central()
    try phone.connect(to: store)
    let psm = try #require(try phone.read("log-psm").int)
    #expect((0x80...0xFF).contains(psm))
    try phone.open("log")
  }

  @Test("The same seed gives the same transcript, and another seed gives another")
  func seeds() throws {
    func transcript(_ seed: UInt64) throws -> [String] {
      let air = TestAir(seed: seed)
      air.lose(0.2)
      let belt = try air.accessory("heart-rate")
      let phone = try air.central()
      try phone.connect(to: belt)
      try phone.subscribe(to: "measurement")
      try phone.expect(.value(of: "measurement"))
      return air.transcript.lines
    }
    #expect(try transcript(1) == transcript(1))
    #expect(try transcript(1) != transcript(2))
  }
}
