import AccessoryProfile
import ArgumentParser
import BLEGATT
import Understudy

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check profiles and say everything that is wrong with them.")

  @OptionGroup var arguments: ProfileArguments

  @Flag(help: "Print a JSON array: file, validity, counts and diagnostics of each.")
  var json = false

  func run() throws {
    guard json else { return _ = try arguments.load { Terminal.print(TerminalText(Self.praise($0))) } }
    var reports: [ProfileValue] = []
    var isValid = true
    for name in arguments.profiles {
      do throws(ProfileError) {
        reports.append(
          Self.report(
            of: try Profile.load(contentsOf: ShippedProfiles.path(named: name) ?? name, settings: arguments.settings)))
      } catch {
        isValid = false
        reports.append(Self.report(of: error, file: name))
      }
    }
    Terminal.print(json: .array(reports))
    if !isValid { throw ExitStatus.invalidProfile }
  }

  private static func counts(_ profile: Profile) -> (services: Int, characteristics: Int, sets: Int) {
    let characteristics = profile.services.reduce(0) { $0 + $1.characteristics.count }
    return (profile.services.count, characteristics, profile.advertising.count)
  }

  private static func praise(_ profile: Profile) -> String {
    let count = counts(profile)
    return
      "\(profile.file): \(profile.name) is valid: \(count.services) services, \(count.characteristics) characteristics, "
      + "\(count.sets) advertising sets" + (profile.warnings.isEmpty ? "" : ", \(profile.warnings.count) warnings")
  }

  private static func report(of profile: Profile) -> ProfileValue {
    let count = counts(profile)
    return .object([
      "file": .string(profile.file), "valid": .bool(true), "name": .string(profile.name),
      "services": .int(Int64(count.services)), "characteristics": .int(Int64(count.characteristics)),
      "advertising_sets": .int(Int64(count.sets)), "diagnostics": .array(profile.warnings.map(\.json)),
    ])
  }

  private static func report(of error: ProfileError, file: String) -> ProfileValue {
    .object([
      "file": .string(error.diagnostics.first?.file ?? file), "valid": .bool(false),
      "diagnostics": .array(error.diagnostics.map(\.json)), "omitted": .int(Int64(error.omitted)),
    ])
  }
}

extension Diagnostic {
  fileprivate var json: ProfileValue {
    .object([
      "file": .string(file), "line": .int(Int64(line)), "column": .int(Int64(column)),
      "severity": .string(severity.rawValue), "message": .string(message),
    ])
  }
}
