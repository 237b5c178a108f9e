/// The address of a controller: `virtual`, `auto`, `serial:/dev/ttyACM0[,1000000][,noflow]`, `tcp-client:HOST:PORT`,
/// `tcp-server:HOST:PORT`, `unix:PATH`, `pty[:LINK]` or `hci:0`.
public enum ControllerAddress: Hashable, Sendable {
  /// The host that a server listens on by default.
  public static let loopback = "127.0.0.1"

  /// A controller in this process.
  case virtual
  /// The only board that is plugged in.
  case auto
  /// A serial port.
  case serial(SerialSettings)
  /// A TCP server to connect to.
  case tcpClient(host: String, port: UInt16)
  /// A TCP port that the controller connects to; port 0 means any free one.
  case tcpServer(host: String, port: UInt16)
  /// A Unix socket to connect to.
  case unix(path: String)
  /// A pseudo-terminal that the controller opens, optionally with a symbolic link to it.
  case pty(link: String?)
  /// A Bluetooth adapter of this machine, by its number in the kernel: 0 for hci0.
  case hci(UInt16)

  /// An error in the text of a controller address.
  public struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text.
    public var text: String
    /// The error.
    public var reason: String

    /// The text, the error, and the known forms.
    public var description: String {
      "bad controller address '\(text)': \(reason) (known: \(ControllerAddress.forms.joined(separator: ", ")))"
    }
  }

  /// The known forms, for help texts.
  public static let forms = [
    "virtual", "auto", "serial:/dev/ttyACM0[,1000000][,noflow]", "tcp-client:HOST:PORT", "tcp-server:HOST:PORT",
    "unix:PATH", "pty[:LINK]", "hci:0",
  ]
}

extension ControllerAddress {
  /// Whether the line holds back a sender that is too fast, so that nothing is lost while nobody reads. Sockets do, except that of the
  /// kernel's user channel, which drops what does not fit.
  public var hasFlowControl: Bool {
    switch self {
    case .virtual, .tcpClient, .tcpServer, .unix: true
    case .auto, .serial, .pty, .hci: false
    }
  }
}

extension ControllerAddress: CustomStringConvertible {
  /// The address in the format of `init(parsing:)`.
  public var description: String {
    switch self {
    case .virtual: "virtual"
    case .auto: "auto"
    case .serial(let settings):
      "serial:\(settings.path)"
        + (settings.baud == SerialSettings.defaultBaud ? "" : ",\(settings.baud)")
        + (settings.flowControl ? "" : ",noflow")
    case .tcpClient(let host, let port): "tcp-client:\(Self.bracketed(host)):\(port)"
    case .tcpServer(let host, let port): "tcp-server:\(Self.bracketed(host)):\(port)"
    case .unix(let path): "unix:\(path)"
    case .pty(let link): link.map { "pty:\($0)" } ?? "pty"
    case .hci(let index): "hci:\(index)"
    }
  }

  /// Returns a host as written before a port: IPv6 addresses in brackets.
  private static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}

extension ControllerAddress {
  /// Parses an address.
  public init(parsing text: String) throws(ParseError) {
    func wrong(_ reason: String) -> ParseError { ParseError(text: text, reason: reason) }
    let colon = text.firstIndex(of: ":")
    let scheme = text[..<(colon ?? text.endIndex)]
    let rest = colon.map { text[text.index(after: $0)...] }
    switch (scheme, rest) {
    case ("", nil): throw wrong("it is empty")
    case ("virtual", nil): self = .virtual
    case ("auto", nil): self = .auto
    case ("virtual", _), ("auto", _): throw wrong("'\(scheme)' takes no parameters")
    case ("pty", nil): self = .pty(link: nil)
    case ("pty", let link?):
      guard !link.isEmpty else { throw wrong("the path of the link is missing") }
      self = .pty(link: String(link))
    case ("unix", let path):
      guard let path, !path.isEmpty else { throw wrong("the path is missing") }
      self = .unix(path: String(path))
    case ("hci", let index):
      guard let index, !index.isEmpty else { throw wrong("the number of the adapter is missing, as in hci:0") }
      guard index.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt16(index), number < UInt16.max else {
        throw wrong("'\(index)' is not the number of an adapter; hci0 has the number 0")
      }
      self = .hci(number)
    case ("serial", let rest): self = .serial(try Self.parseSerial(rest ?? "", wrong))
    case ("tcp-client", let rest):
      let (host, port) = try Self.parseHostAndPort(rest ?? "", wrong)
      guard !host.isEmpty, host != "_" else { throw wrong("the host is missing") }
      guard port != 0 else { throw wrong("port 0 cannot be used to connect") }
      self = .tcpClient(host: host, port: port)
    case ("tcp-server", let rest):
      let (host, port) = try Self.parseHostAndPort(rest ?? "", wrong)
      self = .tcpServer(host: host.isEmpty || host == "_" ? Self.loopback : host, port: port)
    case _ where text.hasPrefix("/dev/"): throw wrong("did you mean serial:\(text)?")
    case _ where text.hasPrefix("hci") && UInt16(text.dropFirst(3)) != nil:
      throw wrong("did you mean hci:\(text.dropFirst(3))?")
    default: throw wrong("'\(scheme)' is not a kind of controller")
    }
  }

  private static func parseSerial(
    _ text: Substring, _ wrong: (String) -> ParseError
  ) throws(ParseError) -> SerialSettings {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard let path = parts.first, !path.isEmpty else { throw wrong("the path of the port is missing") }
    var settings = SerialSettings(path: String(path))
    for option in parts.dropFirst() {
      if option == "noflow" {
        settings.flowControl = false
      } else if let first = option.first, first.isNumber {
        guard let baud = UInt32(option), (300...20_000_000).contains(baud) else {
          throw wrong("'\(option)' is not a speed from 300 to 20000000 bit/s")
        }
        settings.baud = baud
      } else {
        throw wrong("'\(option)' is not an option of serial (a speed in bit/s, or noflow)")
      }
    }
    return settings
  }

  private static func parseHostAndPort(
    _ text: Substring, _ wrong: (String) -> ParseError
  ) throws(ParseError) -> (host: String, port: UInt16) {
    guard let colon = text.lastIndex(of: ":") else { throw wrong("it needs HOST:PORT") }
    var host = text[..<colon]
    let digits = text[text.index(after: colon)...]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      throw wrong("an IPv6 address goes in brackets")
    }
    guard !digits.isEmpty else { throw wrong("the port is missing") }
    guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let port = UInt16(digits) else {
      throw wrong("'\(digits)' is not a port from 0 to 65535")
    }
    return (String(host), port)
  }
}

extension ControllerAddress {
  /// Whether the controller may disappear and return while the program runs. Boards and adapters can be unplugged and plugged in again;
  /// other programs and their pseudo-terminals end for good.
  public var mayComeBack: Bool {
    switch self {
    case .auto, .hci: true
    case .serial(let settings): DeviceNumber(at: settings.path)?.isPseudoTerminal != true
    default: false
    }
  }
}
