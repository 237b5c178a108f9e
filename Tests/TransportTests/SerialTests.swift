import BLECore
import Glibc
import Testing
import Transport

@Suite("Serial lines and pseudo-terminals")
struct SerialTests {
  /// Returns a pseudo-terminal with its other side opened as a serial port.
  private func serialPair(baud: UInt32 = 1_000_000, flowControl: Bool = true) throws -> (PseudoTerminal, Line) {
    let terminal = try PseudoTerminal.open()
    let settings = SerialSettings(path: terminal.devicePath, baud: baud, flowControl: flowControl)
    return (terminal, try Line.openSerial(settings))
  }

  @Test("All 256 octets pass both ways unchanged", arguments: [(1_000_000, true), (115_200, false), (1_234_567, true)])
  func eightBitClean(_ baud: UInt32, _ flowControl: Bool) throws {
    let (terminal, serial) = try serialPair(baud: baud, flowControl: flowControl)
    let all = (0...255).map { UInt8($0) }
    #expect(serial.write(all.span) == .sent)
    #expect(try read(256, from: terminal.line) == all)
    #expect(terminal.line.write(all.span) == .sent)
    #expect(try read(256, from: serial) == all)
  }

  @Test("The terminal is raw, with the requested speed and flow control")
  func settings() throws {
    let (terminal, standard) = try serialPair()
    defer { terminal.line.close() }
    var attributes = termios()
    #expect(tcgetattr(standard.descriptor, &attributes) == 0)
    #expect(cfgetospeed(&attributes) == speed_t(B1000000))
    #expect(attributes.c_cflag & tcflag_t(CRTSCTS) != 0)
    #expect(attributes.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == 0)
    #expect(attributes.c_iflag & tcflag_t(IXON | ICRNL) == 0 && attributes.c_oflag & tcflag_t(OPOST) == 0)
    let (otherTerminal, without) = try serialPair(flowControl: false)
    defer { otherTerminal.line.close() }
    #expect(tcgetattr(without.descriptor, &attributes) == 0)
    #expect(attributes.c_cflag & tcflag_t(CRTSCTS) == 0)
  }

  @Test("A second opening is refused until the first is closed")
  func exclusive() throws {
    let (terminal, serial) = try serialPair()
    let settings = SerialSettings(path: terminal.devicePath)
    let error = try #require(throws: TransportError.self) { try Line.openSerial(settings) }
    #expect(error.kind == .busy)
    #expect(error.description.contains("serial:\(terminal.devicePath): another program is using it"))
    serial.close()
    let again = try Line.openSerial(settings)
    #expect(again.write([1].span) == .sent)
    #expect(try read(1, from: terminal.line) == [1])
  }

  @Test("Octets from before the opening are dropped")
  func staleInput() throws {
    let terminal = try PseudoTerminal.open()
    #expect(terminal.line.write([1, 2, 3].span) == .sent)
    let serial = try Line.openSerial(SerialSettings(path: terminal.devicePath))
    var buffer = OctetBuffer()
    #expect(serial.read(into: &buffer) == .wouldBlock)
  }

  @Test("A hang-up ends reading and writing")
  func hangUp() throws {
    let (terminal, serial) = try serialPair()
    terminal.line.close()
    try wait(for: .hangUp, on: serial.descriptor)
    var buffer = OctetBuffer()
    #expect(serial.read(into: &buffer) == .closed)
    #expect(serial.write([1].span) == .closed)
  }

  @Test("The other side of a pseudo-terminal may be closed and opened again")
  func comeAndGo() throws {
    let terminal = try PseudoTerminal.open()
    for number: UInt8 in 0..<3 {
      let serial = try Line.openSerial(SerialSettings(path: terminal.devicePath))
      #expect(serial.write([number].span) == .sent)
      #expect(try read(1, from: terminal.line) == [number])
      serial.close()
      var buffer = OctetBuffer()
      #expect(terminal.line.read(into: &buffer) == .wouldBlock)
    }
  }

