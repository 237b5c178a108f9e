import BLECore

/// How a device presents itself over BR/EDR (Core 5.4 Vol 3 Part C 3.2, 4).
public struct ClassicSettings: Hashable, Sendable {
  /// The device name, of at most 248 octets (Core 5.4 Vol 3 Part C 3.2.2).
  public var name: String
  /// What it says that it is (Assigned Numbers 2.8), 24 bits.
  public var classOfDevice: UInt32
  /// Whether inquiries find it.
  public var discoverability: Discoverability
  /// Whether it accepts connections.
  public var isConnectable: Bool
  /// Whether its controller agrees if the peer wants to exchange roles (Core 5.4 Vol 4 Part E 7.2.10).
  public var allowsRoleSwitch = true
  /// Whether it agrees if the peer wants sniff mode.
  public var allowsSniff = true
  /// The Extended Inquiry Response; nil for one that `makeInquiryResponse` makes.
  public var inquiryResponse: AdvertisingData?
  /// Whether it does without BR/EDR on a controller that does not support it. Otherwise it does not start there.
  public var isOptional: Bool

  /// Whether inquiries find a device (Core 5.4 Vol 3 Part C 4.1).
  public enum Discoverability: Hashable, Sendable {
    /// Not at all.
    case none
    /// Limited and general inquiries find it, until so much time has passed; then none.
    case limited(Duration)
    /// General inquiries find it.
    case general

    /// Whether it is limited discoverable mode.
    package var isLimited: Bool { if case .limited = self { true } else { false } }
  }

  /// The longest name, in octets.
  public static let nameLimit = 248
  /// The length of an Extended Inquiry Response, in octets (Core 5.4 Vol 3 Part C 8).
  public static let inquiryResponseLength = 240
  /// The times in limited discoverable mode, at least TGAP(103) (Core 5.4 Vol 3 Part C Appendix A).
  public static let limitedTimes: ClosedRange<Duration> = .seconds(30)...(.seconds(3600))

  /// Creates settings.
  public init(
    name: String, classOfDevice: UInt32 = 0x1F00, discoverability: Discoverability = .general,
    isConnectable: Bool = true,
    inquiryResponse: AdvertisingData? = nil, isOptional: Bool = false
  ) {
    self.name = name
    self.classOfDevice = classOfDevice
    self.discoverability = discoverability
    self.isConnectable = isConnectable
    self.inquiryResponse = inquiryResponse
    self.isOptional = isOptional
  }

  /// Returns the Extended Inquiry Response, padded with zeros: that of the settings, or the name and the UUIDs of these services, as far as
  /// they fit.
  package func makeInquiryResponse(services: [BluetoothUUID]) -> [UInt8] {
    var data = inquiryResponse ?? AdvertisingData([.localName(name, isComplete: true)])
    if inquiryResponse == nil { data.appendServices(services) }
    while data.octetCount > Self.inquiryResponseLength, !data.structures.isEmpty { data.structures.removeLast() }
    let octets = (try? data.encoded(limit: Self.inquiryResponseLength)) ?? []
    return octets + [UInt8](repeating: 0, count: Self.inquiryResponseLength - octets.count)
  }

  /// The name as controllers take it: padded with zeros.
  package var paddedName: [UInt8] {
    let octets = Array(name.utf8.prefix(Self.nameLimit))
    return octets + [UInt8](repeating: 0, count: Self.nameLimit - octets.count)
  }
}
