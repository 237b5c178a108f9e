import AccessoryProfile
import BLECore
import BLEGATT
import Testing

@Suite("Channels")
struct ChannelTests {
  private func channel(_ keys: String) throws -> ChannelDefinition {
    try #require(try profile("l2cap: [ { id: x, \(keys) } ]").channels.first)
  }

  @Test func defaults() throws {
    let channel = try channel("handler: echo")
    #expect(channel == ChannelDefinition(id: "x", psm: .automatic, handler: .echo))
    #expect((channel.mtu, channel.mps, channel.maximumChannels) == (2048, 1000, 32))
    #expect(channel.protection == .none)
  }

  @Test(arguments: [
    ("psm: 0x25", PSMChoice.fixed(0x25)), ("psm: 192", .fixed(192)), ("psm: auto", .automatic), ("psm: new", .drawn),
  ])
  func psm(text: String, choice: PSMChoice) throws {
    #expect(try channel("\(text), handler: echo").psm == choice)
  }

  @Test(arguments: [
    ("echo", ChannelHandler.echo),
    ("sink", .sink(octetsPerSecond: nil, hashes: false)),
    ("{ sink: { rate: 1000, hash: true } }", .sink(octetsPerSecond: 1000, hashes: true)),
    ("source", .source(ChannelSource())),
    (
      "{ source: { pattern: random, sdu: 100, length: 1_000_000, rate: 5000 } }",
      .source(ChannelSource(pattern: .random, sduLength: 100, length: 1_000_000, octetsPerSecond: 5000))
    ),
    ("file:firmware.bin", .file(path: "firmware.bin")),
    ("tcp:localhost:7000", .tcp(host: "localhost", port: 7000)),
    ("tcp:::1:7000", .tcp(host: "::1", port: 7000)),
    ("unix:/run/x.sock", .unix(path: "/run/x.sock")),
    ("pty", .pty(link: nil)),
    ("pty:/tmp/x", .pty(link: "/tmp/x")),
  ])
  func handler(text: String, handler: ChannelHandler) throws {
    #expect(try channel("handler: '\(text)'".replacing("'{", with: "{").replacing("}'", with: "}")).handler == handler)
  }

  @Test(arguments: [
    ("handler: tcp:7000", "unknown handler 'tcp:7000'"),
    ("handler: 'file:'", "unknown handler 'file:'"),
    ("handler: tcp:x:0", "unknown handler 'tcp:x:0'"),
    ("psm: 256, handler: echo", "256 is not within 1...255"),
    ("mtu: 22, handler: echo", "22 is not within 23...65535"),
    ("mps: 65534, handler: echo", "65534 is not within 23...65533"),
    ("handler: { sauce: {} }", "unknown handler 'sauce', did you mean 'source'?"),
    ("handler: { sink: { rate: 0 } }", "0 is not within"),
    ("psm: 1", "the key 'handler' is missing"),
    ("handler: echo, psm-characteristic: { service: nowhere }", "there is no service 'nowhere'"),
  ])
  func mistakes(keys: String, message: String) {
    let found = diagnose("understudy: 1\nname: T\nadvertising: []\nl2cap: [ { id: x, \(keys) } ]\n")
    #expect(found.contains { $0.contains(message) }, "\(found)")
  }

