import BLECore
import BLEHCI
import Transport

extension StepFinding {
  /// What to do about the finding; nil if nothing needs to be done.
  public var fix: String? {
    if verdict < .warning { return nil }
    if !configuration.isEmpty {
      return "build the firmware with \(configuration.joined(separator: ", ")) (Hardware/zephyr/understudy.conf): "
        + "Hardware/flash BOARD"
    }
    return switch observation {
    case .portReady, .portMissing, .portForbidden, .portHeld, .unreachable, .modemManagerNear, .modemLines,
      .speedDiffers, .noSpeed:
      portFix
    case .missing, .amount, .buffers:
      "this firmware does not support more: Understudy works without it, or use another board"
    default: lineFix
    }
  }

  private var portFix: String? {
    switch observation {
    case .portReady: "sudo Hardware/udev/install gives it a stable name below /dev/understudy"
    case .portMissing: "plug the board in, with a cable for data; `understudy controllers` lists the ports"
    case .portForbidden(_, let group):
      "sudo Hardware/udev/install, or sudo usermod -aG \(group ?? "dialout") \"$USER\" and log in again"
    case .portHeld: "end that program: if two programs read the same port, each loses what the other gets"
    case .unreachable(let error): error.advice ?? "check the address"
    case .modemManagerNear: "sudo Hardware/udev/install, or systemctl stop ModemManager"
    case .modemLines:
      "connect CTS to the board's RTS, or switch the board on; for firmware without flow control add "
        + "`,noflow`"
    case .speedDiffers(_, let answering): "use --controller \(ControllerAddress.serial(answering))"
    case .noSpeed(_, let octets):
      octets > 0
        ? "put HCI firmware on the board, without a console on this UART: Hardware/flash BOARD"
        : "check that this is the right port, and that HCI firmware is on the board: Hardware/flash BOARD"
    default: nil
    }
  }

  private var lineFix: String? {
    switch observation {
    case .synchronized:
      "disable the console on this UART (CONFIG_UART_CONSOLE=n), and keep other programs from using it"
    case .silent: "check that HCI firmware runs there: reset the board, or Hardware/flash BOARD"
    case .noise: "the other side does not use HCI (H4): put HCI firmware on the board, or correct the address"
    case .hungUp: "find out why the other side closes the line, or whether it accepts only one host"
    case .lostPlace: "use a line that loses nothing: USB, or a UART with RTS and CTS wired"
    case .unanswered, .refused, .stopped, .repeated: "update the firmware, and reset the board: Hardware/flash BOARD"
    case .lossy:
      "use a shorter cable, no hub, a slower port; with a J-Link `msddisable` in JLinkExe "
        + "(Hardware/README.md)"
    case .burstsLost(_, _, let flowControl), .pauseLost(let flowControl):
      flowControl
        ? "wire both RTS and CTS; with a J-Link `SetHWFC Force`; or use a board with its own USB"
        : "use flow control: wire RTS and CTS, and remove `,noflow`; or use a lower speed"
    case .late:
      "find out what delays the octets; it is not the cable: a USB port that is put to sleep (echo on > "
        + "power/control of its device in /sys/bus/usb/devices), a hub or a network in between, a busy virtual "
        + "machine, or a busy board"
    case .latency: "use no hub; an FTDI adapter needs `echo 1 > /sys/bus/usb-serial/devices/ttyUSB0/latency_timer`"
    case .rate: "the board is busy, or the adapter slow: connect it without a hub, or use a board with its own USB"
    case .linkLatency:
      "fix the slow steps above; a busy radio, or a controller that skips connection events, adds intervals"
    case .linkRate(_, _, Observation.boundByLine):
      "use a faster line: a higher speed in the firmware and after `serial:PATH,`, or a board with its own "
        + "USB"
    case .linkRate:
      "fix the slow steps above: the lines, the data length, the ACL buffers; `understudy bench ladder` shows "
        + "more"
    case .linkFailed: "move the boards closer, reset both, and run `understudy bench ladder`"
    case .unheard:
      "move the boards closer, check the antennas, and check that the second controller scans for this kind"
    case .restarted:
      "run the firmware with a debugger (RTT) to find out why, and check its power supply: "
        + "Hardware/README.md"
    default: nil
    }
  }
}
