import BluetoothLayer
import CoreBluetoothUnderstudy
import Testing
import UnderstudyTesting

@Suite @MainActor struct BeltTests {
  let air = TestAir()
  let accessory: TestAccessory
  let phone: Phone

  init() throws {
    accessory = try air.accessory("heart-rate")
    phone = try air.phone()
  }

  @Test func showsTheHeartRate() throws {
    let belt = phone.app().run { Belt() }
    #expect(air.advance(until: { belt.beatsPerMinute != nil }, within: .seconds(5)))
  }

  @Test func findsTheBeltAgain() throws {
    let belt = phone.app().run { Belt() }
    #expect(air.advance(until: { belt.beatsPerMinute != nil }, within: .seconds(5)))
    air.isReachable = false
    #expect(air.advance(until: { belt.beatsPerMinute == nil }, within: .seconds(10)))
    // An hour passes in an instant.
    air.advance(by: .seconds(3600))
    air.isReachable = true
    #expect(air.advance(until: { belt.beatsPerMinute != nil }, within: .seconds(60)))
  }

  @Test func bluetoothIsSwitchedOff() throws {
    let belt = phone.app().run { Belt() }
    #expect(air.advance(until: { belt.beatsPerMinute != nil }, within: .seconds(5)))
    phone.isBluetoothOn = false
    #expect(belt.beatsPerMinute == nil)
    phone.isBluetoothOn = true
    #expect(air.advance(until: { belt.beatsPerMinute != nil }, within: .seconds(10)))
  }

  @Test func isRelaunchedByTheSystem() throws {
    let app = phone.app("Belt", background: true)
    let first = app.run { Belt() }
    #expect(air.advance(until: { first.beatsPerMinute != nil }, within: .seconds(5)))
    let relaunched = Relaunched()
    phone.whenLaunched(app) { _ in MainActor.assumeIsolated { relaunched.belt = Belt() } }
    phone.moveToBackground(app)
    phone.terminate(app)
    #expect(air.advance(until: { relaunched.belt?.beatsPerMinute != nil }, within: .seconds(10)))
    #expect(accessory.connections == 1)
  }

  @MainActor private final class Relaunched: Sendable { var belt: Belt? }
}
