import Glibc

/// Reports when programs open the other sides of pseudo-terminals, by inotify(7).
///
/// A terminal that nobody has open reports a hang-up continuously, so poll(2) cannot wait for a program to open it; this class can. Watch
/// the descriptor for `.readable` and then call `take`. It belongs to one actor, and closes the descriptor when it is deallocated.
package final class TerminalVisits {
  /// The identity of a terminal.
  package struct ID: Hashable, Sendable {
    let value: CInt
  }

  /// The descriptor to watch for `.readable`.
  package let descriptor: CInt

  /// Creates a watcher without terminals.
  package init() throws(TransportError) {
    descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
    guard descriptor >= 0 else {
      throw .system(
        "cannot wait for programs that open a", "pty", errno,
        advice: "raise /proc/sys/fs/inotify/max_user_instances")
    }
  }

  deinit { close(descriptor) }

  /// Starts reporting on a terminal.
  package func add(_ terminal: PseudoTerminal) throws(TransportError) -> ID {
    let watch = inotify_add_watch(descriptor, terminal.devicePath, UInt32(IN_OPEN))
    guard watch >= 0 else {
      throw .system("cannot wait for programs that open", terminal.devicePath, errno)
    }
    return ID(value: watch)
  }

  /// Returns the terminals that were opened since the last call. `PseudoTerminal.isOpen` tells whether they still are.
  package func take() -> Set<ID> {
    var opened: Set<ID> = []
    var room = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &room, room.count)
      guard count > 0 else { return opened }
      // struct inotify_event: the watch, a mask, a cookie and the length of a name, which a terminal does not have.
      for offset in stride(from: 0, to: count - 15, by: 16) {
        let watch = (0..<4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(room[offset + $1]) }
        opened.insert(ID(value: CInt(bitPattern: watch)))
      }
    }
  }
}
