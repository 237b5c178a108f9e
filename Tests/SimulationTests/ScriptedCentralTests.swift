import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import TestPreset
import Testing
import VirtualRadio

@Suite("A scripted central and an accessory on the virtual radio")
struct ScriptedCentralTests {
  @Test(
    "Find, connect, discover, read and write",
    arguments: [ControllerConfiguration.full, .zephyrHCIUART, .zephyrExtended, .nimble],
    [ControllerConfiguration.full, .zephyrHCIUART])
  func session(_ lampOn: ControllerConfiguration, _ phoneOn: ControllerConfiguration) throws {
    let scene = try LampScene(lampOn: lampOn, phoneOn: phoneOn)
    let phone = scene.phone
    let found = try phone.find(ScanFilter(name: "Lamp", service: BluetoothUUID(0xFFF0)))
    #expect(found.address == Lamp.address && found.isConnectable && found.data.localName == "Lamp")
    let link = try phone.connect(to: found.address)
    #expect(try phone.exchangeMTU(on: link) == 517)
    let database = try phone.discover(on: link)
    #expect(database.services.map(\.handles) == scene.lamp.stack.server.database.services.map(\.handles))
    let text = try #require(database.characteristic(BluetoothUUID(0xFFF1), in: BluetoothUUID(0xFFF0)))
    #expect(text.value == scene.value(Lamp.text))
    let value = (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try phone.write(value, to: text.value, on: link)
    #expect(try phone.read(text.value, on: link) == value)
    #expect(scene.lamp.stack.value(of: Lamp.text, at: scene.simulation.now) == value)
    try phone.writeWithoutResponse([1, 2], to: text.value, on: link)
    #expect(try phone.read(text.value, on: link) == [1, 2])
    #expect(throws: GATTFailure.refused(.invalidHandle, request: .readRequest, handle: 0xFFFF)) {
      try phone.read(0xFFFF, on: link)
    }
    try phone.disconnect(link)
    #expect(phone.links.isEmpty && phone.ends == [.connectionTerminatedByLocalHost])
    #expect(scene.hostFaults == [])
  }

  @Test(
    "An extended set is found and connected to, also on LE Coded",
    .enabled(if: ControllerConfiguration.underTest.hasAdvertisingSets), arguments: [PHYSet.le1M, [.le1M, .leCoded]])
  func extended(_ phys: PHYSet) throws {
    let scene = try LampScene(Lamp.configuration(kind: .extended))
    let heard = try scene.phone.scan(for: .seconds(1), ScanRequest(phys: phys))
    #expect(heard.contains { $0.address == Lamp.address && !$0.kind.contains(.legacy) && $0.secondaryPHY == .le1M })
    let link = try scene.phone.connect(ConnectionRequest(to: Lamp.address, phys: phys))
    #expect(scene.phone.links == [link])
  }

  @Test("Notifications and indications arrive with their times")
  func subscriptions() throws {
    let scene = try LampScene()
    let phone = scene.phone
    let link = try phone.connect(to: Lamp.address)
    try phone.discover(on: link)
    let level = scene.value(Lamp.level)
    try phone.configure(level, .notification, on: link)
    for _ in 0..<5 {
      try scene.lamp.perform(.notify(Lamp.level))
      scene.simulation.run(for: .milliseconds(100))
    }
    #expect(phone.pushed(of: level, on: link).map(\.value) == [[1], [2], [3], [4], [5]])
    let times = phone.pushed(of: level, on: link).map(\.at)
    for (earlier, later) in zip(times, times.dropFirst()) {
      #expect((.milliseconds(60)...(.milliseconds(140))).contains(later - earlier))
    }
    phone.pushed = []
    try phone.configure(level, .indication, on: link)
    try scene.lamp.perform(.indicate(Lamp.level))
    scene.simulation.run(for: .seconds(1))
    #expect(phone.pushed.map(\.isIndication) == [true] && phone.pushed.map(\.value) == [[6]])
    try phone.configure(level, [], on: link)
    #expect(throws: HostRequestError.noSubscriber(Lamp.level)) { try scene.lamp.perform(.notify(Lamp.level)) }
  }

  @Test(
    "A stream of write commands is sent as fast as the link permits, and nothing is lost",
    .enabled(if: ControllerConfiguration.underTest.maximumDataOctets > 27))
  func writeStream() throws {
    let scene = try LampScene()
    let (phone, simulation) = (scene.phone, scene.simulation)
    let link = try phone.connect(
      ConnectionRequest(to: Lamp.address, parameters: LinkParameters(interval: .milliseconds(15))))
    try phone.exchangeMTU(on: link)
    scene.lamp.stack.reportsAccess = true
    let text = scene.value(Lamp.text)
    let begin = simulation.now
    var sent = 0
    while sent < 1000 {
      try phone.writeWithoutResponse(
        [UInt8(sent & 0xFF), UInt8(sent >> 8)] + [UInt8](repeating: 0, count: 240), to: text, on: link)
      sent += 1
    }
    simulation.run(for: .seconds(1))
    let written = scene.lamp.events.compactMap { event -> Int? in
      guard case .server(_, .written(Lamp.text, let value)) = event else { return nil }
      return Int(value[0]) | Int(value[1]) << 8
    }
    #expect(written == Array(0..<1000))
    // 242 kB over LE 1M with long packets: at least 50 kB a second.
    #expect(simulation.now - begin < .seconds(6))
    #expect(scene.hostFaults == [] && phone.events.allSatisfy { if case .fault = $0 { false } else { true } })
  }

