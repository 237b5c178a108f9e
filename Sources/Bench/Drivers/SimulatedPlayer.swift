import BLECore
import BLELink
import CentralHost
import Simulation
import VirtualRadio

/// What plays a part in a measurement with a central's host: octets, deadlines and the time go in, octets come out.
package protocol CentralPlayer {
  mutating func start(at now: Instant, into out: inout HostOutput)
  mutating func receive(_ octets: Span<UInt8>, at now: Instant, into out: inout HostOutput)
  mutating func advance(to now: Instant, into out: inout HostOutput)
  var nextDeadline: Instant? { mutating get }
}

extension LadderCentral: CentralPlayer {}

/// A player on a virtual controller.
package final class SimulatedPlayer<Player: CentralPlayer>: RadioParticipant {
  /// The virtual controller that it is on.
  package let controller: ControllerID
  /// What plays.
  package private(set) var player: Player
  private var out = HostOutput()

  /// A player on that controller.
  package init(_ player: Player, on controller: ControllerID) {
    self.player = player
    self.controller = controller
  }

  /// Begins.
  package func start(at now: Instant) { player.start(at: now, into: &out) }

  /// Does something with the player that is not for its host to do.
  package func change<Result>(_ body: (inout Player, inout HostOutput) -> Result) -> Result { body(&player, &out) }

  package var nextDeadline: Instant? { player.nextDeadline }

  package func receive(_ octets: Span<UInt8>, at now: Instant) { player.receive(octets, at: now, into: &out) }

  package func advance(to now: Instant) { player.advance(to: now, into: &out) }

  package func drain(into buffer: inout OctetBuffer) {
    out.octets.withSpan { buffer.append($0) }
    out.octets.removeAll()
  }
}
