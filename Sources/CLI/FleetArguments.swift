import AccessoryProfile
import ArgumentParser
import Transport
import Understudy

/// Fleet files, for the commands that take profiles.
enum FleetArguments {
  /// Validates texts in a fleet like the options of the same names.
  static let words = Fleet.Words(
    controller: { text in
      do throws(ControllerAddress.ParseError) {
        _ = try ControllerAddress(parsing: text)
        return nil
      } catch { return "\(error)" }
    },
    preset: { refusal(of: "--preset", $0) }, impairment: { refusal(of: "--impair", $0) },
    join: { refusal(of: "--join", $0) }, speed: { refusal(of: "--speed", $0) })

  /// Returns why an option refuses a text; nil if it accepts it.
  private static func refusal(of option: String, _ text: String) -> String? {
    do {
      _ = try RadioArguments.parse([option, text])
      return nil
    } catch {
      let message = RadioArguments.message(for: error)
      return "'\(text)': " + (message.split(separator: "\n").first.map { String($0) } ?? message)
    }
  }

  /// Loads the fleet if the only argument is a fleet file. Prints its warnings, or all its errors.
  static func load(_ arguments: ProfileArguments) throws -> Fleet? {
    guard let file = arguments.profiles.first(where: { Fleet.isFleet(at: $0) }) else { return nil }
    guard arguments.profiles.count == 1 else {
      throw ValidationError("\(file) is a fleet: run it alone, or list the profiles in it")
    }
    do throws(ProfileError) {
      let fleet = try Fleet.load(contentsOf: file, words: words, settings: arguments.settings)
      for warning in fleet.warnings { Terminal.note(TerminalText(lines: "\(warning)")) }
      return fleet
    } catch {
      Terminal.note(TerminalText(lines: "\(error)"))
      throw ExitStatus.invalidProfile
    }
  }

  /// Returns the plans for a fleet. Conflicts between its accessories are errors of the file.
  static func plans(for fleet: Fleet, options: AccessoryOptions, waits: Bool?) throws -> [AccessoryPlan] {
    do throws(FleetError) { return try AccessoryPlan.plans(for: fleet, options: options, waits: waits) } catch {
      Terminal.note(TerminalText(lines: "\(error)"))
      throw ExitStatus.invalidProfile
    }
  }
}

extension RadioArguments {
  /// Returns the options of a fleet's radio and of the command line together. The command line takes precedence.
  func merged(with air: Fleet.Air) throws -> RadioArguments {
    var words: [String] = []
    for place in air.joins { words += ["--join", place] }
    for impairment in air.impairments { words += ["--impair", impairment] }
    if let preset = air.preset { words += ["--preset", preset] }
    if let speed = air.speed { words += ["--speed", speed] }
    var merged = try RadioArguments.parse(words)
    merged.places += places
    merged.impairments += impairments
    merged.preset = preset ?? merged.preset
    if speed != .real { merged.speed = speed }
    merged.settle = settle
    return merged
  }
}