  @Test(
    "Parameters and PHY change on demand", .enabled(if: ControllerConfiguration.underTest.features.contains(.phy2M)))
  func changes() throws {
    let scene = try LampScene()
    let link = try scene.phone.connect(to: Lamp.address)
    try scene.phone.update(link, LinkParameters(interval: .milliseconds(100), latency: 2, timeout: .seconds(4)))
    let details = try #require(scene.phone.stack.linkStates.first?.details)
    #expect(details.interval == .milliseconds(100) && details.latency == 2 && details.timeout == .seconds(4))
    #expect(scene.lamp.stack.linkStates.first?.details.interval == .milliseconds(100))
    try scene.phone.setPHY(link, .le2M)
    #expect(scene.phone.events.contains { if case .phyChanged(_, .le2M, .le2M) = $0 { true } else { false } })
  }

  @Test("A peripheral's request for parameters is granted or not", arguments: [true, false])
  func parameterWish(_ accepts: Bool) throws {
    let request = ConnectionPolicy.ParameterRequest(
      intervals: .milliseconds(50)...(.milliseconds(50)), latency: 1, timeout: .seconds(6), delay: .seconds(1))
    let simulation = RadioSimulation()
    let lamp = try simulation.addAccessory(
      Lamp.configuration(connection: ConnectionPolicy(parameterRequest: request)), application: CountingApplication(),
      on: .underTest)
    let phone = try simulation.addCentral(CentralConfiguration(parameterPolicy: accepts ? .accept : .reject))
    try lamp.start()
    try phone.start()
    try phone.connect(to: Lamp.address)
    simulation.run(for: .seconds(5))
    #expect(lamp.events.contains { if case .parametersAnswered(_, accepts) = $0 { true } else { false } })
    #expect(lamp.stack.linkStates.map(\.details.interval) == [accepts ? .milliseconds(50) : .milliseconds(30)])
  }

  @Test("One phone holds several accessories, each link with its own client")
  func severalLinks() throws {
    let simulation = RadioSimulation()
    let phone = try simulation.addCentral()
    try phone.start()
    var links: [ConnectionHandle] = []
    for number in 0..<4 {
      let address = DeviceAddress.randomStatic(from: 0x100 + UInt64(number))
      var configuration = Lamp.configuration()
      configuration.identity = .fixedStatic(address)
      let lamp = try simulation.addAccessory(configuration, application: CountingApplication(), on: .underTest)
      try lamp.start()
      links.append(try phone.connect(to: address))
    }
    #expect(Set(links).count == 4)
    for (number, link) in links.enumerated() {
      try phone.discover(on: link)
      let text = try #require(phone.stack.remoteDatabase(of: link)?.characteristic(BluetoothUUID(0xFFF1)))
      try phone.write([UInt8(number)], to: text.value, on: link)
    }
    for (number, link) in links.enumerated() {
      let text = try #require(phone.stack.remoteDatabase(of: link)?.characteristic(BluetoothUUID(0xFFF1)))
      #expect(try phone.read(text.value, on: link) == [UInt8(number)])
    }
    try phone.disconnect(links[1])
    #expect(phone.links == [links[0], links[2], links[3]])
  }

  @Test("Without an accessory, operations give up after their limit, and later ones work")
  func nobody() throws {
    let scene = try LampScene()
    scene.phone.limit = .seconds(3)
    let begin = scene.simulation.now
    #expect(throws: SimulationFailure.self) { try scene.phone.connect(to: .randomStatic(from: 9)) }
    #expect(throws: SimulationFailure.self) { try scene.phone.find(ScanFilter(name: "Nobody")) }
    #expect(scene.simulation.now - begin < .seconds(8))
    #expect(!scene.phone.stack.isConnecting && !scene.phone.stack.isScanning)
    try scene.phone.connect(to: Lamp.address)
  }

  @Test("A host that is taken away is missed by its supervision timeout")
  func removal() throws {
    let scene = try LampScene()
    let link = try scene.phone.connect(to: Lamp.address)
    scene.simulation.run(for: .seconds(1))
    scene.simulation.remove(scene.lamp)
    #expect(throws: GATTFailure.closed) { try scene.phone.read(3, on: link) }
    #expect(scene.phone.ends == [.connectionTimeout] && scene.simulation.participants.count == 1)
  }

  @Test("An accessory that cannot start says why")
  func cannotStart() throws {
    var configuration = Lamp.configuration()
    configuration.identity = .publicAddress
    let simulation = RadioSimulation()
    let lamp = try simulation.addAccessory(configuration, application: CountingApplication())
    #expect(throws: SimulationFailure.self) { try lamp.start() }
  }

  @Test("A channel that the accessory does not offer is not opened, and the link stays")
  func noChannel() throws {
    let scene = try LampScene()
    let link = try scene.phone.connect(to: Lamp.address)
    #expect(throws: SimulationFailure.self) {
      try scene.phone.openChannel(SPSM(rawValue: 0x0080), on: link)
    }
    #expect(scene.phone.events.contains { if case .channel(link, .closed) = $0 { true } else { false } })
    #expect(try scene.phone.read(scene.value(Lamp.text), on: link) == [])
  }

  @Test("The same seed gives the same run")
  func determinism() throws {
    func times(seed: UInt64) throws -> [Instant] {
      let scene = try LampScene(seed: seed)
      scene.simulation.air.setPacketLoss(from: scene.lamp.controller, to: scene.phone.controller, fraction: 0.2)
      let link = try scene.phone.connect(to: Lamp.address)
      try scene.phone.discover(on: link)
      try scene.phone.configure(scene.value(Lamp.stream), .notification, on: link)
      scene.simulation.run(for: .seconds(2))
      return scene.phone.pushed.map(\.at)
    }
    let first = try times(seed: 5)
    #expect(first.count > 100)
    #expect(try times(seed: 5) == first)
    #expect(try times(seed: 6) != first)
  }
}
