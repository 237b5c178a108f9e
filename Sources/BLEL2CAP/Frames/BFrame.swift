// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The identifier of a channel on a link (Core 5.4 Vol 3 Part A 2.1).
public struct ChannelID: OpenCode {
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The signalling channel of BR/EDR.
  public static let classicSignalling = ChannelID(rawValue: 0x0001)
  /// The connectionless channel of BR/EDR.
  public static let connectionless = ChannelID(rawValue: 0x0002)
  /// The Attribute Protocol's fixed channel.
  public static let attributeProtocol = ChannelID(rawValue: 0x0004)
  /// The LE signalling channel.
  public static let signalling = ChannelID(rawValue: 0x0005)
  /// The Security Manager Protocol's fixed channel.
  public static let securityManager = ChannelID(rawValue: 0x0006)
  /// The Security Manager Protocol's fixed channel on BR/EDR.
  public static let classicSecurityManager = ChannelID(rawValue: 0x0007)

  /// The CIDs that a device assigns to dynamic channels (Core 5.4 Vol 3 Part A 2.1, on LE-U).
  public static let dynamicRange: ClosedRange<UInt16> = 0x0040...0x007F
  /// Whether it is in that range.
  public var isDynamic: Bool { Self.dynamicRange.contains(rawValue) }

  /// The CIDs that a device assigns to dynamic channels on BR/EDR (Core 5.4 Vol 3 Part A 2.1, on ACL-U).
  public static let classicDynamicRange: ClosedRange<UInt16> = 0x0040...0xFFFF
  /// Whether it is in that range.
  public var isClassicDynamic: Bool { Self.classicDynamicRange.contains(rawValue) }
  /// The CIDs that this side gives to credit-based channels on ACL-U links, so that a CID says which kind of channel it is.
  static let classicCreditBasedRange: ClosedRange<UInt16> = 0xFFC0...0xFFFF
}

/// The header of every L2CAP PDU (Core 5.4 Vol 3 Part A 3.1).
public struct BasicHeader: OctetLayout, Hashable {
  /// The size of the header in octets.
  public static let octetCount = 4

  /// The length of the data after the header, in octets.
  public var length: UInt16 = 0
  /// The destination channel.
  public var channel = ChannelID(rawValue: 0)

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("PDU Length", &length)
    try fields.code("Channel ID", &channel)
  }
}

extension OctetBuffer {
  /// Appends the header of a B-frame with an information payload of `length` octets.
  package mutating func appendBasicHeader(length: Int, on channel: ChannelID) {
    // Length and channel are appended together because K-frames are the hot path.
    append(littleEndian: UInt32(UInt16(clamping: length)) | UInt32(channel.rawValue) << 16)
  }

  /// Appends a B-frame whose information payload `write` appends. Returns false, and appends nothing, if `write` appends nothing.
  @discardableResult
  package mutating func appendBFrame(on channel: ChannelID, _ write: (inout OctetBuffer) -> Void) -> Bool {
    let start = count
    appendBasicHeader(length: 0, on: channel)
    write(&self)
    let length = count - start - BasicHeader.octetCount
    guard length > 0 else {
      truncate(to: start)
      return false
    }
    patch(littleEndian: UInt16(clamping: length), at: start)
    return true
  }
}
