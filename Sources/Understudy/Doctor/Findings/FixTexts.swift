import BLECore
import BLEHCI
import Transport

extension StepFinding {
  /// What to do about it; nil where nothing is to be done.
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
    case .missing, .amount, .buffers: "this firmware has no more: it works without, or take another board"
    default: lineFix
    }
  }

  private var portFix: String? {
    switch observation {
    case .portReady: "sudo Hardware/udev/install gives it one below /dev/understudy"
    case .portMissing: "plug the board in, by a cable for data; `understudy controllers` lists the ports"
    case .portForbidden(_, let group):
      "sudo Hardware/udev/install, or sudo usermod -aG \(group ?? "dialout") \"$USER\" and a new login"
    case .portHeld: "end that program: two who read the same port each lose what the other gets"
    case .unreachable(let error): error.advice ?? "check the address"
    case .modemManagerNear: "sudo Hardware/udev/install, or systemctl stop ModemManager"
    case .modemLines:
      "connect CTS to the board's RTS, or switch the board on; with firmware without flow control add `,noflow`"
    case .speedDiffers(_, let answering): "--controller \(ControllerAddress.serial(answering))"
    case .noSpeed(_, let octets):
      octets > 0
        ? "put HCI firmware on the board, without a console on this UART: Hardware/flash BOARD"
        : "is it the right one of several ports, and is HCI firmware on the board? Hardware/flash BOARD"
    default: nil
    }
  }

  private var lineFix: String? {
    switch observation {
    case .synchronized: "switch the console off on this UART (CONFIG_UART_CONSOLE=n), and keep other programs from it"
    case .silent: "check that HCI firmware runs there: reset the board, or Hardware/flash BOARD"
    case .noise: "whoever is there does not speak HCI (H4): put HCI firmware on the board, or correct the address"
    case .hungUp: "see why the other side ends, or takes no second host"
    case .lostPlace: "a line that loses nothing: USB, or RTS and CTS that are wired"
    case .unanswered, .refused, .stopped, .repeated: "update the firmware, and reset the board: Hardware/flash BOARD"
    case .lossy:
      "a shorter cable, no hub, a slower port; with a J-Link `msddisable` in JLinkExe (Hardware/README.md)"
    case .burstsLost(_, _, let flowControl), .pauseLost(let flowControl):
      flowControl
        ? "wire RTS and CTS, both; with a J-Link `SetHWFC Force`; or a board with its own USB"
        : "use flow control: wire RTS and CTS, and leave `,noflow` away; or a lower speed"
    case .late:
      "find what holds the octets up, no cable does: a USB port that is put to sleep (echo on > power/control of its "
        + "device in /sys/bus/usb/devices), a hub or a network between, a busy virtual machine, or a busy board"
    case .latency: "no hub between; an FTDI adapter wants `echo 1 > /sys/bus/usb-serial/devices/ttyUSB0/latency_timer`"
    case .rate: "the board is busy, or the adapter slow: connect it without a hub, or take a board with its own USB"
    case .linkLatency:
      "mend what is slow above; a busy air, or a controller that skips connection events, costs intervals"
    case .linkRate(_, _, Observation.boundByLine):
      "a faster line: a higher speed in the firmware and behind `serial:PATH,`, or a board with its own USB"
    case .linkRate:
      "mend what is slow above: the lines, the data length, the ACL buffers; `understudy bench ladder` tells more"
    case .linkFailed: "move the boards nearer, reset both, and see what `understudy bench ladder` says"
    case .unheard: "move the boards nearer, check the antennas, and that the second controller scans this kind"
    case .restarted: "run the firmware with a debugger (RTT) to see why, and give it power enough: Hardware/README.md"
    default: nil
    }
  }
}
