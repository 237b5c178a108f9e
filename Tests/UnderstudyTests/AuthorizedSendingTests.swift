import AccessoryProfile
import BLECore
import BLEGATT
import BLELink
import PeripheralHost
import Simulation
import Testing

@Suite("Sending to authorized clients")
struct AuthorizedSendingTests {
  private static let text = """
    services:
      - id: secret
        uuid: FFF0
        authorization: granted
        characteristics:
          - { id: kept, uuid: FFF1, properties: [notify], format: u8, value: { counter: { from: 0, to: 250 } }, notify: { every: 1 s } }
          - { id: told, uuid: FFF2, properties: [indicate], format: u8, value: 7, indicate: { every: 1 s } }
    """

  @Test("Subscribers get nothing without authorization, and get values again with it")
  func withdrawn() throws {
    let scene = try ProfileScene(Self.text)
    let values = try [0xFFF1, 0xFFF2].map { try #require(scene.database.characteristic(BluetoothUUID($0))).value }
    try scene.phone.configure(values[0], .notification, on: scene.link)
    try scene.phone.configure(values[1], .indication, on: scene.link)
    func counts(after duration: Duration) -> [Int] {
      let before = values.map { scene.phone.pushed(of: $0, on: scene.link).count }
      scene.simulation.run(for: duration)
      return zip(values, before).map { scene.phone.pushed(of: $0, on: scene.link).count - $1 }
    }
    func set(_ state: AuthorizationState) throws {
      try scene.accessory.stack.application.setAuthorization(
        state, of: .service("secret"), at: scene.simulation.now)
      scene.simulation.run(for: .milliseconds(500))
    }
    #expect(counts(after: .seconds(5)).allSatisfy { (4...6).contains($0) })
    for state in [AuthorizationState.revoked, .pending, .denied] {
      try set(state)
      #expect(counts(after: .seconds(5)) == [0, 0])
    }
    try set(.granted)
    #expect(counts(after: .seconds(5)).allSatisfy { (4...6).contains($0) })
    // No question has been asked yet.
    try set(.ask)
    #expect(counts(after: .seconds(5)) == [0, 0])
  }
}
