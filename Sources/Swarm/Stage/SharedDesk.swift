import BLECore
import BLEHCI
import ControllerSharing
import Simulation
import VirtualRadio

/// A controller that several accessories share. Each accessory sees it as its own.
final class SharedDesk: RadioParticipant {
  let controller: ControllerID
  private let hosts: [any RadioParticipant]
  private var shared: SharedController
  private unowned let simulation: RadioSimulation
  private var line = OctetBuffer()

  /// Creates a desk for the controller of the first host. `advertisingSets` has the number of sets that each host needs.
  init(_ hosts: [any RadioParticipant], advertisingSets: [Int], of simulation: RadioSimulation) {
    (self.hosts, self.simulation, controller) = (hosts, simulation, hosts[0].controller)
    shared = SharedController(advertisingSetsNeeded: advertisingSets)
  }

  /// Why the controller cannot be shared; nil if it can.
  var refusal: String? { shared.refusal.map { "\($0)" } }

  var nextDeadline: Instant? { hosts.reduce(shared.nextDeadline) { Instant.earliest($0, $1.nextDeadline) } }

  func receive(_ octets: Span<UInt8>, at now: Instant) {
    shared.receive(octets, at: now, into: &line)
    exchange(at: now)
  }

  func advance(to now: Instant) {
    if let deadline = shared.nextDeadline, deadline <= now { shared.advance(to: now, into: &line) }
    for host in hosts {
      if let deadline = host.nextDeadline, deadline <= now { host.advance(to: now) }
    }
    exchange(at: now)
  }

  func drain(into buffer: inout OctetBuffer) {
    exchange(at: simulation.now)
    line.withSpan { buffer.append($0) }
    line.removeAll()
  }

  /// Passes octets between the hosts and the shared controller until all are quiet.
  private func exchange(at now: Instant) {
    var isQuiet = false
    while !isQuiet {
      isQuiet = true
      for (seat, host) in hosts.enumerated() {
        var octets = OctetBuffer()
        host.drain(into: &octets)
        guard !octets.isEmpty else { continue }
        isQuiet = false
        octets.withSpan { shared.receive($0, from: seat, at: now, into: &line) }
      }
      for seat in shared.seatsWithOutput {
        isQuiet = false
        let octets = shared.takeOctets(for: seat)
        hosts[seat].receive(octets.span, at: now)
      }
    }
  }
}
