import BLEATT
import BLECore
import BLEGATT
import BLELink
import Simulation
import UnderstudyTesting

/// Records the observations of a run: the reads of characteristics by each kind of central, and the beginnings and ends of states.
struct SightingRecorder {
  private(set) var sightings = Sightings()
  private var state: (name: String, since: Instant, isHeld: Bool)?
  /// How long a state must last to count as held.
  private static let held = Duration.seconds(60)

  init(_ stage: SwarmStage) {
    if let first = stage.accessory.state { enter(first, on: stage) }
  }

  mutating func look(at events: [HostEvent], on stage: SwarmStage) {
    // A restart of the process does not count as leaving a state.
    if events.contains(where: { if case .controllerReady = $0 { true } else { false } }) {
      state = nil
      if let first = stage.accessory.state { enter(first, on: stage) }
      return
    }
    for event in stage.newEvents where event.name == "state" {
      guard let next = event["state"]?.string else { continue }
      if let state { note(Sighting(.left, state.name), on: stage) }
      enter(next, on: stage)
    }
    if let state, !state.isHeld, stage.simulation.now - state.since >= Self.held {
      self.state?.isHeld = true
      note(Sighting(.held, state.name), on: stage)
    }
    let database = stage.accessory.simulated.stack.server.database
    for central in stage.clients {
      for answer in central.answered {
        guard case .read(let handle) = answer.operation, let id = database.id(of: handle) else { continue }
        note(Sighting(.read, id, by: central.kindName), on: stage)
      }
      for refusal in central.refused {
        guard case .read(let handle) = refusal.operation, let id = database.id(of: handle) else { continue }
        note(Sighting(.refused, id, by: central.kindName, error: "\(refusal.error)"), on: stage)
      }
    }
  }

  private mutating func enter(_ name: String, on stage: SwarmStage) {
    state = (name, stage.simulation.now, false)
    note(Sighting(.entered, name), on: stage)
  }

  private mutating func note(_ sighting: Sighting, on stage: SwarmStage) {
    sightings.add(sighting, seed: stage.plan.seed)
  }
}

extension AttributeDatabase {
  /// Returns the id of the characteristic whose value has this handle.
  func id(of handle: UInt16) -> String? { characteristics.first { $0.value == handle }?.definition.id }
}
