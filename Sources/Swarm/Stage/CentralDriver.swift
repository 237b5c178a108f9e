import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import CentralHost
import Simulation
import UnderstudyTesting
import VirtualRadio

/// A central of the swarm: does one step after the other when its time has come, and does not wait for what comes of it.
final class CentralDriver {
  let kind: CentralKind
  let name: String
  let host: ScriptedCentral
  /// What has happened since the judges last looked.
  var fresh: [HostEvent] = []
  /// What it has found out about stored records.
  private var records = RecordCount()
  /// Whether it has sent PDUs that its own client does not know of.
  private(set) var hasSentByHand = false
  private let accessory: TestAccessory
  private var steps: ArraySlice<SwarmPlan.Step<CentralAct>>
  private(set) var due: Instant?
  private var isSeeking = false
  private var heard: Advertisement?
  private var channels: [ChannelID] = []
  /// When it is back on the air.
  private var absentUntil: Instant?

  init(_ plan: SwarmPlan.Central, number: Int, on air: TestAir, with accessory: TestAccessory) throws {
    (kind, self.accessory) = (plan.kind, accessory)
    name = "\(plan.kind.rawValue) \(number)"
    steps = plan.steps[...]
    host = try air.radio.addCentral(Self.configuration(plan.kind, number: number))
    due = steps.first.map { air.radio.now + $0.pause }
    host.observer = { [unowned self] events in take(events) }
    try host.start()
  }

  /// The random static address of the central with that number.
  static func address(of number: Int) -> DeviceAddress { .randomStatic(from: 0xCE00 + UInt64(number)) }

  private static func configuration(_ kind: CentralKind, number: Int) -> CentralConfiguration {
    var configuration = CentralConfiguration()
    configuration.randomAddress = address(of: number)
    configuration.security.isPairable = true
    configuration.security.distributes = [.encryption, .identity, .signing]
    configuration.security.wants = [.encryption, .identity, .signing]
    configuration.enhancedBearers = 2
    switch kind {
    case .phone:
      configuration.security.ioCapability = .keyboardDisplay
      configuration.security.prefersAuthentication = true
    case .old: configuration.security.secureConnections = .none
    case .liar: configuration.identityAddress = PeerIdentity(address: address(of: 0), isRandom: true)
    case .plain, .hostile: break
    }
    return configuration
  }

  private func take(_ events: [HostEvent]) {
    for event in events {
      switch event {
      case .advertisement(let advertisement):
        if isSeeking, heard == nil, advertisement.isConnectable, accessory.hasSent(advertisement) {
          heard = advertisement
        }
        continue
      // What an enhanced bearer carries is not for this side to make up.
      case .channel(_, .opened(let status)) where status.psm != .enhancedAttributeProtocol: channels.append(status.id)
      case .channel(_, .closed(let id, _, _, _)): channels.removeAll { $0 == id }
      case .disconnected: (channels, records.current) = ([], nil)
      case .client(_, .notification(let handle, let value)), .client(_, .indication(let handle, let value)):
        recordCame(handle, value)
      default: break
      }
      fresh.append(event)
    }
  }

  // MARK: - Turns

  /// Does what is due. What cannot be done now is left out.
  func turn(at now: Instant, of stage: SwarmStage) {
    if let back = absentUntil, back <= now {
      absentUntil = nil
      stage.setReachable(host, true)
    }
    if let advertisement = heard { connect(to: advertisement) }
    while let time = due, time <= now, let step = steps.popFirst() {
      due = steps.first.map { now + $0.pause }
      stage.note(name, step.act.text)
      try? perform(step.act, at: now, of: stage)
    }
    if steps.isEmpty { due = nil }
    (host.events, host.pushed) = ([], [])
  }

  /// When it has something to do next by itself.
  var nextDeadline: Instant? { Instant.earliest(due, absentUntil) }

  private var link: ConnectionHandle? { host.links.first }

  private func connect(to advertisement: Advertisement) {
    (isSeeking, heard) = (false, nil)
    try? host.perform(.stopScanning)
    let phys: PHYSet = advertisement.primaryPHY == .leCoded ? .leCoded : .le1M
    try? host.perform(
      .connect(
        ConnectionRequest(
          to: advertisement.address, type: advertisement.addressType.deviceType == .random ? .random : .publicDevice,
          phys: phys)))
  }

  /// Ends what it is doing, so that a fresh central has the air for itself.
  func finish(of stage: SwarmStage) {
    (steps, due, isSeeking, heard) = ([], nil, false, nil)
    if absentUntil != nil { stage.setReachable(host, true) }
    absentUntil = nil
    try? host.perform(.stopScanning)
    if host.stack.isConnecting { try? host.perform(.cancelConnecting) }
    for link in host.links { try? host.perform(.disconnect(link, reason: .remoteUserTerminatedConnection)) }
  }

  // MARK: - Acts

