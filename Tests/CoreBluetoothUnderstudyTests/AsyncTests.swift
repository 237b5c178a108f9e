import CoreBluetoothUnderstudy
import Foundation
import Testing
import UnderstudyTesting

/// An app's Bluetooth layer with async functions over the callbacks.
@MainActor
private final class Belt: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  private var manager: CBCentralManager?
  private var peripheral: CBPeripheral?
  private var waiting: CheckedContinuation<Void, any Error>?

  override init() {
    super.init()
    manager = CBCentralManager(delegate: self, queue: nil)
  }

  private func wait(_ start: () -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
      waiting = continuation
      start()
    }
  }

  private func resume(_ error: (any Error)? = nil) {
    let continuation = waiting
    waiting = nil
    if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
  }

  func connect() async throws {
    try await wait {}
    try await wait { manager?.scanForPeripherals(withServices: [CBUUID(string: "180D")]) }
    manager?.stopScan()
    try await wait { peripheral.map { manager?.connect($0) } }
    peripheral?.delegate = self
    try await wait { peripheral?.discoverServices([CBUUID(string: "180D")]) }
    for service in peripheral?.services ?? [] {
      try await wait { peripheral?.discoverCharacteristics(nil, for: service) }
    }
  }

  nonisolated func read(_ uuid: String) async throws -> Data? {
    try await other()
    return try await readOnMain(uuid)
  }

  nonisolated private func other() async throws {}

  private func readOnMain(_ uuid: String) async throws -> Data? {
    let all = peripheral?.services?.flatMap { $0.characteristics ?? [] } ?? []
    guard let characteristic = all.first(where: { $0.uuid == CBUUID(string: uuid) }) else { return nil }
    try await wait { peripheral?.readValue(for: characteristic) }
    return characteristic.value
  }

  nonisolated func centralManagerDidUpdateState(_ central: CBCentralManager) { MainActor.assumeIsolated { resume() } }
  nonisolated func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    MainActor.assumeIsolated {
      self.peripheral = peripheral
      resume()
    }
  }
  nonisolated func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    MainActor.assumeIsolated { resume() }
  }
  nonisolated func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    MainActor.assumeIsolated { resume(error) }
  }
  nonisolated func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) { MainActor.assumeIsolated { resume(error) } }
  nonisolated func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) { MainActor.assumeIsolated { resume(error) } }
}

@Suite("Async code of an app in virtual time") @MainActor struct AsyncTests {
  private func transcript(seed: UInt64) async throws -> [String] {
    let air = TestAir(seed: seed)
    _ = try air.accessory("heart-rate")
    let app = try air.phone().app("Belt")
    let belt = app.run { Belt() }
    let location = try await air.run {
      try await belt.connect()
      return try await belt.read("2A38")
    }
    #expect(location == Data([1]))
    return air.transcript.lines
  }

  @Test("Async code connects and reads, and the same seed gives the same transcript") func connects() async throws {
    let first = try await transcript(seed: 5)
    #expect(try await transcript(seed: 5) == first)
  }

  @Test("Several airs run at the same time") func parallel() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for seed in 1...4 { group.addTask { _ = try await self.transcript(seed: UInt64(seed)) } }
      try await group.waitForAll()
    }
  }

  @Test("Tasks that an app starts in its callbacks get their turn before time passes") func startedTasks()
    async throws
  {
    let stage = try Stage("heart-rate")
    try await stage.air.run(within: .seconds(120)) {
      await withCheckedContinuation { continuation in
        stage.recorder.then = { line in
          Task.detached {
            for _ in 0..<10 { await Task.yield() }
            await MainActor.run {
              if line.hasPrefix("state") { stage.recorder.manager?.scanForPeripherals(withServices: nil) }
              if line.hasPrefix("discover"), let peripheral = stage.recorder.peripheral {
                stage.recorder.manager?.connect(peripheral)
              }
              if line == "connect" { continuation.resume() }
            }
          }
        }
      }
    }
    #expect(stage.accessory.connections == 1)
  }

  @Test("The limit ends code that waits forever") func limit() async throws {
    let air = TestAir()
    let belt = try air.phone().app("Belt").run { Belt() }
    await #expect(throws: TestFailure.self) { try await air.run(within: .seconds(5)) { try await belt.connect() } }
    #expect(air.now >= .seconds(5))
  }
}
