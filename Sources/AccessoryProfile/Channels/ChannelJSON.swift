import BLEATT
import BLECore
import BLEL2CAP

extension ChannelDefinition {
  /// Loads a channel from JSON in the form used by profiles, with the same checks. `psm-characteristic` is the id of an existing
  /// characteristic.
  public static func load(_ value: ProfileValue) throws(ProfileValueError) -> ChannelDefinition {
    var loader = ProfileLoader(source: SourceFile(name: "", text: ""), diagnostics: [])
    let channel = loader.channel(SyntaxNode(value))
    if let error = loader.fieldError { throw error }
    guard let channel else { throw ProfileValueError("it is not a channel") }
    return channel
  }

  /// The channel as in a profile: `id`, `psm`, `mtu`, `mps`, `max-channels`, `security`, `handler`, and, if set, `key-size`,
  /// `authorization` and `transports`.
  public var json: ProfileValue {
    let psm: ProfileValue =
      switch self.psm {
      case .fixed(let number): .int(Int64(number))
      case .automatic: .string("auto")
      case .drawn: .string("new")
      }
    var fields: [String: ProfileValue] = [
      "id": .string(id), "psm": psm, "mtu": .int(Int64(mtu)), "mps": .int(Int64(mps)),
      "max-channels": .int(Int64(maximumChannels)), "security": .string(protection.word), "handler": handler.json,
    ]
    fields["credits"] = credits.map { .int(Int64($0)) }
    if minimumKeySize > 0 { fields["key-size"] = .int(Int64(minimumKeySize)) }
    if transports != LinkTransport.all { fields["transports"] = transports.json }
    fields["authorization"] = authorization.map { .string($0.word) }
    return .object(fields)
  }
}

extension Set<LinkTransport> {
  /// The keywords in profiles, in order.
  package var words: [String] { LinkTransport.allCases.filter(contains).map(\.rawValue) }
  /// The list of keywords.
  package var json: ProfileValue { .array(words.map { .string($0) }) }
}

extension ChannelAuthorization {
  /// The keyword in profiles.
  public var word: String {
    switch self {
    case .granted: "granted"
    case .denied: "denied"
    case .asked: "ask"
    }
  }

  /// Creates the value for a keyword of profiles; nil for other words.
  public init?(word: String) {
    guard let found = Self.all.first(where: { $0.word == word }) else { return nil }
    self = found
  }

  /// All values.
  static let all: [ChannelAuthorization] = [.asked, .granted, .denied]
  /// All keywords in profiles.
  public static var words: [String] { all.map(\.word) }
}

extension LinkProtection {
  /// Creates the value for a keyword of profiles; nil for other words.
  package init?(word: String) {
    let all: [LinkProtection] = [.none, .encrypted, .authenticated, .secureConnections]
    guard let found = all.first(where: { $0.word == word }) else { return nil }
    self = found
  }

  /// The keyword in profiles.
  public var word: String {
    switch self {
    case .none: "none"
    case .encrypted: "encrypted"
    case .authenticated: "authenticated"
    case .secureConnections: "secure-connections"
    }
  }
}

extension ChannelHandler {
  /// The handler as in a profile: `echo`, or `{"sink": {"rate": 1000}}`.
  public var json: ProfileValue {
    switch self {
    case .echo: .string("echo")
    case .sink(nil, false): .string("sink")
    case .sink(let rate, let hashes):
      .object(["sink": .object(Self.numbers(["rate": rate]).merging(["hash": .bool(hashes)]) { old, _ in old })])
    case .source(let source):
      .object([
        "source": .object(
          Self.numbers(["sdu": source.sduLength, "length": source.length, "rate": source.octetsPerSecond])
            .merging(["pattern": .string(source.pattern.rawValue)]) { old, _ in old })
      ])
    case .file(let path): .string("file:\(path)")
    case .tcp(let host, let port): .string("tcp:\(host):\(port)")
    case .unix(let path): .string("unix:\(path)")
    case .rules: "rules"
    case .pty(let link): .string(link.map { "pty:\($0)" } ?? "pty")
    }
  }

  private static func numbers(_ fields: [String: Int?]) -> [String: ProfileValue] {
    fields.compactMapValues { number in number.map { .int(Int64($0)) } }
  }
}