  private func perform(_ act: CentralAct, at now: Instant, of stage: SwarmStage) throws {
    if case .connect = act { return try seek() }
    if case .vanish(let time) = act {
      absentUntil = now + time
      return stage.setReachable(host, false)
    }
    if case .forgetBonds = act {
      for bond in host.stack.bonds { try host.perform(.removeBond(bond.peer)) }
      return
    }
    guard let link else { return }
    switch act {
    case .disconnect: try host.perform(.disconnect(link, reason: .remoteUserTerminatedConnection))
    case .exchangeMTU: _ = try host.begin(.exchangeMTU, on: link)
    case .discover: _ = try host.begin(.discoverAll, on: link)
    case .pair, .pairAnew:
      host.user =
        kind == .phone || kind == .old ? .accepts(passkey: accessory.profile.security.pairing.fixedPasskey) : .accepts()
      try host.perform(act == .pair ? .pair(link) : .pairAnew(link))
    case .openBearers(let count): try host.perform(.openBearers(link, count: count))
    case .raw(let channel, let octets):
      hasSentByHand = true
      try host.perform(.sendFrame(link, ChannelID(rawValue: channel), octets))
    case .open, .send, .close: try performOnChannel(act, on: link)
    case .records: try askForRecords(on: link)
    default: try performOnValue(act, on: link)
    }
    stage.exchange()
  }

  private func seek() throws {
    guard link == nil, !isSeeking else { return }
    if host.stack.isConnecting { try host.perform(.cancelConnecting) }
    isSeeking = true
    try host.perform(.scan(ScanRequest(phys: [.le1M, .leCoded])))
  }

  private func performOnChannel(_ act: CentralAct, on link: ConnectionHandle) throws {
    switch act {
    case .open(let number):
      let offered = accessory.simulated.stack.publishedChannels.map(\.psm).filter { $0 != .enhancedAttributeProtocol }
      guard let psm = offered.cycled(number) else { return }
      try host.requestChannel(psm, on: link)
    case .send(let number, let count):
      guard let channel = channels.cycled(number) else { return }
      host.offerSDU([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: count), on: channel, of: link)
    case .close(let number):
      guard let channel = channels.cycled(number) else { return }
      try host.perform(.closeChannel(link, channel))
    default: break
    }
  }

  /// What there is, as the accessory has it: handles are no secret to somebody who has discovered them before.
  private var database: AttributeDatabase { accessory.simulated.stack.server.database }

  private func performOnValue(_ act: CentralAct, on link: ConnectionHandle) throws {
    let operation: GATTOperation? =
      switch act {
      case .read(let number): value(number).map { .read($0) }
      case .write(let number, let octets): value(number).map { .write($0, octets) }
      case .writeCommand(let number, let octets): value(number).map { .writeWithoutResponse($0, octets) }
      case .writeSigned(let number, let octets): value(number).map { .writeSigned($0, octets) }
      case .subscribe(let number, let toIndications):
        configuration(number).map { .write($0, [toIndications ? 2 : 1, 0]) }
      case .unsubscribe(let number): configuration(number).map { .write($0, [0, 0]) }
      default: nil
      }
    if let operation { _ = try host.begin(operation, on: link) }
  }

  private func value(_ number: Int) -> UInt16? { database.characteristics.cycled(number)?.value }

  private func configuration(_ number: Int) -> UInt16? {
    database.attributes.filter { if case .clientConfiguration = $0.role { true } else { false } }.cycled(number)?.handle
  }

  // MARK: - Records

  /// Takes everything that the service of a Record Access Control Point sends, and asks it how many records there are.
  private func askForRecords(on link: ConnectionHandle) throws {
    guard let point = database.characteristics.first(where: { $0.definition.uuid == .recordAccessControlPoint }) else {
      return
    }
    for attribute in database.attributes {
      guard case .clientConfiguration(let index) = attribute.role else { continue }
      let properties = database[index].definition.properties
      let value: [UInt8] = properties.contains(.indicate) ? [2, 0] : [1, 0]
      _ = try host.begin(.write(attribute.handle, value), on: link)
    }
    records.current = RecordCount.Count(point: point.value)
    _ = try host.begin(.write(point.value, [0x04, 0x01]), on: link)
  }

  /// A value came while records are counted (Record Access Control Point in the GATT Specification Supplement).
  private func recordCame(_ handle: UInt16, _ value: [UInt8]) {
    guard let point = records.current?.point, let link else { return }
    guard handle == point else {
      records.current?.came += 1
      return
    }
    switch (value.first, value.count) {
    case (0x05, 4...):
      records.current?.expected = Int(value[2]) | Int(value[3]) << 8
      records.current?.came = 0
      wantsRecords = link
    case (0x06, 4...) where value[2] == 0x01 && value[3] == 0x01: records.end()
    default: records.current = nil
    }
  }

  /// The counts that have ended with success since this was last asked.
  func takeRecordCounts() -> [RecordCount.Count] { records.takeEnded() }

  /// The link on which all records are to be asked for, once the packets under way have been handed on.
  private var wantsRecords: ConnectionHandle?

  /// Asks for all records, after their number has come.
  func followUp() {
    guard let link = wantsRecords, let point = records.current?.point else { return }
    wantsRecords = nil
    _ = try? host.begin(.write(point, [0x01, 0x01]), on: link)
  }
}

/// What a central has counted of stored records.
struct RecordCount {
  struct Count {
    var point: UInt16
    var expected: Int?
    var came = 0
  }

  var current: Count?
  /// The counts that ended with success.
  private(set) var ended: [Count] = []

  mutating func end() {
    if let current, current.expected != nil { ended.append(current) }
    current = nil
  }

  mutating func takeEnded() -> [Count] {
    defer { ended = [] }
    return ended
  }
}

extension BluetoothUUID {
  fileprivate static let recordAccessControlPoint = BluetoothUUID(0x2A52 as UInt16)
}

extension RandomAccessCollection where Index == Int {
  /// The element with that number, counted round and round; nil when there is none.
  func cycled(_ number: Int) -> Element? { isEmpty ? nil : self[startIndex + number % count] }
}
