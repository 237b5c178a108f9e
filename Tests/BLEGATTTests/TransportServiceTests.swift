import BLEATT
import BLECore
import BLEGATT
import Testing

/// Services that one transport lacks.
@Suite("Services of one transport")
struct TransportServiceTests {
  /// 0x0001-0x0008: 1801 with the Database Hash 0x0008. Then three services of five handles each, with a value and its configuration:
  /// 0x000B-0x000E over both transports, 0x000F-0x0012 over LE, 0x0013-0x0016 over BR/EDR.
  private static func chart(over transport: LinkTransport) throws -> SequenceChart {
    func service(_ id: String, _ uuid: UInt16, _ transports: Set<LinkTransport>) -> ServiceDefinition {
      ServiceDefinition(
        id: id, uuid: BluetoothUUID(uuid),
        characteristics: [
          .stored(BluetoothUUID(uuid + 1), [.read, .write, .writeWithoutResponse, .notify, .indicate], [1])
        ], transports: transports)
    }
    var chart = try SequenceChart(
      host: [.genericAttribute(hasServiceChanged: true, hasRobustCaching: true)],
      application: [
        service("both", 0xFFA0, LinkTransport.all), service("le", 0xFFB0, [.le]),
        service("classic", 0xFFC0, [.classic]),
      ], mtu: 100)
    chart.session = GATTSession(client: 1, over: transport)
    return chart
  }

  /// The handles of the hidden value and its configuration.
  private static func hidden(from transport: LinkTransport) -> (value: UInt8, configuration: UInt8) {
    transport == .le ? (0x15, 0x16) : (0x11, 0x12)
  }

  @Test(
    "The attributes of a service that the transport lacks have invalid handles",
    arguments: LinkTransport.allCases)
  func handles(_ transport: LinkTransport) throws {
    var chart = try Self.chart(over: transport)
    let (value, configuration) = Self.hidden(from: transport)
    for handle in [value - 2, value - 1, value, configuration] {
      #expect(chart.answer([0x0A, handle, 0]) == [0x01, 0x0A, handle, 0, 0x01])
      #expect(chart.answer([0x0C, handle, 0, 0, 0]) == [0x01, 0x0C, handle, 0, 0x01])
      #expect(chart.answer([0x0E, 0x0D, 0, handle, 0]) == [0x01, 0x0E, handle, 0, 0x01])
      #expect(chart.answer([0x12, handle, 0, 1, 0]) == [0x01, 0x12, handle, 0, 0x01])
      #expect(chart.answer([0x16, handle, 0, 0, 0, 9]) == [0x01, 0x16, handle, 0, 0x01])
      #expect(chart.answer([0x20, 0x0D, 0, handle, 0]) == [0x01, 0x20, handle, 0, 0x01])
    }
    #expect(chart.answer([0x52, value, 0, 7]) == [])
    #expect(chart.server.database.storedValue(of: CharacteristicIndex(transport == .le ? 2 : 1)) == [1])
    // The other one is there.
    let (found, _) = Self.hidden(from: transport == .le ? .classic : .le)
    #expect(chart.answer([0x0A, found, 0]) == [0x0B, 1])
  }

  @Test(
    "Discovery finds only the services of the transport",
    arguments: [(LinkTransport.le, [0x0B, 0x0F] as [UInt8]), (.classic, [0x0B, 0x13])])
  func discovery(_ transport: LinkTransport, _ found: [UInt8]) throws {
    var chart = try Self.chart(over: transport)
    let services = chart.answer([0x10, 0x0B, 0, 0xFF, 0xFF, 0x00, 0x28])
    let groups = found.flatMap { start -> [UInt8] in [start, 0, start + 3, 0, 0xA0 + (start - 0x0B) * 4, 0xFF] }
    #expect(services == [0x11, 6] + groups)
    let declarations = chart.answer([0x08, 0x0B, 0, 0xFF, 0xFF, 0x03, 0x28])
    let declared = Array(declarations.dropFirst(2)).chunks(of: 7).map { $0[0] }
    #expect(declared == found.map { $0 + 1 })
    let information = chart.answer([0x04, 0x0B, 0, 0xFF, 0xFF])
    let handles = Array(information.dropFirst(2)).chunks(of: 4).map { $0[0] }
    let all = found.flatMap { start in Array(start...start + 3) }
    #expect(handles == all)
    let hidden: UInt8 = transport == .le ? 0xC0 : 0xB0
    #expect(
      chart.answer([0x06, 0x0B, 0, 0xFF, 0xFF, 0x00, 0x28, hidden, 0xFF]) == [0x01, 0x06, 0x0B, 0, 0x0A])
  }

  @Test("A subscription from the other transport is kept, and nothing is sent", arguments: LinkTransport.allCases)
  func notifications(_ transport: LinkTransport) throws {
    let other: LinkTransport = transport == .le ? .classic : .le
    var chart = try Self.chart(over: other)
    let (value, configuration) = Self.hidden(from: transport)
    #expect(chart.answer([0x12, configuration, 0, 3, 0]) == [0x13])
    let index = CharacteristicIndex(transport == .le ? 2 : 1)
    var buffer = OctetBuffer()
    #expect(
      chart.server.notification(of: index, value: [5], on: &chart.bearer, to: &chart.session, into: &buffer))
    #expect(buffer.copy() == [0x1B, value, 0, 5])
    // The bond brings its subscriptions to the other link.
    let state = chart.server.bondState(of: chart.session)
    chart.session = GATTSession(client: 1, over: transport)
    var events: [ServerEvent] = []
    chart.server.restore(state, to: &chart.session, events: &events)
    #expect(chart.session.configuration(of: index) == [.notification, .indication])
    #expect(
      !chart.server.notification(of: index, value: [5], on: &chart.bearer, to: &chart.session, into: &buffer))
    #expect(
      chart.server.indication(of: index, value: [5], on: &chart.bearer, to: &chart.session, at: chart.now) == nil)
  }

  @Test("The Database Hash is that of what the transport has")
  func hash() throws {
    var hashes: [[UInt8]] = []
    for transport in LinkTransport.allCases {
      var chart = try Self.chart(over: transport)
      let hash = chart.answer([0x08, 1, 0, 0xFF, 0xFF, 0x2A, 0x2B])
      #expect(Array(hash.prefix(4)) == [0x09, 18, 0x08, 0])
      hashes.append(Array(hash.dropFirst(4)))
    }
    #expect(hashes[0] != hashes[1])
    // The service of the other transport does not matter.
    var chart = try Self.chart(over: .le)
    _ = try chart.server.apply(.remove("classic"))
    #expect(Array(chart.answer([0x08, 1, 0, 0xFF, 0xFF, 0x2A, 0x2B]).dropFirst(4)) == hashes[0])
  }
}

extension [UInt8] {
  /// The octets in groups of a length.
  fileprivate func chunks(of length: Int) -> [[UInt8]] {
    stride(from: 0, to: count, by: length).map { Array(self[$0..<Swift.min($0 + length, count)]) }
  }
}
