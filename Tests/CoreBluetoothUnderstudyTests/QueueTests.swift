import CoreBluetoothUnderstudy
import Dispatch
import Foundation
import Testing
import UnderstudyTesting

@Suite("Queues, threads and the order of callbacks") struct QueueTests {
  private static let key = DispatchSpecificKey<String>()

  @Test("Callbacks come on the queue of the manager") func queue() throws {
    let queue = DispatchQueue(label: "belt")
    queue.setSpecific(key: Self.key, value: "belt")
    let stage = try Stage(Profile.load("heart-rate"), queue: queue)
    var places: [String?] = []
    stage.recorder.then = { _ in places.append(DispatchQueue.getSpecific(key: Self.key)) }
    try stage.connect()
    #expect(places.count >= 3 && places.allSatisfy { $0 == "belt" })
  }

  @Test("Two managers share a queue") func sharedQueue() throws {
    let queue = DispatchQueue(label: "both")
    let stage = try Stage(Profile.load("heart-rate"), queue: queue)
    let second = stage.app.run { Recorder(queue: queue) }
    try stage.connect()
    #expect(second.lines == ["state poweredOn"])
  }

  @Test("The system takes calls from other threads in order") func threads() throws {
    let stage = try Stage("heart-rate")
    try stage.connect()
    try stage.discover()
    let (peripheral, location) = (try stage.peripheral, try stage.characteristic("2A38"))
    DispatchQueue.concurrentPerform(iterations: 8) { _ in peripheral.readValue(for: location) }
    stage.air.advance(by: .seconds(5))
    #expect(stage.recorder.lines == Array(repeating: "value 2A38", count: 8))
  }

  @Test("A released manager ends its connections") func released() throws {
    let stage = try Stage("heart-rate")
    try stage.connect()
    stage.recorder.close()
    #expect(stage.air.advance(until: { stage.accessory.connections == 0 }, within: .seconds(5)))
  }

  @Test("The same seed gives the same transcript") func deterministic() throws {
    func transcript() throws -> [String] {
      let stage = try Stage("smart-lock")
      stage.phone.person = .pairs(passkey: 123456)
      try stage.connect()
      try stage.discover()
      try stage.peripheral.readValue(for: try stage.characteristic("A0000021-7C4D-4B0E-9E4B-1F6E2A1B9C00"))
      try stage.wait(for: "value")
      return stage.air.transcript.lines + [try stage.peripheral.identifier.uuidString]
    }
    #expect(try transcript() == transcript())
  }

  @Test("Commands in the wrong state are misuse, and do nothing") func misuse() throws {
    let stage = try Stage("heart-rate")
    try stage.manager.scanForPeripherals(withServices: nil)
    #expect(stage.app.misuses.count == 1)
    try stage.wait(for: "state")
    try stage.manager.scanForPeripherals(withServices: nil)
    try stage.wait(for: "discover")
    try stage.peripheral.discoverServices(nil)
    try stage.peripheral.readRSSI()
    let other = stage.app.run { Recorder() }
    stage.air.advance(by: .seconds(1))
    other.manager?.connect(try stage.peripheral)
    #expect(stage.app.misuses.count == 4)
    stage.air.advance(by: .seconds(1))
    #expect(stage.accessory.connections == 0)
  }
}
