import BLECore
import VirtualRadio

/// A host on a controller of a simulated air: whatever takes octets and deadlines and gives octets.
package protocol RadioParticipant: AnyObject {
  /// The controller that it drives.
  var controller: ControllerID { get }
  /// When `advance` has something to do next.
  var nextDeadline: Instant? { get }
  /// Takes octets from the controller.
  func receive(_ octets: Span<UInt8>, at now: Instant)
  /// Does what is due at `now`.
  func advance(to now: Instant)
  /// Appends the octets for the controller to `buffer`, and forgets them.
  func drain(into buffer: inout OctetBuffer)
}

/// An air and the hosts on it, under virtual time: nothing waits for a clock, and the same calls give the same octets.
///
/// ```swift
/// let simulation = RadioSimulation(seed: 7)
/// let belt = try simulation.addAccessory(configuration, application: application)
/// let phone = try simulation.addCentral()
/// try belt.start()
/// try phone.start()
/// let link = try phone.connect(to: phone.find(name: "Belt").address)
/// ```
package final class RadioSimulation {
  /// The air, for distances, losses and what was said on it.
  package let air: Air
  /// The hosts, in the order in which they came.
  package private(set) var participants: [any RadioParticipant] = []
  /// The hosts by their controllers.
  private var places: [ControllerID: any RadioParticipant] = [:]
  private var octets = OctetBuffer(minimumCapacity: 16 * 1024)

  /// A simulation on an air of that configuration.
  package init(_ configuration: AirConfiguration) { air = Air(configuration: configuration) }

  /// A simulation on an air with that seed.
  package convenience init(seed: UInt64 = 1) { self.init(AirConfiguration(seed: seed)) }

  /// The time.
  package var now: Instant { air.now }

  /// The randomness of a host, which follows from the seed of the air.
  func random(for host: ControllerID) -> SplitMix64 {
    SplitMix64(seed: air.configuration.seed, stream: UInt64(host.rawValue)).generator(for: "host")
  }

  /// Adds a host whose controller is on this air.
  package func add(_ participant: any RadioParticipant) {
    participants.append(participant)
    places[participant.controller] = participant
  }

  /// Puts somebody between a host and its controller.
  package func interpose(_ participant: any RadioParticipant, before host: any RadioParticipant) {
    for index in participants.indices where participants[index] === host { participants[index] = participant }
    places[host.controller] = participant
  }

  /// Takes a host and its controller away, as by pulling the plug: its peers notice by their supervision timeouts.
  package func remove(_ participant: any RadioParticipant) {
    participants.removeAll { $0 === participant }
    places[participant.controller] = nil
    air.removeController(participant.controller)
  }

  /// Hands octets on until everybody is quiet.
  package func exchange() {
    var isQuiet = false
    while !isQuiet {
      isQuiet = true
      for participant in participants {
        participant.drain(into: &octets)
        guard !octets.isEmpty else { continue }
        isQuiet = false
        octets.withSpan { air.receive($0, from: participant.controller, at: air.now) }
        octets.removeAll()
      }
      for controller in air.controllersWithOutput {
        guard let participant = places[controller] else { continue }
        isQuiet = false
        air.drain(controller, into: &octets)
        octets.withSpan { participant.receive($0, at: air.now) }
        octets.removeAll()
      }
    }
  }

  /// When something happens next by itself; nil when nothing will.
  package var nextDeadline: Instant? {
    participants.reduce(air.nextDeadline) { Instant.earliest($0, $1.nextDeadline) }
  }

  private func step(to instant: Instant) {
    air.advance(to: instant)
    exchange()
    for participant in participants {
      guard let deadline = participant.nextDeadline, deadline <= air.now else { continue }
      participant.advance(to: air.now)
    }
    exchange()
  }

  /// Lets that much time pass, event by event.
  package func run(for duration: Duration) {
    let end = air.now + duration
    exchange()
    while let deadline = nextDeadline, deadline <= end { step(to: deadline) }
    step(to: end)
  }

  /// Lets time pass until `condition` holds, at most `limit`; whether it came to hold. Time stands where it began to, or at the
  /// last event before the limit.
  @discardableResult
  package func run(until condition: () -> Bool, limit: Duration = .seconds(10)) -> Bool {
    let end = air.now + limit
    exchange()
    while !condition() {
      guard let deadline = nextDeadline, deadline <= end else { return false }
      step(to: deadline)
    }
    return true
  }
}

/// Why a verb of a simulated host did not do what it says.
package enum SimulationFailure: Error, Sendable {
  /// Nothing came of it within that much virtual time.
  case timedOut(String, after: Duration)
  /// The controller cannot be used.
  case controllerFailed(String)
  /// The controller refused, or the link was not made.
  case refused(String)
}
