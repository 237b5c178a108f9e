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

/// Who lets time pass on a simulation on which several scripts act at the same time.
package protocol Timekeeper: AnyObject {
  /// Returns as soon as `condition` holds, or at `end`; whether it came to hold.
  func wait(until condition: () -> Bool, before end: Instant) -> Bool
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
  /// A host, and what has to be asked of it.
  private final class Place {
    var participant: any RadioParticipant
    /// When it has something to do next, as of when it was last asked.
    var deadline: Instant?
    /// Whether its deadline may be another one since.
    var mayHaveNewDeadline = true
    /// Whether it may have octets for its controller.
    var mayHaveOutput = true

    init(_ participant: any RadioParticipant) { self.participant = participant }

    func touch() { (mayHaveNewDeadline, mayHaveOutput) = (true, true) }

    func nextDeadline() -> Instant? {
      if mayHaveNewDeadline { (deadline, mayHaveNewDeadline) = (participant.nextDeadline, false) }
      return deadline
    }
  }

  /// The air, for distances, losses and what was said on it.
  package let air: Air
  /// The hosts, in the order in which they came.
  private var places: [Place] = []
  /// The hosts by their controllers.
  private var placesByController: [ControllerID: Place] = [:]
  /// How many hosts have come so far, including those that have left.
  package private(set) var arrivals = 0
  /// Lets time pass instead of whoever waits; nil where one script alone acts.
  package weak var timekeeper: (any Timekeeper)?
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

  /// The hosts, in the order in which they came.
  package var participants: [any RadioParticipant] { places.map(\.participant) }

  /// Adds a host whose controller is on this air.
  package func add(_ participant: any RadioParticipant) {
    arrivals += 1
    let place = Place(participant)
    places.append(place)
    placesByController[participant.controller] = place
  }

  /// Puts somebody between a host and its controller.
  package func interpose(_ participant: any RadioParticipant, before host: any RadioParticipant) {
    placesByController[host.controller]?.participant = participant
  }

  /// Takes a host and its controller away, as by pulling the plug: its peers notice by their supervision timeouts.
  package func remove(_ participant: any RadioParticipant) {
    places.removeAll { $0.participant === participant }
    placesByController[participant.controller] = nil
    air.removeController(participant.controller)
  }

  /// Hands octets on until everybody is quiet, after anything may have been done to any host.
  package func exchange() {
    for place in places { place.touch() }
    handOn()
  }

  private func handOn() {
    var isQuiet = false
    while !isQuiet {
      isQuiet = true
      for place in places where place.mayHaveOutput {
        place.participant.drain(into: &octets)
        place.mayHaveOutput = false
        guard !octets.isEmpty else { continue }
        isQuiet = false
        octets.withSpan { air.receive($0, from: place.participant.controller, at: air.now) }
        octets.removeAll()
      }
      for controller in air.controllersWithOutput {
        guard let place = placesByController[controller] else { continue }
        isQuiet = false
        air.drain(controller, into: &octets)
        octets.withSpan { place.participant.receive($0, at: air.now) }
        place.touch()
        octets.removeAll()
      }
    }
  }

  /// When something happens next by itself; nil when nothing will. Between two calls of `exchange` that follows from what the hosts
  /// were given: none is asked that was given nothing.
  package var nextDeadline: Instant? {
    places.reduce(air.nextDeadline) { Instant.earliest($0, $1.nextDeadline()) }
  }

  /// Lets everything happen that is due at `instant`, before which nothing is.
  package func step(to instant: Instant) {
    air.advance(to: instant)
    handOn()
    for place in places {
      guard let deadline = place.nextDeadline(), deadline <= air.now else { continue }
      place.participant.advance(to: air.now)
      place.touch()
    }
    handOn()
  }

  /// Lets that much time pass, event by event.
  package func run(for duration: Duration) {
    let end = air.now + duration
    exchange()
    if let timekeeper {
      _ = timekeeper.wait(until: { false }, before: end)
      return
    }
    while let deadline = nextDeadline, deadline <= end { step(to: deadline) }
    step(to: end)
  }

  /// Lets time pass until `condition` holds, at most `limit`; whether it came to hold. Time stands where it began to, or at the
  /// last event before the limit.
  @discardableResult
  package func run(until condition: () -> Bool, limit: Duration = .seconds(10)) -> Bool {
    let end = air.now + limit
    exchange()
    if let timekeeper { return timekeeper.wait(until: condition, before: end) }
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
