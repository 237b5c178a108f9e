import ArgumentParser

/// The exit codes beside 0 and 64 (wrong usage, which the argument parser gives), as in sysexits(3).
enum ExitStatus {
  /// The profile is invalid.
  static let invalidProfile = ExitCode(65)
  /// The capture is damaged, or of no known format.
  static let invalidCapture = ExitCode(65)
  /// A file that is to be read cannot be.
  static let noInput = ExitCode(66)
  /// There is no such profile.
  static let noProfile = ExitCode(66)
  /// The controller is not there, does not answer, or cannot be used.
  static let unavailable = ExitCode(69)
  /// The state is in use by another run, or its folder cannot be made.
  static let cannotKeepState = ExitCode(73)
  /// A file could not be written.
  static let inputOutput = ExitCode(74)
}
