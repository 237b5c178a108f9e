import BLEATT
import BLECore
import BLEGATT
import Testing

@Suite("GATT client against our own server")
struct GATTClientTests {
  private func bench(mtu: Int = 517, exchanged: Bool = true) throws -> ClientBench {
    var bench = try ClientBench(mtu: mtu)
    if exchanged { #expect(try bench.perform(.exchangeMTU) == .success(.mtu(max(mtu, 23)))) }
    return bench
  }

  // MARK: MTU

  @Test(
    "The MTU is the smaller of both, and never below the default",
    arguments: [(517, 517, 517), (100, 517, 100), (517, 64, 64), (23, 517, 23), (5, 517, 23)])
  func mtu(_ preferred: Int, _ server: Int, _ settled: Int) throws {
    var bench = try ClientBench(mtu: preferred, serverMTU: server)
    #expect(try bench.perform(.exchangeMTU) == .success(.mtu(settled)))
    #expect(bench.client.mtu == settled && bench.chart.bearer.att.mtu == settled)
    // The second time, nothing is sent.
    #expect(try bench.perform(.exchangeMTU) == .success(.mtu(settled)))
    #expect(bench.exchanges == 1)
  }

  // MARK: Discovery

  @Test("Discovery finds exactly the contents of the database", arguments: [23, 24, 64, 517])
  func discoverAll(_ mtu: Int) throws {
    var bench = try bench(mtu: mtu)
    _ = try bench.perform(.discoverAll)
    let database = bench.chart.server.database
    let found = bench.client.database
    #expect(found.services.map(\.handles) == database.services.map(\.handles))
    #expect(found.services.map(\.uuid) == database.services.map(\.uuid))
    #expect(found.services.map(\.isPrimary) == database.services.map(\.isPrimary))
    let records = database.characteristics.sorted { $0.value < $1.value }
    #expect(found.characteristics.map(\.value) == records.map(\.value))
    #expect(found.characteristics.map(\.declaration) == records.map(\.declaration))
    #expect(found.characteristics.map(\.uuid) == records.map(\.definition.uuid))
    #expect(found.characteristics.map(\.properties) == records.map(\.definition.properties))
    #expect(found.characteristics.map(\.configuration) == records.map(\.configuration))
    let descriptors = database.attributes.filter {
      switch $0.role {
      case .clientConfiguration, .descriptor: true
      default: false
      }
    }
    #expect(found.characteristics.flatMap(\.descriptors).map(\.handle) == descriptors.map(\.handle))
    #expect(found.characteristics.flatMap(\.descriptors).map(\.uuid) == descriptors.map(\.type))
    #expect(found.service(.long(1))?.includes.map(\.uuid) == [BluetoothUUID(0x180F)])
    #expect(bench.client.pendingCount == 0 && bench.client.nextDeadline == nil)
  }

  @Test("A secondary service is found through the include, even by its 128-bit UUID")
  func secondaryService() throws {
    let hidden = ServiceDefinition(
      id: "hidden", uuid: .long(9), isPrimary: false, characteristics: [.stored(.long(10), [.read], [1])])
    let open = ServiceDefinition(id: "open", uuid: .long(8), includes: ["hidden"])
    var bench = try ClientBench([open, hidden])
    _ = try bench.perform(.discoverAll)
    let service = try #require(bench.client.database.service(.long(9)))
    #expect(!service.isPrimary && service.characteristics.map(\.uuid) == [.long(10)])
    #expect(bench.client.database.service(.long(8))?.includes.map(\.uuid) == [.long(9)])
    // Primary service discovery alone does not find it.
    var other = try ClientBench([open, hidden])
    _ = try other.perform(.discoverPrimaryServices)
    #expect(other.client.database.service(.long(9)) == nil && other.client.database.service(.long(8)) != nil)
  }

  @Test("Discovery kind by kind gives the same result as service by service", arguments: [23, 64, 517])
  func kindByKind(_ mtu: Int) throws {
    var (whole, kinds) = (try bench(mtu: mtu), try bench(mtu: mtu))
    _ = try whole.perform(.discoverAll)
    _ = try kinds.perform(.discoverByKind)
    #expect(kinds.client.database == whole.client.database)
    #expect(kinds.exchanges < whole.exchanges)
  }

  @Test("Discovery kind by kind finds a secondary service that nothing includes")
  func secondaryServiceByKind() throws {
    let hidden = ServiceDefinition(
      id: "hidden", uuid: .long(9), isPrimary: false, characteristics: [.stored(.long(10), [.read], [1])])
    var bench = try ClientBench([ServiceDefinition(id: "open", uuid: .long(8)), hidden])
    _ = try bench.perform(.discoverByKind)
    let service = try #require(bench.client.database.service(.long(9)))
    #expect(!service.isPrimary && service.characteristics.map(\.uuid) == [.long(10)])
  }

  @Test("A client that takes a database over can use it like one that it has discovered")
  func knownDatabase() throws {
    var first = try bench()
    _ = try first.perform(.discoverAll)
    var second = try bench()
    let before = second.exchanges
    second.client.know(first.client.database)
    let level = try #require(second.client.database.characteristic(BluetoothUUID(0x2A19)))
    #expect(try second.perform(.configure(level.value, .notification)) == .success(.done))
    #expect(second.exchanges == before + 1)
  }

  @Test("Discovery step by step gives the same result as discovery at once")
  func stepByStep() throws {
    var whole = try bench()
    _ = try whole.perform(.discoverAll)
    var steps = try bench()
    _ = try steps.perform(.discoverPrimaryServices)
    for service in steps.client.database.services {
      _ = try steps.perform(.findIncludedServices(service.handles))
      _ = try steps.perform(.discoverCharacteristics(service.handles))
    }
    for characteristic in steps.client.database.characteristics {
      guard let handles = characteristic.descriptorHandles else { continue }
      _ = try steps.perform(.discoverDescriptors(handles))
    }
    #expect(steps.client.database == whole.client.database)
    // Again, in one pass over all handles: nothing is lost or duplicated.
    _ = try steps.perform(.discoverCharacteristics(1...0xFFFF))
    _ = try steps.perform(.discoverPrimaryServices)
    #expect(steps.client.database == whole.client.database)
  }

  @Test("Services and characteristics are found by their UUIDs")
  func byUUID() throws {
    var bench = try bench()
    let battery = RemoteService(handles: 0x0F...0x12, uuid: BluetoothUUID(0x180F))
    #expect(
      try bench.perform(.discoverPrimaryServicesByUUID(BluetoothUUID(0x180F))) == .success(.services([battery])))
    #expect(
      try bench.perform(.discoverPrimaryServicesByUUID(.long(1)))
        == .success(.services([RemoteService(handles: 0x13...0x1D, uuid: .long(1))])))
    #expect(
      try bench.perform(.discoverPrimaryServicesByUUID(BluetoothUUID(0x1815))) == .success(.services([])))
    let level = RemoteCharacteristic(
      declaration: 0x10, value: 0x11, end: 0x12, uuid: BluetoothUUID(0x2A19), properties: [.read, .notify])
    #expect(
      try bench.perform(.discoverCharacteristics(battery.handles, uuid: BluetoothUUID(0x2A19)))
        == .success(.characteristics([level])))
    #expect(
      try bench.perform(.discoverCharacteristics(battery.handles, uuid: BluetoothUUID(0x2A1A)))
        == .success(.characteristics([])))
  }

  // MARK: Reading

  @Test("A value of any length is read", arguments: [0, 1, 21, 22, 23, 44, 100, 511, 512], [23, 64, 517])
  func read(_ count: Int, _ mtu: Int) throws {
    let value = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 5) }
    var bench = try ClientBench(
      mtu: mtu,
      [ServiceDefinition(id: "s", uuid: .long(1), characteristics: [.stored(.long(2), [.read, .write], value)])])
    _ = try bench.perform(.exchangeMTU)
    let handle = bench.chart.server.database[CharacteristicIndex(0)].value
    #expect(try bench.perform(.read(handle)) == .success(.value(value)))
    if count > 10 {
      #expect(try bench.perform(.readFrom(handle, offset: 10)) == .success(.value(Array(value.dropFirst(10)))))
    }
  }

  @Test("Values are read by their type, and several at once")
  func readMany() throws {
    var bench = try bench()
    #expect(
      try bench.perform(.readByType(BluetoothUUID(0x2A19), 1...0xFFFF))
        == .success(.values([RemoteValue(0x11, [100])])))
    #expect(
      try bench.perform(.readByType(BluetoothUUID(0x2A1A), 1...0xFFFF))
        == .failure(.refused(.attributeNotFound, request: .readByTypeRequest, handle: 1)))
    #expect(try bench.perform(.readMultiple([0x0C, 0x11])) == .success(.value([1, 100])))
    #expect(try bench.perform(.readMultiple([0x0C])) == .failure(.tooFewAttributes))
    #expect(
      try bench.perform(.readMultipleVariable([0x0C, 0x03, 0x11]))
        == .success(
          .values([RemoteValue(0x0C, [1]), RemoteValue(0x03, Array("Tester".utf8)), RemoteValue(0x11, [100])])))
    #expect(
      try bench.perform(.readMultipleVariable([0x0C, 0xFF]))
        == .failure(.refused(.invalidHandle, request: .readMultipleVariableRequest, handle: 0xFF)))
  }

  @Test("The last of several values may be truncated at the MTU")
  func cutValues() throws {
    var bench = try bench(mtu: 23)
    let outcome = try bench.perform(.readMultipleVariable([0x16, 0x03]))
    #expect(
      outcome == .success(.values([RemoteValue(0x16, (0..<20).map { UInt8($0) }, isWhole: false)])))
  }

  @Test("A refusal ends the operation with the server's error")
  func refusal() throws {
    var bench = try bench()
    #expect(
      try bench.perform(.read(0x0E))
        == .failure(.refused(.readNotPermitted, request: .readRequest, handle: 0x0E)))
    #expect(
      try bench.perform(.write(0x03, [1]))
        == .failure(.refused(.writeNotPermitted, request: .writeRequest, handle: 0x03)))
  }

  // MARK: Writing

  @Test("A value is written in one request or in parts", arguments: [0, 20, 21, 60, 100], [23, 64, 517])
  func write(_ count: Int, _ mtu: Int) throws {
    var bench = try bench(mtu: mtu)
    let value = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 3) }
    #expect(try bench.perform(.write(0x16, value)) == .success(.done))
    #expect(bench.chart.server.database.storedValue(of: Tester.longValue) == value)
    #expect(bench.chart.session.preparedWrites.parts.isEmpty)
  }

  @Test("A value over the limit is not sent at all")
  func tooLong() throws {
    var bench = try bench()
    let value = [UInt8](repeating: 0, count: 515)
    #expect(try bench.perform(.write(0x16, value)) == .failure(.tooLong(octets: 515, limit: 512)))
    #expect(
      try bench.perform(.writeReliably([RemoteValue(0x16, value)])) == .failure(.tooLong(octets: 515, limit: 512)))
    #expect(
      try bench.perform(.writeWithoutResponse(0x1C, value)) == .failure(.tooLong(octets: 515, limit: 514)))
    #expect(bench.exchanges == 1)
  }

  @Test("A refused part clears the server's queue", arguments: [false, true])
  func refusedPart(_ isReliable: Bool) throws {
    var bench = try bench(mtu: 23)
    let value = [UInt8](repeating: 9, count: 60)
    if isReliable {
      let outcome = try bench.perform(
        .writeReliably([RemoteValue(0x16, value), RemoteValue(0x03, [1])]))
      #expect(outcome == .failure(.refused(.writeNotPermitted, request: .prepareWriteRequest, handle: 0x03)))
    } else {
      let long = [UInt8](repeating: 9, count: 120)
      let outcome = try bench.perform(.write(0x16, long))
      #expect(
        outcome == .failure(.refused(.invalidAttributeValueLength, request: .executeWriteRequest, handle: 0x16)))
    }
    #expect(bench.chart.session.preparedWrites.parts.isEmpty)
    #expect(bench.chart.server.database.storedValue(of: Tester.longValue) == (0..<60).map { UInt8($0) })
  }

  @Test("Several values are written together")
  func reliable() throws {
    var bench = try bench(mtu: 23)
    let value = (0..<50).map { UInt8($0 * 2) }
    let outcome = try bench.perform(.writeReliably([RemoteValue(0x16, value), RemoteValue(0x17, Array("New".utf8))]))
    #expect(outcome == .success(.done))
    #expect(bench.chart.server.database.storedValue(of: Tester.longValue) == value)
    #expect(try bench.perform(.read(0x17)) == .success(.value(Array("New".utf8))))
  }

  @Test("A write without response is sent while a request is outstanding")
  func command() throws {
    var bench = try bench()
    let reading = bench.begin(.read(0x11))
    let writing = bench.begin(.writeWithoutResponse(0x1C, [1, 2, 3]))
    #expect(bench.outcome(writing) == .success(.done) && bench.outcome(reading) == nil)
    #expect(bench.sent == [[0x0A, 0x11, 0], [0x52, 0x1C, 0, 1, 2, 3]])
    bench.serve()
    #expect(bench.outcome(reading) == .success(.value([100])))
    #expect(bench.chart.server.database.storedValue(of: Tester.commanded) == [1, 2, 3])
  }

  @Test("A stream of write commands is written straight into a buffer")
  func commandStream() throws {
    let bench = try bench(mtu: 23)
    var buffer = OctetBuffer()
    let value: [UInt8] = (0..<20).map { $0 }
    #expect(bench.client.appendWriteCommand(value.span, to: 0x1C, into: &buffer))
    #expect(buffer.copy() == [0x52, 0x1C, 0] + value)
    let longer = value + [1]
    #expect(!bench.client.appendWriteCommand(longer.span, to: 0x1C, into: &buffer))
    #expect(buffer.count == 23)
  }

  // MARK: Subscriptions

  @Test("A subscription brings notifications, and ends")
  func subscription() throws {
    var bench = try bench()
    #expect(try bench.perform(.configure(0x09, .notification)) == .failure(.noConfiguration(handle: 0x09)))
    _ = try bench.perform(.discoverAll)
    #expect(try bench.perform(.configure(0x09, .notification)) == .success(.done))
    #expect(bench.chart.session.configuration(of: Tester.measurement) == .notification)
    _ = bench.takeEvents()
    var buffer = OctetBuffer()
    buffer.append(bench.chart.notify(Tester.measurement, [0, 77]))
    bench.receive(buffer.copy())
    #expect(bench.takeEvents() == [.notification(handle: 0x09, value: [0, 77])])
    #expect(bench.sent.isEmpty)
    #expect(try bench.perform(.configure(0x09, [])) == .success(.done))
    #expect(bench.chart.session.configuration(of: Tester.measurement) == [])
    #expect(
      try bench.perform(.configure(0x09, .indication))
        == .failure(.refused(.valueNotAllowed, request: .writeRequest, handle: 0x0A)))
    #expect(try bench.perform(.configure(0x16, .notification)) == .failure(.noConfiguration(handle: 0x16)))
  }

  @Test("An indication is confirmed at once, even during a request")
  func indication() throws {
    var bench = try bench()
    _ = try bench.perform(.discoverAll)
    #expect(try bench.perform(.configure(0x19, .indication)) == .success(.done))
    let reading = bench.begin(.read(0x11))
    let indication = bench.chart.indicate(Tester.indicated, [5])
    try bench.receive(#require(indication))
    #expect(bench.events.last == .indication(handle: 0x19, value: [5]))
    #expect(bench.sent == [[0x0A, 0x11, 0], [0x1E]])
    bench.serve()
    #expect(bench.outcome(reading) == .success(.value([100])))
    #expect(bench.chart.bearer.att.indicated == nil)
  }

  // MARK: The queue

  @Test("Operations wait for each other, and end in order")
  func queue() throws {
    var bench = try bench()
    let first = bench.begin(.read(0x16))
    let second = bench.begin(.write(0x16, [1]))
    let third = bench.begin(.read(0x16))
    #expect(bench.sent.count == 1 && bench.client.pendingCount == 3)
    bench.serve()
    #expect(bench.outcome(first) == .success(.value((0..<60).map { UInt8($0) })))
    #expect(bench.outcome(second) == .success(.done) && bench.outcome(third) == .success(.value([1])))
    let order = bench.events.compactMap { event in
      if case .ended(let id, _) = event { id } else { nil }
    }
    #expect(order.suffix(3) == [first, second, third])
  }

  @Test("The client accepts only PDUs that a server sends")
  func kinds() {
    let forClient = allATTPDUs.filter { $0.opcode.kind.isForClient }
    #expect(forClient.count == 16)
    #expect(forClient.allSatisfy { "\($0)".hasSuffix("Response") || "\($0)".contains("HandleValue") })
    for type in allATTPDUs where type.opcode.kind == .request {
      #expect(type.opcode.response.kind == .response, "\(type)")
    }
  }
}
