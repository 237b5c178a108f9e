#if os(Linux)
  import CoreBluetoothUnderstudy
  import Foundation
  import Synchronization
  import Testing
  import Transport
  import Understudy

  /// An accessory on a radio of its own, in real time, and a Unix socket at which phones join the radio.
  final class RadioStage: Sendable {
    let loop: PollLoop
    let radio: RadioHub
    let accessory: Accessory
    let folder: String

    init(_ profile: Profile) async throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "understudy-phone-\(UUID().uuidString)").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      loop = try PollLoop(name: "stage")
      try loop.start()
      radio = RadioHub(loop: loop)
      try await radio.openSocket(path: "\(folder)/phone")
      try await radio.openSocket(path: "\(folder)/accessory")
      accessory = try Accessory(
        profile, options: AccessoryOptions(controller: .unix(path: "\(folder)/accessory")), loop: loop)
      let events = await accessory.events()
      try await accessory.start()
      for await event in events {
        if case .ready = event.kind { return }
      }
    }

    /// The address of a controller on the radio.
    var controller: String { "unix:\(folder)/phone" }

    func close() async throws {
      await accessory.stop()
      await radio.close()
      loop.stopAndWait()
      try FileManager.default.removeItem(atPath: folder)
    }
  }

  /// Runs `body` with an accessory in real time.
  func withRadio(_ profile: Profile, _ body: (RadioStage) async throws -> Void) async throws {
    let stage = try await RadioStage(profile)
    do {
      try await body(stage)
    } catch {
      try await stage.close()
      throw error
    }
    try await stage.close()
  }

  /// An app in real time. Its recorder runs on a queue of its own, and reports each callback.
  final class LiveApp: Sendable {
    let queue: DispatchQueue
    private let recorder: Recorder
    private let callbacks: AsyncStream<String>
    private let limit = Duration.seconds(60)

    init(
      _ queue: DispatchQueue = DispatchQueue(label: "app"), of app: PhoneApp?, options: [String: any Sendable]? = nil
    ) {
      let (callbacks, continuation) = AsyncStream.makeStream(of: String.self)
      self.queue = queue
      self.callbacks = callbacks
      recorder = queue.sync {
        let make = { Recorder(queue: queue, options: options) }
        let recorder = app?.run(make) ?? make()
        recorder.then = { continuation.yield($0) }
        return recorder
      }
    }

    /// Runs code of the app on its queue.
    @discardableResult
    func run<Result: Sendable>(_ body: @Sendable (Recorder) throws -> Result) rethrows -> Result {
      try queue.sync { try body(recorder) }
    }

    /// Runs code of the app, and waits for a callback that begins with `line`. Ignores callbacks that an earlier call has waited for.
    func wait(for line: String, after body: @Sendable (Recorder) throws -> Void = { _ in }) async throws {
      try run(body)
      let found = try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask { [callbacks] in
          for await callback in callbacks where callback.hasPrefix(line) { return true }
          return false
        }
        group.addTask { [limit] in
          try await Task.sleep(for: limit)
          return false
        }
        defer { group.cancelAll() }
        return try await group.next() ?? false
      }
      if !found { throw MissingCallback(missing: line, run { $0.lines }) }
    }

    /// Scans for all services, and connects.
    func connect() async throws {
      try await wait(for: "state poweredOn")
      try await wait(for: "discover") { $0.manager?.scanForPeripherals(withServices: nil) }
      try await wait(for: "connect") { recorder in
        recorder.manager?.stopScan()
        recorder.manager?.connect(try #require(recorder.peripheral))
      }
    }

    /// Discovers every characteristic.
    func discover() async throws {
      try await wait(for: "services") { $0.peripheral?.discoverServices(nil) }
      for number in 0..<run({ $0.peripheral?.services?.count ?? 0 }) {
        try await wait(for: "characteristics") { recorder in
          let service = try #require(recorder.peripheral?.services?[number])
          recorder.peripheral?.discoverCharacteristics(nil, for: service)
        }
      }
    }
  }

  extension Recorder {
    /// A discovered characteristic.
    func characteristic(_ uuid: String) throws -> CBCharacteristic {
      let all = peripheral?.services?.flatMap { $0.characteristics ?? [] } ?? []
      return try #require(all.first { $0.uuid == CBUUID(string: uuid) })
    }
  }
#endif
