import CSerial
import Glibc

/// A pseudo-terminal whose other side any program can open like a serial port.
///
/// Usually this process keeps the other side open too, so that programs can open and close it without a hang-up.
package struct PseudoTerminal {
  /// This side.
  package let line: Line
  /// The path of the other side, for example `/dev/pts/3`.
  package let devicePath: String
  /// The symbolic link to it, if requested. It is removed when the line closes.
  package let link: String?

  /// Opens a pair in raw mode, and optionally creates a symbolic link to the other side.
  ///
  /// An existing link is replaced if it leads to a pseudo-terminal, like one left behind. Anything else at that path is an error.
  ///
  /// With `hangsUp`, only other programs open the other side: this side hangs up whenever none has it open, which is the case at the start.
  package static func open(link: String? = nil, hangsUp: Bool = false) throws(TransportError) -> PseudoTerminal {
    let place = ControllerAddress.pty(link: link).description
    var name = [CChar](repeating: 0, count: 128)
    let master = cserial_open_terminal(&name, UInt32(name.count))
    guard master >= 0 else { throw .system("cannot open a pseudoterminal for", place, errno) }
    let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var cleanups: [Line.Cleanup] = []
    do throws(TransportError) {
      let slave = try openSlave(path, place)
      if hangsUp { close(slave) } else { cleanups.append(.close(slave)) }
      if let link {
        try makeLink(link, to: path, place)
        cleanups.append(.removeLink(path: link, target: path))
      }
      return PseudoTerminal(line: Line(adopting: master, cleanups: cleanups), devicePath: path, link: link)
    } catch {
      for case .close(let slave) in cleanups { close(slave) }
      close(master)
      throw error
    }
  }

  /// Whether a program has the other side open, or has left unread octets. For a terminal that hangs up.
  package var isOpen: Bool {
    var entry = pollfd(fd: line.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) >= 0 && entry.revents & Int16(POLLHUP | POLLIN) != Int16(POLLHUP)
  }

  /// The number of octets that the other side has not read. The last ones in transit may be missing for a moment.
  package var unreadCount: Int {
    let slave = Glibc.open(devicePath, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard slave >= 0 else { return 0 }
    defer { close(slave) }
    var count: CInt = 0
    return ioctl(slave, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }

  /// Restores the initial state for the next program: raw, open to all, and without unread octets of the previous program.
  package func renew() throws(TransportError) {
    line.discardPending()
    let slave = try Self.openSlave(devicePath, devicePath)
    tcflush(slave, TCIOFLUSH)
    _ = ioctl(slave, UInt(TIOCNXCL))
    close(slave)
  }

  private static func openSlave(_ path: String, _ place: String) throws(TransportError) -> CInt {
    let what = "cannot open a pseudoterminal for"
    let slave = Glibc.open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0 else { throw .system(what, place, errno) }
    var attributes = termios()
    tcgetattr(slave, &attributes)
    cfmakeraw(&attributes)
    guard tcsetattr(slave, TCSANOW, &attributes) == 0 else {
      let code = errno
      close(slave)
      throw .system(what, place, code)
    }
    return slave
  }

  private static func makeLink(_ link: String, to target: String, _ place: String) throws(TransportError) {
    if linkTarget(of: link)?.hasPrefix("/dev/pts/") == true { unlink(link) }
    guard symlink(target, link) != 0 else { return }
    let code = errno
    let advice =
      code == EEXIST ? "give another path, or remove the existing file" : "give a path where you have write permission"
    throw .system("cannot create the link for", place, code, advice: advice)
  }
}
