import AccessoryProfile
import ArgumentParser
import Understudy

/// The directory for the accessories' stored state.
struct StateArguments: ParsableArguments {
  @Option(
    name: .customLong("state"),
    help: ArgumentHelp(
      """
      The directory for the state of accessories: identity, bonds, and changes at run time (default: \
      $XDG_STATE_HOME/understudy, or ~/.local/state/understudy).
      """, valueName: "directory"))
  var directory: String?

  /// The directory.
  var path: String { directory ?? StateDirectory.standard }
}

/// The stored state of one accessory that is not running.
struct StoredAccessoryArguments: ParsableArguments {
  @Argument(help: "The profile of the accessory: a file, or the name of a shipped one.")
  var profile: String

  @OptionGroup var state: StateArguments

  @Option(help: "The seed, as for `run`.")
  var seed: UInt64 = 0

  /// Opens and locks the state until this process ends. Damaged files are reported and set aside.
  func open() throws -> (profile: Profile, store: StateStore) {
    let profile = try ProfileArguments.load(profile)
    do throws(StateFailure) {
      var random = SystemRandomNumberGenerator()
      let store = try StateStore(of: profile, seed: seed, below: state.path, random: &random)
      for damage in store.damages { Terminal.error("\(damage)") }
      return (profile, store)
    } catch {
      throw Self.report(error)
    }
  }

  /// Calls `show` with the state, without changing anything. Then reports damaged files, and ends the program with 65 if there are any.
  func inspect(_ show: (StateStore) throws -> Void) throws {
    let profile = try ProfileArguments.load(profile)
    let store: StateStore
    do throws(StateFailure) {
      var random = SystemRandomNumberGenerator()
      store = try StateStore(inspecting: profile, seed: seed, below: state.path, random: &random)
    } catch {
      throw Self.report(error)
    }
    try show(store)
    guard !store.damages.isEmpty else { return }
    for damage in store.damages { Terminal.error("\(damage)") }
    throw ExitStatus.damagedState
  }

  /// Returns whether there is a stored state.
  func exists() throws -> Bool {
    StateStore.exists(of: try ProfileArguments.load(profile), seed: seed, below: state.path)
  }

  /// Reports a failure, and returns the exit code.
  static func report(_ failure: StateFailure) -> ExitCode {
    Terminal.error("\(failure)")
    switch failure {
    case .inUse, .unusable: return ExitStatus.cannotKeepState
    case .unwritable: return ExitStatus.inputOutput
    }
  }
}
