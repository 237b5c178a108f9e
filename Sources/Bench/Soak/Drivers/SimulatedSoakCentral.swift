import BLECore
import CentralHost
import Simulation
import VirtualRadio

/// A central of the soak on a virtual controller.
final class SimulatedSoakCentral: RadioParticipant {
  let controller: ControllerID
  private(set) var player: SoakCentral
  private var out = CentralOutput()

  init(_ player: SoakCentral, on controller: ControllerID) {
    self.player = player
    self.controller = controller
  }

  func start(at now: Instant) { player.start(at: now, into: &out) }

  /// Does something with the central that is not for its host to do.
  func change<Result>(_ body: (inout SoakCentral, inout CentralOutput) -> Result) -> Result { body(&player, &out) }

  var nextDeadline: Instant? { player.nextDeadline }

  func receive(_ octets: Span<UInt8>, at now: Instant) { player.receive(octets, at: now, into: &out) }

  func reach(_ now: Instant) { player.reach(now, into: &out) }

  func drain(into buffer: inout OctetBuffer) {
    out.octets.withSpan { buffer.append($0) }
    out.octets.removeAll()
  }
}
