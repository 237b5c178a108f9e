import AccessoryProfile
import BLECore
import BLEGAP
import Testing

@Suite("Advertising in profiles")
struct AdvertisingLoadingTests {
  /// The data of a set, and its octets.
  static let data: [(String, String)] = [
    ("{ flags: [general] }", "020106"), ("{ flags: [limited] }", "020105"), ("{ flags: [] }", "020104"),
    ("{ flags: [general, br-edr] }", "020102"), ("{ flags: 0x1A }", "02011a"),
    ("{ name: complete }", "050954657374"), ("{ name: { shortened: Te } }", "03085465"),
    ("{ name: { complete: Tex } }", "0409546578"),
    ("{ services: [FFF0, heart-rate] }", "0503f0ff0d18"), ("{ incomplete-services: [FFF0] }", "0302f0ff"),
    ("{ services: [0000FFF0, 0001FFF0] }", "0303f0ff0505f0ff0100"),
    (
      "{ services: [FFF0, ABDD3056-28FA-441D-A470-55A75A52553A] }", "0303f0ff11073a55525aa75570a41d44fa285630ddab"
    ),
    ("{ tx-power: -4 }", "020afc"), ("{ tx-power: true }", "020a00"), ("{ tx-power: false }", ""),
    ("{ appearance: true }", "03194103"), ("{ appearance: phone }", "03194000"),
    ("{ manufacturer-data: { company: apple, data: hex:0215 } }", "05ff4c000215"),
    ("{ manufacturer-data: [ { company: 0xFFFF, data: hex:01 }, { company: 1, data: [2] } ] }", "04ffffff0104ff010002"),
    ("{ service-data: { service: FEAA, data: hex:10 } }", "0416aafe10"),
    (
      "{ service-data: [ { service: ABDD3056-28FA-441D-A470-55A75A52553A, data: u8:7 } ] }",
      "12213a55525aa75570a41d44fa285630ddab07"
    ),
    ("{ solicitation: [7905F431-B5CE-4E99-A40F-4B1E122D00D0] }", "1115d0002d121e4b0fa4994eceb531f40579"),
    ("{ connection-intervals: [15 ms, 30 ms] }", "05120c001800"), ("{ raw: hex:03ff0102 }", "03ff0102"),
    ("{ raw: [ { type: 0x2A, data: hex:aabb } ] }", "032aaabb"), ("hex:020106", "020106"),
    // In the order of the keys.
    ("{ name: complete, flags: [general] }", "050954657374020106"),
  ]

  private func set(_ keys: String) throws -> AdvertisingSetDefinition {
    let profile = try profile("identity: { appearance: heart-rate-belt }\nadvertising: [ { id: a, \(keys) } ]\n")
    return try #require(profile.advertising.first)
  }

  @Test(arguments: data)
  func dataIsEncoded(_ text: String, _ octets: String) throws {
    #expect(try set("data: \(text)").data.hexadecimal == octets)
    #expect(try set("scan-response: \(text)").scanResponse.hexadecimal == octets)
  }

