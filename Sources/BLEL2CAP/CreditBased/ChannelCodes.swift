// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The simplified protocol/service multiplexer to which a channel is opened (Core 5.4 Vol 3 Part A 4.22).
public struct SPSM: OpenCode {
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The Enhanced Attribute Protocol (Assigned Numbers 2.6).
  public static let enhancedAttributeProtocol = SPSM(rawValue: 0x0027)
  /// The Object Transfer Service (Assigned Numbers 2.6).
  public static let objectTransfer = SPSM(rawValue: 0x0025)

  /// The values that the Bluetooth SIG assigns.
  public static let fixedRange: ClosedRange<UInt16> = 0x0001...0x007F
  /// The values that a device can choose.
  public static let dynamicRange: ClosedRange<UInt16> = 0x0080...0x00FF

  /// Whether it is in either range. There are no others on LE.
  public var isValid: Bool { Self.fixedRange.contains(rawValue) || Self.dynamicRange.contains(rawValue) }
}

/// The result of a request to open channels (Core 5.4 Vol 3 Part A 4.23 and 4.26). The codes have the same meaning in both responses; those
/// from 0x000C on exist only in the enhanced response.
public struct CreditBasedResult: OpenCode {
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// All channels are open.
  public static let success = CreditBasedResult(rawValue: 0x0000)
  public static let psmNotSupported = CreditBasedResult(rawValue: 0x0002)
  /// In the enhanced response, some channels are refused.
  public static let noResources = CreditBasedResult(rawValue: 0x0004)
  public static let insufficientAuthentication = CreditBasedResult(rawValue: 0x0005)
  public static let insufficientAuthorization = CreditBasedResult(rawValue: 0x0006)
  public static let encryptionKeySizeTooShort = CreditBasedResult(rawValue: 0x0007)
  public static let insufficientEncryption = CreditBasedResult(rawValue: 0x0008)
  /// In the enhanced response, some channels are refused.
  public static let invalidSourceCID = CreditBasedResult(rawValue: 0x0009)
  /// In the enhanced response, some channels are refused.
  public static let sourceCIDAlreadyAllocated = CreditBasedResult(rawValue: 0x000A)
  public static let unacceptableParameters = CreditBasedResult(rawValue: 0x000B)
  public static let invalidParameters = CreditBasedResult(rawValue: 0x000C)
  public static let pending = CreditBasedResult(rawValue: 0x000D)
  public static let authenticationPending = CreditBasedResult(rawValue: 0x000E)
  public static let authorizationPending = CreditBasedResult(rawValue: 0x000F)

  /// Whether another response follows with the same identifier.
  public var isPending: Bool { (0x000D...0x000F).contains(rawValue) }

  /// Creates the code for the security that the link lacks (Core 5.4 Vol 3 Part C 10.3.1).
  init(_ shortfall: AccessRequirement.Shortfall) {
    switch shortfall {
    case .authentication: self = .insufficientAuthentication
    case .encryption: self = .insufficientEncryption
    case .keySize: self = .encryptionKeySizeTooShort
    case .authorization: self = .insufficientAuthorization
    }
  }
}

/// The result of a request to change lengths (Core 5.4 Vol 3 Part A 4.28).
public struct ReconfigureResult: OpenCode {
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let success = ReconfigureResult(rawValue: 0x0000)
  public static let mtuReduced = ReconfigureResult(rawValue: 0x0001)
  /// The MPS may be reduced only on a single channel at a time.
  public static let mpsReducedOnSeveral = ReconfigureResult(rawValue: 0x0002)
  public static let invalidDestinationCID = ReconfigureResult(rawValue: 0x0003)
  public static let unacceptableParameters = ReconfigureResult(rawValue: 0x0004)
}
