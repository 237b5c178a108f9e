import BLECore
import BLEHCI
import Capture
import Glibc
import Transport
import VirtualRadio

/// Hosts that join the radio from outside. Each gets a controller of its own.
extension RadioHub {
  /// Opens a TCP port at which hosts can join; 0 for any free one. Returns the port.
  ///
  /// When a host disconnects, its controller is removed, as if it were unplugged.
  public func openPort(
    host: String = ControllerAddress.loopback, port: UInt16 = 0, configuration: ControllerConfiguration? = nil
  ) throws(TransportError) -> UInt16 {
    let socket = try ListeningSocket.tcp(host: host, port: port)
    listen(at: socket, "tcp", configuration)
    return socket.port
  }

  /// Opens a Unix socket at which hosts can join, as at a TCP port.
  public func openSocket(path: String, configuration: ControllerConfiguration? = nil) throws(TransportError) {
    listen(at: try ListeningSocket.unix(path: path), "unix", configuration)
  }

  /// Creates a pseudo-terminal with a controller behind it, and optionally a symbolic link to it. Returns its path.
  ///
  /// The controller exists from the beginning, and stays when a host closes the terminal, as a board would.
  /// What it sends meanwhile is lost.
  public func openTerminal(
    link: String? = nil, configuration: ControllerConfiguration? = nil
  ) throws(TransportError) -> String {
    let visits = try terminalVisits()
    let terminal = try PseudoTerminal.open(link: link, hangsUp: true)
    let address = ControllerAddress.serial(SerialSettings(path: link ?? terminal.devicePath))
    let visit = try visits.add(terminal)
    let (id, name) = try addController("pty", configuration, at: address.description)
    enroll(id, RadioMember(name: name, place: address.description, host: .terminal(terminal, visit, nil)))
    flush()
    // A program may already have been waiting for the link.
    meet(id)
    return terminal.devicePath
  }

  /// The addresses at which hosts can join, in the syntax that they use: `tcp-client:127.0.0.1:7001`,
  /// `unix:/run/radio`, `serial:/dev/pts/3`.
  public var addresses: [String] {
    listeners.map(\.address.description)
      + air.controllerIDs.compactMap { id in
        if let member = members[id], case .terminal = member.host { member.place } else { nil }
      }
  }

  /// The TCP ports at which hosts can join.
  public var ports: [UInt16] {
    listeners.compactMap { if case .tcpClient(_, let port) = $0.address { port } else { nil } }
  }

  // MARK: - Connections

  private func listen(at socket: ListeningSocket, _ kind: String, _ configuration: ControllerConfiguration?) {
    let watch = loop.watch(socket.descriptor, .readable) { [weak self] _ in
      self?.assumeIsolated { $0.admit(from: socket, kind, configuration) }
    }
    listeners.append(RadioListener(watch: watch, socket: socket))
  }

  private func admit(from socket: ListeningSocket, _ kind: String, _ configuration: ControllerConfiguration?) {
    let place = socket.peerAddress.description
    while let line = nextLine(from: socket) {
      if hostCount >= Self.hostLimit { dropOldestSilentLine() }
      guard let (id, name) = try? addController(kind, configuration, at: place) else {
        line.close()
        emit(.turnedAway(place: place))
        continue
      }
      enroll(
        id,
        RadioMember(
          name: name, place: place, host: .line(line, watch(line, of: id)), opening: H4Opening(side: .controller)))
      emit(.joined(name: name, place: place))
    }
    flush()
  }

  /// Returns the next connection to a socket. If there is no file descriptor for it, one silent connection is
  /// dropped; if that does not help, the socket pauses.
  private func nextLine(from socket: ListeningSocket) -> Line? {
    var mayDrop = true
    while true {
      do throws(TransportError) {
        let line = try socket.accept(leavingReserve: true)
        if line != nil { resumeListening(at: socket.peerAddress) }
        return line
      } catch {
        guard error.kind == .exhausted else { return nil }
        guard mayDrop, dropOldestSilentLine() else {
          pauseListening(at: socket.peerAddress)
          return nil
        }
        mayDrop = false
      }
    }
  }

  /// Drops the oldest connection that has not yet sent H4, to make room. Returns false if there is none.
  @discardableResult
  private func dropOldestSilentLine() -> Bool {
    guard let id = air.controllerIDs.first(where: { isSilent($0) }) else { return false }
    refuse(id, .silent)
    return true
  }

