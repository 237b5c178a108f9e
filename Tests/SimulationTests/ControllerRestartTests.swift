import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import Testing
import VirtualRadio

@Suite("Controllers that restart by themselves")
struct ControllerRestartTests {
  /// Returns the time from a restart until all sets are on the air again.
  private func recovery(
    _ notice: RestartNotice, isConnected: Bool, on controller: ControllerConfiguration,
    watchInterval: Duration? = nil
  ) throws -> Duration? {
    let kind: AdvertisingSetDefinition.Kind = controller == .zephyrHCIUART ? .legacy : .extended
    let scene = try LampScene(Lamp.configuration(kind: kind), lampOn: controller)
    scene.lamp.stack.watchInterval = watchInterval
    if watchInterval != nil {
      // The interval counts from the bring-up on.
      scene.simulation.air.restartController(scene.lamp.controller, announcing: .hardwareError(1))
      scene.simulation.run(for: .seconds(1))
    }
    if isConnected { try scene.phone.connect(to: Lamp.address) }
    scene.simulation.run(for: .milliseconds(1234))
    scene.lamp.events = []
    scene.simulation.air.restartController(scene.lamp.controller, announcing: notice)
    let start = scene.simulation.now
    let isBack = scene.simulation.run(
      until: { scene.lamp.events.contains { if case .advertisingReady = $0 { true } else { false } } },
      limit: .seconds(60))
    guard isBack else { return nil }
    let time = scene.simulation.now - start
    // A central that connects now works.
    let phone = try scene.simulation.addCentral()
    try phone.start()
    let link = try phone.connect(to: Lamp.address)
    #expect(try phone.read(scene.value(Lamp.text), on: link) == [])
    return time
  }

  @Test(
    "After an announced restart it is on the air again within 200 ms",
    arguments: [
      RestartNotice.nop, .hardwareError(0x42), .zephyrAssertion(file: "ull.c", line: 1),
    ], [false, true])
  func announced(_ notice: RestartNotice, _ isConnected: Bool) throws {
    for controller in [ControllerConfiguration.zephyrExtended, .zephyrHCIUART] {
      let time = try #require(try recovery(notice, isConnected: isConnected, on: controller))
      #expect(time < .milliseconds(200))
    }
  }

  @Test("After a restart it has the identity that it was given last", arguments: [true, false])
  func identity(_ wasPublic: Bool) throws {
    for controller in [ControllerConfiguration.zephyrExtended, .zephyrHCIUART, .rootcanal] {
      var configuration = Lamp.configuration(kind: controller == .zephyrExtended ? .extended : .legacy)
      if wasPublic { configuration.identity = .publicAddress }
      let address = DeviceAddress(bits: 0x00A0_9608_0001)
      let scene = try LampScene(configuration, lampOn: controller.with(publicAddress: address))
      try scene.lamp.perform(.rotateIdentity)
      scene.simulation.air.restartController(scene.lamp.controller, announcing: .hardwareError(1))
      scene.simulation.run(for: .seconds(2))
      let heard = try scene.phone.find(ScanFilter(name: "Lamp"))
      #expect(heard.address == scene.lamp.stack.address)
      #expect(heard.addressType == .random && heard.address != Lamp.address)
    }
  }

  @Test("A silent restart is detected within the watch interval", arguments: [false, true])
  func silent(_ isConnected: Bool) throws {
    for controller in [ControllerConfiguration.zephyrExtended, .zephyrHCIUART] {
      let time = try #require(
        try recovery(.silently, isConnected: isConnected, on: controller, watchInterval: .seconds(1)))
      #expect(time < .milliseconds(1200))
    }
  }

  @Test("Without a watch it is detected only by the next command")
  func unwatched() throws {
    #expect(try recovery(.silently, isConnected: false, on: .zephyrExtended) == nil)
  }
}
