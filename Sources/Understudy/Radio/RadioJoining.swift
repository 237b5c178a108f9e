import BLECore
import BLEHCI
import Capture
import Glibc
import Transport
import VirtualRadio

/// How hosts join the radio from outside: each gets a controller of its own.
extension RadioHub {
  /// Opens a TCP port where hosts can join; 0 takes any free one. Returns the port.
  ///
  /// A host that disconnects takes its controller with it, as if it were pulled out.
  public func openPort(
    host: String = ControllerAddress.loopback, port: UInt16 = 0, configuration: ControllerConfiguration? = nil
  ) throws(TransportError) -> UInt16 {
    let socket = try ListeningSocket.tcp(host: host, port: port)
    listen(at: socket, "tcp", configuration)
    return socket.port
  }

  /// Opens a Unix socket where hosts can join, as through a TCP port.
  public func openSocket(path: String, configuration: ControllerConfiguration? = nil) throws(TransportError) {
    listen(at: try ListeningSocket.unix(path: path), "unix", configuration)
  }

  /// Makes a pseudo-terminal with a controller behind it, and a symbolic link to it if wanted. Returns its path.
  ///
  /// The controller is there from the beginning, and goes on when a host closes the terminal, as a board would. What it says
  /// meanwhile nobody hears.
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
    // Somebody may have been waiting for the link.
    meet(id)
    return terminal.devicePath
  }

  /// Where hosts can join, as they would write it: `tcp-client:127.0.0.1:7001`, `unix:/run/radio`, `serial:/dev/pts/3`.
  public var addresses: [String] {
    listeners.map(\.address.description)
      + air.controllerIDs.compactMap { id in
        if let member = members[id], case .terminal = member.host { member.place } else { nil }
      }
  }

  /// The TCP ports where hosts can join.
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

  /// The next connection to a socket. Without a descriptor for it the socket pauses, after one that says nothing has been
  /// dropped for it in vain.
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

  /// Makes room by the connection that has been there longest without a word of H4; false when all have spoken.
  @discardableResult
  private func dropOldestSilentLine() -> Bool {
    guard let id = air.controllerIDs.first(where: { isSilent($0) }) else { return false }
    refuse(id, .silent)
    return true
  }

  /// Whether a connection has said nothing, not even something that is still to be read.
  private func isSilent(_ id: ControllerID) -> Bool {
    guard let member = members[id], member.opening != nil, let (line, _) = member.line else { return false }
    var entry = pollfd(fd: line.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 0
  }

  // MARK: - Sockets that pause

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

  /// Whether what has just come is from a host, or may be the beginning of it; ends the connection when it is not.
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

  /// Hands a controller's octets to its host, if there is one to take them.
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

  /// The host of a controller is gone, or takes nothing any longer.
  private func dismiss(_ id: ControllerID) {
    guard let member = members[id], let (line, watch) = member.line else { return }
    loop.unwatch(watch)
    if case .terminal(let terminal, let visit, _) = member.host {
      // What stays behind is the next one's trouble only if nothing can be done about it.
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

  /// Begins to serve the program that has opened a terminal, if it still has.
  private func meet(_ id: ControllerID) {
    guard let member = members[id], case .terminal(let terminal, let visit, nil) = member.host, terminal.isOpen else {
      return
    }
    members[id]?.host = .terminal(terminal, visit, watch(terminal.line, of: id))
    emit(.joined(name: member.name, place: member.place))
  }
}
