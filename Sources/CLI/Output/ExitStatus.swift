import ArgumentParser

/// The exit codes, from sysexits(3) where it has a suitable one.
enum ExitStatus {
  /// The profile is invalid.
  static let invalidProfile = ExitCode(65)
  /// The capture is damaged, or its format is not known.
  static let invalidCapture = ExitCode(65)
  /// A file of the stored state is damaged.
  static let damagedState = ExitCode(65)
  /// An input file cannot be read.
  static let noInput = ExitCode(66)
  /// There is no such profile.
  static let noProfile = ExitCode(66)
  /// The controller does not exist, does not answer, or cannot be used.
  static let unavailable = ExitCode(69)
  /// The system lacks something that every command needs.
  static let system = ExitCode(71)
  /// The state is in use by another run, or its folder cannot be created.
  static let cannotKeepState = ExitCode(73)
  /// A file could not be written.
  static let inputOutput = ExitCode(74)

  /// All exit codes and their meanings, for the help and docs/cli.md.
  static let table: [(code: Int32, meaning: String)] = [
    (0, "it did what was asked; this includes a run that is ended by Control-C or SIGTERM"),
    (
      1,
      "it ran, but the result is negative: --until's event has not occurred, doctor has found a fault, a "
        + "bench failed, captures differ, there is no such bond, or a console's command was refused"
    ),
    (64, "wrong usage"),
    (
      65,
      "a profile or a file to import is invalid, lint has found errors or warnings, or a capture or the stored state is "
        + "damaged"
    ),
    (66, "there is no such profile or file"),
    (
      69,
      "the controller does not exist, does not answer, or cannot be used; or the control API's port is in "
        + "use"
    ),
    (71, "/proc is missing"),
    (73, "the state is in use by another run, or cannot be stored; or a file would be overwritten"),
    (74, "a file, or standard output, could not be written"),
  ]

  /// The table as a text, for the help.
  static var help: String { table.map { "\($0.code) \($0.meaning)" }.joined(separator: "; ") + "." }
}
