import BLECore
import BLEHCI
import Glibc
import Testing
import Transport
import VirtualRadio

/// A controller at the other end of a line, on the accessory's own loop.
actor ControllerSite {
  /// The behavior of the controller.
  enum Manner {
    /// Behaves as a virtual controller with that configuration.
    case virtual(ControllerConfiguration)
    /// Accepts octets and never answers.
    case silent
    /// Sends octets that are not HCI.
    case babbles
    /// Hangs up at the first octet.
    case hangsUp
    /// Hangs up when the host enables advertising.
    case hangsUpLater
  }

  private let loop: PollLoop
  private let lineKind: Manner
  private let air = Air()
  private var id: ControllerID?
  private var listener: ListeningSocket?
  private var line: Line?
  private var watches: [WatchID] = []
  private var timer: TimerID?
  /// All octets from the host.
  private(set) var heard: [UInt8] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ lineKind: Manner, on loop: PollLoop) {
    self.loop = loop
    self.lineKind = lineKind
  }

  /// Waits for the host on a Unix socket.
  func listen(at path: String) throws {
    let listener = try ListeningSocket.unix(path: path)
    self.listener = listener
    watches.append(
      loop.watch(listener.descriptor, .readable) { [weak self] _ in self?.assumeIsolated { $0.admit() } })
  }

  /// Connects to a host that listens on a TCP port.
  func connect(port: UInt16) throws { serve(try Line.connectTCP(host: ControllerAddress.loopback, port: port)) }

  /// Opens the terminal that a host has created.
  func open(terminal path: String) throws {
    let descriptor = Glibc.open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(descriptor >= 0)
    serve(Line(adopting: descriptor))
  }

  /// Creates a terminal and returns the path that the host opens as a serial port.
  func makeTerminal() throws -> String {
    let terminal = try PseudoTerminal.open()
    serve(terminal.line)
    return terminal.devicePath
  }

  /// Sends octets that the controller does not send by itself.
  func say(_ octets: [UInt8]) { _ = line?.write(octets.span) }

  func close() {
    for watch in watches { loop.unwatch(watch) }
    watches = []
    if let timer { loop.removeTimer(timer) }
    timer = nil
    line?.close()
    line = nil
    listener = nil
  }

  private func admit() {
    guard line == nil, let line = try? listener?.accept() else { return }
    serve(line)
  }

  private func serve(_ line: Line) {
    self.line = line
    if case .virtual(let configuration) = lineKind { id = air.addController(configuration: configuration) }
    watches.append(
      loop.watch(line.descriptor, .readable) { [weak self] events in self?.assumeIsolated { $0.ready() } })
    timer = loop.addTimer { [weak self] in self?.assumeIsolated { $0.tick() } }
    flush()
  }

  private func ready() {
    guard let line else { return }
    var buffer = OctetBuffer()
    guard case .octets = line.read(into: &buffer) else { return close() }
    let octets = buffer.copy()
    heard += octets
    if case .hangsUp = lineKind { return close() }
    if case .babbles = lineKind { say(Array("What do you want?".utf8)) }
    if case .hangsUpLater = lineKind {
      if heard.contains(LESetAdvertisingEnable { $0.enable = true }.h4) { return close() }
      if id == nil { id = air.addController(configuration: .zephyrHCIUART) }
    }
    if let id { air.receive(octets.span, from: id, at: loop.now()) }
    flush()
  }

  private func tick() {
    air.advance(to: loop.now())
    flush()
  }

  private func flush() {
    guard let line, let id else { return }
    var buffer = OctetBuffer()
    air.drain(id, into: &buffer)
    if !buffer.isEmpty { _ = line.write(buffer) }
    if let timer { loop.setTimer(timer, air.nextDeadline) }
  }
}

extension [UInt8] {
  /// Returns whether these octets contain the given ones.
  func contains(_ part: [UInt8]) -> Bool {
    guard count >= part.count else { return false }
    return (0...count - part.count).contains { self[$0..<$0 + part.count].elementsEqual(part) }
  }
}
