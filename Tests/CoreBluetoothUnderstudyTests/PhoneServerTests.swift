import AccessoryProfile
import CoreBluetoothUnderstudy
import Foundation
import Testing
import UnderstudyTesting

@Suite("The services of a phone") struct PhoneServerTests {
  @Test("An accessory reads the time from the phone") func time() throws {
    let stage = try Stage("phone-client")
    stage.phone.person = .pairs()
    try stage.connect()
    let isSet = stage.air.advance(
      until: { (try? stage.accessory.value(of: "phone-battery")) == 100 }, within: .seconds(20))
    #expect(isSet)
  }

  @Test("A watch shows notifications once the person allows it, until the permission is withdrawn") func notifications()
    throws
  {
    let stage = try Stage("smart-watch")
    stage.phone.person = .pairs()
    try stage.connect()
    stage.air.advance(by: .seconds(10))
    try stage.phone.notify(title: "Ada Lovelace", message: "Lunch?")
    stage.air.advance(by: .seconds(5))
    #expect(try stage.accessory.value(of: "notification-title") == "")
    stage.phone.sharesNotifications = true
    try stage.wait(for: "ancs true")
    let shows = { (title: String) in
      stage.air.advance(
        until: { (try? stage.accessory.value(of: "notification-title")) == .string(title) }, within: .seconds(30))
    }
    #expect(shows("Ada Lovelace"))
    try stage.phone.notify(title: "Grace Hopper")
    #expect(shows("Grace Hopper"))
    stage.phone.sharesNotifications = false
    try stage.wait(for: "ancs false")
    try stage.phone.notify(title: "Nobody")
    stage.air.advance(by: .seconds(10))
    #expect(try stage.accessory.value(of: "notification-title") == "Grace Hopper")
  }

  @Test("The person decides for each accessory, and the decision ends with the bond") func perAccessory() throws {
    let stage = try Stage("smart-watch")
    let text = try #require(ShippedProfiles.entry(named: "smart-watch").flatMap { ShippedProfiles.text(of: $0) })
    let other = try stage.air.accessory(
      Profile.load(text: text.replacingOccurrences(of: "name: Watch", with: "name: Other")))
    stage.phone.person = .pairs()
    try stage.connect()
    try stage.phone.expect(EventPattern("notification-prompt", ["peripheral": "Watch"]))
    let second = stage.phone.app("Second").run { Recorder() }
    stage.air.advance(by: .seconds(1))
    second.manager?.scanForPeripherals(withServices: nil)
    #expect(stage.air.advance(until: { second.found.contains { $0.name == "Other" } }, within: .seconds(30)))
    let peripheral = try #require(second.found.first { $0.name == "Other" })
    second.manager?.connect(peripheral)
    #expect(stage.air.advance(until: { stage.phone.bonded.count == 2 }, within: .seconds(30)))
    #expect(stage.phone.setSharesNotifications(true, with: "Other"))
    #expect(!stage.phone.setSharesNotifications(true, with: "Nobody"))
    try stage.phone.notify(title: "Ada Lovelace")
    let shown = { (accessory: TestAccessory) in try? accessory.value(of: "notification-title") }
    #expect(stage.air.advance(until: { shown(other) == "Ada Lovelace" }, within: .seconds(30)))
    stage.air.advance(by: .seconds(10))
    #expect(shown(stage.accessory) == "")
    #expect(peripheral.ancsAuthorized && !stage.phone.sharesNotifications(with: "Watch"))
    // The decision survives the link, but not the bond.
    second.manager?.cancelPeripheralConnection(peripheral)
    #expect(stage.air.advance(until: { other.connections == 0 }, within: .seconds(5)))
    #expect(stage.phone.sharesNotifications(with: "Other"))
    stage.phone.forget("Other")
    #expect(!stage.phone.sharesNotifications(with: "Other"))
  }

  @Test("A connection that requires notifications pairs first") func requiresNotifications() throws {
    let stage = try Stage("smart-watch")
    try stage.wait(for: "state")
    try stage.manager.scanForPeripherals(withServices: nil)
    try stage.wait(for: "discover")
    try stage.manager.connect(try stage.peripheral, options: [CBConnectPeripheralOptionRequiresANCS: true])
    try stage.phone.expect(EventPattern("pairing-sheet"))
    stage.phone.pairingSheet?.accept()
    try stage.phone.expect(EventPattern("paired"))
  }

  @Test(
    "The phone answers requests for other parameters by Apple's rules",
    arguments: [
      ("{ interval: 15 ms, timeout: 6 s, after: 1 s }", true),
      ("{ interval: [30 ms, 45 ms], latency: 4, timeout: 5 s, after: 1 s }", true),
      ("{ interval: 11.25 ms, timeout: 6 s, after: 1 s }", false),
      ("{ interval: [20 ms, 40 ms], timeout: 6 s, after: 1 s }", false),
      ("{ interval: [30 ms, 45 ms], latency: 60, timeout: 6 s, after: 1 s }", false),
      ("{ interval: 15 ms, timeout: 20 s, after: 1 s }", false),
    ])
  func parameters(_ request: String, _ isAccepted: Bool) throws {
    let stage = try Stage(
      Profile.load(text: "understudy: 1\nname: Sensor\nconnection: { request: \(request) }\n"))
    try stage.connect()
    try stage.accessory.expect(EventPattern("parameters-answered", ["accepted": .bool(isAccepted)]))
  }
}
