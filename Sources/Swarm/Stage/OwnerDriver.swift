import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import PeripheralHost
import Simulation
import Understudy
import UnderstudyTesting
import VirtualRadio

/// Performs the acts of the accessory's owner, and the events of its controller and of the air.
struct OwnerDriver {
  private var steps: ArraySlice<SwarmPlan.Step<OwnerAct>>
  private var due: Instant?
  private var silentUntil: Instant?
  private var snapshot: AccessorySnapshot?
  /// The last bond that was removed or altered, in its earlier state.
  private var savedBond: BondRecord?
  /// The second identities that the owner has given copies of peers' bonds.
  private(set) var addedIdentities: Set<TypedAddress> = []

  init(_ steps: [SwarmPlan.Step<OwnerAct>], at now: Instant) {
    self.steps = steps[...]
    due = steps.first.map { now + $0.pause }
  }

  /// The time of its next act.
  var nextDeadline: Instant? { Instant.earliest(due, silentUntil) }

  /// Stops all acts.
  mutating func stop() { (steps, due, silentUntil) = ([], nil, nil) }

  mutating func turn(at now: Instant, of stage: SwarmStage) {
    if let end = silentUntil, end <= now {
      silentUntil = nil
      stage.air.isReachable = true
    }
    while let time = due, time <= now, let step = steps.popFirst() {
      due = steps.first.map { now + $0.pause }
      stage.note("owner", step.act.text)
      try? perform(step.act, at: now, of: stage)
    }
    if steps.isEmpty { due = nil }
  }

  private mutating func perform(_ act: OwnerAct, at now: Instant, of stage: SwarmStage) throws {
    let host = stage.accessory.simulated
    func characteristic(_ number: Int) -> CharacteristicIndex? {
      host.stack.server.database.characteristics.cycled(number)?.index
    }
    switch act {
    case .set(let number, let octets):
      guard let index = characteristic(number), host.stack.application.behavior(of: index) != nil else { return }
      let id = host.stack.server.database[index].definition.id
      try stage.accessory.set(id, to: .octets(octets))
    case .notify(let number): if let index = characteristic(number) { try host.perform(.notify(index)) }
    case .indicate(let number): if let index = characteristic(number) { try host.perform(.indicate(index)) }
    case .disconnect: try stage.accessory.disconnect()
    case .rotateIdentity: try host.perform(.rotateIdentity)
    case .advertise(let number, let isOn):
      let sets = stage.accessory.profile.advertising.map(\.id)
      if let set = sets.cycled(number) { try stage.accessory.advertise(set, isOn) }
    case .press(let number):
      if let button = host.stack.application.buttons.cycled(number) { try stage.accessory.press(button) }
    case .service, .channel, .sleep, .reset, .clock: try change(act, at: now, of: stage)
    case .askSecurity, .askParameters, .openBearers: try ask(act, of: stage)
    case .alterBond, .removeBond, .importBond: try changeBond(act, of: stage)
    case .suspend(let time): stage.line.freeze(until: now + time)
    case .forgetBonds: for record in host.stack.bonds { try host.perform(.removeBond(record.peer)) }
    case .kill: try stage.kill()
    case .killWithin:
      stage.line.cut(while: { [unowned host] in
        host.events.contains { if case .bondChanged = $0 { true } else { false } }
      })
    case .snapshot: snapshot = stage.accessory.snapshot()
    case .restore:
      guard let snapshot else { return }
      // What has happened to bonds before is stored before.
      stage.collect()
      // `Accessory` stores them before it waits to be on the air again, for which a suspended process waits in vain.
      defer { stage.store.adopt(host.stack.bonds, at: stage.simulation.now) }
      try stage.accessory.restore(snapshot)
    case .arm(let fault): try stage.accessory.arm(fault)
    case .disarm: stage.accessory.disarm()
    case .restartController(let announced):
      stage.simulation.air.restartController(host.controller, announcing: announced ? .nop : .silently)
      stage.exchange()
    case .lose(let percent): stage.air.lose(Double(percent) / 100)
    case .silence(let time):
      silentUntil = now + time
      stage.air.isReachable = false
    case .line(let number, let direction, let fate): stage.line.meet(number, direction, fate)
    case .disk(let isFull): stage.store.disk.setFull(isFull)
    }
  }

  /// Changes the accessory as the control API does.
  private func change(_ act: OwnerAct, at now: Instant, of stage: SwarmStage) throws {
    let (host, profile) = (stage.accessory.simulated, stage.accessory.profile)
    switch act {
    case .service(let number, let isOn):
      guard let id = profile.services.cycled(number)?.id else { return }
      try host.respond { stack, out throws(ControlError) in
        try stack.setService(id, of: profile, isPresent: isOn, at: now, into: &out)
      }
    case .channel(let number, let isOn):
      guard let definition = profile.channels.cycled(number), let channel = definition.published else { return }
      try host.perform(.channel(isOn ? .publish(channel) : .unpublish(channel.psm)))
      host.stack.application.setHandler(isOn ? definition.handler : nil, of: channel.psm)
    case .sleep(let isAsleep): try stage.accessory.setAsleep(isAsleep)
    case .reset(let forgetsBonds):
      let bonds = forgetsBonds ? [] : host.stack.bonds
      host.shutDown()
      stage.air.advance(
        until: { host.events.contains { if case .stopped = $0 { true } else { false } } }, within: .seconds(5))
      stage.store.adopt(bonds, at: stage.simulation.now)
      try stage.accessory.restartProcess(with: bonds)
    case .clock(let shift): host.stack.application.shiftClock(by: shift)
    default: break
    }
    stage.exchange()
  }

  /// Requests something from a central.
  private func ask(_ act: OwnerAct, of stage: SwarmStage) throws {
    let host = stage.accessory.simulated
    func link(_ number: Int) -> ConnectionHandle? { host.stack.linkStates.cycled(number)?.handle }
    switch act {
    case .askSecurity(let number): if let link = link(number) { try host.perform(.pair(link)) }
    case .askParameters(let number):
      guard let link = link(number) else { return }
      try host.perform(
        .requestParameters(
          link,
          ConnectionPolicy.ParameterRequest(
            intervals: .milliseconds(15)...(.milliseconds(30 + 15 * (number % 9))), latency: number % 5,
            timeout: .seconds(4), delay: .zero)))
    case .openBearers(let number, let count):
      if let link = link(number) { try host.perform(.openBearers(link, count: count)) }
    default: break
    }
  }

  private mutating func changeBond(_ act: OwnerAct, of stage: SwarmStage) throws {
    let host = stage.accessory.simulated
    switch act {
    case .alterBond(let number, let name):
      guard let record = host.stack.bonds.cycled(number), let alteration = BondAlteration(name, of: record.peer) else {
        return
      }
      savedBond = record
      let altered = try record.altered(alteration)
      try host.perform(.setBond(altered))
      if altered.peer != record.peer { addedIdentities.insert(altered.peer) }
    case .removeBond(let number):
      guard let record = host.stack.bonds.cycled(number) else { return }
      savedBond = record
      try host.perform(.removeBond(record.peer))
    case .importBond: if let savedBond { try host.perform(.setBond(savedBond)) }
    default: break
    }
  }
}
