import BLECore
import BLEHCI
import Transport

/// What a step has observed.
public enum Observation: Hashable, Sendable {
  /// The step was not done.
  case skipped(SkipReason)

  // MARK: Port

  /// The port exists and no other program uses it. `stablePath` is its permanent name, if udev gives it one.
  case portReady(path: String, stablePath: String?, isUSB: Bool)
  /// The port does not exist.
  case portMissing(path: String)
  /// The user has no permission to open it, but its group has.
  case portForbidden(path: String, group: String?)
  /// Other programs have opened it, or even locked it.
  case portHeld(path: String, by: [PortHolder], isLocked: Bool)
  /// The address cannot be opened for another reason.
  case unreachable(TransportError)
  /// The address could be opened.
  case reached(String)
  /// ModemManager does not run.
  case noModemManager
  /// ModemManager runs, and udev tells it to leave the port alone.
  case modemManagerKeptAway
  /// ModemManager runs, and nothing tells it to leave the port alone.
  case modemManagerNear
  /// The state of the modem lines, and whether flow control is used.
  case modemLines(ModemLines, flowControl: Bool)
  /// A controller answers with the given settings.
  case speedFits(SerialSettings)
  /// A controller answers with settings other than the given ones.
  case speedDiffers(given: SerialSettings, answering: SerialSettings)
  /// No controller answers at any of `tried` settings; `octets` octets that are not HCI were received.
  case noSpeed(tried: Int, octets: Int)

  // MARK: Conversation

  /// HCI_Reset was answered, after `strayOctets` octets that belonged to no packet.
  case synchronized(strayOctets: Int)
  /// Nothing was received.
  case silent
  /// Octets were received, but no answer among them.
  case noise(octets: Int)
  /// The controller closed the line.
  case hungUp
  /// The controller's identity.
  case identified(ControllerIdentity)
  /// The controller answered after a wrong octet.
  case resynchronized
  /// After a wrong octet, the controller did not answer until it was reset.
  case lostPlace
  /// A command of the step was never answered, in several attempts.
  case unanswered(CommandOpcode)
  /// A command that the step needs was refused.
  case refused(CommandOpcode, ErrorCode)

  // MARK: Capabilities

  /// The controller supports the feature of the step.
  case present
  /// The controller does not support it; with the manufacturer of its firmware.
  case missing(ControllerManufacturer)
  /// The supported amount, and the amount wanted.
  case amount(Int, wanted: Int, ControllerManufacturer)
  /// The number of ACL buffers, and the octets that each holds.
  case buffers(length: Int, count: Int, ControllerManufacturer)

  // MARK: Line

  /// All commands were answered, and equal commands got equal answers.
  case exact(exchanges: Int)
  /// Of `exchanges` commands, `unanswered` were not answered and `different` were answered differently;
  /// `strayOctets` octets belonged to no packet.
  case lossy(exchanges: Int, unanswered: Int, different: Int, strayOctets: Int)
  /// The round trip time of the shortest command.
  case latency(median: Duration, p99: Duration)
  /// Of `of` answers, `answers` came later than a second, the latest after `longest`. None of them was lost.
  case late(answers: Int, of: Int, longest: Duration)
  /// All `exchanges` commands of `octets` octets were answered; `afterPause` octets arrived complete after a pause in reading.
  case burstsWhole(exchanges: Int, octets: Int, afterPause: Int)
  /// Of `exchanges` long commands, `lost` were not answered.
  case burstsLost(exchanges: Int, lost: Int, flowControl: Bool)
  /// Octets were lost during a pause in reading.
  case pauseLost(flowControl: Bool)
  /// The octets per second, and the limit due to the port's speed; nil if the port has no speed.
  case rate(octetsPerSecond: Int, limit: Int?)
  /// Long commands take no longer than short ones, as far as this clock can measure.
  case rateBeyondClock

  // MARK: Air

  /// The second controller scans, for extended advertising too if `extended` is set.
  case listening(extended: Bool)
  /// Advertising was accepted. There was no second controller to receive it.
  case advertised
  /// Advertising was accepted, and the second controller received it.
  case heard
  /// Advertising was accepted, and the second controller did not receive it.
  case unheard

  // MARK: Link

  /// The time until `count` writes were answered, at that connection interval.
  case linkLatency(median: Duration, p99: Duration, interval: Duration, count: Int)
  /// The throughput of a channel, the limit due to the link layer, and what bounded the throughput.
  case linkRate(kbps: Double, limitKbps: Double, bound: String)
  /// There was no connection, or it did not transfer the data, and why.
  case linkFailed(String)

  // MARK: Overall

  /// The number of commands; the controller never restarted or stopped answering.
  case stable(exchanges: Int)
  /// The number of commands, outside the trials that expect losses, that were answered only when repeated.
  case repeated(Int)
  /// The controller restarted; with the events that showed it.
  case restarted([RestartSign])
  /// The controller stopped answering for good during that step.
  case stopped(during: ExaminationStep)
}

extension Observation {
  /// The bound in `linkRate` when the line between host and controller is the bottleneck, in the words of `understudy bench ladder`.
  static let boundByLine = "line rate"
}

/// Why a step was skipped.
public enum SkipReason: Hashable, Sendable {
  /// No controller answers.
  case noController
  /// The controller is not on a serial port.
  case notSerial
  /// The port has no modem lines.
  case noLines
  /// The port is not on USB, so ModemManager ignores it.
  case notUSB
  /// The step could harm this controller, which is not known to tolerate it.
  case mayHarm(ControllerManufacturer)
  /// The controller does not support extended advertising.
  case noExtendedAdvertising
  /// The line loses octets.
  case lossyLine
  /// Answers are repeatedly late.
  case slowLine
  /// There is no second controller.
  case noListener
  /// The controller lacks the necessary commands.
  case commandsMissing
  /// The second controller does not receive the first.
  case notHeard
  /// The line cannot be opened a second time.
  case openedOnce
}

/// A sign that the controller restarted on its own.
public enum RestartSign: Hashable, Sendable {
  /// An unexpected Command Complete for no command.
  case unaskedGrant
  /// HCI_Hardware_Error with that code.
  case hardwareError(UInt8)
  /// A failed assertion in Zephyr, and its location.
  case assertion(String)
}
