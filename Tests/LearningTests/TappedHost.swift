import BLECore
import Simulation
import VirtualRadio

/// A host that records its packets.
final class TappedHost: RadioParticipant {
  private let host: any RadioParticipant
  private let tape: LearningAir.Tape
  private var now = Instant(nanoseconds: 0)

  init(_ host: any RadioParticipant, _ tape: LearningAir.Tape) { (self.host, self.tape) = (host, tape) }

  var controller: ControllerID { host.controller }
  var nextDeadline: Instant? { host.nextDeadline }

  func receive(_ octets: Span<UInt8>, at now: Instant) {
    self.now = now
    tape.take(octets, isSent: false, at: now)
    host.receive(octets, at: now)
  }

  func advance(to now: Instant) {
    self.now = now
    host.advance(to: now)
  }

  func drain(into buffer: inout OctetBuffer) {
    var own = OctetBuffer()
    host.drain(into: &own)
    own.withSpan {
      if $0.count > 0 { tape.take($0, isSent: true, at: now) }
      buffer.append($0)
    }
  }
}
