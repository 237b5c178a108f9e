import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import PeripheralHost
import Simulation
import Understudy
import UnderstudyTesting
import VirtualRadio

/// Does what the owner of the accessory asks for, and what befalls its controller and the air.
struct OwnerDriver {
  private var steps: ArraySlice<SwarmPlan.Step<OwnerAct>>
  private var due: Instant?
  private var silentUntil: Instant?
  private var snapshot: AccessorySnapshot?

  init(_ steps: [SwarmPlan.Step<OwnerAct>], at now: Instant) {
    self.steps = steps[...]
    due = steps.first.map { now + $0.pause }
  }

  /// When it has something to do next.
  var nextDeadline: Instant? { Instant.earliest(due, silentUntil) }

  /// Does nothing any more.
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
    case .forgetBonds: for record in host.stack.bonds { try host.perform(.removeBond(record.peer)) }
    case .kill: try stage.accessory.restartProcess(with: stage.store.bondsAfterKill())
    case .snapshot: snapshot = stage.accessory.snapshot()
    case .restore:
      guard let snapshot else { return }
      try stage.accessory.restore(snapshot)
      stage.store.adopt(host.stack.bonds, at: stage.simulation.now)
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
}
