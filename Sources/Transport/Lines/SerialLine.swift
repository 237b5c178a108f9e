import BLECore
import CSerial
import Glibc

/// How a serial port is opened: always raw, 8 data bits, no parity, 1 stop bit.
public struct SerialSettings: Hashable, Sendable {
  /// The speed of Zephyr's HCI-UART samples, in bit/s.
  public static let defaultBaud: UInt32 = 1_000_000

  /// The path of the device, such as `/dev/ttyACM0`.
  public var path: String
  /// The speed in bit/s; any number the driver can do.
  public var baud: UInt32
  /// Whether RTS and CTS hold back the other side and us (H4 loses octets without it).
  public var flowControl: Bool

  /// The settings for a port.
  public init(path: String, baud: UInt32 = Self.defaultBaud, flowControl: Bool = true) {
    self.path = path
    self.baud = baud
    self.flowControl = flowControl
  }
}

extension Line {
  /// Opens a serial port for ourselves alone, raises DTR and RTS, and drops what has come in before.
  package static func openSerial(_ settings: SerialSettings) throws(TransportError) -> Line {
    let opening = SerialOpening(settings: settings)
    let descriptor = try opening.openDevice()
    do throws(TransportError) {
      try opening.claim(descriptor)
      try opening.configure(descriptor)
    } catch {
      _ = Glibc.close(descriptor)
      throw error
    }
    return Line(adopting: descriptor, cleanups: [.endExclusiveUse])
  }
}

/// The steps of opening one serial port.
private struct SerialOpening {
  let settings: SerialSettings
  var place: String { ControllerAddress.serial(settings).description }

  func openDevice() throws(TransportError) -> CInt {
    let descriptor = open(settings.path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor < 0 else { return descriptor }
    throw openFailure(errno)
  }

  private func openFailure(_ code: CInt) -> TransportError {
    var error = TransportError.system("cannot open the serial port", place, code)
    switch code {
    case ENOENT:
      error.why = "no such port"
      error.advice = "is the board plugged in? `understudy controllers` lists the ports"
    case ENXIO, ENODEV:
      error.why = "no device behind this port"
      error.advice = "plug the board in again"
    case EACCES, EPERM:
      let group = owningGroup ?? "dialout"
      error.why = "permission denied"
      error.advice =
        "run `sudo Hardware/udev/install`, or add yourself to the \(group) group "
        + "(sudo usermod -aG \(group) \"$USER\") and log in again"
    case EBUSY: error = busy(code)
    default: break
    }
    return error
  }

  /// The group that owns the port, which is `dialout` on Debian and `uucp` on Arch.
  private var owningGroup: String? {
    var status = stat()
    return stat(settings.path, &status) == 0 ? groupName(status.st_gid) : nil
  }

  private func busy(_ code: CInt) -> TransportError {
    TransportError(
      kind: .busy, what: "cannot open the serial port", place: place, why: "another program is using it",
      advice: "close it (a terminal program, btattach, ModemManager or another understudy)", code: code)
  }

  /// Keeps others out: flock(2) those who ask, root among them, and TIOCEXCL everybody else.
  func claim(_ descriptor: CInt) throws(TransportError) {
    guard isatty(descriptor) == 1 else {
      throw TransportError(
        kind: .unsupported, what: "cannot open the serial port", place: place, why: "it is not a serial port",
        advice: "give the path of a tty device; `understudy controllers` lists the ports", code: ENOTTY)
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw busy(errno) }
    // Some terminals do not know it; the lock above holds.
    _ = ioctl(descriptor, UInt(TIOCEXCL))
  }

  func configure(_ descriptor: CInt) throws(TransportError) {
    var attributes = termios()
    guard tcgetattr(descriptor, &attributes) == 0 else { throw failure("cannot read the settings of", errno) }
    cfmakeraw(&attributes)
    attributes.c_cflag |= tcflag_t(CLOCAL | CREAD | CS8)
    attributes.c_cflag &= ~tcflag_t(CSTOPB | PARENB)
    attributes.c_cflag &= ~tcflag_t(CRTSCTS)
    if settings.flowControl { attributes.c_cflag |= tcflag_t(CRTSCTS) }
    let speed = speed_t(cserial_standard_speed(settings.baud))
    if speed != 0 { cfsetspeed(&attributes, speed) }
    guard tcsetattr(descriptor, TCSANOW, &attributes) == 0 else { throw failure("cannot set up", errno) }
    if speed == 0 { try setCustomSpeed(descriptor) }
    try checkFlowControl(descriptor)
    // Harmless where there are no such lines or no such driver, as on a pseudo-terminal.
    var lines = CInt(TIOCM_DTR | TIOCM_RTS)
    _ = ioctl(descriptor, UInt(TIOCMBIS), &lines)
    _ = cserial_prefer_low_latency(descriptor)
    tcflush(descriptor, TCIOFLUSH)
  }

  private func setCustomSpeed(_ descriptor: CInt) throws(TransportError) {
    let code = cserial_set_custom_speed(descriptor, settings.baud)
    guard code != 0 else { return }
    throw TransportError(
      kind: .unsupported, what: "cannot set up the serial port", place: place,
      why: "the port cannot run at \(settings.baud) bit/s (\(errorText(code)))",
      advice: "give the speed of the firmware, usually \(SerialSettings.defaultBaud) or 115200", code: code)
  }

  /// tcsetattr succeeds when any part of it does, so whether the driver took the flow control has to be asked.
  private func checkFlowControl(_ descriptor: CInt) throws(TransportError) {
    guard settings.flowControl else { return }
    var attributes = termios()
    guard tcgetattr(descriptor, &attributes) == 0 else { throw failure("cannot read the settings of", errno) }
    guard attributes.c_cflag & tcflag_t(CRTSCTS) == 0 else { return }
    throw TransportError(
      kind: .unsupported, what: "cannot set up the serial port", place: place,
      why: "the driver does not do RTS/CTS flow control", advice: "add `,noflow` to use none")
  }

  private func failure(_ what: String, _ code: CInt) -> TransportError {
    .system("\(what) the serial port", place, code)
  }
}
