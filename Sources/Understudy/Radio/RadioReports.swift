import AccessoryProfile

/// A controller of the radio, as observers see it.
public struct RadioController: Hashable, Sendable {
  /// Its name: `accessory`, `tcp-1`, `unix-1`, `pty-1` …
  public var name: String
  /// The location of its host: `this process`, or the address that the host has connected to.
  public var place: String
  /// The name of its preset: `full`, `zephyr-extended` …
  public var preset: String
  /// Whether a host is connected. The controller of a terminal stays when the terminal is closed.
  public var hasHost: Bool
}

/// An event of the radio.
public enum RadioEvent: Hashable, Sendable {
  /// A host has joined at that address, with a controller of that name.
  case joined(name: String, place: String)
  /// A host has left. Its controller is removed, unless it is that of a terminal.
  case left(name: String)
  /// A host could not join, because the limit of controllers is reached.
  case turnedAway(place: String)
  /// A connection for that controller did not come from a host and is closed; `left` follows.
  case lineRefused(name: String, LineRefusal)
  /// No host can join at that address for now, because no file descriptors are left.
  case listeningPaused(place: String)
  /// Hosts can join there again.
  case listeningResumed(place: String)
  /// The capture file can no longer be written; the radio continues.
  case captureFailed(reason: String)
}

extension RadioEvent {
  /// The event's name and fields.
  var described: (name: String, fields: [String: ProfileValue]) {
    switch self {
    case .joined(let name, let place): ("joined", ["controller": .string(name), "place": .string(place)])
    case .left(let name): ("left", ["controller": .string(name)])
    case .turnedAway(let place): ("turned-away", ["place": .string(place)])
    case .lineRefused(let name, let refusal):
      ("line-refused", refusal.json.merging(["controller": .string(name)]) { $1 })
    case .listeningPaused(let place): ("listening-paused", ["place": .string(place)])
    case .listeningResumed(let place): ("listening-resumed", ["place": .string(place)])
    case .captureFailed(let reason): ("capture-failed", ["reason": .string(reason)])
    }
  }

  /// The event as a JSON object, with its name as `event`.
  public var json: ProfileValue {
    var (name, fields) = described
    fields["event"] = .string(name)
    return .object(fields)
  }
}
