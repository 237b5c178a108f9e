import CoreBluetoothUnderstudy
import Foundation
import Testing
import UnderstudyTesting

@Suite("Pairing on demand") struct PairingTests {
  private static let state = "A0000021-7C4D-4B0E-9E4B-1F6E2A1B9C00"

  private func stageAtLock() throws -> Stage {
    let stage = try Stage("smart-lock")
    try stage.connect()
    try stage.discover()
    return stage
  }

  @Test("A refused read shows the sheet, and the read succeeds after the passkey") func passkey() throws {
    let stage = try stageAtLock()
    let state = try stage.characteristic(Self.state)
    try stage.peripheral.readValue(for: state)
    try stage.phone.expect(EventPattern("pairing-sheet"))
    let sheet = try #require(stage.phone.pairingSheet)
    #expect(sheet.kind == .enterPasskey)
    #expect(stage.recorder.lines.isEmpty)
    sheet.type(123456)
    try stage.wait(for: "value")
    #expect(state.value == Data([0]))
    #expect(stage.phone.pairingSheet == nil)
    #expect(stage.phone.bonded == ["Smart Lock"])
  }

  @Test("A canceled sheet ends the read with an error, but not the link") func canceled() throws {
    let stage = try stageAtLock()
    try stage.peripheral.readValue(for: try stage.characteristic(Self.state))
    try stage.phone.expect(EventPattern("pairing-sheet"))
    stage.phone.pairingSheet?.cancel()
    try stage.wait(for: "value")
    #expect(stage.recorder.lines[0].contains("Insufficient Authentication"))
    #expect(try stage.peripheral.state == .connected)
  }

  @Test("A person who knows the passkey pairs, and the bond encrypts the next link without a sheet") func bonded()
    throws
  {
    let stage = try stageAtLock()
    stage.phone.person = .pairs(passkey: 123456)
    try stage.peripheral.readValue(for: try stage.characteristic(Self.state))
    try stage.wait(for: "value")
    try stage.manager.cancelPeripheralConnection(try stage.peripheral)
    try stage.wait(for: "disconnect")
    stage.recorder.clear()
    stage.phone.person = .cancels
    try stage.manager.connect(try stage.peripheral)
    try stage.wait(for: "connect")
    try stage.peripheral.readValue(for: try stage.characteristic(Self.state))
    try stage.wait(for: "value")
    #expect(stage.recorder.lines == ["connect", "value \(Self.state)"])
  }

  @Test("If the accessory has lost its bond, the link ends for that reason") func lostBond() throws {
    let stage = try stageAtLock()
    stage.phone.person = .pairs(passkey: 123456)
    try stage.peripheral.readValue(for: try stage.characteristic(Self.state))
    try stage.wait(for: "value")
    try stage.accessory.restartProcess(with: [])
    try stage.wait(for: "disconnect")
    stage.recorder.clear()
    try stage.manager.connect(try stage.peripheral)
    try stage.wait(for: "disconnect")
    #expect(stage.recorder.lines.last == "disconnect: The peripheral has removed its pairing information.")
    #expect(stage.phone.forget("Smart Lock"))
    stage.recorder.clear()
    try stage.manager.connect(try stage.peripheral)
    try stage.wait(for: "connect")
    try stage.discover()
    try stage.peripheral.readValue(for: try stage.characteristic(Self.state))
    try stage.wait(for: "value")
    #expect(stage.recorder.lines == ["value \(Self.state)"])
  }

  @Test("Forget This Device removes the bond and ends the link") func forget() throws {
    let stage = try stageAtLock()
    stage.phone.person = .pairs(passkey: 123456)
    try stage.peripheral.readValue(for: try stage.characteristic(Self.state))
    try stage.wait(for: "value")
    #expect(stage.phone.forget("Smart Lock"))
    try stage.wait(for: "disconnect")
    #expect(stage.phone.bonded.isEmpty)
    #expect(!stage.phone.forget("Smart Lock"))
  }

  @Test("Just Works asks for consent after the accessory's answer") func justWorks() throws {
    let stage = try Stage(
      Profile.load(
        text: """
          understudy: 1
          name: Sensor
          security: { pairing: just-works }
          services:
            - uuid: A000
              characteristics:
                - { id: secret, uuid: A001, properties: [read], permissions: { read: encrypted }, value: hex:2A }
          """))
    try stage.connect()
    try stage.discover()
    try stage.peripheral.readValue(for: try stage.characteristic("A001"))
    try stage.phone.expect(EventPattern("pairing-sheet", ["question": "pair"]))
    stage.phone.pairingSheet?.accept()
    try stage.wait(for: "value A001")
    #expect(try stage.characteristic("A001").value == Data([0x2A]))
  }
}
