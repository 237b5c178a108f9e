import AccessoryProfile

/// A controller of the radio, as others see it.
public struct RadioController: Hashable, Sendable {
  /// Its name: `accessory`, `tcp-1`, `unix-1`, `pty-1` …
  public var name: String
  /// Where its host is: `this process`, or the address that the host has connected to.
  public var place: String
  /// The name of what the controller is: `full`, `zephyr-extended` …
  public var preset: String
  /// Whether there is a host: a terminal may have been closed, and its controller goes on.
  public var hasHost: Bool
}

/// Something that happened to the radio.
public enum RadioEvent: Hashable, Sendable {
  /// A host has joined through that address, with a controller of that name.
  case joined(name: String, place: String)
  /// A host is gone, and its controller with it, unless it is that of a terminal.
  case left(name: String)
  /// A host could not join: the radio has all the controllers that it can have.
  case turnedAway(place: String)
  /// Who has joined with that controller is no host, and its connection is closed; `left` follows.
  case lineRefused(name: String, LineRefusal)
  /// Nobody can join through that address for now: the process has no descriptors left.
  case listeningPaused(place: String)
  /// Others can join there again.
  case listeningResumed(place: String)
  /// The capture file cannot be written any longer; the radio goes on.
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

  /// The event as one JSON object: `event` says which.
  public var json: ProfileValue {
    var (name, fields) = described
    fields["event"] = .string(name)
    return .object(fields)
  }
}