  @Test("The link leads to the terminal, replaces a leftover one, and is removed with it")
  func link() throws {
    let path = temporaryPath("pty")
    #expect(symlink("/dev/pts/99999", path) == 0)
    guard case .terminal(let terminal) = try ControllerAddress(parsing: "pty:\(path)").open() else {
      Issue.record("not a terminal")
      return
    }
    #expect(terminal.link == path)
    let serial = try Line.openSerial(SerialSettings(path: path))
    #expect(serial.write([5].span) == .sent)
    #expect(try read(1, from: terminal.line) == [5])
    terminal.line.close()
    #expect(access(path, F_OK) != 0 && errno == ENOENT)
  }

  @Test("A link that another terminal has replaced stays")
  func linkTakenOver() throws {
    let path = temporaryPath("pty-taken")
    let first = try PseudoTerminal.open(link: path)
    let second = try PseudoTerminal.open(link: path)
    first.line.close()
    #expect(access(path, F_OK) == 0)
    second.line.close()
    #expect(access(path, F_OK) != 0)
  }

  @Test("A file in place of the link is left alone")
  func linkOverFile() throws {
    let path = try temporaryFile("pty-file")
    defer { unlink(path) }
    let error = try #require(throws: TransportError.self) { try PseudoTerminal.open(link: path) }
    #expect(error.code == EEXIST)
    #expect(error.description.contains("pty:\(path): File exists; give another path"))
    #expect(access(path, F_OK) == 0)
    let nowhere = temporaryPath("no-directory") + "/link"
    #expect(throws: TransportError.self) { try PseudoTerminal.open(link: nowhere) }
  }

  @Test("A link to anything but a pseudo-terminal is left alone")
  func linkOverLink() throws {
    let path = temporaryPath("pty-link")
    let target = temporaryPath("pty-link-target")
    try #require(symlink(target, path) == 0)
    defer { unlink(path) }
    #expect(throws: TransportError.self) { try PseudoTerminal.open(link: path) }
    var status = stat()
    #expect(lstat(path, &status) == 0)
  }

  @Test(
    "Errors say why and what to do",
    arguments: [
      ("/dev/ttyNONE0", TransportError.Kind.notFound, "no such port", "`understudy controllers` lists the ports"),
      ("/dev/null", .unsupported, "it is not a serial port", "give the path of a tty device"),
    ])
  func openErrors(_ path: String, _ kind: TransportError.Kind, _ why: String, _ advice: String) throws {
    let error = try #require(throws: TransportError.self) { try Line.openSerial(SerialSettings(path: path)) }
    #expect(error.kind == kind)
    #expect(error.why == why)
    #expect(error.description.hasPrefix("cannot open the serial port serial:\(path): \(why); "))
    #expect(error.description.contains(advice))
  }

  @Test("The serial ports have paths, in order")
  func list() {
    let ports = SerialPorts.list()
    #expect(ports.allSatisfy { $0.path.hasPrefix("/dev/") })
    #expect(ports.map(\.path) == ports.map(\.path).sorted())
  }

  @Test("A terminal that hangs up knows when it is open, and is reset for the next program")
  func visits() throws {
    let terminal = try PseudoTerminal.open(hangsUp: true)
    let visits = try TerminalVisits()
    let id = try visits.add(terminal)
    #expect(!terminal.isOpen && visits.take() == [])
    for _ in 0..<2 {
      let program = open(terminal.devicePath, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
      try #require(program >= 0)
      try wait(for: .readable, on: visits.descriptor)
      #expect(visits.take() == [id])
      #expect(terminal.isOpen)
      var attributes = termios()
      tcgetattr(program, &attributes)
      #expect(attributes.c_lflag & tcflag_t(ECHO | ICANON) == 0)
      var octet: UInt8 = 0
      #expect(Glibc.read(program, &octet, 1) < 0 && errno == EAGAIN)
      // The program leaves unread octets, and the terminal in cooked mode.
      #expect(terminal.line.write([1, 2, 3].span) == .sent)
      attributes.c_lflag |= tcflag_t(ICANON)
      tcsetattr(program, TCSANOW, &attributes)
      close(program)
      var buffer = OctetBuffer()
      #expect(terminal.line.read(into: &buffer) == .closed)
      #expect(!terminal.isOpen)
      try terminal.renew()
      #expect(!terminal.isOpen)
      _ = visits.take()
    }
  }
}
