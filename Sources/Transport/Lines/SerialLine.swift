import BLECore
import CSerial
import Glibc

/// The settings of a serial port: always raw, 8 data bits, no parity, 1 stop bit.
public struct SerialSettings: Hashable, Sendable {
  /// The speed of Zephyr's HCI UART samples, in bit/s.
  public static let defaultBaud: UInt32 = 1_000_000

  /// The path of the device, for example `/dev/ttyACM0`.
  public var path: String
  /// The speed in bit/s; any number that the driver supports.
  public var baud: UInt32
  /// Whether RTS and CTS hold back both sides (without it H4 loses octets).
  public var flowControl: Bool

  /// Creates the settings for a port.
  public init(path: String, baud: UInt32 = Self.defaultBaud, flowControl: Bool = true) {
    self.path = path
    self.baud = baud
    self.flowControl = flowControl
  }
}

extension Line {
  /// Opens a serial port for exclusive use, sets DTR and RTS, and drops earlier input.
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

  /// The group that owns the port: `dialout` on Debian and `uucp` on Arch.
  private var owningGroup: String? {
    var status = stat()
    return stat(settings.path, &status) == 0 ? groupName(status.st_gid) : nil
  }

  private func busy(_ code: CInt) -> TransportError {
    TransportError(
      kind: .busy, what: "cannot open the serial port", place: place, why: "another program is using it",
      advice: "close it (a terminal program, btattach, ModemManager or another understudy)", code: code)
  }

  /// Excludes other programs: those that use flock(2), including root's, and with TIOCEXCL all others.
  func claim(_ descriptor: CInt) throws(TransportError) {
    guard isatty(descriptor) == 1 else {
      throw TransportError(
        kind: .unsupported, what: "cannot open the serial port", place: place, why: "it is not a serial port",
        advice: "give the path of a tty device; `understudy controllers` lists the ports", code: ENOTTY)
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw busy(errno) }
    // Some terminals do not support it; the lock above is still effective.
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
    // Harmless if the lines or the driver do not exist, as on a pseudo-terminal.
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

  /// Checks that the driver has accepted flow control, because tcsetattr succeeds if any part does.
  private func checkFlowControl(_ descriptor: CInt) throws(TransportError) {
    guard settings.flowControl else { return }
    var attributes = termios()
    guard tcgetattr(descriptor, &attributes) == 0 else { throw failure("cannot read the settings of", errno) }
    guard attributes.c_cflag & tcflag_t(CRTSCTS) == 0 else { return }
    throw TransportError(
      kind: .unsupported, what: "cannot set up the serial port", place: place,
      why: "the driver does not support RTS/CTS flow control", advice: "add `,noflow` to disable it")
  }

  private func failure(_ what: String, _ code: CInt) -> TransportError {
    .system("\(what) the serial port", place, code)
  }
}
