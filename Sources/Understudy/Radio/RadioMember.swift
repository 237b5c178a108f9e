import BLEHCI
import Transport

/// A controller of the radio and its host.
struct RadioMember {
  /// The location of the controller's host.
  enum Host {
    /// In this process. The closure is called when the controller has octets that are not the answer to a call of the host.
    case local(hasOutput: @Sendable () -> Void)
    /// At the other end of a connection. The controller is removed when the connection ends.
    case line(Line, WatchID)
    /// At the other side of a terminal, which the host may close and open again. The watch exists while the terminal is open.
    case terminal(PseudoTerminal, TerminalVisits.ID, WatchID?)
  }

  /// The controller's name.
  let name: String
  /// The address of the controller in the syntax that its host uses: `tcp-client:127.0.0.1:7001`, `serial:/dev/pts/3`.
  let place: String
  var host: Host
  /// The first octets of a connection that is not yet known to use H4; nil for all others.
  var opening: H4Opening?

  /// Creates a member. Without `opening`, the host's first octets are not checked.
  init(name: String, place: String, host: Host, opening: H4Opening? = nil) {
    (self.name, self.place, self.host, self.opening) = (name, place, host, opening)
  }

  /// The line to the host, while one is connected.
  var line: (line: Line, watch: WatchID)? {
    switch host {
    case .line(let line, let watch): (line, watch)
    case .terminal(let terminal, _, let watch?): (terminal.line, watch)
    case .terminal(_, _, nil), .local: nil
    }
  }
}

/// A socket at which hosts can join.
struct RadioListener {
  let watch: WatchID
  let socket: ListeningSocket
  /// Whether no connections are accepted at present, because no file descriptors are left.
  var isPaused = false
  /// The address at which hosts join, in the syntax that they use.
  var address: ControllerAddress { socket.peerAddress }
}
