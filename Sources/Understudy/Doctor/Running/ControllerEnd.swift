import BLECore
import Transport

/// The end of the line to a controller, or a seat of the virtual radio; it belongs to one actor.
final class ControllerEnd {
  private enum Carrier {
    case line(Line, WatchID)
    case radio(RadioHub, RadioHub.Seat)
  }

  /// What reading or writing gave.
  enum Outcome { case open, closed }

  private let carrier: Carrier
  private let loop: PollLoop

  /// An end at a line, whose `ready` is called on the loop.
  init(_ line: Line, on loop: PollLoop, ready: @escaping @Sendable (PollEvents) -> Void) {
    self.loop = loop
    carrier = .line(line, loop.watch(line.descriptor, .readable, isPeer: true, handler: ready))
  }

  /// An end at a virtual radio on the same loop, whose `ready` is called on the loop.
  init(_ radio: RadioHub, seat: RadioHub.Seat, on loop: PollLoop) {
    self.loop = loop
    carrier = .radio(radio, seat)
  }

  /// Sends octets; appends to `inbox` what comes back at once.
  func send(_ octets: borrowing OctetBuffer, into inbox: inout OctetBuffer) -> Outcome {
    switch carrier {
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
    switch carrier {
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
    guard case .line(let line, let watch) = carrier else { return }
    loop.setInterest(watch, isReading ? line.interest : line.interest.subtracting(.readable))
  }

  /// Lets it go.
  func close() {
    switch carrier {
    case .line(let line, let watch):
      loop.unwatch(watch)
      line.close()
    case .radio(let radio, let seat): radio.assumeIsolated { $0.detach(seat) }
    }
  }
}
