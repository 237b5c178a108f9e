import ArgumentParser
import VirtualRadio

/// A place where hosts join a virtual radio, and what their controllers are: `7001` or `7001=zephyr-extended`.
struct JoiningPlace {
  /// A port or a path.
  var text: String
  /// What the controllers of hosts that join there are; nil for what all are.
  var preset: ControllerConfiguration?

  /// The known presets, for messages.
  static let presets = ControllerConfiguration.presets.map(\.name).joined(separator: ", ")

  /// The place that an argument gives.
  init(parsing argument: String) throws {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let place = parts.first, !place.isEmpty else { throw ValidationError("the place is missing") }
    text = place
    if parts.count > 1 { preset = try Self.preset(parts[1]) }
  }

  /// The preset of that name.
  static func preset(_ name: String) throws -> ControllerConfiguration {
    guard let preset = ControllerConfiguration.named(name) else {
      throw ValidationError("there is no preset '\(name)' (known: \(presets))")
    }
    return preset
  }
}

/// A TCP port where hosts join, and what their controllers are.
struct JoiningPort {
  var number: UInt16
  var preset: ControllerConfiguration?

  /// Any free port.
  static let free = JoiningPort(number: 0, preset: nil)

  init(number: UInt16, preset: ControllerConfiguration?) {
    self.number = number
    self.preset = preset
  }

  /// The port that an argument gives.
  init(parsing argument: String) throws {
    let place = try JoiningPlace(parsing: argument)
    guard let number = UInt16(place.text) else {
      throw ValidationError("'\(place.text)' is not a port from 0 to 65535")
    }
    self.init(number: number, preset: place.preset)
  }
}
