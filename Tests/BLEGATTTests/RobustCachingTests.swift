import BLEATT
import BLECore
import BLEGATT
import Testing

/// Service Changed, Database Hash and change-aware clients (Core 5.4 Vol 3 Part G 2.5.2, 7).
@Suite("Robust caching")
struct RobustCachingTests {
  /// 0x0001-0x000A: 1801 with Service Changed (value 0x0003, configuration 0x0004), Client Supported Features 0x0006, Database
  /// Hash 0x0008, Server Supported Features 0x000A; 0x000B-0x000E: FFF0 with a value 0x000D, configuration 0x000E.
  static func chart() throws -> SequenceChart {
    try SequenceChart(
      host: [.genericAttribute(hasServiceChanged: true, hasRobustCaching: true)],
      application: [
        ServiceDefinition(
          id: "own", uuid: .init(0xFFF0),
          characteristics: [
            .stored(.init(0xFFF1), [.read, .write, .writeWithoutResponse, .notify, .indicate], [1])
          ])
      ], mtu: 100)
  }

  static let extra = ServiceDefinition(id: "extra", uuid: .init(0xFFF8))
  private let value = CharacteristicIndex(0)

  private func hash(_ chart: SequenceChart) -> String {
    testHash(chart.server.database.hashInput).reversed().hexadecimal
  }

  // MARK: - Database Hash

