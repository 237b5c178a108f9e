import CoreBluetoothUnderstudy
import Foundation
import Testing
import UnderstudyTesting

/// An accessory, a phone and an app on an air of their own. A test uses it on one thread at a time.
final class Stage: @unchecked Sendable {
  let air = TestAir()
  let accessory: TestAccessory
  let phone: Phone
  let app: PhoneApp
  let recorder: Recorder

  init(
    _ profile: Profile, persona: Persona = .iOS, background: Bool = false, queue: DispatchQueue? = nil,
    options: [String: Any]? = nil
  ) throws {
    accessory = try air.accessory(profile)
    phone = try air.phone(persona)
    let app = phone.app("Belt", background: background)
    self.app = app
    recorder = app.run { Recorder(queue: queue, options: options) }
  }

  convenience init(_ profile: String, persona: Persona = .iOS, background: Bool = false) throws {
    try self.init(try Profile.load(profile), persona: persona, background: background)
  }

  var manager: CBCentralManager { get throws { try #require(recorder.manager) } }
  var peripheral: CBPeripheral { get throws { try #require(recorder.peripheral) } }

  /// Lets time pass until the app has got this callback since `clear`.
  func wait(for line: String, within limit: Duration = .seconds(60)) throws {
    let isThere = air.advance(until: { recorder.lines.contains { $0.hasPrefix(line) } }, within: limit)
    if !isThere { throw MissingCallback(missing: line, recorder.lines) }
  }

  /// Scans for all services, connects, and discovers every characteristic.
  func connect() throws {
    try wait(for: "state poweredOn")
    try manager.scanForPeripherals(withServices: nil)
    try wait(for: "discover")
    try manager.stopScan()
    try manager.connect(try peripheral)
    try wait(for: "connect")
  }

  /// Takes all advertising sets of the accessory off the air; returns their names for `resume`.
  func silence() throws -> [String] {
    let sets = accessory.advertising
    for set in sets { try accessory.advertise(set, false) }
    return sets
  }

  func resume(_ sets: [String]) throws {
    for set in sets { try accessory.advertise(set, true) }
  }

  func discover() throws {
    try peripheral.discoverServices(nil)
    try wait(for: "services")
    for service in try peripheral.services ?? [] {
      recorder.clear()
      try peripheral.discoverCharacteristics(nil, for: service)
      try wait(for: "characteristics")
    }
    recorder.clear()
  }

  /// Connects, discovers everything, and subscribes to a characteristic.
  func subscribe(to uuid: String) throws {
    try connect()
    try discover()
    try peripheral.setNotifyValue(true, for: try characteristic(uuid))
    try wait(for: "notifying true")
  }

  /// Ends the link, and connects again.
  func reconnect() throws {
    try manager.cancelPeripheralConnection(try peripheral)
    try wait(for: "disconnect")
    recorder.clear()
    try manager.connect(try peripheral)
    try wait(for: "connect")
  }

  func characteristic(_ uuid: String) throws -> CBCharacteristic {
    let all = try peripheral.services?.flatMap { $0.characteristics ?? [] } ?? []
    return try #require(all.first { $0.uuid == CBUUID(string: uuid) })
  }
}

/// An error: a callback did not come.
struct MissingCallback: Error, CustomStringConvertible {
  let description: String

  init(missing line: String, _ lines: [String]) { description = "no callback '\(line)' among \(lines)" }
}

extension CBL2CAPChannel {
  /// Opens both streams on the main run loop.
  func open(for delegate: any StreamDelegate) {
    for stream in [inputStream, outputStream] as [Stream?] {
      stream?.delegate = delegate
      stream?.schedule(in: .main, forMode: .default)
      stream?.open()
    }
  }
}
