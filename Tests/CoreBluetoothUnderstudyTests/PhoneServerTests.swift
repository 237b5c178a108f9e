import CoreBluetoothUnderstudy
import Foundation
import Testing
import UnderstudyTesting

@Suite("What an accessory gets from a phone") struct PhoneServerTests {
  @Test("An accessory that wants the time reads it from the phone") func time() throws {
    let stage = try Stage("phone-client")
    stage.phone.person = .pairs()
    try stage.connect()
    let isSet = stage.air.advance(
      until: { (try? stage.accessory.value(of: "phone-battery")) == 100 }, within: .seconds(20))
    #expect(isSet)
  }

  @Test("A watch shows notifications after the person has allowed it, until they are withdrawn") func notifications()
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
    "Requests for other parameters are answered by Apple's rules",
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
