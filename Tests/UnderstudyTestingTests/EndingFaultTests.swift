import Testing
import UnderstudyTesting

/// Faults that end links or reset the controller, on every occasion that can trigger a fault. Code that uses the link at that moment must
/// cope with its end.
@Suite("Faults that end links")
struct EndingFaultTests {
  static let accessory = """
    understudy: 1
    name: Fragile
    security: { pairing: just-works }
    gatt: { eatt: 2, service-changed: present }
    services:
      - uuid: FFF0
        characteristics:
          - { id: level, uuid: FFF1, properties: [read, write, notify], format: u8, value: 5 }
          - { id: alarm, uuid: FFF2, properties: [read, indicate], format: u8, value: 5, permissions: { subscribe: encrypted } }
    l2cap:
      - { id: echo, psm: 0x80, handler: echo, mtu: 2000, mps: 60 }
    """

  static let occasions = [
    "{ read: any }", "{ write: any }", "{ access: any }", "{ subscribe: any }", "{ notify: any }", "{ indicate: any }",
    "{ push: any }", "{ subscribed: any }", "{ unsubscribed: any }", "connected", "encrypted", "disconnected",
    "parameters", "{ channel-request: any }", "{ channel: any }", "{ sdu: any }", "{ at: 10 ms }", "{ every: 1 s }",
    "{ request: exchange-mtu }",
  ]
  static let actions = ["{ vanish: 2 s }", "{ reboot: 4 s }", "reset-controller"]

  @Test("An accessory can be found again after it disappears on any occasion", arguments: occasions, actions)
  func goesAndComesBack(occasion: String, action: String) throws {
    let air = TestAir(seed: 7)
    let accessory = try air.accessory(try Profile.load(text: Self.accessory))
    let phone = try air.central("phone")
    // Leave a bond and a subscription that the accessory restores.
    try phone.connect(to: accessory)
    try phone.pair()
    try phone.subscribeToIndications(of: "alarm")
    try phone.disconnect()
    try accessory.arm("on: \(occasion), do: \(action), times: 2")
    phone.limit = .seconds(5)
    for _ in 0..<3 {
      useEverything(phone, accessory)
      try? phone.disconnect()
      air.advance(by: .seconds(10))
    }
    accessory.disarm()
    air.advance(by: .seconds(10))
    phone.limit = .seconds(60)
    try phone.connect(to: accessory)
    #expect(try phone.read("level").int != nil)
  }

  /// Does everything that can trigger a fault. Ignores failures, because the accessory may be gone.
  private func useEverything(_ phone: TestCentral, _ accessory: TestAccessory) {
    try? accessory.set("alarm", to: 6)
    try? phone.connect(to: accessory)
    try? phone.pair()
    _ = try? phone.exchangeMTU()
    _ = try? phone.read("level")
    try? phone.write(7, to: "level")
    try? phone.subscribe(to: "level")
    try? accessory.set("level", to: 8)
    try? accessory.set("alarm", to: 9)
    try? phone.open("echo")
    try? phone.send([UInt8](repeating: 1, count: 150), on: "echo")
    try? phone.unsubscribe(from: "level")
  }
}
