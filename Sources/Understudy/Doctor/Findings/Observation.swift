import BLECore
import BLEHCI
import Transport

/// What a step has seen.
public enum Observation: Hashable, Sendable {
  /// The step was not done.
  case skipped(SkipReason)

  // MARK: Port

  /// The port is there and nobody else has it; where udev knows it, under a name that stays.
  case portReady(path: String, stablePath: String?, isUSB: Bool)
  /// There is no such port.
  case portMissing(path: String)
  /// The user may not open it; its group may.
  case portForbidden(path: String, group: String?)
  /// Others have it open, or have even locked it.
  case portHeld(path: String, by: [PortHolder], isLocked: Bool)
  /// The address cannot be opened for another reason.
  case unreachable(TransportError)
  /// The address could be opened.
  case reached(String)
  /// ModemManager does not run.
  case noModemManager
  /// ModemManager runs, and udev tells it to leave the port alone.
  case modemManagerKeptAway
  /// ModemManager runs, and nobody tells it to leave the port alone.
  case modemManagerNear
  /// The lines beside the data, and whether CTS is heeded.
  case modemLines(ModemLines, flowControl: Bool)
  /// A controller answers with the settings that were given.
  case speedFits(SerialSettings)
  /// A controller answers with other settings than were given.
  case speedDiffers(given: SerialSettings, answering: SerialSettings)
  /// Nobody speaks HCI at any of so many settings; so many octets of something else came.
  case noSpeed(tried: Int, octets: Int)

  // MARK: Conversation

  /// HCI_Reset was answered; so many octets before belonged to no packet.
  case synchronized(strayOctets: Int)
  /// Nothing came at all.
  case silent
  /// So many octets came, and no answer among them.
  case noise(octets: Int)
  /// The controller closed the line.
  case hungUp
  /// Who the controller is.
  case identified(ControllerIdentity)
  /// It answered behind a wrong octet.
  case resynchronized
  /// It did not answer behind a wrong octet, until it was reset.
  case lostPlace
  /// A command of the step was not answered, again and again.
  case unanswered(CommandOpcode)
  /// A command that the step needs was refused.
  case refused(CommandOpcode, ErrorCode)

  // MARK: Capabilities

  /// The controller has what the step is about.
  case present
  /// It has not, and whose firmware that is.
  case missing(ControllerManufacturer)
  /// It has so much of it, where so much is wanted.
  case amount(Int, wanted: Int, ControllerManufacturer)
  /// So many ACL packets of so many octets.
  case buffers(length: Int, count: Int, ControllerManufacturer)

  // MARK: Line

  /// So many commands were answered, equal ones equally.
  case exact(exchanges: Int)
  /// Of so many commands so many were not answered, so many answered differently; so many octets were stray.
  case lossy(exchanges: Int, unanswered: Int, different: Int, strayOctets: Int)
  /// Round trips of the shortest command.
  case latency(median: Duration, p99: Duration)
  /// Of so many answers so many came later than a second, the latest after `longest`. None of these was lost.
  case late(answers: Int, of: Int, longest: Duration)
  /// So many commands of so many octets were answered; so many octets came whole after a pause in which nobody read.
  case burstsWhole(exchanges: Int, octets: Int, afterPause: Int)
  /// Of so many long commands so many were not answered.
  case burstsLost(exchanges: Int, lost: Int, flowControl: Bool)
  /// What came after a pause in which nobody read was not whole.
  case pauseLost(flowControl: Bool)
  /// So many octets in a second, of so many that the speed of the port allows; nil where it has none.
  case rate(octetsPerSecond: Int, limit: Int?)
  /// Long commands take no longer than short ones, as far as this clock can tell.
  case rateBeyondClock

  // MARK: Air

  /// The second controller listens, to extended advertising too or not.
  case listening(extended: Bool)
  /// Advertising was accepted; nobody listened.
  case advertised
  /// Advertising was accepted, and the second controller heard it.
  case heard
  /// Advertising was accepted, and the second controller did not hear it.
  case unheard

  // MARK: Link

  /// How long so many writes took until they were answered, at that connection interval.
  case linkLatency(median: Duration, p99: Duration, interval: Duration, count: Int)
  /// So many kbit/s went over a channel, of so many that the link layer allows, and what bounded them.
  case linkRate(kbps: Double, limitKbps: Double, bound: String)
  /// There was no connection, or it did not carry what was sent, and why.
  case linkFailed(String)

  // MARK: Whole

  /// So many commands, and the controller never restarted or fell silent.
  case stable(exchanges: Int)
  /// So many commands outside the series were not answered at first.
  case repeated(Int)
  /// The controller restarted, and what it said of it.
  case restarted([RestartSign])
  /// The controller fell silent for good in that step.
  case stopped(during: ExaminationStep)
}

extension Observation {
  /// What `linkRate` says is the bound when the line between host and controller is: the word of `understudy bench ladder`.
  static let boundByLine = "line rate"
}

/// Why a step was not done.
public enum SkipReason: Hashable, Sendable {
  /// There is no controller that answers.
  case noController
  /// The controller is not behind a serial port.
  case notSerial
  /// The port has no such lines.
  case noLines
  /// The port is not behind USB, and ModemManager passes it over.
  case notUSB
  /// It would do harm to a controller that is not known to bear it.
  case mayHarm(ControllerManufacturer)
  /// The controller has no extended advertising.
  case noExtendedAdvertising
  /// The line loses octets.
  case lossyLine
  /// Answers come too late again and again.
  case slowLine
  /// There is no second controller.
  case noListener
  /// The controller does not name the commands that it needs.
  case commandsMissing
  /// The second controller does not hear the first.
  case notHeard
  /// The line cannot be opened a second time.
  case openedOnce
}

/// What says that a controller restarted by itself.
public enum RestartSign: Hashable, Sendable {
  /// A Command Complete for no command, out of the blue.
  case unaskedGrant
  /// HCI_Hardware_Error with that code.
  case hardwareError(UInt8)
  /// A failed assertion of Zephyr's, and where.
  case assertion(String)
}
