import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import BLESDP
import BLESMP
import CentralHost
import PeripheralHost
import Simulation
import Testing
import VirtualRadio

/// A central and an accessory over BR/EDR (Core 5.4 Vol 3 Part C 6, 7).
@Suite("Central over BR/EDR")
struct DualCentralTests {
  private let air = RadioSimulation(seed: 3)
  private let accessory: SimulatedAccessory<CountingApplication>
  private let central: ScriptedCentral

  init() throws {
    var configuration = Lamp.configuration()
    configuration.identity = .publicAddress
    configuration.classic = ClassicSettings(name: "Dual", classOfDevice: 0x24_0404)
    configuration.security.isPairable = true
    configuration.security.distributes = [.encryption, .identity, .link]
    configuration.security.wants = [.encryption, .identity, .link]
    accessory = try air.addAccessory(
      configuration, application: CountingApplication(),
      on: .dual.with(publicAddress: DeviceAddress(bits: 0x00A0_9608_0001)))
    var settings = CentralConfiguration(name: "Phone")
    settings.security.isPairable = true
    central = try air.addDualCentral(settings, address: DeviceAddress(bits: 0x00A0_9608_0002))
    try accessory.start()
    try central.start()
  }

  private func device() throws -> InquiredDevice { try central.find { $0.data.localName == "Dual" } }

  @Test("An inquiry finds a device with its class and its data")
  func inquiry() throws {
    let devices = try central.inquire()
    #expect(devices.map(\.address) == [accessory.stack.address])
    #expect(devices.first?.classOfDevice == 0x24_0404)
    #expect(devices.first?.data.localName == "Dual")
    #expect(!central.stack.isInquiring)
  }

  @Test("A limited inquiry does not find a device in general discoverable mode")
  func limitedInquiry() throws {
    #expect(try central.inquire(InquiryRequest(isLimited: true, duration: .seconds(5))) == [])
  }

  @Test("A device tells its name")
  func name() throws {
    #expect(try central.remoteName(of: try device()) == "Dual")
  }

  @Test("A name that nobody tells, and a page that nobody answers, fail")
  func nobody() throws {
    let nobody = InquiredDevice(DeviceAddress(bits: 0x00A0_9608_0009))
    #expect(throws: SimulationFailure.self) { try central.remoteName(of: nobody) }
    #expect(throws: SimulationFailure.self) { try central.page(nobody) }
    #expect(!central.stack.isConnecting)
  }

  @Test("The service records of a device are those of its services")
  func records() throws {
    let link = try central.page(try device())
    let classes = try central.records(on: link).map(\.serviceClasses)
    let services = accessory.stack.server.database.services.filter(\.isPrimary).map(\.uuid)
    for service in services { #expect(classes.contains([service])) }
    let found = try central.records(SearchPattern([BluetoothUUID(0x1801)]), on: link)
    #expect(found.count == 1)
  }

  @Test("Values are read over an ATT bearer that this side opens")
  func values() throws {
    let link = try central.page(try device())
    try central.openAttributeChannel(on: link)
    #expect(central.security(of: link).protection == .encrypted)
    let database = try central.discover(on: link)
    let name = try #require(database.characteristic(BluetoothUUID(0x2A00)))
    #expect(try central.read(name.value, on: link) == Array("Lamp".utf8))
  }

  @Test("A client that was used before the ATT bearer opened gets its MTU")
  func clientBeforeBearer() throws {
    let link = try central.page(try device())
    // Nothing can be written yet.
    try? central.writeWithoutResponse([1], to: 3, on: link)
    try central.openAttributeChannel(on: link)
    let text = try #require(try central.discover(on: link).characteristic(BluetoothUUID(0xFFF1)))
    let long = [UInt8](repeating: 7, count: 40)
    try central.writeWithoutResponse(long, to: text.value, on: link)
    #expect(try central.read(text.value, on: link) == long)
  }

  @Test("The keys of LE are derived from a pairing over BR/EDR, and used")
  func derivation() throws {
    let link = try central.page(try device())
    try central.openAttributeChannel(on: link)
    air.run(for: .seconds(2))
    let bond = try #require(central.stack.bonds.first?.bond)
    #expect(bond.keyAsCentral != nil && bond.linkKey != nil)
    #expect(accessory.stack.bonds.first?.bond.keyAsPeripheral == bond.keyAsCentral)
    try central.disconnect(link)
    let heard = try central.hear { $0.isConnectable }
    let other = try central.connect(ConnectionRequest(to: heard.address, type: heard.addressType))
    #expect(try central.pair(other) == .encrypted)
  }

  @Test("The link key is derived from a pairing over LE, and used")
  func linkKey() throws {
    let heard = try central.hear { $0.isConnectable }
    let link = try central.connect(ConnectionRequest(to: heard.address, type: heard.addressType))
    guard case .paired(let bond, true) = try central.pair(link) else {
      Issue.record("not paired")
      return
    }
    #expect(bond.linkKey != nil)
    let other = try central.page(try device())
    let first = central.events.count
    try central.openAttributeChannel(on: other)
    let pairings = central.events[first...].filter { if case .security(_, .pairing) = $0 { true } else { false } }
    #expect(pairings.isEmpty)
    #expect(central.links.count == 2)
  }

  @Test("An inquiry that is stopped before the controller has answered ends at once")
  func stoppedInquiry() throws {
    let first = central.events.count
    try central.perform(.inquire(InquiryRequest(duration: .seconds(60))))
    try central.perform(.stopInquiring)
    air.run(for: .seconds(1))
    #expect(
      central.events[first...].compactMap { if case .inquiring(let isOn) = $0 { isOn } else { nil } } == [true, false])
    #expect(try central.inquire().count == 1)
  }

  @Test("A page that takes longer than the script waits is cancelled")
  func impatience() throws {
    central.limit = .seconds(1)
    #expect(throws: SimulationFailure.self) { try central.page(InquiredDevice(DeviceAddress(bits: 0x00A0_9608_0009))) }
    #expect(!central.stack.isConnecting)
    central.limit = .seconds(60)
    try central.page(try device())
  }

  @Test("A page is cancelled")
  func cancelled() throws {
    let first = central.events.count
    try central.perform(.page(InquiredDevice(DeviceAddress(bits: 0x00A0_9608_0009))))
    air.run(for: .milliseconds(100))
    try central.perform(.cancelConnecting)
    air.run(for: .seconds(1))
    #expect(!central.stack.isConnecting)
    let failures = central.events[first...].filter { if case .connectionFailed = $0 { true } else { false } }
    #expect(failures.count == 1)
  }

  @Test("The questions for names that wait behind a page are cancelled with it")
  func cancelledQuestions() throws {
    let nobody = InquiredDevice(DeviceAddress(bits: 0x00A0_9608_0009))
    let accessory = try device()
    let first = central.events.count
    try central.perform(.page(nobody))
    try central.perform(.askForName(accessory))
    try central.perform(.cancelConnecting)
    air.run(for: .seconds(1))
    let answers = central.events[first...].compactMap { event -> ErrorCode? in
      if case .remoteName(accessory.address, nil, let status) = event { status } else { nil }
    }
    #expect(answers == [.unknownConnectionIdentifier])
    #expect(!central.stack.isConnecting)
  }
}
