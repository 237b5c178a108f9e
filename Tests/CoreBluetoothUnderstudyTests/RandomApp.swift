import AccessoryProfile
import BLECore
import CoreBluetoothUnderstudy
import Foundation
import Simulation
import Swarm
import UnderstudyTesting

/// A phone whose app, person and system do random things with an accessory that has a random profile and random faults. The seed determines
/// everything.
final class RandomApp: @unchecked Sendable {
  let air: TestAir
  let phone: Phone
  let app: PhoneApp
  private(set) var recorder: Recorder
  private var random: SplitMix64
  private let accessory: TestAccessory
  private var faults: FaultDrawing
  private let psms: [UInt16]
  /// Whether the app also connects to every peripheral that it finds and discovers everything.
  private let isEager: Bool
  /// The steps that this run never takes. Each run omits about half of the steps that interrupt the app, so that the app makes progress.
  private let missing: Set<UInt64>
  private static let options = [CBCentralManagerOptionRestoreIdentifierKey: "app"]
  /// The numbers of requests that wait for a callback, by the beginning of its line.
  private(set) var pending: [String: Int] = [:]
  /// When the app last got a connection.
  private var connectedAt = Duration.zero
  /// The kinds of callbacks so far.
  private(set) var callbacks: Set<String> = []

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed).generator(for: "app")
    air = TestAir(seed: seed)
    var drawing = PlanDrawing(seed: seed)
    let profile = try Profile.load(swarm: drawing.plan(duration: .seconds(1)).profile)
    // The simulated controller has no public address, which some profiles want.
    accessory = try (try? air.accessory(profile)) ?? air.accessory("heart-rate")
    faults = FaultDrawing(random.generator(for: "faults"), for: accessory.profile)
    psms = accessory.profile.channels.compactMap { $0.published?.psm.rawValue } + [0x00F0]
    isEager = random.upTo(3) > 0
    let bits = random.next()
    missing = Set(([8] + Array(22...29)).filter { bits & 1 << $0 == 0 })
    let personas: [Persona] = [.iOS, .iOS, .iOS, .olderPhone, .watchOS, .macOS]
    phone = try air.phone(personas[Int(random.upTo(5))])
    if random.upTo(1) == 0 { phone.person = .pairs(passkey: 123456) }
    app = phone.app("App", background: random.upTo(1) == 0)
    let app = app
    recorder = app.run { Recorder(options: Self.options) }
    follow(recorder)
    phone.whenLaunched(app) { [unowned self] _ in
      recorder = app.run { Recorder(options: Self.options) }
      follow(recorder)
    }
  }

  private func follow(_ recorder: Recorder) {
    recorder.then = { [unowned self] line in
      if line.hasPrefix("disconnect") || line.hasPrefix("state") { pending = [:] }
      let kind = String(line.prefix { $0 != " " })
      callbacks.insert(kind)
      if kind == "connect" { connectedAt = air.now }
      if isEager { proceed(after: kind) }
      if let count = pending[kind] { pending[kind] = count > 1 ? count - 1 : nil }
    }
  }

  private func proceed(after callback: String) {
    switch callback {
    case "state": recorder.manager?.scanForPeripherals(withServices: nil)
    case "discover", "disconnect": if let peripheral { recorder.manager?.connect(peripheral) }
    case "connect", "modify": ask("services") { $0.discoverServices(nil) }
    case "services":
      for service in peripheral?.services ?? [] where service.characteristics == nil {
        ask("characteristics") { $0.discoverCharacteristics(nil, for: service) }
      }
    default: break
    }
  }

  // MARK: - Steps

  /// Takes this many random steps, with time between them.
  func act(_ steps: Int) {
    for _ in 0..<steps {
      step()
      air.advance(by: .milliseconds(Int(pick([0, 1, 20, 300, 300, 2_000, 2_000, 10_000]))))
    }
  }

  private func step() {
    let step = random.upTo(29)
    guard !missing.contains(step) else { return }
    switch step {
    case 0...2: recorder.manager?.scanForPeripherals(withServices: nil)
    case 3: recorder.manager?.stopScan()
    case 4...7: if let peripheral { recorder.manager?.connect(peripheral, options: connectOptions) }
    case 8: if let peripheral { recorder.manager?.cancelPeripheralConnection(peripheral) }
    case 9...11: ask("services") { $0.discoverServices(nil) }
    case 12...14:
      with(peripheral?.services) { service in
        ask("characteristics") { $0.discoverCharacteristics(nil, for: service) }
      }
    case 15...19: withCharacteristic(use)
    case 20: ask("rssi") { $0.readRSSI() }
    case 21: ask("channel") { [psm = pick(psms)] in $0.openL2CAPChannel(psm) }
    case 22: sendOnChannel()
    case 23: phone.person = pick([.waits, .pairs(), .pairs(passkey: 123456), .cancels])
    case 24: phone.pairingSheet?.type(123456)
    case 25: actAsAccessory()
    case 26: actAsSystem()
    case 27: with(phone.bonded) { phone.forget($0) }
    case 28: accessory.arm((try? accessory.profile.loadFault(faults.draw(), number: 1)).map { [$0] } ?? [])
    default: accessory.disarm()
    }
  }

  private func use(_ characteristic: CBCharacteristic) {
    switch random.upTo(6) {
    case 0, 1: peripheral?.readValue(for: characteristic)
    case 2: ask("write") { [octets] in $0.writeValue(octets, for: characteristic, type: .withResponse) }
    case 3: peripheral?.writeValue(octets, for: characteristic, type: .withoutResponse)
    case 4: ask("notifying") { [isOn = random.upTo(2) > 0] in $0.setNotifyValue(isOn, for: characteristic) }
    case 5: ask("descriptors") { $0.discoverDescriptors(for: characteristic) }
    default: with(characteristic.descriptors) { descriptor in ask("descriptor") { $0.readValue(for: descriptor) } }
    }
  }

  private func sendOnChannel() {
    guard let output = recorder.channel?.outputStream else { return }
    if output.streamStatus == .notOpen { output.open() }
    let octets = [UInt8](octets)
    if random.upTo(5) == 0 { output.close() } else { _ = output.write(octets, maxLength: octets.count) }
  }

  private func actAsAccessory() {
    switch random.upTo(4) {
    case 0: try? accessory.disconnect()
    case 1: try? accessory.simulated.perform(.rotateIdentity)
    case 2: try? accessory.setAsleep(random.upTo(1) == 0)
    case 3: air.isReachable.toggle()
    default: with(accessory.advertising) { try? accessory.advertise($0, false) }
    }
  }

  private func actAsSystem() {
    switch random.upTo(9) {
    case 0: phone.isBluetoothOn.toggle()
    case 1: phone.resetBluetooth()
    case 2: phone.moveToBackground(app)
    case 3: phone.terminate(app)
    case 4: phone.forceQuit(app)
    case 5: phone.sharesNotifications.toggle()
    case 6: _ = try? phone.notify(title: "Title")
    case 7: phone.nowPlaying = NowPlaying([MediaTrack("Title")], isPlaying: random.upTo(1) == 0)
    case 8: with(phone.bonded) { phone.setSharesNotifications(random.upTo(1) == 0, with: $0) }
    default: phone.open(app)
    }
  }

  /// Ends faults and interference, answers open questions, and gives everything time to finish.
  func settle() {
    accessory.disarm()
    air.isReachable = true
    phone.person = .cancels
    phone.pairingSheet?.cancel()
    phone.isBluetoothOn = true
    phone.open(app)
    air.advance(by: .seconds(90))
  }

  /// Releases the app's manager.
  func close() {
    recorder.close()
    recorder.forgetPeripherals()
    air.advance(by: .seconds(20))
  }

  /// Whether the link has lasted longer than any request may take (Core 5.4 Vol 3 Part F 3.3.3).
  var hasLastingLink: Bool { peripheral?.state == .connected && air.now - connectedAt > .seconds(60) }

  var connections: Int { accessory.connections }

  // MARK: - Drawing

  private var peripheral: CBPeripheral? { recorder.peripheral }

  private var octets: Data {
    Data((0..<pick([0, 1, 2, 19, 20, 100, 512, 600])).map { _ in UInt8(random.upTo(255)) })
  }

  private var connectOptions: [String: Any] {
    [
      CBConnectPeripheralOptionEnableAutoReconnect: random.upTo(2) == 0,
      CBConnectPeripheralOptionRequiresANCS: random.upTo(4) == 0,
      CBConnectPeripheralOptionStartDelayKey: pick([0, 0, 3]),
    ]
  }

  /// Makes a request, and expects its callback if the API accepts it.
  private func ask(_ callback: String, _ request: (CBPeripheral) -> Void) {
    guard let peripheral else { return }
    let before = app.misuses.count
    request(peripheral)
    if app.misuses.count == before { pending[callback, default: 0] += 1 }
  }

  private func withCharacteristic(_ body: (CBCharacteristic) -> Void) {
    with(peripheral?.services?.flatMap { $0.characteristics ?? [] }, body)
  }

  private func with<Element>(_ elements: [Element]?, _ body: (Element) -> Void) {
    if let elements, !elements.isEmpty { body(pick(elements)) }
  }

  private func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int(random.upTo(UInt64(elements.count - 1)))]
  }
}
