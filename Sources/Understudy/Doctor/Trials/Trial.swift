import BLECore
import BLEHCI

/// One part of an examination: a conversation with a controller that ends in findings.
///
/// It is a value and keeps no time: the `Examination` does what it asks for and tells it how that came out. When the
/// controller restarts in the midst of it, it begins anew from what it was.
protocol Trial: Sendable {
  /// The steps that it has findings for.
  var steps: [ExaminationStep] { get }

  /// Whether it is about unanswered commands itself, so that they are no reason to begin anew.
  var expectsLosses: Bool { get }

  /// Why it cannot be done; nil when it can.
  func obstacle(in state: ExaminationState) -> SkipReason?

  /// What to do next, after `news`.
  mutating func proceed(after news: TrialNews, _ state: inout ExaminationState) -> TrialAction
}

extension Trial {
  var expectsLosses: Bool { false }

  func obstacle(in state: ExaminationState) -> SkipReason? { nil }
}

/// What a trial asks for.
enum TrialAction {
  /// Send a command and wait for its answer.
  case exchange(any HCICommand)
  /// The same, but read nothing for so long.
  case exchangeUnread(any HCICommand, Duration)
  /// Send octets as they are.
  case send([UInt8])
  /// Wait until the second controller hears that address, at most so long.
  case listen(for: DeviceAddress, atMost: Duration)
  /// It is over.
  case end
}

/// How what a trial asked for came out.
enum TrialNews {
  /// It begins.
  case begun
  /// A command was answered.
  case answered(CommandExchange)
  /// A command was not answered in time; the controller has been reset since. Only for trials that expect it.
  case unanswered
  /// The octets are on their way.
  case sent
  /// The second controller has heard the address, or not.
  case listened(heard: Bool)
}

/// A command and its answer.
struct CommandExchange: Hashable, Sendable {
  /// The command.
  var opcode: CommandOpcode
  /// Success, or why not.
  var status: ErrorCode
  /// The return parameters, the status at their head; empty when Command Status came instead.
  var parameters: [UInt8]
  /// The octets of both packets, with their H4 types.
  var octets: Int
  /// From the command's sending to its answer's coming.
  var roundTrip: Duration

  /// The return parameters of a command that it was for and that succeeded.
  func returned<Command: HCISyncCommand>(_: Command.Type) -> Command.ReturnParameters? {
    guard opcode == Command.opcode, status == .success else { return nil }
    return try? Command.returned(parameters.span)
  }
}
