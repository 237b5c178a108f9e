import BLECore
import BLELink
import CentralHost
import Simulation
import VirtualRadio

/// What plays a part in a measurement with a central's host: octets, deadlines and the time go in, octets come out.
protocol CentralPlayer {
  mutating func start(at now: Instant, into out: inout HostOutput)
  mutating func receive(_ octets: Span<UInt8>, at now: Instant, into out: inout HostOutput)
  mutating func advance(to now: Instant, into out: inout HostOutput)
  var nextDeadline: Instant? { mutating get }
}

extension LadderCentral: CentralPlayer {}

extension SoakCentral: CentralPlayer {}

/// A player on a virtual controller.
final class SimulatedPlayer<Player: CentralPlayer>: RadioParticipant {
  let controller: ControllerID
  private(set) var player: Player
  private var out = HostOutput()

  init(_ player: Player, on controller: ControllerID) {
    self.player = player
    self.controller = controller
  }

  func start(at now: Instant) { player.start(at: now, into: &out) }

  /// Does something with the player that is not for its host to do.
  func change<Result>(_ body: (inout Player, inout HostOutput) -> Result) -> Result { body(&player, &out) }

  var nextDeadline: Instant? { player.nextDeadline }

  func receive(_ octets: Span<UInt8>, at now: Instant) { player.receive(octets, at: now, into: &out) }

  func advance(to now: Instant) { player.advance(to: now, into: &out) }

  func drain(into buffer: inout OctetBuffer) {
    out.octets.withSpan { buffer.append($0) }
    out.octets.removeAll()
  }
}
