import BLEHCI
import Transport

/// A controller of the radio and who sits behind it.
struct RadioMember {
  /// Where the controller's host is.
  enum Host {
    /// In this process; called when the controller has octets that no call of the host's own has made.
    case local(hasOutput: @Sendable () -> Void)
    /// At the other end of a connection, and gone with it.
    case line(Line, WatchID)
    /// At the other side of a terminal, which it may close and open again; the watch is there while it is open.
    case terminal(PseudoTerminal, TerminalVisits.ID, WatchID?)
  }

  /// What people call it.
  let name: String
  /// Where a host meets it, as that host would write it: `tcp-client:127.0.0.1:7001`, `serial:/dev/pts/3`.
  let place: String
  var host: Host
  /// What has come over a connection that has not shown yet that it speaks H4; nil for all others.
  var opening: H4Opening?

  /// A controller whose host is not to be judged by its first octets.
  init(name: String, place: String, host: Host, opening: H4Opening? = nil) {
    (self.name, self.place, self.host, self.opening) = (name, place, host, opening)
  }

  /// The line to the host while there is one.
  var line: (line: Line, watch: WatchID)? {
    switch host {
    case .line(let line, let watch): (line, watch)
    case .terminal(let terminal, _, let watch?): (terminal.line, watch)
    case .terminal(_, _, nil), .local: nil
    }
  }
}

/// Where hosts can join.
struct RadioListener {
  let watch: WatchID
  let socket: ListeningSocket
  /// Whether nobody is let in for now, for want of descriptors.
  var isPaused = false
  /// Where others connect to, as they would write it.
  var address: ControllerAddress { socket.peerAddress }
}