  /// Returns a set for bonded centrals, of an accessory that bonds.
  private func bonded(_ keys: String) throws -> AdvertisingSetDefinition {
    try #require(
      try profile("security: { pairing: just-works }\nadvertising: [ { id: a, \(keys) } ]\n").advertising.first)
  }

  @Test func directedSets() throws {
    let high = try bonded("kind: directed")
    #expect(
      high.kind == .legacy && high.target == .latest && high.isHighDuty && high.isConnectable && !high.isScannable)
    #expect(high.data.isEmpty && high.schedule.count == 1)
    let low = try bonded("kind: directed, to: \"C4:12:34:56:78:9A\", duty: low, interval: 152.5 ms")
    #expect(low.target == DeviceAddress("C4:12:34:56:78:9A").map { .peer($0) } && !low.isHighDuty)
    #expect(low.schedule.map(\.interval) == [.microseconds(152_500)])
    let extended = try bonded("kind: extended, to: bonded, data: { flags: [general] }")
    #expect(extended.kind == .extended && extended.target == .latest && !extended.isHighDuty && !extended.data.isEmpty)
  }

  @Test func audiences() throws {
    let both = try bonded("accept: bonded")
    #expect(both.connectsTo == .bonded && both.answersScansOf == .bonded && both.filters)
    let one = try bonded("accept: { connections: bonded }")
    #expect(one.connectsTo == .bonded && one.answersScansOf == .everybody)
    #expect(try !bonded("accept: all").filters && !bonded("interval: 20 ms").filters)
    let beacon = try bonded("connectable: false, address: non-resolvable")
    #expect(beacon.address == .nonResolvable)
    #expect(
      try profile(
        "identity: { rotation: 1 min }\nadvertising: [ { id: a, connectable: false, address: non-resolvable } ]"
      ).privacy == PrivacyPolicy(rotation: .seconds(60)))
  }

  @Test(arguments: [("host", PrivacyPolicy.Maker.host), ("controller", .controller), ("auto", .auto)])
  func makers(word: String, maker: PrivacyPolicy.Maker) throws {
    let policy = try profile("identity: { address: private, privacy: \(word) }\n").privacy
    #expect(policy.isPrivate && policy.maker == maker)
  }

  @Test func keysOfASet() throws {
    let extended = try set(
      "kind: extended, secondary-phy: coded, tx-power: 4, start: manual, data: { tx-power: true }, schedule: [ { interval: 30 ms, for: 2 s }, { interval: 1285 ms, for: 1 min } ]"
    )
    #expect(
      extended
        == AdvertisingSetDefinition(
          id: "a", kind: .extended, isConnectable: true, isScannable: false, data: [2, 0x0A, 4],
          schedule: [
            .init(interval: .milliseconds(30), duration: .seconds(2)),
            .init(interval: .milliseconds(1285), duration: .seconds(60)),
          ], secondaryPHY: .leCoded, transmitPower: 4, startsAutomatically: false))
    let beacon = try set("connectable: false, interval: 100 ms")
    #expect(!beacon.isConnectable && !beacon.isScannable && beacon.schedule == [.init(interval: .milliseconds(100))])
    #expect(try set("connectable: false, scan-response: { name: complete }").isScannable)
    #expect(try set("data: { tx-power: true }").transmitPower == 0)
  }

  /// Core 5.4 Vol 6 Part B 2.3.1.6: AUX_ADV_IND points to no further packet if it is connectable, otherwise to a chain.
  @Test func onlyConnectableExtendedDataMustFitOnePacket() throws {
    func structures(_ octets: Int) -> String {
      // Structures of 250 octets and one with the rest.
      let parts = stride(from: 0, to: octets, by: 250).map { min(250, octets - $0) }
      return
        "{ raw: [ \(parts.map { "{ type: 255, data: hex:\(String(repeating: "00", count: $0 - 2)) }" }.joined(separator: ", ")) ] }"
    }
    #expect(try set("kind: extended, data: \(structures(245))").data.count == 245)
    #expect(throws: ProfileError.self) { try set("kind: extended, data: \(structures(246))") }
    #expect(throws: ProfileError.self) { try set("kind: extended, data: \(structures(500))") }
    #expect(try set("kind: extended, connectable: false, data: \(structures(1650))").data.count == 1650)
    let scannable = "kind: extended, connectable: false, scannable: true"
    #expect(try set("\(scannable), scan-response: \(structures(1650))").scanResponse.count == 1650)
  }

  @Test(arguments: [
    ("Test", "", "020106050954657374", ""),
    ("Test", "services: [ { uuid: FFF0 }, { include: battery } ]", "0201060503f0ff0f18050954657374", ""),
    (
      "Test", "services: [ { uuid: ABDD3056-28FA-441D-A470-55A75A52553A } ]",
      "02010611073a55525aa75570a41d44fa285630ddab050954657374", ""
    ),
    (
      "A name of 26 octets for me", "services: [ { uuid: FFF0 } ]", "0201060303f0ff",
      "1b0941206e616d65206f66203236206f637465747320666f72206d65"
    ),
    (
      "A name that does not fit anywhere", "", "020106",
      "1e0841206e616d65207468617420646f6573206e6f742066697420616e7977"
    ),
  ])
  func withoutTheKeyOneSetSaysAll(_ name: String, _ lines: String, _ data: String, _ response: String) throws {
    let profile = try Profile.load(text: "understudy: 1\nname: \(name)\n\(lines)\n")
    #expect(profile.warnings.isEmpty)
    let set = try #require(profile.advertising.first)
    #expect(profile.advertising.count == 1 && set.id == "main" && set.kind == .legacy && set.startsAutomatically)
    #expect(set.data.hexadecimal == data && set.scanResponse.hexadecimal == response)
    #expect(
      set.schedule == [
        .init(interval: .milliseconds(20), duration: .seconds(30)), .init(interval: .microseconds(152_500)),
      ])
  }

  @Test func whenThereAreTooManyServicesTheListIsIncomplete() throws {
    func advertised(_ count: Int) throws -> AdvertisingStructure? {
      let services = (0..<count).map { "{ uuid: FF\($0 + 10) }" }.joined(separator: ", ")
      let profile = try profile("services: [ \(services) ]")
      return profile.advertising.first.flatMap { AdvertisingData(parsing: $0.data).structures.last }
    }
    let first = (0..<13).compactMap { BluetoothUUID("FF\($0 + 10)") }
    #expect(try advertised(13) == .services(first, width: .bits16, isComplete: true))
    #expect(try advertised(14) == .services(first, width: .bits16, isComplete: false))
  }

  @Test func anEmptyListMeansNoAdvertising() throws {
    #expect(try profile("advertising: []\n").advertising.isEmpty)
  }

  @Test func identityAndConnection() throws {
    let plain = try profile("")
    #expect(plain.identity == .derivedStatic(from: "Test") && plain.appearance == .unknown)
    #expect(plain.connection == ConnectionPolicy())
    let other = try profile(
      """
      identity: { address: C4:12:34:56:78:9A, appearance: 0x0341 }
      connection: { mtu: 23, data-length: 27, phy: any, request: { interval: [15 ms, 30 ms], latency: 4, timeout: 6 s } }
      """)
    #expect(other.appearance == Appearance(named: "heart-rate-belt"))
    #expect(DeviceAddress("C4:12:34:56:78:9A").map { other.identity == .fixedStatic($0) } == true)
    #expect(
      other.connection
        == ConnectionPolicy(
          mtu: 23, dataLength: 27, preferredPHY: nil,
          parameterRequest: .init(
            intervals: .milliseconds(15)...(.milliseconds(30)), latency: 4, timeout: .seconds(6), delay: .seconds(5))))
    #expect(try profile("identity: { address: public }\n").identity == .publicAddress)
    let hidden = try profile("identity: { address: private, rotation: 1 s }\n")
    #expect(hidden.privacy == PrivacyPolicy(isPrivate: true, rotation: .seconds(1)))
    #expect(try profile("").privacy == PrivacyPolicy())
    #expect(try profile("connection: { host-flow-control: auto }\n").connection == ConnectionPolicy())
    #expect(
      try profile("connection: { host-flow-control: off }\n").connection == ConnectionPolicy(hostBuffers: 0))
  }

  @Test func whatIsAnsweredLateOrNotAtAll() throws {
    #expect(try profile("connection: { mtu-requests: refuse }\n").connection.mtuAnswer == .refuse)
    #expect(try profile("connection: { mtu-requests: ignore }\n").connection.mtuAnswer == .ignore)
    let late = try profile(
      """
      connection:
        mtu-requests: { after: 2 s }
        parameter-requests: { within: [15 ms, 60 ms], after: 3 s }
        data-length: { octets: 100, after: 4 s }
      """
    ).connection
    #expect(late.mtuAnswer == .late(.seconds(2)))
    #expect(late.parameterAnswer == .acceptWithin(.milliseconds(15)...(.milliseconds(60))))
    #expect(late.parameterDelay == .seconds(3) && late.dataLength == 100 && late.dataLengthDelay == .seconds(4))
    let accepted = try profile("connection: { parameter-requests: { after: 1 s } }\n").connection
    #expect(accepted.parameterAnswer == .accept && accepted.parameterDelay == .seconds(1))
  }
}
