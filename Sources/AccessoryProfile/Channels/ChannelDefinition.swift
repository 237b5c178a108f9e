import BLECore
import BLEL2CAP

/// A credit-based channel that an accessory publishes (Core 5.4 Vol 3 Part A 10.1), as its profile describes it.
public struct ChannelDefinition: Hashable, Sendable {
  /// The name by which the profile and the control API speak of it.
  public var id: String
  /// Under which PSM it is published.
  public var psm: PSMChoice
  /// The longest SDU it takes, in octets: 23...65535.
  public var mtu: Int
  /// The longest payload of a K-frame it takes, in octets: 23...65533.
  public var mps: Int
  /// How many frames a central may send before it must wait; nil for as many as carry 64 KiB, and one SDU at least.
  public var credits: Int?
  /// How many channels may be open to it on one link.
  public var maximumChannels: Int
  /// What a central's link must be to open it.
  public var protection: LinkProtection
  /// The shortest encryption key of that link, in octets; 0 for any.
  public var minimumKeySize = 0
  /// Who decides whether a central may open it; nil when nobody has to.
  public var authorization: ChannelAuthorization?
  /// The characteristic that holds its PSM; nil for none.
  public var psmCharacteristic: String?
  /// What happens to what comes in, and where what goes out comes from.
  public var handler: ChannelHandler

  /// The shape of a channel with nothing of its own.
  public init(id: String, psm: PSMChoice = .automatic, handler: ChannelHandler) {
    self.id = id
    self.psm = psm
    mtu = Self.defaultMTU
    mps = Self.defaultMPS
    maximumChannels = Self.defaultMaximumChannels
    protection = .none
    self.handler = handler
  }

  /// Room for the SDUs that stream-like peers send.
  public static let defaultMTU = 2048
  /// With its header, such a K-frame fills four link-layer packets of 251 octets.
  public static let defaultMPS = 1000
  /// As many as one link has dynamic channels for in practice.
  public static let defaultMaximumChannels = 32
}

/// Under which PSM a channel is published (Core 5.4 Vol 3 Part A 4.22: SPSM).
public enum PSMChoice: Hashable, Sendable {
  /// This one: 0x0001...0x007F as the Bluetooth SIG assigns them, or 0x0080...0x00FF.
  case fixed(UInt16)
  /// The lowest free one of 0x0080...0x00FF, the same at every start.
  case automatic
  /// Another one of 0x0080...0x00FF at every start, for finding apps that remember it.
  case drawn
}

/// What stands behind a channel.
public enum ChannelHandler: Hashable, Sendable {
  /// Every SDU goes back as it came.
  case echo
  /// Takes everything: counts it and, if wanted, computes its SHA-256; takes `octetsPerSecond` at the most where given.
  case sink(octetsPerSecond: Int?, hashes: Bool)
  /// Sends by itself.
  case source(ChannelSource)
  /// Sends what rules transmit on the channel of that name, and drops what comes in.
  case rules(channel: String)
  /// Sends a file, then closes.
  case file(path: String)
  /// Connects a TCP port with it.
  case tcp(host: String, port: UInt16)
  /// Connects a Unix socket with it.
  case unix(path: String)
  /// Makes it a pseudo terminal; `link` is a symbolic link to it.
  case pty(link: String?)
}

/// What a channel sends by itself.
public struct ChannelSource: Hashable, Sendable {
  /// What the octets are.
  public enum Pattern: String, Hashable, Sendable, CaseIterable {
    /// They count up from 0, and begin again after 255.
    case counter
    /// All are 0.
    case zeros
    /// Random ones, the same for the same seed.
    case random
  }

  /// The octets that it sends.
  public var pattern: Pattern
  /// How many octets one SDU has; nil for the longest that the peer takes.
  public var sduLength: Int?
  /// How many octets are sent in all, then the channel is closed; nil for ever.
  public var length: Int?
  /// How fast, in octets per second; nil for as fast as the peer takes them.
  public var octetsPerSecond: Int?

  /// A source that sends what it can.
  public init(
    pattern: Pattern = .counter, sduLength: Int? = nil, length: Int? = nil, octetsPerSecond: Int? = nil
  ) {
    self.pattern = pattern
    self.sduLength = sduLength
    self.length = length
    self.octetsPerSecond = octetsPerSecond
  }
}
