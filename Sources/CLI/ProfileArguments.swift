import AccessoryProfile
import ArgumentParser

/// The profile that a command is about: a file, or the name of a shipped one.
struct ProfileArgument: ParsableArguments {
  @Argument(help: "A profile file, or the name of a shipped profile (see `understudy profiles`).")
  var profile: String

  /// Loads the profile; prints warnings, or everything that is wrong with it.
  func load() throws -> Profile { try Self.load(profile) }

  /// Loads a profile, as the argument would be.
  static func load(_ profile: String) throws -> Profile {
    guard let path = ShippedProfiles.path(named: profile) else {
      let names = ShippedProfiles.list.map(\.name).joined(separator: ", ")
      Terminal.error("there is no profile \(profile): give a file, or the name of a shipped profile (known: \(names))")
      throw ExitStatus.noProfile
    }
    do throws(ProfileError) {
      let loaded = try Profile.load(contentsOf: path)
      for warning in loaded.warnings { Terminal.note("\(warning)") }
      return loaded
    } catch {
      Terminal.note("\(error)")
      throw ExitStatus.invalidProfile
    }
  }
}
