import AccessoryProfile
import ArgumentParser
import Glibc
import Understudy

/// The profiles for a command: files, or the names of shipped ones.
struct ProfileArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Profile files, names of shipped profiles (see `understudy profiles`), or - for standard input.",
      valueName: "profile"))
  var profiles: [String]

  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp(
      "Set a parameter of every profile, or any key: rate=80, connection.mtu=23, services.battery.level=50.",
      valueName: "path=value"),
    transform: { try Self.setting($0) })
  var settings: [ProfileSetting] = []

  static func setting(_ text: String) throws -> ProfileSetting {
    guard let setting = ProfileSetting(parsing: text) else {
      throw ValidationError("it takes a path and a value, such as connection.mtu=23")
    }
    return setting
  }

  /// Loads the profiles. Prints warnings, or all errors of each. `loaded` is called with the valid ones.
  func load(_ loaded: (Profile) -> Void = { _ in }) throws -> [Profile] {
    var all: [Profile] = []
    var failure: (any Error)?
    for name in profiles {
      do {
        let profile = try Self.load(name, settings: settings)
        loaded(profile)
        all.append(profile)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return all
  }

  private static var workingDirectory: String {
    guard let path = getcwd(nil, 0) else { return "this directory" }
    defer { free(path) }
    return String(cString: path)
  }

  /// Returns the path of a profile that is an argument. If there is none, prints an error and returns nil.
  static func path(of profile: String) -> String? {
    if let path = ShippedProfiles.path(named: profile) { return path }
    Terminal.error(
      "there is no profile \(profile): no file of that name in \(workingDirectory), and none "
        + "\(ShippedProfiles.absence(of: profile))")
    return nil
  }

  /// Loads a profile as if it were an argument.
  static func load(_ profile: String, settings: [ProfileSetting] = []) throws -> Profile {
    guard let path = path(of: profile) else { throw ExitStatus.noProfile }
    do throws(ProfileError) {
      let loaded = try Profile.load(contentsOf: path, settings: settings)
      for warning in loaded.warnings { Terminal.note(TerminalText(lines: "\(warning)")) }
      return loaded
    } catch {
      Terminal.note(TerminalText(lines: "\(error)"))
      throw ExitStatus.invalidProfile
    }
  }
}

extension AccessoryPlan {
  /// Returns the plans for these profiles. Two profiles with the same fixed address are a usage error.
  static func checked(_ profiles: [Profile], options: AccessoryOptions) throws -> [AccessoryPlan] {
    do throws(SharedAddressError) { return try plans(for: profiles, options: options) } catch {
      throw ValidationError("\(error)")
    }
  }
}
