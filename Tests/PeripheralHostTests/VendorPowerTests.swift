import BLEGAP
import BLEHCI
import BLELink
import PeripheralHost
import Testing
import VirtualRadio

@Suite("Transmit power of advertising, by Zephyr's vendor command")
struct VendorPowerTests {
  private func run(
    _ set: AdvertisingSetDefinition, on controller: ControllerConfiguration
  ) throws -> (stage: RadioStage, accessory: RadioAccessory, central: RadioCentral) {
    let stage = RadioStage()
    let accessory = try stage.addAccessory(TestAccessory.configuration(advertising: [set]), on: controller)
    let central = stage.addCentral()
    stage.air.setSignalStrength(from: accessory.id, to: central.id, dBm: -60)
    try accessory.start()
    try central.start()
    return (stage, accessory, central)
  }

  private func powers(_ accessory: RadioAccessory) -> [Int8] {
    accessory.events.compactMap { event in
      guard case .advertising(.powered(set: "main", let power)) = event else { return nil }
      return power
    }
  }

  @Test(
    "A set that requests a power is sent with it, and its data states it",
    arguments: [
      (ControllerConfiguration.zephyrHCIUART, AdvertisingSetDefinition.Kind.legacy), (.zephyrExtended, .legacy),
      (.zephyrExtended, .extended),
    ])
  func isSet(controller: ControllerConfiguration, kind: AdvertisingSetDefinition.Kind) throws {
    let set = AdvertisingSetDefinition(id: "main", kind: kind, data: [2, 0x0A, 0], transmitPower: -12)
    let (_, accessory, central) = try run(set, on: controller)
    #expect(powers(accessory) == [-12])
    _ = try central.scan(for: .seconds(1))
    let own = central.reports.filter { $0.data == [2, 0x0A, 0xF4] }
    // 8 dBm, the controller's default power, would arrive with -60.
    #expect(!own.isEmpty && own.allSatisfy { $0.rssi == -80 })
    #expect(accessory.events.faults == [])
  }

  @Test("The next phase of a schedule also has the power")
  func phases() throws {
    let set = AdvertisingSetDefinition(
      id: "main", data: [],
      schedule: [
        .init(interval: .milliseconds(20), duration: .seconds(1)), .init(interval: .milliseconds(100)),
      ], transmitPower: 4)
    let (stage, accessory, _) = try run(set, on: .zephyrExtended)
    stage.run(.seconds(2))
    #expect(powers(accessory) == [4, 4])
  }

  @Test(
    "No command is sent without a requested power, to other manufacturers, or to a build without the command"
  )
  func isNotSet() throws {
    let asks = AdvertisingSetDefinition(id: "main", data: [], transmitPower: -12)
    var silent = ControllerConfiguration.zephyrExtended
    silent.commands.remove(.zephyrReadSupportedCommands)
    for (set, controller) in [
      (AdvertisingSetDefinition(id: "main", data: []), ControllerConfiguration.zephyrExtended), (asks, .full),
      (asks, .nimble), (asks, silent),
    ] {
      let (_, accessory, _) = try run(set, on: controller)
      #expect(powers(accessory) == [])
      #expect(accessory.stack.activeSets == ["main"])
    }
  }
}
