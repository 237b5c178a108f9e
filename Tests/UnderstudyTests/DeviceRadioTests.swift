import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import Testing
import Understudy
import VirtualRadio

/// The behavior of a device on the air, as a central hears it.
@Suite("Devices on the air") struct DeviceRadioTests {
  private let simulation = RadioSimulation(seed: 1)

  private func start(
    _ lines: String, on controller: ControllerConfiguration = .full
  ) throws -> (accessory: SimulatedAccessory<ProfileRuntime>, phone: ScriptedCentral) {
    let profile = try Profile.load(text: "understudy: 1\nname: Device\n" + lines)
    let accessory = try simulation.addAccessory(
      profile.hostConfiguration(seed: 1), application: ProfileRuntime(profile: profile), on: controller)
    let phone = try simulation.addCentral()
    try accessory.start()
    try phone.start()
    return (accessory, phone)
  }

  private static let old: ControllerConfiguration = {
    var old = ControllerConfiguration.full
    (old.version, old.features) = (.v4_2, .known(in: .v4_2))
    return old
  }()

  private static let counter = """
    services: []
    advertising:
      - id: main
        KIND
        connectable: false
        interval: 20 ms
        refresh: 100 ms
        data: { manufacturer-data: { company: 0xFFFF, format: u8, data: { counter: { to: 200, every: 200 ms } } } }
    """

  @Test(
    "Changed data is on the air at once, and the set stays on the air",
    arguments: [("kind: legacy", true), ("kind: legacy", false), ("kind: extended", true)])
  func liveData(kind: String, isYoung: Bool) throws {
    let (accessory, phone) = try start(
      Self.counter.replacing("KIND", with: kind), on: isYoung ? .full : Self.old)
    let heard = try phone.scan(for: .seconds(3)).filter { $0.address == accessory.stack.address }
    let numbers = heard.compactMap { $0.octets.last }
    #expect(numbers == numbers.sorted())
    // All of them were heard, so none was left out, and none was shorter than its time.
    let shown = Set(numbers)
    #expect(shown.count >= 13)
    #expect(shown == Set(numbers[0]...numbers[numbers.count - 1]))
    let stops = accessory.events.filter { if case .advertising(.stopped) = $0 { true } else { false } }
    #expect(stops.isEmpty)
  }

  @Test("While asleep it is off the air; a connection keeps it awake, and `sleep` ends the connection")
  func sleep() throws {
    let (accessory, phone) = try start(
      """
      sleep: { start: asleep, after: 3 s, wakes-every: 60 s }
      rules: [ { when: { button: off }, do: sleep } ]
      services: [ { uuid: FFF0, characteristics: [ { uuid: FFF1, properties: [read], value: u8:1 } ] } ]
      """)
    #expect(try phone.scan(for: .seconds(50)).isEmpty)
    #expect(try !phone.scan(for: .seconds(12)).isEmpty)
    // It has fallen asleep again at 63 s.
    simulation.run(for: .seconds(2))
    #expect(try phone.scan(for: .seconds(50)).isEmpty)
    let link = try phone.connect(to: try phone.find(ScanFilter(name: "Device")).address)
    simulation.run(for: .seconds(30))
    #expect(phone.links == [link])
    try accessory.perform(.perform(try accessory.stack.application.press("off", at: simulation.now)))
    simulation.run(for: .seconds(1))
    #expect(phone.ends == [.remoteDeviceTerminatedPowerOff])
    #expect(try phone.scan(for: .seconds(5)).isEmpty)
  }

  @Test(
    "A device of an older version does not switch to another PHY or to longer packets",
    arguments: ["acts-as: 4.1", "acts-as: 4.2", "connection: { phy: 1M, allowed-phys: [1M] }"])
  func olderVersion(lines: String) throws {
    let (accessory, phone) = try start(
      lines + "\nservices: [ { uuid: FFF0, characteristics: [ { uuid: FFF1, properties: [read], value: u8:1 } ] } ]")
    let link = try phone.connect(to: try phone.find(ScanFilter(name: "Device")).address)
    try? phone.setPHY(link, .le2M)
    simulation.run(for: .seconds(2))
    let state = try #require(accessory.stack.linkStates.first)
    #expect(state.carriage.transmitPHY ?? .le1M == .le1M)
    #expect(state.carriage.receivePHY ?? .le1M == .le1M)
    #expect((state.carriage.transmitLength ?? 27 == 27) == lines.contains("4.1"))
    #expect(try phone.exchangeMTU(on: link) == (lines.contains("4.1") ? 23 : 517))
  }
}
