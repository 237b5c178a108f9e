import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import Faults
import PeripheralHost
import Simulation
import UnderstudyCore
import VirtualRadio

/// An accessory on a `TestAir`. It has the same host and the same runtime of the profile as `understudy run`.
public final class TestAccessory: TestParticipant {
  /// The accessory's profile.
  public let profile: Profile
  let host: SimulatedAccessory<ProfileRuntime>
  private let configuration: HostConfiguration

  /// The time of day at the start of virtual time. It is fixed so that tests do not depend on today's date.
  package static let clock = WallClock(nanosecondsAtZero: 1_767_225_600_000_000_000)

  init(
    _ profile: Profile, name: String, faults: [Fault], controller: ControllerConfiguration? = nil, on air: TestAir
  ) throws {
    let simulation = air.simulation
    // `understudy run` also does this before an accessory starts.
    var random = SplitMix64(seed: air.seed).generator(for: name)
    let profile = profile.assigningPSMs(random: &random)
    configuration = air.configuration(of: profile)
    let host = try simulation.addAccessory(
      configuration,
      application: ProfileRuntime(profile: profile, seed: air.seed, clock: Self.clock, startingAt: simulation.now),
      on: controller ?? (profile.classic == nil ? .full : .dual))
    air.join(host)
    host.stack.watchInterval = .seconds(1)
    (host.stack.reportsAccess, host.stack.application.reportsChanges) = (true, true)
    host.user = .accepts(passkey: profile.security.pairing.fixedPasskey)
    (self.profile, self.host) = (profile, host)
    super.init(name, Journal(name, air.transcript), on: air)
    let player = RulePlayer(profile)
    host.observer = { [journal, unowned host, unowned simulation] events in
      for event in events where !event.isEndOfDiscovery {
        journal.take(Self.described(event, by: &host.stack), at: simulation.now)
      }
      for report in host.stack.application.takeRuleReports() {
        journal.take(Self.described(report, by: host.stack), at: simulation.now)
      }
      player.follow(events, of: host, at: simulation.now)
    }
    arm(profile.faults + faults)
    try host.start()
  }

  /// Returns the fields of an event that every observer gets, without the time of day.
  private static func described(_ event: HostEvent, by stack: inout HostStack<ProfileRuntime>) -> ProfileValue {
    let index = event.characteristic
    let name = index.map { index in
      let definition = stack.server.database[index].definition
      return CharacteristicName(id: definition.id, uuid: definition.uuid)
    }
    if case .channel(let link, .closed(let id, _, _, _)) = event {
      return .event(event.described, nil, stack.application.takeSink(of: id, on: link.client)?.json)
    }
    let value = index.flatMap { index in event.octets.map { stack.application.decode($0, of: index) } }
    return .event(event.described, name, value)
  }

  /// Returns a report of the rules in the same way.
  private static func described(_ report: RuleReport, by stack: HostStack<ProfileRuntime>) -> ProfileValue {
    guard case .changed(let index, let octets) = report else { return .event(report.described) }
    let definition = stack.server.database[index].definition
    return .event(
      report.described, CharacteristicName(id: definition.id, uuid: definition.uuid),
      stack.application.decode(octets, of: index))
  }

  // MARK: - Values

  /// Returns the present value of a characteristic in its format.
  public func value(of characteristic: String) throws -> ProfileValue {
    host.stack.application.decode(try octets(of: characteristic), of: try index(of: characteristic))
  }

  /// Returns the present octets of a characteristic.
  public func octets(of characteristic: String) throws -> [UInt8] {
    host.stack.value(of: try index(of: characteristic), at: air.simulation.now) ?? []
  }

  /// Decodes octets in a characteristic's format.
  package func decode(_ octets: [UInt8], of characteristic: String) throws -> ProfileValue {
    host.stack.application.decode(octets, of: try index(of: characteristic))
  }

  /// Sets a characteristic to a value in its format. The value is sent to subscribers if the profile says so.
  public func set(_ characteristic: String, to value: ProfileValue) throws {
    let index = try index(of: characteristic)
    try act { application, now throws(ProfileValueError) in try application.set(index, to: value, at: now) }
  }

  /// Sends the present value of a characteristic to all clients that are subscribed to notifications of it.
  public func notify(_ characteristic: String) throws { try host.perform(.notify(try index(of: characteristic))) }

  /// Sends the present value of a characteristic to all clients that are subscribed to indications of it.
  public func indicate(_ characteristic: String) throws { try host.perform(.indicate(try index(of: characteristic))) }

  /// Executes `code` for each write of a characteristic, like `Accessory.onWrite` in `Understudy`. If the code accepts the write, the rules
  /// of the profile apply next. nil removes the code.
  public func onWrite(_ characteristic: String, _ code: WriteDecision.Code?) throws {
    let index = try index(of: characteristic)
    guard host.stack.server.database[index].belongsToApplication else {
      throw failure(
        "\(characteristic) belongs to the host itself, which answers its writes: choose one of the profile's")
    }
    host.stack.application.setCode(code, of: index)
  }

  // MARK: - The device

