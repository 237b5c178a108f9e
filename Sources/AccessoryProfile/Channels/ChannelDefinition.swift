import BLECore
import BLEL2CAP

/// A credit-based channel that an accessory publishes (Core 5.4 Vol 3 Part A 10.1), as described by its profile.
public struct ChannelDefinition: Hashable, Sendable {
  /// The name that the profile and the control API use.
  public var id: String
  /// The PSM of the channel.
  public var psm: PSMChoice
  /// The maximum SDU that the channel receives, in octets: 23...65535.
  public var mtu: Int
  /// The maximum payload of a K-frame that the channel receives, in octets: 23...65533.
  public var mps: Int
  /// The number of frames that a central may send before it must wait; nil for as many as carry 64 KiB, and at least one SDU.
  public var credits: Int?
  /// The maximum number of open channels to this PSM per link.
  public var maximumChannels: Int
  /// The required protection of a central's link.
  public var protection: LinkProtection
  /// The minimum size of that link's encryption key, in octets; 0 for any.
  public var minimumKeySize = 0
  /// The authorization that a central needs to open the channel; nil for none.
  public var authorization: ChannelAuthorization?
  /// The characteristic that contains the PSM; nil for none.
  public var psmCharacteristic: String?
  /// The transports over which centrals can open it.
  public var transports = LinkTransport.all
  /// The handler of the channel's data in both directions.
  public var handler: ChannelHandler

  /// Creates a channel with default settings.
  public init(id: String, psm: PSMChoice = .automatic, handler: ChannelHandler) {
    self.id = id
    self.psm = psm
    mtu = Self.defaultMTU
    mps = Self.defaultMPS
    maximumChannels = Self.defaultMaximumChannels
    protection = .none
    self.handler = handler
  }

  /// The default MTU, large enough for the SDUs of peers that send streams.
  public static let defaultMTU = 2048
  /// The default MPS. With its header, such a K-frame fills four link-layer packets of 251 octets.
  public static let defaultMPS = 1000
  /// The default limit. In practice, one link has no more dynamic channels than this.
  public static let defaultMaximumChannels = 32
}

/// The choice of a channel's PSM (Core 5.4 Vol 3 Part A 4.22: SPSM).
public enum PSMChoice: Hashable, Sendable {
  /// A fixed PSM: 0x0001...0x007F, assigned by the Bluetooth SIG, or 0x0080...0x00FF.
  case fixed(UInt16)
  /// The lowest free PSM in 0x0080...0x00FF, which is the same at every start.
  case automatic
  /// A different PSM in 0x0080...0x00FF at every start, which exposes apps that cache it.
  case drawn
}

/// The handler of a channel's data.
public enum ChannelHandler: Hashable, Sendable {
  /// Returns every SDU unchanged.
  case echo
  /// Receives everything, counts it and, if `hashes` is set, computes its SHA-256; receives at most `octetsPerSecond`, if given.
  case sink(octetsPerSecond: Int?, hashes: Bool)
  /// Generates data to send.
  case source(ChannelSource)
  /// Sends data that rules transmit on the channel of that name, and drops received data.
  case rules(channel: String)
  /// Sends a file, then closes the channel.
  case file(path: String)
  /// Connects the channel to a TCP port.
  case tcp(host: String, port: UInt16)
  /// Connects the channel to a Unix socket.
  case unix(path: String)
  /// Exposes the channel as a pseudoterminal; `link` is a symbolic link to it.
  case pty(link: String?)
}

/// A generator of data for a channel.
public struct ChannelSource: Hashable, Sendable {
  /// The content of the data.
  public enum Pattern: String, Hashable, Sendable, CaseIterable {
    /// Octets that count up from 0 and wrap around after 255.
    case counter
    /// Zeros.
    case zeros
    /// Random octets, the same for the same seed.
    case random
  }

  /// The content of the data.
  public var pattern: Pattern
  /// The length of an SDU in octets; nil for the maximum that the peer accepts.
  public var sduLength: Int?
  /// The total number of octets, after which the channel closes; nil to send forever.
  public var length: Int?
  /// The rate in octets per second; nil for as fast as the peer accepts data.
  public var octetsPerSecond: Int?

  /// Creates a source; by default, it sends without limits.
  public init(
    pattern: Pattern = .counter, sduLength: Int? = nil, length: Int? = nil, octetsPerSecond: Int? = nil
  ) {
    self.pattern = pattern
    self.sduLength = sduLength
    self.length = length
    self.octetsPerSecond = octetsPerSecond
  }
}