  @Test func everythingIsTakenOnce() {
    let found = diagnose(
      """
      understudy: 1
      name: T
      advertising: []
      l2cap:
        - { id: a, psm: 0x80, handler: echo }
        - { id: a, psm: 0x81, handler: echo }
        - { id: b, psm: 128, handler: echo }

      """)
    #expect(
      found == [
        "6:11: error: the id 'a' is already taken in line 5", "7:19: error: the PSM 0x80 is already taken in line 5",
      ])
  }

  @Test func securityThatCannotBeReachedIsWarnedOf() throws {
    let loaded = try profile("advertising: []\nl2cap: [ { id: x, security: authenticated, handler: echo } ]")
    #expect(loaded.channels.first?.protection == .authenticated)
    #expect(
      loaded.warnings.map(\.message) == [
        "this accessory does not pair, so no central can ever be allowed to do this"
      ])
  }

  // MARK: The PSM characteristic

  private static let service = "0000A000-1212-EFDE-1523-785FEABCD123"
  private static let psmUUID = BluetoothUUID("ABDD3056-28FA-441D-A470-55A75A52553A")

  @Test func psmCharacteristicInAServiceOfItsOwn() throws {
    let loaded = try profile(
      "l2cap: [ { id: x, psm: 0x85, handler: echo, psm-characteristic: { service: \(Self.service) } } ]")
    let service = try #require(loaded.services.first)
    #expect(service.uuid == BluetoothUUID(Self.service))
    let characteristic = try #require(service.characteristics.first)
    #expect(characteristic.uuid == Self.psmUUID)
    #expect(characteristic.id == "x-psm" && loaded.channels.first?.psmCharacteristic == "x-psm")
    #expect(characteristic.properties == .read && characteristic.permissions.read == .open)
    #expect(characteristic.value == .stored([0x85, 0]))
  }

  @Test(arguments: ["main", "FFF0"])
  func psmCharacteristicInAnotherService(name: String) throws {
    let id = name == "main" ? "id: main, " : ""
    let loaded = try profile(
      """
      services: [ { \(id)uuid: FFF0, characteristics: [ { id: a, uuid: FFF1, properties: [read] } ] }, { uuid: FFF2 } ]
      l2cap: [ { id: x, handler: echo, psm-characteristic: { service: \(name), id: where, indicate: true } } ]
      """)
    #expect(loaded.services.map(\.characteristics.count) == [2, 0])
    let characteristic = try #require(loaded.services.first?.characteristics.last)
    #expect(characteristic.id == "where" && characteristic.properties == [.read, .indicate])
    // The behaviours stay in the order of the characteristics.
    #expect(loaded.behaviors.map(\.id) == ["a", "where"])
  }

  @Test func psmCharacteristicWithSecurity() throws {
    let loaded = try profile(
      """
      l2cap:
        - id: x
          handler: echo
          psm-characteristic: { service: \(Self.service), security: encrypted }
      """)
    let characteristic = try #require(loaded.services.first?.characteristics.first)
    #expect(characteristic.permissions.read?.protection == .encrypted)
  }

  // MARK: Choosing PSMs

  private func psms(_ profile: Profile, seed: UInt64 = 1) -> [PSMChoice] {
    var random = SplitMix64(seed: seed)
    return profile.assigningPSMs(random: &random).channels.map(\.psm)
  }

  @Test func automaticOnesAreTheLowestThatAreFree() throws {
    let loaded = try profile(
      """
      l2cap:
        - { id: a, handler: echo }
        - { id: b, psm: 0x80, handler: echo }
        - { id: c, handler: echo }
        - { id: d, psm: 0x25, handler: echo }
      """)
    #expect(psms(loaded) == [.fixed(0x81), .fixed(0x80), .fixed(0x82), .fixed(0x25)])
  }

  @Test func newOnesDifferFromStartToStart() throws {
    let loaded = try profile("l2cap: [ { id: a, psm: new, handler: echo }, { id: b, handler: echo } ]")
    let starts = (0..<20).map { psms(loaded, seed: $0) }
    #expect(Set(starts.map { $0[0] }).count > 10)
    for start in starts {
      #expect(start[1] == .fixed(0x80) && start[0] != start[1])
      guard case .fixed(let psm) = start[0] else { continue }
      #expect((0x0081...0x00FF).contains(psm))
    }
    #expect(psms(loaded, seed: 0) == starts[0])
  }

  @Test func theCharacteristicSaysTheAssignedPSM() throws {
    let loaded = try profile(
      "l2cap: [ { id: x, handler: echo, psm-characteristic: { service: \(Self.service) } } ]")
    var random = SplitMix64(seed: 1)
    let assigned = loaded.assigningPSMs(random: &random)
    #expect(assigned.services.first?.characteristics.first?.value == .stored([0x80, 0]))
    var runtime = ProfileRuntime(profile: assigned)
    #expect(runtime.readOctets("x-psm", at: .zero) == [0x80, 0])
  }

  @Test func thereAreNoMoreThanTheRangeHas() throws {
    let lines = (0..<128).map { "  - { id: c\($0), handler: echo }" }.joined(separator: "\n")
    #expect(Set(psms(try profile("l2cap:\n\(lines)"))).count == 128)
    #expect(
      diagnose("understudy: 1\nname: T\nadvertising: []\nl2cap:\n\(lines)\n  - { id: x, handler: echo }\n")
        == ["5:3: error: all 128 PSMs for 'auto' and 'new' are in use"])
  }
}
