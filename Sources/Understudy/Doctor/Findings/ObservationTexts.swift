import BLECore
import BLEHCI
import Transport

extension StepFinding {
  /// What was found, as text.
  public var found: String {
    switch observation {
    case .skipped(let reason): reason.text
    case .portReady(let path, let stablePath, let isUSB):
      path + (stablePath.map { ", always as \($0)" } ?? (isUSB ? ", without a stable name" : ""))
    case .portMissing(let path): "there is no \(path)"
    case .portForbidden(let path, _): "you do not have permission to open \(path)"
    case .portHeld(let path, let holders, let isLocked):
      "\(path) is \(isLocked ? "used" : "open") elsewhere"
        + (holders.isEmpty ? "" : ": by " + holders.map { "\($0.name) (\($0.process))" }.joined(separator: ", "))
    case .unreachable(let error): "\(error.what) \(error.place): \(error.why)"
    case .reached(let place): place
    case .noModemManager: "is not running"
    case .modemManagerKeptAway: "is running, and ignores this port"
    case .modemManagerNear: "is running, and may write to this port"
    case .modemLines(let lines, _): Self.text(of: lines)
    case .speedFits(let settings): Self.text(of: settings)
    case .speedDiffers(let given, let answering):
      "it answers at \(Self.text(of: answering)), not at \(Self.text(of: given))"
    case .noSpeed(let tried, let octets):
      "no controller at any of \(tried) speeds"
        + (octets > 0 ? "; \(octets) octets were received that are not HCI" : "")
    case .synchronized(let stray): stray == 0 ? "reset answered" : "reset answered, after \(stray) stray octets"
    case .silent: "nothing was received"
    case .noise(let octets): "\(octets) octets were received that are not HCI"
    case .hungUp: "the other side closed the line"
    case .identified(let identity):
      "HCI \(identity.version), \(identity.manufacturer)" + (identity.firmware.map { ", \($0)" } ?? "")
    case .resynchronized: "ignored"
    case .lostPlace: "no answer after it until a reset"
    case .unanswered(let opcode): "\(opcode) was never answered"
    case .refused(let opcode, let code): "\(opcode) was refused: \(code)"
    default: measured
    }
  }

  /// What was measured or counted, as text.
  private var measured: String {
    switch observation {
    case .present: "there"
    case .missing: "not supported"
    case .amount(let amount, let wanted, _): "\(amount)" + (amount < wanted ? ", of \(wanted) needed" : "")
    case .buffers(let length, let count, _): "\(count) packets of \(length) octets"
    case .exact(let exchanges): "none in \(exchanges) exchanges"
    case .lossy(let exchanges, let unanswered, let different, let stray):
      "of \(exchanges) commands \(unanswered) were not answered, \(different) answered differently; \(stray) stray octets"
    case .latency(let median, let p99): "\(Self.milliseconds(median)) ms, 99 of 100 within \(Self.milliseconds(p99)) ms"
    case .late(let answers, let total, let longest):
      "\(answers) of \(total) answers were late, but complete, the last after \(Self.milliseconds(longest)) "
        + "ms"
    case .burstsWhole(let exchanges, let octets, let afterPause):
      "\(exchanges) exchanges of \(octets) octets, and \(afterPause) octets after a pause, all complete"
    case .burstsLost(let exchanges, let lost, _):
      "\(lost) of \(exchanges) long commands were lost, but no short ones"
    case .pauseLost: "octets were lost while the host did not read"
    case .rate(let octets, let limit):
      "\(octets) octets per second" + (limit.map { " of \($0)" } ?? "")
    case .rateBeyondClock: "more than this clock can measure"
    case .listening(let extended): extended ? "receives both kinds" : "receives legacy advertising only"
    case .advertised: "accepted; there was no listener"
    case .heard: "accepted, and received by the second controller"
    case .unheard: "accepted, but not received by the second controller"
    case .linkLatency(let median, let p99, let interval, let count):
      "\(Self.milliseconds(median)) ms, 99 of 100 within \(Self.milliseconds(p99)) ms: \(count) writes at an interval of "
        + "\(Self.milliseconds(interval)) ms"
    case .linkRate(let kbps, let limit, let bound):
      "\(Int(kbps)) kbit/s of \(Int(limit)) that the link layer allows, bound by \(bound)"
    case .linkFailed(let reason): reason
    case .stable(let exchanges): "\(exchanges) commands answered, no restart"
    case .repeated(let count): "\(count) commands were answered only when repeated"
    case .restarted(let signs): "the controller restarted: " + signs.map(\.text).joined(separator: ", ")
    case .stopped(let step): "the controller stopped answering at the step \(step.title)"
    default: ""
    }
  }

  private static func text(of settings: SerialSettings) -> String {
    "\(settings.baud) bit/s \(settings.flowControl ? "with" : "without") flow control"
  }

  private static func text(of lines: ModemLines) -> String {
    [("CTS", lines.cts), ("DSR", lines.dsr), ("DTR", lines.dtr), ("RTS", lines.rts)]
      .map { "\($0.0) \($0.1 ? "high" : "low")" }.joined(separator: ", ")
  }

  private static func milliseconds(_ duration: Duration) -> String {
    let hundredths = (duration.inNanoseconds + 5000) / 10_000
    let fraction = String(hundredths % 100)
    return "\(hundredths / 100)." + String(repeating: "0", count: 2 - fraction.count) + fraction
  }
}
