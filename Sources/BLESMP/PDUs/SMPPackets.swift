import BLECore

/// The code of a Security Manager packet (Core 5.4 Vol 3 Part H 3.3).
public struct SMPCode: OpenCode {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let pairingRequest = SMPCode(rawValue: 0x01)
  public static let pairingFailed = SMPCode(rawValue: 0x05)
}

/// Core 5.4 Vol 3 Part H 3.5.5 Pairing Failed
public struct PairingFailed: OctetLayout, Hashable {
  /// Why.
  public var reason = Reason(rawValue: 0)

  public init() {}

  /// A failure for that reason.
  public init(reason: Reason) { self.reason = reason }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Reason", &reason)
  }

  /// The reasons.
  public struct Reason: OpenCode {
    public var rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let pairingNotSupported = Reason(rawValue: 0x05)
  }
}
