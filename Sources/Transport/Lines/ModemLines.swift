import Glibc

/// The modem lines of a serial port, as this side sees them.
public struct ModemLines: Hashable, Sendable {
  /// Clear To Send: whether the other side accepts octets.
  public var cts: Bool
  /// Data Set Ready.
  public var dsr: Bool
  /// Data Terminal Ready, set by this side.
  public var dtr: Bool
  /// Request To Send, set by this side while it accepts octets.
  public var rts: Bool

  /// Creates lines in these states.
  public init(cts: Bool, dsr: Bool, dtr: Bool, rts: Bool) {
    (self.cts, self.dsr, self.dtr, self.rts) = (cts, dsr, dtr, rts)
  }
}

extension Line {
  /// The modem lines of a serial port; nil for anything without them, such as a socket or a pseudo-terminal.
  package var modemLines: ModemLines? {
    var state: CInt = 0
    guard ioctl(descriptor, UInt(TIOCMGET), &state) == 0 else { return nil }
    func isHigh(_ line: Int) -> Bool { state & CInt(line) != 0 }
    return ModemLines(
      cts: isHigh(Int(TIOCM_CTS)), dsr: isHigh(Int(TIOCM_DSR)), dtr: isHigh(Int(TIOCM_DTR)), rts: isHigh(Int(TIOCM_RTS))
    )
  }
}
