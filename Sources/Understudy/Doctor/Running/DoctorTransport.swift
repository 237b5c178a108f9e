import BLECore
import Transport

/// The transport between the doctor and a controller: a line, or a seat on the virtual radio. Owned by one actor.
final class DoctorTransport {
  private enum Medium {
    case line(Line, WatchID)
    case radio(RadioHub, RadioHub.Seat)
  }

  /// The state of the line after reading or writing.
  enum Outcome { case open, closed }

  private let medium: Medium
  private let loop: PollLoop

  /// Creates a transport over a line. `ready` is called on the loop.
  init(_ line: Line, on loop: PollLoop, ready: @escaping @Sendable (PollEvents) -> Void) {
    self.loop = loop
    medium = .line(line, loop.watch(line.descriptor, .readable, isPeer: true, handler: ready))
  }

  /// Creates a transport over a seat of a virtual radio on the same loop.
  init(_ radio: RadioHub, seat: RadioHub.Seat, on loop: PollLoop) {
    self.loop = loop
    medium = .radio(radio, seat)
  }

  /// Sends octets, and appends the immediate answer to `inbox`.
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

  /// Appends what has been received to `inbox`.
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

  /// Turns reading on or off. While it is off, received octets fill the kernel's buffer.
  func setReading(_ isReading: Bool) {
    guard case .line(let line, let watch) = medium else { return }
    loop.setInterest(watch, isReading ? line.interest : line.interest.subtracting(.readable))
  }

  /// Closes the line, or gives up the seat.
  func close() {
    switch medium {
    case .line(let line, let watch):
      loop.unwatch(watch)
      line.close()
    case .radio(let radio, let seat): radio.assumeIsolated { $0.detach(seat) }
    }
  }
}