  /// Presses a button of the profile's rules.
  public func press(_ button: String) throws {
    try act { application, now throws(ProfileValueError) in try application.press(button, at: now) }
  }

  /// Puts the accessory to sleep, or wakes it up.
  package func setAsleep(_ isAsleep: Bool) throws {
    try act { application, now throws(ProfileValueError) in application.setAsleep(isAsleep, at: now) }
  }

  /// The name of the current state; nil if the profile has none.
  public var state: String? { host.stack.application.stateName }

  /// The number of connected centrals.
  public var connections: Int { host.stack.linkStates.count }

  /// The active advertising sets.
  public var advertising: [String] { host.stack.activeSets }

  /// Starts or stops an advertising set.
  public func advertise(_ set: String, _ isOn: Bool) throws { try host.perform(.advertise(set: set, isOn: isOn)) }

  /// Disconnects all centrals.
  public func disconnect(reason: ErrorCode = .remoteUserTerminatedConnection) throws {
    for link in host.stack.linkStates { try host.perform(.disconnect(link.handle, reason: reason)) }
  }

  // MARK: - Snapshots

  /// Returns the present state of the accessory, for `restore`.
  public func snapshot() -> AccessorySnapshot {
    AccessorySnapshot(of: host.stack, profile, at: air.simulation.now)
  }

  /// Disconnects all centrals and restores the accessory's state from its snapshot. Generators, timelines and delays continue from there.
  /// Waits until the accessory advertises again.
  public func restore(_ snapshot: AccessorySnapshot) throws {
    try disconnect()
    guard air.advance(until: { connections == 0 }, within: .seconds(10)) else {
      throw failure("the links of \(name) did not end")
    }
    let (present, now, known) = (host.stack.bonds, air.simulation.now, host.events.count)
    try host.restart(
      configuration,
      application: runtime(startingAt: now)
    ) { $0.resume(snapshot, of: configuration, present: present, at: now) }
    let isReady = air.advance(
      until: {
        host.events[known...].contains { if case .advertisingReady = $0 { true } else { false } }
      }, within: .seconds(10))
    guard isReady else { throw failure("\(name) did not start advertising again") }
  }

  /// Restarts the accessory, as if its process was killed and started again: its controller keeps its state, and the host keeps only these
  /// bonds. Does not wait until the accessory advertises.
  package func restartProcess(with bonds: [BondRecord]) throws {
    try host.restart(
      configuration,
      application: runtime(startingAt: air.simulation.now)
    ) { $0.bonds = bonds }
  }

  /// Returns a runtime in its first state, with the test's code for writes.
  private func runtime(startingAt now: Instant) -> ProfileRuntime {
    var runtime = ProfileRuntime(profile: profile, seed: air.seed, clock: Self.clock, startingAt: now)
    runtime.writeCode = host.stack.application.writeCode
    runtime.reportsChanges = true
    return runtime
  }

  // MARK: - Faults

  /// Arms further faults.
  public func arm(_ faults: [Fault]) {
    host.stack.arm(faults, of: configuration, channels: profile.psms, at: air.simulation.now)
    // Let immediate faults fire now.
    air.advance(by: .zero)
    if faults.contains(where: { $0.occasion == .elapsed(.zero) }) { air.advance(by: .milliseconds(1)) }
  }

  /// Arms a fault in the notation of profiles and of `--fault`: `on: { read: level }, do: ignore`.
  public func arm(_ fault: String) throws {
    let number = host.stack.faultStates.count + 1
    do { arm([try profile.loadFault(fault, number: number)]) } catch {
      throw failure("this is not a fault: \(error.message)")
    }
  }

  /// Disarms the fault with this id, or all faults. Returns whether there were any.
  @discardableResult
  public func disarm(_ id: String? = nil) -> Bool { host.stack.disarm(id) > 0 }

  // MARK: - Inside

  /// Returns whether the accessory sent an advertisement, from any of its addresses.
  package func hasSent(_ advertisement: Advertisement) -> Bool {
    advertisement.address == host.stack.address
      || air.simulation.air.isAdvertising(host.controller, as: advertisement.address)
  }

  /// Returns the index of the characteristic with that id or UUID.
  func index(of name: String) throws -> CharacteristicIndex { try record(of: name).index }

  /// Returns the handle of a characteristic's value.
  func handle(of name: String) throws -> UInt16 { try record(of: name).value }

  private func record(of name: String) throws -> CharacteristicRecord {
    guard let record = host.stack.server.database.characteristic(named: name) else {
      throw failure("\(self.name) has no characteristic \(name) at the moment")
    }
    return record
  }

  private func act(
    _ body: (inout ProfileRuntime, Instant) throws(ProfileValueError) -> [ApplicationAction]
  ) throws {
    let actions: [ApplicationAction]
    do throws(ProfileValueError) {
      actions = try body(&host.stack.application, air.simulation.now)
    } catch {
      throw failure(error.message)
    }
    try host.perform(.perform(actions))
  }

  /// The host, for direct access.
  package var simulated: SimulatedAccessory<ProfileRuntime> { host }
}
