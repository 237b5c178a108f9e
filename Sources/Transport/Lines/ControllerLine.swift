import BLECore

/// A line to a central's controller, on the loop of the actor that owns it.
package struct ControllerLine: ~Copyable {
  private let address: ControllerAddress
  private let loop: PollLoop
  private var line: Line?
  private var watch: WatchID?
  private var timer: TimerID?
  /// The octets of the last `read`.
  package private(set) var inbox = OctetBuffer(minimumCapacity: Line.readSize)
  /// Why the line can no longer be used.
  package private(set) var failure: String?

  /// Creates a line that is not open yet.
  package init(_ address: ControllerAddress, loop: PollLoop) {
    self.address = address
    self.loop = loop
  }

  /// Opens the line. `ready` is called for its events, `deadlineReached` for deadlines.
  package mutating func open(
    ready: @escaping @Sendable (PollEvents) -> Void, deadlineReached: @escaping @Sendable () -> Void
  ) throws(TransportError) {
    let line: Line
    switch try address.open() {
    case .line(let opened): line = opened
    case .terminal(let terminal): line = terminal.line
    case .listening:
      throw TransportError(
        kind: .unsupported, what: "cannot use as a central's controller", place: "\(address)",
        why: "a central does not wait for a controller that connects")
    }
    self.line = line
    watch = loop.watch(line.descriptor, .readable, handler: ready)
    timer = loop.addTimer(handler: deadlineReached)
  }

  /// Closes the line.
  package mutating func close() {
    if let watch { loop.unwatch(watch) }
    if let timer { loop.removeTimer(timer) }
    (watch, timer) = (nil, nil)
    line?.close()
    line = nil
  }

  /// Handles an event, and returns whether octets were received.
  package mutating func read(_ events: PollEvents) -> Bool {
    if events.contains(.writable), let line { check(line.flush()) }
    guard let line else { return false }
    inbox.removeAll()
    switch line.read(into: &inbox) {
    case .octets: return true
    case .wouldBlock: break
    case .closed: end("the line to \(address) was closed")
    case .failed(let code): end("\(address): \(TransportError.text(ofErrno: code))")
    }
    return false
  }

  /// Writes and removes the central's octets, and sets the timer to its next deadline.
  package mutating func finishInput(_ octets: inout OctetBuffer, nextDeadline: Instant?) {
    if let line, !octets.isEmpty { check(line.write(octets)) }
    octets.removeAll()
    if let timer { loop.setTimer(timer, nextDeadline) }
  }

  private mutating func check(_ outcome: WriteOutcome) {
    switch outcome {
    case .sent, .queued: if let line, let watch { loop.setInterest(watch, line.interest) }
    case .overLimit: end("\(address) accepts no more octets")
    case .closed: end("the line to \(address) was closed")
    case .failed(let code): end("\(address): \(TransportError.text(ofErrno: code))")
    }
  }

  private mutating func end(_ reason: String) {
    failure = reason
    close()
  }
}
