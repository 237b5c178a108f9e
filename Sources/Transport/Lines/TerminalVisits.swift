import Glibc

/// Tells when programs open the other sides of pseudo-terminals, by inotify(7).
///
/// A terminal that nobody has open hangs up for ever, so it cannot be watched by poll(2) until somebody opens it; this can.
/// Watch the descriptor for `.readable` and call `take` then. It belongs to one actor, and goes with it.
package final class TerminalVisits {
  /// Names one terminal.
  package struct ID: Hashable, Sendable {
    let value: CInt
  }

  /// The descriptor, to be watched for `.readable`.
  package let descriptor: CInt

  /// Watches no terminal yet.
  package init() throws(TransportError) {
    descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
    guard descriptor >= 0 else {
      throw .system(
        "cannot wait for programs that open a", "pty", errno,
        advice: "raise /proc/sys/fs/inotify/max_user_instances")
    }
  }

  deinit { close(descriptor) }

  /// Tells of that terminal from now on.
  package func add(_ terminal: PseudoTerminal) throws(TransportError) -> ID {
    let watch = inotify_add_watch(descriptor, terminal.devicePath, UInt32(IN_OPEN))
    guard watch >= 0 else {
      throw .system("cannot wait for programs that open", terminal.devicePath, errno)
    }
    return ID(value: watch)
  }

  /// The terminals that were opened since the last call; `PseudoTerminal.isOpen` says whether they still are.
  package func take() -> Set<ID> {
    var opened: Set<ID> = []
    var room = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &room, room.count)
      guard count > 0 else { return opened }
      // struct inotify_event: the watch, a mask, a cookie and the length of a name, which a terminal has not.
      for offset in stride(from: 0, to: count - 15, by: 16) {
        let watch = (0..<4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(room[offset + $1]) }
        opened.insert(ID(value: CInt(bitPattern: watch)))
      }
    }
  }
}
