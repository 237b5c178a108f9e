import CoreBluetoothUnderstudy
import Foundation
import Testing
import UnderstudyTesting

@Suite("The peripheral role, which no phone supports") struct PeripheralManagerTests {
  private final class Publisher: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    private(set) var states: [CBManagerState] = []

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { states.append(peripheral.state) }
  }

  @Test("The delegate gets the state unsupported, and commands are misuse") func unsupported() throws {
    let air = TestAir()
    let app = try air.phone().app("Publisher")
    let publisher = Publisher()
    let manager = app.run { CBPeripheralManager(delegate: publisher, queue: nil) }
    #expect(air.advance(until: { !publisher.states.isEmpty }, within: .seconds(1)))
    #expect(publisher.states == [.unsupported] && manager.authorization == .allowedAlways)
    manager.add(CBMutableService(type: CBUUID(string: "180D"), primary: true))
    manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Belt"])
    let level = CBMutableCharacteristic(type: CBUUID(string: "2A19"), properties: [], value: nil, permissions: [])
    #expect(!manager.updateValue(Data([1]), for: level, onSubscribedCentrals: nil))
    #expect(app.misuses.count == 3 && !manager.isAdvertising)
  }

  @Test("An app can describe services") func described() throws {
    let service = CBMutableService(type: CBUUID(string: "180F"), primary: true)
    let level = CBMutableCharacteristic(
      type: CBUUID(string: "2A19"), properties: [.read, .notify], value: nil, permissions: .readable)
    level.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Level")]
    service.characteristics = [level]
    level.value = Data([50])
    level.properties.insert(.indicate)
    #expect(level.service === service && level.descriptors?.first?.characteristic === level)
    #expect(level.properties == [.read, .notify, .indicate] && level.value == Data([50]))
    #expect(level.descriptors?.first?.value as? String == "Level")
    #expect(service.isPrimary && service.includedServices == nil && level.subscribedCentrals == nil)
  }
}