  /// Returns whether a connection has sent nothing, including octets that are not read yet.
  private func isSilent(_ id: ControllerID) -> Bool {
    guard let member = members[id], member.opening != nil, let (line, _) = member.line else { return false }
    var entry = pollfd(fd: line.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 0
  }

  // MARK: - Paused sockets

  private static var pause: Duration { .seconds(1) }

  private func pauseListening(at address: ControllerAddress) {
    guard let index = listeners.firstIndex(where: { $0.address == address }) else { return }
    loop.setInterest(listeners[index].watch, [])
    if !listeners[index].isPaused { emit(.listeningPaused(place: address.description)) }
    listeners[index].isPaused = true
    let timer = retryTimer ?? loop.addTimer { [weak self] in self?.assumeIsolated { $0.listenAgain() } }
    retryTimer = timer
    loop.setTimer(timer, loop.now() + Self.pause)
  }

  private func listenAgain() {
    for listener in listeners where listener.isPaused { loop.setInterest(listener.watch, .readable) }
  }

  private func resumeListening(at address: ControllerAddress) {
    guard let index = listeners.firstIndex(where: { $0.address == address && $0.isPaused }) else { return }
    listeners[index].isPaused = false
    emit(.listeningResumed(place: address.description))
  }

  private func watch(_ line: Line, of id: ControllerID) -> WatchID {
    loop.watch(line.descriptor, .readable, isPeer: true) { [weak self] events in
      self?.assumeIsolated { $0.ready(id, events) }
    }
  }

  private func ready(_ id: ControllerID, _ events: PollEvents) {
    guard let (line, watch) = members[id]?.line else { return }
    if events.contains(.writable), !isHealthy(line.flush()) { return dismiss(id) }
    loop.setInterest(watch, line.interest)
    scratch.removeAll()
    switch line.read(into: &scratch) {
    case .octets:
      guard isHost(id) else { break }
      let now = loop.now()
      scratch.withSpan { octets in
        record(.hostToController, octets, of: id, at: now)
        air.receive(octets, from: id, at: now)
      }
    case .wouldBlock: break
    case .closed, .failed: dismiss(id)
    }
    flush()
  }

  /// Returns whether the received octets are from a host, or may be the beginning of a packet. If not, the connection is closed.
  private func isHost(_ id: ControllerID) -> Bool {
    guard var opening = members[id]?.opening else { return true }
    switch scratch.withSpan({ opening.examine($0) }) {
    case .h4: members[id]?.opening = nil
    case .undecided: members[id]?.opening = opening
    case .foreign(let speech):
      refuse(id, .foreign(speech))
      return false
    }
    return true
  }

  private func refuse(_ id: ControllerID, _ reason: LineRefusal.Reason) {
    guard let member = members[id] else { return }
    emit(.lineRefused(name: member.name, LineRefusal(place: member.place, reason: reason)))
    dismiss(id)
  }

  /// Passes a controller's octets to its host, if one is connected.
  func deliver(to id: ControllerID, _ member: RadioMember) {
    scratch.removeAll()
    air.drain(id, into: &scratch)
    guard let (line, watch) = member.line else { return }
    scratch.withSpan { record(.controllerToHost, $0, of: id, at: loop.now()) }
    if isHealthy(line.write(scratch)) {
      loop.setInterest(watch, line.interest)
    } else {
      dismiss(id)
    }
  }

  /// Handles a host that has left or accepts no more octets.
  private func dismiss(_ id: ControllerID) {
    guard let member = members[id], let (line, watch) = member.line else { return }
    loop.unwatch(watch)
    if case .terminal(let terminal, let visit, _) = member.host {
      // Discards octets left in the terminal, so that the next program does not get them. If that fails, it does get them.
      try? terminal.renew()
      members[id]?.host = .terminal(terminal, visit, nil)
    } else {
      line.close()
      remove(id)
    }
    emit(.left(name: member.name))
  }

  private func isHealthy(_ outcome: WriteOutcome) -> Bool {
    switch outcome {
    case .sent, .queued: true
    case .overLimit, .closed, .failed: false
    }
  }

  // MARK: - Terminals

  private func terminalVisits() throws(TransportError) -> TerminalVisits {
    if let visits { return visits.terminals }
    let terminals = try TerminalVisits()
    let watch = loop.watch(terminals.descriptor, .readable) { [weak self] _ in
      self?.assumeIsolated { $0.noteVisits() }
    }
    visits = (watch, terminals)
    return terminals
  }

  private func noteVisits() {
    guard let opened = visits?.terminals.take() else { return }
    for id in air.controllerIDs {
      if case .terminal(_, let visit, nil) = members[id]?.host, opened.contains(visit) { meet(id) }
    }
    flush()
  }

  /// Starts serving the program that has opened a terminal, if it is still open.
  private func meet(_ id: ControllerID) {
    guard let member = members[id], case .terminal(let terminal, let visit, nil) = member.host, terminal.isOpen else {
      return
    }
    members[id]?.host = .terminal(terminal, visit, watch(terminal.line, of: id))
    emit(.joined(name: member.name, place: member.place))
  }
}
