import BluetoothLayer
import CoreBluetoothUnderstudy
import Testing
import UnderstudyTesting

@Suite @MainActor struct LockTests {
  let air = TestAir()
  let accessory: TestAccessory
  let phone: Phone
  let lock: Lock

  init() throws {
    accessory = try air.accessory("smart-lock")
    phone = try air.phone()
    lock = phone.app().run { Lock() }
  }

  /// Connects and reads under virtual time.
  private func isLocked() async throws -> Bool {
    try await air.run {
      try await lock.connect()
      return try await lock.isLocked()
    }
  }

  @Test func thePersonCancels() async throws {
    phone.person = .cancels
    await #expect(throws: CBATTError(.insufficientAuthentication)) { try await isLocked() }
  }

  @Test func theLockAnswersLate() async throws {
    phone.person = .pairs(passkey: 123456)
    try accessory.arm("on: { read: lock-state }, do: { delay: 10 s }")
    #expect(try await isLocked())
    #expect(air.now > .seconds(10))
  }
}
