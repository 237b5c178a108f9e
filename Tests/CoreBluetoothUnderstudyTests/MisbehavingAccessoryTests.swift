import AccessoryProfile
import CoreBluetoothUnderstudy
import Foundation
import Swarm
import Testing
import UnderstudyTesting

@Suite("Accessories that misbehave in every way") struct MisbehavingAccessoryTests {
  private static let profile = """
    understudy: 1
    name: Rogue
    security: { pairing: just-works }
    services:
      - uuid: A000
        characteristics:
          - { id: level, uuid: A001, properties: [read, write, notify, indicate], value: hex:0102030405, notify: { every: 1 s } }
          - { id: secret, uuid: A002, properties: [read, write-without-response], permissions: { read: encrypted }, value: hex:2A }
    l2cap: [ { id: echo, psm: 0x0080, handler: echo } ]
    """

  /// Does everything that an app can do with a peripheral, regardless of the answers. Connects again when the link ends.
  private func use(_ recorder: Recorder) {
    recorder.then = { [unowned recorder] line in
      guard let manager = recorder.manager, let peripheral = recorder.peripheral else { return }
      if line.hasPrefix("discover ") || line.hasPrefix("disconnect") || line.hasPrefix("fail") {
        manager.connect(peripheral)
      }
      if line == "connect" || line.hasPrefix("modify") { peripheral.discoverServices(nil) }
      if line.hasPrefix("services") {
        for service in peripheral.services ?? [] {
          peripheral.discoverCharacteristics(nil, for: service)
          peripheral.discoverIncludedServices(nil, for: service)
        }
      }
      if line.hasPrefix("characteristics") {
        peripheral.readRSSI()
        if recorder.channel == nil { peripheral.openL2CAPChannel(0x0080) }
        for characteristic in peripheral.services?.first?.characteristics ?? [] {
          peripheral.readValue(for: characteristic)
          peripheral.discoverDescriptors(for: characteristic)
          if characteristic.properties.contains(.notify) { peripheral.setNotifyValue(true, for: characteristic) }
          if characteristic.properties.contains(.write) {
            peripheral.writeValue(Data(count: 300), for: characteristic, type: .withResponse)
          }
          if peripheral.canSendWriteWithoutResponse, characteristic.properties.contains(.writeWithoutResponse) {
            peripheral.writeValue(Data([1]), for: characteristic, type: .withoutResponse)
          }
        }
      }
      if line.hasPrefix("descriptors") {
        for characteristic in peripheral.services?.first?.characteristics ?? [] {
          for descriptor in characteristic.descriptors ?? [] { peripheral.readValue(for: descriptor) }
        }
      }
    }
  }

  @Test("An app survives every fault, and reads again after it", arguments: FaultChoice.occasions)
  func faults(_ occasion: String) throws {
    let profile = try Profile.load(text: Self.profile)
    for action in FaultChoice.actions {
      guard let fault = try? profile.loadFault("on: \(occasion), do: \(action), times: 3", number: 1) else { continue }
      let stage = try Stage(profile)
      stage.phone.person = .pairs()
      stage.accessory.arm([fault])
      use(stage.recorder)
      stage.air.advance(until: { stage.recorder.lines.contains("state poweredOn") }, within: .seconds(1))
      try stage.manager.scanForPeripherals(withServices: nil)
      stage.air.advance(by: .seconds(60))
      stage.accessory.disarm()
      // The last request of a fault may still wait for its 30 s.
      stage.air.advance(by: .seconds(60))
      stage.recorder.clear()
      // A wrong answer about the MTU spoils its link for good.
      if try stage.peripheral.state == .connected { try stage.manager.cancelPeripheralConnection(stage.peripheral) }
      let isBack = stage.air.advance(
        until: { stage.recorder.lines.contains("value A001") }, within: .seconds(60))
      #expect(isBack, "on: \(occasion), do: \(action): \(stage.air.transcript.lines.suffix(12))")
    }
  }
}
