import BLECore
import BLELink
import CentralHost
import Simulation
import VirtualRadio

/// A central's host with its part in a measurement: octets, deadlines and the time go in, octets come out.
package protocol CentralPlayer {
  mutating func start(at now: Instant, into out: inout HostOutput)
  mutating func receive(_ octets: Span<UInt8>, at now: Instant, into out: inout HostOutput)
  mutating func advance(to now: Instant, into out: inout HostOutput)
  var nextDeadline: Instant? { mutating get }
}

extension LadderCentral: CentralPlayer {}

/// A player on a virtual controller.
package final class SimulatedPlayer<Player: CentralPlayer>: RadioParticipant {
  /// The virtual controller of the player.
  package let controller: ControllerID
  package private(set) var player: Player
  private var out = HostOutput()

  /// Creates a player on that controller.
  package init(_ player: Player, on controller: ControllerID) {
    self.player = player
    self.controller = controller
  }

  /// Starts the player.
  package func start(at now: Instant) { player.start(at: now, into: &out) }

  /// Calls a closure with the player, for something other than input to its host.
  package func change<Result>(_ body: (inout Player, inout HostOutput) -> Result) -> Result { body(&player, &out) }

  package var nextDeadline: Instant? { player.nextDeadline }

  package func receive(_ octets: Span<UInt8>, at now: Instant) { player.receive(octets, at: now, into: &out) }

  package func advance(to now: Instant) { player.advance(to: now, into: &out) }

  package func drain(into buffer: inout OctetBuffer) {
    out.octets.withSpan { buffer.append($0) }
    out.octets.removeAll()
  }
}
