import BLECore
import VirtualRadio

/// A host on a controller of a simulated air. It receives octets and time, and produces octets.
package protocol RadioParticipant: AnyObject {
  /// The host's controller.
  var controller: ControllerID { get }
  /// The time at which `advance` next has something to do.
  var nextDeadline: Instant? { get }
  /// Processes octets from the controller.
  func receive(_ octets: Span<UInt8>, at now: Instant)
  /// Does everything that is due at `now`.
  func advance(to now: Instant)
  /// Moves the octets for the controller to the end of `buffer`.
  func drain(into buffer: inout OctetBuffer)
}

/// Lets time pass on a simulation on which several scripts act at the same time.
package protocol Timekeeper: AnyObject {
  /// Returns as soon as `condition` holds, with true, or at `end`, with false.
  func wait(until condition: () -> Bool, before end: Instant) -> Bool
}

/// An air with hosts on it, in virtual time: nothing waits for a clock, and the same calls give the same octets.
///
/// ```swift
/// let simulation = RadioSimulation(seed: 7)
/// let belt = try simulation.addAccessory(configuration, application: application)
/// let phone = try simulation.addCentral()
/// try belt.start()
/// try phone.start()
/// let link = try phone.connect(to: phone.find(name: "Belt").address)
/// ```
package final class RadioSimulation: HostStage {
  /// A host, and what is known about its deadline and output.
  private final class Place {
    var participant: any RadioParticipant
    /// The host's next deadline, as of the last query.
    var deadline: Instant?
    /// Whether the deadline may have changed since then.
    var mayHaveNewDeadline = true
    /// Whether the host may have octets for its controller.
    var mayHaveOutput = true

    init(_ participant: any RadioParticipant) { self.participant = participant }

    func touch() { (mayHaveNewDeadline, mayHaveOutput) = (true, true) }

    func nextDeadline() -> Instant? {
      if mayHaveNewDeadline { (deadline, mayHaveNewDeadline) = (participant.nextDeadline, false) }
      return deadline
    }
  }

  /// The air, for distances, losses and packets.
  package let air: Air
  /// The hosts, in the order in which they were added.
  private var places: [Place] = []
  /// The hosts by controller.
  private var placesByController: [ControllerID: Place] = [:]
  /// The number of hosts added so far, including those that were removed.
  package private(set) var arrivals = 0
  /// Lets time pass in place of the waiting script; nil if there is only one script.
  package weak var timekeeper: (any Timekeeper)?
  /// A closure that is called with all octets between the hosts and their controllers.
  package var tap: ((_ controller: ControllerID, _ octets: Span<UInt8>, _ isSent: Bool, _ now: Instant) -> Void)?
  private var octets = OctetBuffer(minimumCapacity: 16 * 1024)

  /// Creates a simulation on an air with a configuration.
  package init(_ configuration: AirConfiguration) { air = Air(configuration: configuration) }

  /// Creates a simulation on an air with a seed.
  package convenience init(seed: UInt64 = 1) { self.init(AirConfiguration(seed: seed)) }

  /// The virtual time.
  package var now: Instant { air.now }

  /// Returns the random generator of a host, which is derived from the seed of the air.
  func random(for host: ControllerID) -> SplitMix64 {
    SplitMix64(seed: air.configuration.seed, stream: UInt64(host.rawValue)).generator(for: "host")
  }

  /// The hosts, in the order in which they were added.
  package var participants: [any RadioParticipant] { places.map(\.participant) }

  /// Adds a host whose controller is on this air.
  package func add(_ participant: any RadioParticipant) {
    arrivals += 1
    let place = Place(participant)
    places.append(place)
    placesByController[participant.controller] = place
  }

  /// Inserts a participant between a host and its controller.
  package func interpose(_ participant: any RadioParticipant, before host: any RadioParticipant) {
    placesByController[host.controller]?.participant = participant
  }

  /// Removes a host and its controller, as if it were unplugged. Its peers notice that by their supervision timeouts.
  package func remove(_ participant: any RadioParticipant) {
    places.removeAll { $0.participant === participant }
    placesByController[participant.controller] = nil
    air.removeController(participant.controller)
  }

  /// Delivers octets until all hosts are quiet. Call it after anything was done to a host.
  package func exchange() {
    for place in places { place.touch() }
    handOn()
  }

  package func touch(_ host: any RadioParticipant) { placesByController[host.controller]?.touch() }

  private func handOn() {
    var isQuiet = false
    while !isQuiet {
      isQuiet = true
      for place in places where place.mayHaveOutput {
        place.participant.drain(into: &octets)
        place.mayHaveOutput = false
        guard !octets.isEmpty else { continue }
        isQuiet = false
        octets.withSpan {
          tap?(place.participant.controller, $0, true, air.now)
          air.receive($0, from: place.participant.controller, at: air.now)
        }
        octets.removeAll()
      }
      for controller in air.controllersWithOutput {
        guard let place = placesByController[controller] else { continue }
        isQuiet = false
        air.drain(controller, into: &octets)
        octets.withSpan {
          tap?(controller, $0, false, air.now)
          place.participant.receive($0, at: air.now)
        }
        place.touch()
        octets.removeAll()
      }
    }
  }

  /// The time of the next event; nil if there is none. Between two calls of `exchange`, only hosts that received something are asked for
  /// their deadlines.
  package var nextDeadline: Instant? {
    places.reduce(air.nextDeadline) { Instant.earliest($0, $1.nextDeadline()) }
  }

  /// Processes everything that is due at `instant`. Nothing may be due earlier.
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

  /// Lets a time pass, event by event.
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

  /// Lets time pass until `condition` holds, at most `limit`. Returns whether it holds. The time is then that of the event after which it
  /// holds, or of the last event before the limit.
  @discardableResult
  package func run(until condition: () -> Bool, limit: Duration) -> Bool {
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

/// The reason why an operation of a simulated host failed.
package enum SimulationFailure: Error, Sendable {
  /// There was no result within that much virtual time.
  case timedOut(String, after: Duration)
  /// The controller cannot be used.
  case controllerFailed(String)
  /// The controller refused, or no link was established.
  case refused(String)
}
