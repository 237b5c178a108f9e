import ArgumentParser
import Transport
import Understudy
import VirtualRadio

/// A place where hosts join a virtual radio, with the preset of their controllers: `tcp:7001`,
/// `unix:/tmp/radio`, `pty` or `tcp=zephyr-extended`.
struct JoiningPlace {
  /// The kind of place.
  enum Kind {
    /// A TCP port on the loopback interface; 0 for any free one.
    case tcp(UInt16)
    /// A Unix socket.
    case unix(String)
    /// A pseudo-terminal, and the link to it.
    case pty(String?)
  }

  var kind: Kind
  /// The preset of the controllers of hosts that join there; nil for the radio's preset.
  var preset: ControllerConfiguration?

  /// Any free TCP port.
  static let freePort = JoiningPlace(kind: .tcp(0))

  /// The known forms, for help and messages.
  static let forms = "tcp[:PORT], unix:PATH, pty[:LINK], each optionally followed by =PRESET"

  /// The known presets, for messages.
  static let presets = ControllerConfiguration.presets.map(\.name).joined(separator: ", ")

  init(kind: Kind, preset: ControllerConfiguration? = nil) { (self.kind, self.preset) = (kind, preset) }

  /// Parses a place.
  init(parsing argument: String) throws {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let place = parts[0]
    let colon = place.firstIndex(of: ":")
    let rest = colon.map { String(place[place.index(after: $0)...]) }
    kind =
      switch (place[..<(colon ?? place.endIndex)], rest) {
      case ("tcp", nil): .tcp(0)
      case ("tcp", let port?):
        if let number = UInt16(port) {
          .tcp(number)
        } else {
          throw ValidationError("'\(port)' is not a port from 0 to 65535")
        }
      case ("unix", let path?) where !path.isEmpty: .unix(path)
      case ("pty", nil): .pty(nil)
      case ("pty", let link?) where !link.isEmpty: .pty(link)
      default: throw ValidationError("'\(place)' is not a place to join (known: \(Self.forms))")
      }
    if parts.count > 1 { preset = try Self.preset(parts[1]) }
  }

  /// Returns the preset with that name.
  static func preset(_ name: String) throws -> ControllerConfiguration {
    guard let preset = ControllerConfiguration.named(name) else {
      throw ValidationError("there is no preset '\(name)' (known: \(presets))")
    }
    return preset
  }

  /// Opens the place on a radio.
  func open(on radio: RadioHub) async throws(TransportError) {
    switch kind {
    case .tcp(let port): _ = try await radio.openPort(port: port, configuration: preset)
    case .unix(let path): try await radio.openSocket(path: path, configuration: preset)
    case .pty(let link): _ = try await radio.openTerminal(link: link, configuration: preset)
    }
  }
}
