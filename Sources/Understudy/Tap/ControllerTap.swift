import BLECore
import BLEHCI
import Capture
import Transport

/// Taps the line between a host and its controller: passes every octet on unchanged, in both directions, and reports the packets in them.
///
/// If others connect to an end (`tcp-server:`), they may disconnect and connect again as often as they like.
/// Then the other end is reconnected too, so that each side sees the same of the other as without a tap. If
/// neither end can be connected to, the tap ends when a line does.
package actor ControllerTap {
  /// An end of the tap.
  package enum End: Int, Hashable, Sendable, CaseIterable {
    case host, controller

    var other: End { self == .host ? .controller : .host }
  }

  /// What the tap reports.
  package enum Event: Sendable {
    /// A packet was passed on; with its H4 type first, and the time since 1970-01-01 00:00 UTC.
    case packet(CapturedPacket.Direction, [UInt8], sinceEpoch: Duration)
    /// The tap waits for a connection at that address.
    case waiting(End, place: String)
    /// Both ends are connected, and octets are passed on from now on.
    case joined
    /// The line of an end has closed.
    case parted(End, reason: String?)
    /// An end could not be opened.
    case refused(End, TransportError)
    /// This many octets from an end belonged to no packet. They were passed on all the same.
    case skipped(End, Int)
    /// The tap has ended, because no connection is possible any more.
    case ended
  }

  /// The maximum number of octets queued for an end. Beyond that, the other end is not read.
  static let waitingLimit = 262_144
  /// How long an end may take to read the remaining octets after the other end has closed.
  static let parting = Duration.seconds(1)

  private struct Port {
    var address: ControllerAddress
    var listener: (socket: ListeningSocket, watch: WatchID)?
    var line: Line?
    var watch: WatchID?
    var deframer: H4Deframer
    var isHeld = false

    /// Whether this line is closed and reconnected with that of the other end.
    var isCalled: Bool {
      switch address {
      case .tcpClient, .tcpServer, .unix: true
      default: false
      }
    }
  }

  nonisolated let loop: PollLoop
  private var ports: [Port]
  private let report: @Sendable (Event) -> Void
  private var scratch = OctetBuffer(minimumCapacity: Line.readSize)
  /// Set while one line has closed and the other still has to accept what came from it.
  private var partingTimer: TimerID?
  private var hasEnded = false

  /// The loop, on which the actor runs.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Creates a tap between two addresses. `report` is called on the loop.
  package init(
    host: ControllerAddress, controller: ControllerAddress, loop: PollLoop, report: @escaping @Sendable (Event) -> Void
  ) {
    self.loop = loop
    self.report = report
    ports = [
      Port(address: host, deframer: H4Deframer(side: .controller)),
      Port(address: controller, deframer: H4Deframer(side: .host)),
    ]
  }

  /// Opens both ends, or starts waiting for connections.
  package func start() throws(TransportError) {
    for end in End.allCases {
      guard case .tcpServer = ports[end.rawValue].address else { continue }
      try open(end)
    }
    // Open these now, so that errors appear immediately, even if the other end still waits for a connection.
    for end in End.allCases where !ports[end.rawValue].isCalled { try open(end) }
    try openRest()
  }

  /// Closes both ends.
  package func stop() {
    guard !hasEnded else { return }
    hasEnded = true
    endParting()
    for end in End.allCases {
      close(end)
      if let listener = ports[end.rawValue].listener { loop.unwatch(listener.watch) }
      ports[end.rawValue].listener = nil
    }
    report(.ended)
  }

  // MARK: Opening

  private func open(_ end: End) throws(TransportError) {
    let address = ports[end.rawValue].address
    switch try address.open() {
    case .line(let line): take(line, at: end)
    case .terminal(let terminal):
      report(.waiting(end, place: terminal.link ?? terminal.devicePath))
      take(terminal.line, at: end)
    case .listening(let socket):
      let watch = loop.watch(socket.descriptor, .readable) { [weak self] _ in
        self?.assumeIsolated { $0.accept(end) }
      }
      ports[end.rawValue].listener = (socket, watch)
      report(.waiting(end, place: socket.peerAddress.description))
    }
  }

  private func accept(_ end: End) {
    guard ports[end.rawValue].line == nil, let listener = ports[end.rawValue].listener,
      let line = try? listener.socket.accept()
    else { return }
    // The next connection waits in the kernel's queue.
    loop.setInterest(listener.watch, [])
    take(line, at: end)
    do throws(TransportError) { try openRest() } catch {
      // The error was reported, and the new connection is closed.
    }
  }

  /// Opens the ends that do not wait for a connection, and starts when both ends are connected.
  private func openRest() throws(TransportError) {
    guard !ports.contains(where: { $0.listener != nil && $0.line == nil }) else { return }
    for end in End.allCases where ports[end.rawValue].line == nil {
      do throws(TransportError) { try open(end) } catch {
        report(.refused(end, error))
        finish(from: end)
        throw error
      }
    }
    for end in End.allCases { watch(end) }
    report(.joined)
  }

  private func take(_ line: Line, at end: End) {
    line.pendingLimit = .max
    ports[end.rawValue].line = line
    ports[end.rawValue].deframer.reset()
  }

  private func watch(_ end: End) {
    guard let line = ports[end.rawValue].line, ports[end.rawValue].watch == nil else { return }
    ports[end.rawValue].isHeld = false
    ports[end.rawValue].watch = loop.watch(line.descriptor, .readable) { [weak self] events in
      self?.assumeIsolated { $0.ready(end, events) }
    }
  }

  // MARK: Passing on

  private func ready(_ end: End, _ events: PollEvents) {
    guard let line = ports[end.rawValue].line else { return }
    if events.contains(.writable) { settle(line.flush(), at: end) }
    guard partingTimer == nil, ports[end.rawValue].watch != nil, !events.subtracting(.writable).isEmpty else { return }
    scratch.removeAll()
    switch line.read(into: &scratch) {
    case .octets: pass(from: end)
    case .wouldBlock: break
    case .closed: part(end, nil)
    case .failed(let code): part(end, TransportError.text(ofErrno: code))
    }
  }

  /// Passes on what was read, unchanged, before anything else is done with it.
  private func pass(from end: End) {
    guard let receiver = ports[end.other.rawValue].line else { return }
    settle(receiver.write(scratch), at: end.other)
    tell(from: end)
  }

  /// Handles the outcome of writing to an end.
  private func settle(_ outcome: WriteOutcome, at end: End) {
    switch outcome {
    case .sent:
      if partingTimer != nil { return finish(from: end.other) }
      updateInterest(end, isWriting: false, holdsOther: false)
    case .queued(let count): updateInterest(end, isWriting: true, holdsOther: count > Self.waitingLimit)
    case .overLimit: break
    case .closed: part(end, nil)
    case .failed(let code): part(end, TransportError.text(ofErrno: code))
    }
  }

  private func updateInterest(_ end: End, isWriting: Bool, holdsOther: Bool) {
    ports[end.other.rawValue].isHeld = holdsOther
    let isOtherWriting = ports[end.other.rawValue].line?.hasPending == true
    for (end, writes) in [(end, isWriting), (end.other, isOtherWriting)] {
      guard let watch = ports[end.rawValue].watch else { continue }
      var interest: PollEvents = writes ? .writable : []
      if !ports[end.rawValue].isHeld { interest.insert(.readable) }
      loop.setInterest(watch, interest)
    }
  }

  private func tell(from end: End) {
    let now = loop.now()
    let time = loop.sinceEpoch()
    let direction: CapturedPacket.Direction = end == .host ? .hostToController : .controllerToHost
    let report = report
    // If the rest of a packet is late by this much, octets were lost on the line.
    let isLate = ports[end.rawValue].deframer.advance(to: now)
    scratch.withSpan { octets in
      if isLate { ports[end.rawValue].deframer.push(octets.extracting(0..<0)) { _, _ in } }
      ports[end.rawValue].deframer.push(octets) { type, packet in
        report(
          .packet(direction, [type.rawValue] + packet.withUnsafeBufferPointer { Array($0) }, sinceEpoch: time))
      }
    }
    ports[end.rawValue].deframer.startTimer(at: now)
    let skipped = ports[end.rawValue].deframer.takeSkipped()
    if skipped > 0 { report(.skipped(end, skipped)) }
  }

  // MARK: Closing

  /// Handles the closing of an end's line: the other end gets its remaining octets, and then is closed too.
  private func part(_ end: End, _ reason: String?) {
    guard partingTimer == nil else { return finish(from: end) }
    report(.parted(end, reason: reason))
    close(end)
    guard let watch = ports[end.other.rawValue].watch, ports[end.other.rawValue].line?.hasPending == true else {
      return finish(from: end)
    }
    loop.setInterest(watch, .writable)
    let timer = loop.addTimer { [weak self] in self?.assumeIsolated { $0.finish(from: end) } }
    loop.setTimer(timer, loop.now() + Self.parting)
    partingTimer = timer
  }

  /// Closes both lines, and waits for the next connection, if one is possible.
  private func finish(from end: End) {
    endParting()
    close(end)
    for end in End.allCases { ports[end.rawValue].isCalled ? close(end) : unwatch(end) }
    guard ports.contains(where: { $0.listener != nil }) else { return stop() }
    for end in End.allCases {
      guard let listener = ports[end.rawValue].listener else { continue }
      loop.setInterest(listener.watch, .readable)
      report(.waiting(end, place: listener.socket.peerAddress.description))
    }
  }

  private func endParting() {
    if let partingTimer { loop.removeTimer(partingTimer) }
    partingTimer = nil
  }

  private func unwatch(_ end: End) {
    if let watch = ports[end.rawValue].watch { loop.unwatch(watch) }
    ports[end.rawValue].watch = nil
  }

  private func close(_ end: End) {
    unwatch(end)
    ports[end.rawValue].line?.close()
    ports[end.rawValue].line = nil
  }
}
