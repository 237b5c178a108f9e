import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import PeripheralHost
import TestPreset
import Testing
import VirtualRadio

@Suite("On the virtual radio")
struct RadioTests {
  private func pair(
    _ configuration: HostConfiguration = TestAccessory.configuration(),
    on controller: ControllerConfiguration = .underTest
  ) throws -> (stage: RadioStage, accessory: RadioAccessory, central: RadioCentral) {
    let stage = RadioStage()
    let accessory = try stage.addAccessory(configuration, on: controller)
    try accessory.start()
    let central = stage.addCentral()
    try central.start()
    return (stage, accessory, central)
  }

  /// Returns one manufacturer specific structure of that many octets in total.
  private func advertisingData(_ count: Int) -> [UInt8] {
    guard count > 3 else { return [2, 1, 6] }
    return [UInt8(count - 1), 0xFF] + (0..<count - 2).map { UInt8(truncatingIfNeeded: $0) }
  }

  // MARK: Discovery

  @Test("Extended sets are received with all of their data", arguments: [31, 32, 124, 125, 191])
  func extendedData(_ count: Int) throws {
    let data = advertisingData(count)
    let set = AdvertisingSetDefinition(id: "main", kind: .extended, data: data, secondaryPHY: .le1M)
    let (stage, accessory, central) = try pair(
      TestAccessory.configuration(advertising: [set]), on: count > 31 ? .zephyrExtended : .full)
    let heard = try central.scan(for: .seconds(1))
    #expect(heard == [TestAccessory.address: data])
    #expect(central.reports.allSatisfy { !$0.reportType.contains(.legacy) && $0.reportType.contains(.connectable) })
    try central.connect(to: TestAccessory.address, extended: true)
    #expect(stage.run { accessory.stack.linkStates.count == 1 })
  }

