import BLECore
import Transport

/// What carries the packets between the doctor and a controller: a line, or a seat of the virtual radio. It belongs to one actor.
final class DoctorTransport {
  private enum Medium {
    case line(Line, WatchID)
    case radio(RadioHub, RadioHub.Seat)
  }

  /// What reading or writing gave.
  enum Outcome { case open, closed }

  private let medium: Medium
  private let loop: PollLoop

  /// An end at a line, whose `ready` is called on the loop.
  init(_ line: Line, on loop: PollLoop, ready: @escaping @Sendable (PollEvents) -> Void) {
    self.loop = loop
    medium = .line(line, loop.watch(line.descriptor, .readable, isPeer: true, handler: ready))
  }

  /// An end at a virtual radio on the same loop, whose `ready` is called on the loop.
  init(_ radio: RadioHub, seat: RadioHub.Seat, on loop: PollLoop) {
    self.loop = loop
    medium = .radio(radio, seat)
  }

  /// Sends octets; appends to `inbox` what comes back at once.
  func send(_ octets: borrowing OctetBuffer, into inbox: inout OctetBuffer) -> Outcome {
    switch medium {
    case .line(let line, let watch):
      let outcome = line.write(octets)
      loop.setInterest(watch, line.interest)
      return switch outcome {
      case .sent, .queued: .open
      case .overLimit, .closed, .failed: .closed
      }
    case .radio(let radio, let seat):
      let copy = octets.copy()
      let now = loop.now()
      inbox.append(radio.assumeIsolated { $0.exchange(copy, from: seat, at: now) })
      return .open
    }
  }

  /// Appends to `inbox` what has come.
  func read(_ events: PollEvents, into inbox: inout OctetBuffer) -> Outcome {
    switch medium {
    case .line(let line, let watch):
      if events.contains(.writable) {
        _ = line.flush()
        loop.setInterest(watch, line.interest)
      }
      return switch line.read(into: &inbox) {
      case .octets, .wouldBlock: .open
      case .closed, .failed: .closed
      }
    case .radio(let radio, let seat):
      inbox.append(radio.assumeIsolated { $0.collect(seat) })
      return .open
    }
  }

  /// Reads on, or leaves what comes to the kernel, whose buffer fills then.
  func setReading(_ isReading: Bool) {
    guard case .line(let line, let watch) = medium else { return }
    loop.setInterest(watch, isReading ? line.interest : line.interest.subtracting(.readable))
  }

  /// Lets it go.
  func close() {
    switch medium {
    case .line(let line, let watch):
      loop.unwatch(watch)
      line.close()
    case .radio(let radio, let seat): radio.assumeIsolated { $0.detach(seat) }
    }
  }
}
