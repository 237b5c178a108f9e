import BLECore
import BLEHCI

/// One part of an examination: an exchange with a controller that results in findings.
///
/// A trial is a value and keeps no time: the `Examination` does what the trial requests and reports the
/// outcome to it. If the controller restarts during a trial, the trial starts again from its initial state.
protocol Trial: Sendable {
  /// The steps for which the trial records findings.
  var steps: [ExaminationStep] { get }

  /// Whether the trial itself handles unanswered commands, so that they do not restart it.
  var expectsLosses: Bool { get }

  /// Returns why the trial cannot be done; nil if it can.
  func obstacle(in state: ExaminationState) -> SkipReason?

  /// Returns the next action, after `news`.
  mutating func proceed(after news: TrialNews, _ state: inout ExaminationState) -> TrialAction
}

extension Trial {
  var expectsLosses: Bool { false }

  func obstacle(in state: ExaminationState) -> SkipReason? { nil }
}

/// An action that a trial requests.
enum TrialAction {
  /// Send a command and wait for its answer.
  case exchange(any HCICommand)
  /// The same, but pause reading for that long.
  case exchangeUnread(any HCICommand, Duration)
  /// Send octets as they are.
  case send([UInt8])
  /// Wait until the second controller receives that address, for at most that long.
  case listen(for: DeviceAddress, atMost: Duration)
  /// End the trial.
  case end
}

/// The outcome of the requested action.
enum TrialNews {
  /// The trial begins.
  case begun
  /// A command was answered.
  case answered(CommandExchange)
  /// A command was not answered in time, and the controller has been reset. Only for trials that expect this.
  case unanswered
  /// The octets were sent.
  case sent
  /// Whether the second controller received the address.
  case listened(heard: Bool)
}

/// A command and its answer.
struct CommandExchange: Hashable, Sendable {
  /// The command.
  var opcode: CommandOpcode
  /// Success, or the error.
  var status: ErrorCode
  /// The return parameters, beginning with the status; empty if the answer was a Command Status.
  var parameters: [UInt8]
  /// The octets of both packets, including their H4 types.
  var octets: Int
  /// The time from sending the command to receiving its answer.
  var roundTrip: Duration

  /// Returns the decoded return parameters, if this was that command and it succeeded.
  func returned<Command: HCISyncCommand>(_: Command.Type) -> Command.ReturnParameters? {
    guard opcode == Command.opcode, status == .success else { return nil }
    return try? Command.returned(parameters.span)
  }
}