  @Test("Legacy sets are found with data and scan response", arguments: [ControllerConfiguration.full, .zephyrHCIUART])
  func legacyData(_ controller: ControllerConfiguration) throws {
    let set = AdvertisingSetDefinition(id: "main", data: advertisingData(31), scanResponse: advertisingData(20))
    let (_, _, central) = try pair(TestAccessory.configuration(advertising: [set]), on: controller)
    try central.legacyScan(for: .seconds(1))
    #expect(
      central.legacyReports.contains {
        $0.reportType == .connectableScannable && $0.address == TestAccessory.address && $0.data == set.data
      })
    #expect(
      central.legacyReports.contains { $0.reportType == .scanResponse && $0.data == set.scanResponse })
  }

  @Test(
    "A legacy and an extended set are on the air together",
    .enabled(if: ControllerConfiguration.underTest.hasAdvertisingSets))
  func bothKinds() throws {
    let sets = [
      AdvertisingSetDefinition(id: "main", data: [2, 1, 6]),
      AdvertisingSetDefinition(
        id: "long", kind: .extended, isConnectable: false, data: advertisingData(100), secondaryPHY: .le1M),
    ]
    let (stage, accessory, central) = try pair(TestAccessory.configuration(advertising: sets))
    _ = try central.scan(for: .seconds(1))
    #expect(central.reports.contains { $0.reportType.contains(.legacy) && $0.data == [2, 1, 6] })
    #expect(central.reports.contains { !$0.reportType.contains(.legacy) && $0.data == sets[1].data })
    try central.connect(to: TestAccessory.address, extended: true)
    #expect(stage.run { accessory.stack.activeSets == ["long"] })
  }

  // MARK: A session

  @Test(
    "A central finds, reads and writes everything",
    arguments: [ControllerConfiguration.full, .zephyrHCIUART, .zephyrExtended, .nimble])
  func session(_ controller: ControllerConfiguration) throws {
    let (stage, accessory, central) = try pair(on: controller)
    let link = try central.connect(to: TestAccessory.address)
    #expect(
      try central.request(ExchangeMTURequest(clientMTU: 517), on: link)
        == ExchangeMTUResponse(serverMTU: 517).encodedPDU)
    let database = accessory.stack.server.database
    try expectDiscovery(of: database, by: central, on: link)
    let text = accessory.handle(TestAccessory.text)
    #expect(try central.readLong(text, on: link, mtu: 517) == Array("text".utf8))
    let value = (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try central.write(value, to: text, on: link)
    #expect(try central.readLong(text, on: link, mtu: 517) == value)
    #expect(accessory.stack.value(of: TestAccessory.text, at: stage.now) == value)
    #expect(try central.request(ReadRequest(handle: 0xFFFF), on: link) == [0x01, 0x0A, 0xFF, 0xFF, 0x01])
    #expect(accessory.events.faults == [])
    #expect(stage.air.takeHostFaults(of: accessory.id) == [])
    try central.disconnect(link)
    #expect(stage.run { accessory.stack.activeSets == ["main"] })
  }

  @Test("At the smallest MTU a long value is read in parts and written in parts")
  func smallMTU() throws {
    let (_, accessory, central) = try pair(on: .zephyrHCIUART)
    let link = try central.connect(to: TestAccessory.address)
    let text = accessory.handle(TestAccessory.text)
    let value = (0..<512).map { UInt8(truncatingIfNeeded: $0 / 2) }
    for offset in stride(from: 0, to: 512, by: 18) {
      let part = PrepareWriteRequest(
        handle: text, offset: UInt16(offset), value: Array(value[offset..<min(offset + 18, 512)]))
      #expect(try central.request(part, on: link).first == ATTOpcode.prepareWriteResponse.rawValue)
    }
    #expect(try central.request(ExecuteWriteRequest(flags: 1), on: link) == [ATTOpcode.executeWriteResponse.rawValue])
    #expect(try central.readLong(text, on: link, mtu: 23) == value)
  }

  /// Compares what discovery finds with the database, attribute by attribute.
  private func expectDiscovery(of database: AttributeDatabase, by central: RadioCentral, on link: UInt16) throws {
    var found: [UInt16: [UInt8]] = [:]
    var start: UInt16 = 1
    while start > 0 {
      let answer = try central.request(FindInformationRequest(start: start, end: 0xFFFF), on: link)
      guard answer[0] == ATTOpcode.findInformationResponse.rawValue else {
        #expect(answer == [0x01, 0x04, UInt8(start & 0xFF), UInt8(start >> 8), 0x0A])
        break
      }
      let size = answer[1] == 1 ? 4 : 18
      for entry in stride(from: 2, to: answer.count, by: size) {
        let handle = UInt16(answer[entry]) | UInt16(answer[entry + 1]) << 8
        found[handle] = Array(answer[entry + 2..<entry + size])
        start = handle &+ 1
      }
    }
    #expect(found.count == database.attributes.count)
    for attribute in database.attributes { #expect(found[attribute.handle] == attribute.type.littleEndianOctets) }
    let groups = try central.request(
      ReadByGroupTypeRequest(start: 1, end: 0xFFFF, type: BluetoothUUID(0x2800)), on: link)
    #expect(groups[1] == 6 && (groups.count - 2) / 6 == database.services.count)
  }

  // MARK: Notifications

  @Test("An hour of notifications, one per second")
  func anHour() throws {
    let (stage, accessory, central) = try pair()
    accessory.stack.application.rhythm = (TestAccessory.measurement, .seconds(1))
    let link = try central.connect(to: TestAccessory.address, interval: 80)
    try central.write([1, 0], to: try accessory.configurationHandle(TestAccessory.measurement), on: link)
    let begin = stage.now
    stage.run(.seconds(3600))
    let heard = central.notifications(of: accessory.handle(TestAccessory.measurement))
    #expect((3599...3600).contains(heard.count))
    #expect(heard.map { Int($0.value[0]) } == (1...heard.count).map { $0 & 0xFF })
    // Each one waits at most for a connection event.
    for (index, one) in heard.enumerated() {
      let late = one.at - begin - .seconds(index + 1)
      #expect(late < .milliseconds(210) && late > .milliseconds(-110), "notification \(index) at \(one.at)")
    }
    #expect(!accessory.events.tags.contains { $0.hasPrefix("dropped") })
    try central.write([0, 0], to: try accessory.configurationHandle(TestAccessory.measurement), on: link)
    let count = central.pushed.count
    stage.run(.seconds(10))
    #expect(central.pushed.count == count && stage.air.takeHostFaults(of: accessory.id) == [])
  }

  @Test("An indication is confirmed over the air")
  func indication() throws {
    let (stage, accessory, central) = try pair()
    let link = try central.connect(to: TestAccessory.address)
    try central.write([2, 0], to: try accessory.configurationHandle(TestAccessory.alarm), on: link)
    for number in 1...5 as ClosedRange<UInt8> {
      accessory.stack.application.values[TestAccessory.alarm] = [number]
      try accessory.perform(.indicate(TestAccessory.alarm))
    }
    stage.run(.seconds(60))
    // The second waits for the first, and later ones replace it.
    #expect(central.pushed.map { $0.pdu.last } == [1, 5])
    #expect(accessory.stack.linkStates.count == 1 && accessory.events.faults == [])
  }

  @Test(
    "A continuous stream never exceeds the controller's buffers",
    arguments: [ControllerConfiguration.full, .zephyrHCIUART])
  func stream(_ controller: ControllerConfiguration) throws {
    let (stage, accessory, central) = try pair(on: controller)
    let link = try central.connect(to: TestAccessory.address)
    try central.write([1, 0], to: try accessory.configurationHandle(TestAccessory.stream), on: link)
    stage.run(.seconds(5))
    let heard = central.notifications(of: accessory.handle(TestAccessory.stream))
    #expect(heard.count > 500)
    #expect(heard.map { Int($0.value[0]) } == (1...heard.count).map { $0 & 0xFF })
    #expect(try central.readLong(accessory.handle(TestAccessory.text), on: link, mtu: 23) == Array("text".utf8))
    #expect(stage.air.takeHostFaults(of: accessory.id) == [])
    #expect(accessory.events.faults == [])
  }

  // MARK: Many

  @Test("Eight centrals at once, each with its own subscriptions")
  func eightCentrals() throws {
    let stage = RadioStage()
    let accessory = try stage.addAccessory(
      TestAccessory.configuration(connection: ConnectionPolicy(maximumConnections: 8)))
    try accessory.start()
    var links: [UInt16] = []
    for number in 0..<8 {
      let central = stage.addCentral()
      try central.start()
      links.append(try central.connect(to: TestAccessory.address))
      try central.write(
        [number % 2 == 0 ? 1 : 0, 0], to: try accessory.configurationHandle(TestAccessory.measurement),
        on: links[number])
    }
    #expect(stage.run { accessory.stack.linkStates.count == 8 })
    #expect(Set(accessory.stack.linkStates.map(\.details.peer)).count == 8)
    #expect(accessory.stack.activeSets == [])
    for number in 0..<10 as Range<UInt8> {
      accessory.stack.application.values[TestAccessory.measurement] = [number]
      try accessory.perform(.notify(TestAccessory.measurement))
      stage.run(.milliseconds(200))
    }
    for (number, central) in stage.centrals.enumerated() {
      let heard = central.notifications(of: accessory.handle(TestAccessory.measurement)).map { $0.value[0] }
      #expect(heard == (number % 2 == 0 ? Array(0..<10) : []))
      let configuration = try accessory.configurationHandle(TestAccessory.measurement)
      #expect(
        try central.request(ReadRequest(handle: configuration), on: links[number])
          == [0x0B, number % 2 == 0 ? 1 : 0, 0])
    }
    try stage.centrals[0].disconnect(links[0])
    #expect(stage.run { accessory.stack.activeSets == ["main"] })
    #expect(accessory.stack.application.subscribers[TestAccessory.measurement]?.notified == 3)
    #expect(stage.air.takeHostFaults(of: accessory.id) == [] && accessory.events.faults == [])
  }

  @Test(
    "Fifty connections, one after another",
    arguments: ControllerConfiguration.underTest.hasAdvertisingSets ? [false, true] : [false])
  func reconnects(extended: Bool) throws {
    let set = AdvertisingSetDefinition(
      id: "main", kind: extended ? .extended : .legacy, data: [2, 1, 6], secondaryPHY: .le1M)
    let (stage, accessory, central) = try pair(TestAccessory.configuration(advertising: [set]))
    for _ in 0..<50 {
      let link = try central.connect(to: TestAccessory.address, extended: extended)
      let descriptor = try accessory.configurationHandle(TestAccessory.measurement)
      #expect(try central.request(ReadRequest(handle: descriptor), on: link) == [0x0B, 0, 0])
      try central.write([1, 0], to: descriptor, on: link)
      try central.disconnect(link)
      try #require(stage.run { accessory.stack.activeSets == ["main"] })
    }
    #expect(accessory.events.tags.count { $0.hasPrefix("connected") } == 50)
    #expect(accessory.events.tags.count { $0.hasPrefix("disconnected") } == 50)
    #expect(accessory.events.faults == [] && stage.air.takeHostFaults(of: accessory.id) == [])
  }

  @Test("A central out of range is lost after the supervision timeout, and can reconnect")
  func linkLoss() throws {
    let (stage, accessory, central) = try pair()
    let link = try central.connect(to: TestAccessory.address)
    try central.write([1, 0], to: try accessory.configurationHandle(TestAccessory.measurement), on: link)
    stage.air.setReachable(accessory.id, central.id, false)
    for _ in 0..<100 { try? accessory.perform(.notify(TestAccessory.measurement)) }
    #expect(stage.run { accessory.stack.linkStates.isEmpty && central.links.isEmpty })
    #expect(
      accessory.events.tags.contains("disconnected \(ControllerConfiguration.underTest.firstConnectionHandle) 8")
        && central.ends == [.connectionTimeout])
    #expect(accessory.stack.application.subscribers[TestAccessory.measurement]?.notified == 0)
    #expect(stage.run { accessory.stack.activeSets == ["main"] })
    stage.air.setReachable(accessory.id, central.id, true)
    let again = try central.connect(to: TestAccessory.address)
    #expect(try central.readLong(accessory.handle(TestAccessory.text), on: again, mtu: 23) == Array("text".utf8))
    #expect(stage.air.takeHostFaults(of: accessory.id) == [])
  }

  @Test("A shutdown disconnects the centrals and ends advertising")
  func shutDown() throws {
    let (stage, accessory, central) = try pair()
    try central.connect(to: TestAccessory.address, extended: true)
    accessory.shutDown()
    #expect(stage.run { accessory.events.tags.contains("stopped") })
    #expect(stage.run { central.ends == [.remoteDeviceTerminatedPowerOff] })
    #expect(try central.scan(for: .seconds(2)).isEmpty)
  }

  @Test("A Pairing Request is refused, and a request for parameters arrives")
  func otherChannels() throws {
    let request = ConnectionPolicy.ParameterRequest(
      intervals: .milliseconds(15)...(.milliseconds(30)), latency: 4, timeout: .seconds(6), delay: .seconds(1))
    var controller = ControllerConfiguration.full
    controller.features.remove(.connectionParametersRequest)
    let (stage, accessory, central) = try pair(
      TestAccessory.configuration(connection: ConnectionPolicy(parameterRequest: request)), on: controller)
    let link = try central.connect(to: TestAccessory.address)
    central.send([0x01, 3, 0, 1, 16, 7, 7], channel: 6, on: link)
    stage.run(.seconds(2))
    #expect(
      central.otherFrames == [
        [2, 0, 6, 0, 0x05, 0x05], [12, 0, 5, 0, 0x12, 1, 8, 0, 12, 0, 24, 0, 4, 0, 0x58, 0x02],
      ])
    central.send([0x13, 1, 2, 0, 0, 0], channel: 5, on: link)
    #expect(stage.run { accessory.events.tags.contains("parameters accepted") })
  }

  // MARK: Determinism

  @Test("The same seed gives the same octets")
  func determinism() throws {
    func transcript(seed: UInt64) throws -> [UInt8] {
      let stage = RadioStage(seed: seed)
      let accessory = try stage.addAccessory(
        TestAccessory.configuration(connection: ConnectionPolicy(maximumConnections: 3)))
      accessory.stack.application.rhythm = (TestAccessory.measurement, .milliseconds(70))
      try accessory.start()
      for _ in 0..<3 {
        let central = stage.addCentral()
        stage.air.setPacketLoss(from: accessory.id, to: central.id, fraction: 0.1)
        try central.start()
        let link = try central.connect(to: TestAccessory.address)
        try central.write([1, 0], to: try accessory.configurationHandle(TestAccessory.measurement), on: link)
        stage.run(.seconds(3))
      }
      return accessory.transcript
    }
    let first = try transcript(seed: 5)
    #expect(first.count > 2000)
    #expect(try transcript(seed: 5) == first)
  }
}