  /// Core 5.4 Vol 3 Part G Appendix B.
  @Test("The hash covers the octets of the specification's example")
  func hashInput() throws {
    let access = ServiceDefinition(
      id: "1800", uuid: .init(0x1800),
      characteristics: [
        .stored(.init(0x2A00), [.read, .write], [1]), .stored(.init(0x2A01), [.read], [2]),
      ])
    let glucose = ServiceDefinition(
      id: "1808", uuid: .init(0x1808), includes: ["180f"],
      characteristics: [
        .init(id: "2a18", uuid: .init(0x2A18), properties: [.read, .indicate, .extendedProperties], value: .asked)
      ])
    let battery = ServiceDefinition(
      id: "180f", uuid: .init(0x180F), isPrimary: false, characteristics: [.stored(.init(0x2A19), [.read], [100])])
    var attribute = ServiceDefinition.genericAttribute(hasServiceChanged: true, hasRobustCaching: true)
    attribute.characteristics.removeLast()
    let database = try AttributeDatabase(host: [access, attribute], application: [glucose, battery])
    #expect(
      database.hashInput.hexadecimal == "010000280018" + "020003280a0300002a" + "04000328020500012a" + "060000280118"
        + "07000328200800052a" + "09000229" + "0a0003280a0b00292b" + "0c000328020d002a2b" + "0e0000280818"
        + "0f000228140016000f18" + "10000328a21100182a" + "12000229" + "130000290000" + "140001280f18"
        + "15000328021600192a")
  }

  @Test("The hash can be read, and changes with the database but not with values")
  func hashValue() throws {
    var chart = try Self.chart()
    let first = hash(chart)
    try chart.exchange("08 0100 ffff 2a2b", "09 12 0800" + first)
    try chart.exchange("0a 0800", "0b" + first)
    try chart.exchange("12 0d00 09", "13")
    try chart.exchange("0a 0800", "0b" + first)
    _ = try chart.edit(.add(Self.extra))
    #expect(hash(chart) != first)
    try chart.exchange("08 0100 ffff 2a2b", "09 12 0800" + hash(chart))
    _ = try chart.edit(.remove("extra"))
    try chart.exchange("08 0100 ffff 2a2b", "09 12 0800" + first)
  }

  @Test("Descriptors count with their types, and the values of others do not count")
  func hashParts() throws {
    func input(_ descriptors: [DescriptorDefinition]) throws -> [UInt8] {
      try AttributeDatabase(
        host: [],
        application: [
          .init(
            id: "a", uuid: .init(0xFFF0),
            characteristics: [.stored(.init(0xFFF1), [.read], [1], descriptors: descriptors)])
        ]
      ).hashInput
    }
    let bare = try input([])
    #expect(try input([.validRange([0], [1])]) == bare)
    #expect(try input([.userDescription("x")]) == bare + [4, 0, 0x01, 0x29])
    #expect(try input([.userDescription("y")]) == bare + [4, 0, 0x01, 0x29])
    #expect(try input([.presentationFormat(.init(format: 4))]) == bare + [4, 0, 0x04, 0x29])
  }

  // MARK: - Client Supported Features

  @Test("Bits can be set and not cleared, and meaningless ones are not kept")
  func features() throws {
    var chart = try Self.chart()
    try chart.exchange("0a 0600", "0b 00")
    try chart.exchange("12 0600 f9", "13")
    #expect(chart.effects.events == [.featuresChanged(.robustCaching)])
    try chart.exchange("0a 0600", "0b 01")
    try chart.exchange("12 0600 00", "01 12 0600 13")
    try chart.exchange("12 0600 04", "01 12 0600 13")
    try chart.exchange("12 0600", "01 12 0600 0d")
    try chart.exchange("12 0600 0500", "13")
    try chart.exchange("0a 0600", "0b 05")
    try chart.exchange("16 0600 0000 07", "17 0600 0000 07")
    try chart.exchange("18 01", "19")
    try chart.exchange("0a 0600", "0b 07")
    try chart.exchange("0a 0a00", "0b 00")
    chart.session = GATTSession(client: 2)
    chart.bearer = ServerBearer()
    try chart.exchange("0a 0600", "0b 00")
  }

  // MARK: - Change awareness

  /// Returns a change-unaware client with robust caching.
  private func unaware() throws -> SequenceChart {
    var chart = try Self.chart()
    try chart.exchange("12 0600 01", "13")
    _ = try chart.edit(.add(Self.extra))
    return chart
  }

  @Test(
    "A request with handles is out of sync, once",
    arguments: [
      "0a 0d00", "0c 0d00 0000", "0e 0d00 0d00", "20 0d00 0d00", "12 0d00 05", "16 0d00 0000 05", "0a ffff",
      "08 0200 ffff 2a2b", "08 0100 feff f1ff",
    ])
  func outOfSync(request: String) throws {
    var chart = try unaware()
    try chart.exchange(request, "01" + request.prefix(2) + "0000 12")
    let opcode = try #require([UInt8](hexadecimal: request.prefix(2))?.first)
    #expect(chart.effects.events == [.refused(ATTOpcode(rawValue: opcode), handle: 0, .databaseOutOfSync)])
    #expect(chart.session.isOutOfSync)
    try chart.exchange("0a 0d00", "0b 01")
    #expect(chart.session.awareness == .aware)
    #expect(chart.server.database.storedValue(of: value) == [1])
  }

  @Test("Discovery is allowed for change-unaware clients, and does not make them change-aware")
  func discovery() throws {
    var chart = try unaware()
    try chart.exchange("02 6400", "03 0502")
    try chart.exchange("04 0100 0100", "05 01 0100 0028")
    try chart.exchange("06 0100 ffff 0028 f8ff", "07 0f00 0f00")
    try chart.exchange("10 0b00 ffff 0028", "11 06 0b00 0e00 f0ff 0f00 0f00 f8ff")
    try chart.exchange("08 0b00 0e00 0328", "09 07 0c00 3e 0d00 f1ff")
    try chart.exchange("08 0b00 0e00 0228", "01 08 0b00 0a")
    try chart.exchange("08 0100 ffff f1ff", "09 03 0d00 01")
    try chart.exchange("18 01", "19")
    try chart.exchange("0a 0d00", "01 0a 0000 12")
  }

  @Test("Commands are ignored until a request shows that the client is change-aware")
  func commands() throws {
    var chart = try unaware()
    try chart.exchange("52 0d00 05", nil)
    try chart.exchange("0a 0d00", "01 0a 0000 12")
    try chart.exchange("52 0d00 05", nil)
    #expect(chart.server.database.storedValue(of: value) == [1])
    try chart.exchange("02 6400", "03 0502")
    try chart.exchange("52 0d00 05", nil)
    #expect(chart.server.database.storedValue(of: value) == [5])
  }

  @Test("A client that has read the hash is change-aware with the next request")
  func hashRead() throws {
    var chart = try unaware()
    try chart.exchange("08 0100 ffff 2a2b", "09 12 0800" + hash(chart))
    #expect(chart.session.isOutOfSync)
    try chart.exchange("0a 0d00", "0b 01")
    #expect(!chart.session.isOutOfSync)
    _ = try chart.edit(.remove("extra"))
    try chart.exchange("08 0100 ffff 2a2b", "09 12 0800" + hash(chart))
    _ = try chart.edit(.add(Self.extra))
    try chart.exchange("0a 0d00", "01 0a 0000 12")
  }

  @Test("A client without robust caching never gets the error, and reads and writes as before")
  func withoutFeature() throws {
    var chart = try Self.chart()
    _ = try chart.edit(.add(Self.extra))
    #expect(chart.session.awareness == .unaware)
    #expect(!chart.session.isOutOfSync)
    try chart.exchange("0a 0d00", "0b 01")
    try chart.exchange("52 0d00 05", nil)
    #expect(chart.server.database.storedValue(of: value) == [5])
  }

  // MARK: - Service Changed

  @Test("A subscriber is informed of the exact range, and is change-aware with its confirmation")
  func serviceChanged() throws {
    var chart = try Self.chart()
    try chart.exchange("12 0600 01", "13")
    try chart.exchange("12 0400 0200", "13")
    let indication = try chart.edit(.add(Self.extra))
    #expect(indication?.encodedPDU.hexadecimal == "1d" + "0300" + "0f000f00")
    #expect(chart.session.isOutOfSync)
    try chart.exchange("1e", nil)
    #expect(chart.effects.events == [.confirmed(3)])
    #expect(chart.session.awareness == .aware)
    #expect(try chart.edit(.remove("own"))?.value.hexadecimal == "0b000e00")
  }

  @Test("Changes during an indication are reported together, in the next one")
  func serviceChangedAgain() throws {
    var chart = try Self.chart()
    try chart.exchange("12 0400 0200", "13")
    #expect(try chart.edit(.add(Self.extra)) != nil)
    #expect(try chart.edit(.remove("extra")) == nil)
    #expect(try chart.edit(.remove("own")) == nil)
    try chart.exchange("1e", nil)
    #expect(chart.session.awareness == .unaware)
    #expect(chart.effects.nextIndication?.encodedPDU.hexadecimal == "1d" + "0300" + "0b000f00")
    try chart.exchange("1e", nil)
    #expect(chart.effects.nextIndication == nil)
    #expect(chart.session.awareness == .aware)
  }

  @Test("Service Changed waits for another indication")
  func serviceChangedWaits() throws {
    var chart = try Self.chart()
    try chart.exchange("12 0400 0200", "13")
    _ = chart.indicate(value, [7])
    #expect(try chart.edit(.add(Self.extra)) == nil)
    try chart.exchange("1e", nil)
    #expect(chart.session.awareness == .unaware)
    #expect(chart.effects.nextIndication?.handle == 3)
    try chart.exchange("1e", nil)
    #expect(chart.session.awareness == .aware)
  }

  @Test("A client that unsubscribes from Service Changed while it waits still learns of later changes")
  func unsubscribedWhileWaiting() throws {
    var chart = try Self.chart()
    try chart.exchange("12 0400 0200", "13")
    _ = chart.indicate(value, [7])
    #expect(try chart.edit(.add(Self.extra)) == nil)
    try chart.exchange("12 0400 0000", "13")
    try chart.exchange("1e", nil)
    #expect(chart.effects.nextIndication == nil)
    try chart.exchange("12 0400 0200", "13")
    #expect(try chart.edit(.remove("extra"))?.value.hexadecimal == "0f000f00")
    try chart.exchange("1e", nil)
    #expect(chart.session.awareness == .aware)
  }

  /// Core 5.4 Vol 3 Part G 2.5.2.1.
  @Test("Values that waited before a change are sent after Service Changed, when the client is change-aware")
  func waitsForAwareness() throws {
    var chart = try Self.chart()
    try chart.exchange("12 0600 01", "13")
    try chart.exchange("12 0400 0200", "13")
    _ = chart.indicate(value, [7])
    #expect(chart.indicate(value, [8]) == nil)
    #expect(try chart.edit(.add(Self.extra)) == nil)
    try chart.exchange("1e", nil)
    #expect(chart.effects.nextIndication?.handle == 3)
    #expect(chart.notify(value, [9]).isEmpty)
    try chart.exchange("1e", nil)
    #expect(chart.effects.nextIndication == HandleValueIndication(handle: 0x0D, value: [8]))
  }

  /// Core 5.4 Vol 3 Part G 2.5.2.1: without Service Changed, a request shows that the client is change-aware.
  @Test("Values that waited before a change are sent with the request that makes the client change-aware")
  func waitsForRequest() throws {
    var chart = try Self.chart()
    try chart.exchange("12 0600 01", "13")
    _ = chart.indicate(value, [7])
    #expect(chart.indicate(value, [8]) == nil)
    _ = try chart.edit(.add(Self.extra))
    try chart.exchange("1e", nil)
    #expect(chart.effects.nextIndication == nil)
    try chart.exchange("0a 0d00", "01 0a 0000 12")
    #expect(chart.effects.nextIndication == nil)
    try chart.exchange("0a 0d00", "0b 01")
    #expect(chart.effects.nextIndication == HandleValueIndication(handle: 0x0D, value: [8]))
  }

  @Test("Without a subscription there is no indication, and a later subscription brings no earlier change")
  func notSubscribed() throws {
    var chart = try Self.chart()
    #expect(try chart.edit(.add(Self.extra)) == nil)
    try chart.exchange("12 0400 0200", "13")
    #expect(chart.effects.nextIndication == nil)
    #expect(chart.session.unreportedChange == nil)
  }

  @Test(
    "Service Changed exists if the accessory can bond, or if requested",
    arguments: [
      (.auto, false, false), (.auto, true, true), (.present, false, true), (.present, true, true),
      (.absent, false, false), (.absent, true, false),
    ] as [(GATTPolicy.ServiceChangedMode, Bool, Bool)])
  func modes(mode: GATTPolicy.ServiceChangedMode, canBond: Bool, hasServiceChanged: Bool) {
    let service = GATTPolicy(serviceChanged: mode, canBond: canBond).service
    #expect(service.characteristics.contains { $0.uuid == .serviceChanged } == hasServiceChanged)
    #expect(!service.characteristics.contains { $0.uuid == .databaseHash })
  }

  // MARK: - Bonds

  @Test("A bond keeps configurations, features and change awareness; without one everything starts over")
  func bond() throws {
    var chart = try unaware()
    try chart.exchange("08 0100 ffff 2a2b", "09 12 0800" + hash(chart))
    try chart.exchange("12 0e00 0100", "13")
    try chart.exchange("12 0400 0200", "13")
    #expect(chart.reconnect(withBond: true) == nil)
    #expect(chart.session.configuration(of: value) == .notification)
    #expect(chart.session.features == .robustCaching)
    #expect(chart.session.awareness == .aware)
    #expect(chart.effects.events.count == 3)
    _ = chart.reconnect(withBond: false)
    #expect(chart.session.subscriptions.isEmpty)
    #expect(chart.session.features == [])
    #expect(chart.session.awareness == .aware)
  }

  @Test("A client that was out of sync is still so when it reconnects")
  func bondOutOfSync() throws {
    var chart = try unaware()
    try chart.exchange("0a 0d00", "01 0a 0000 12")
    _ = chart.reconnect(withBond: true)
    try chart.exchange("0a 0d00", "01 0a 0000 12")
  }

  @Test("An unconfirmed indication is sent again, combined with the missed changes")
  func bondUnconfirmed() throws {
    var chart = try Self.chart()
    try chart.exchange("12 0400 0200", "13")
    #expect(try chart.edit(.add(Self.extra)) != nil)
    let state = chart.server.bondState(of: chart.session)
    #expect(state.unreportedChange == [0x0F, 0x0F])
    _ = try chart.server.apply(.remove("own"))
    chart.session = GATTSession(client: 1)
    chart.bearer = ServerBearer()
    let indication = chart.restore(state)
    #expect(indication?.value.hexadecimal == "0b000f00")
    #expect(chart.session.awareness == .unaware)
  }

  @Test("A client that reconnects to an unknown database is informed of all handles")
  func bondAfterRestart() throws {
    var chart = try Self.chart()
    try chart.exchange("12 0400 0200", "13")
    var state = chart.server.bondState(of: chart.session)
    state.databaseFingerprint &+= 1
    chart.session = GATTSession(client: 1)
    chart.bearer = ServerBearer()
    let indication = chart.restore(state)
    #expect(indication?.value.hexadecimal == "0100ffff")
  }

  @Test("A database that is the same again has not changed for a client that was away")
  func bondUnchanged() throws {
    var chart = try Self.chart()
    try chart.exchange("12 0400 0200", "13")
    let state = chart.server.bondState(of: chart.session)
    _ = try chart.server.apply(.add(Self.extra))
    _ = try chart.server.apply(.remove("extra"))
    chart.session = GATTSession(client: 1)
    chart.bearer = ServerBearer()
    #expect(chart.restore(state) == nil)
    #expect(chart.session.awareness == .aware)
  }

  @Test("An invalid stored state does no harm")
  func nonsense() throws {
    var chart = try Self.chart()
    var state = GATTBondState()
    state.configurations = ["nobody": 1, "service-changed": 0xFFFF, "database-hash": 1]
    state.features = 0xFF
    state.unreportedChange = [9, 3]
    state.databaseFingerprint = chart.server.database.fingerprint
    #expect(chart.restore(state) == nil)
    #expect(chart.session.features == [.robustCaching, .enhancedBearer, .multipleNotifications])
    #expect(chart.session.subscriptions.count == 1)
    state.unreportedChange = [5]
    #expect(chart.restore(state) == nil)
  }
}
