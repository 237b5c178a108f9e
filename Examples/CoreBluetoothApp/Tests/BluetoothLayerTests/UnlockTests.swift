import BluetoothLayer
import CoreBluetoothUnderstudy
import Testing
import UnderstudyTesting

@Test @MainActor func thePersonTypesThePasskey() async throws {
  let air = TestAir()
  let accessory = try air.accessory("smart-lock")
  let phone = try air.phone(.iOS)
  phone.person = .pairs(passkey: 123456)
  let lock = phone.app("Lock").run { Lock() }
  try await air.run { try await lock.connect() }
  #expect(try await air.run { try await lock.isLocked() })
  try accessory.expect(EventPattern("paired"))
}
