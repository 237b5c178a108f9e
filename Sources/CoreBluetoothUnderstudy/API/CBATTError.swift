// Apple's names need no comment of ours.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLEATT
import Foundation

/// The domain of errors of the Attribute Protocol.
public let CBATTErrorDomain = "CBATTErrorDomain"

/// An error that a server answered with (Core 5.4 Vol 3 Part F 3.4.1.1).
public struct CBATTError: CustomNSError, LocalizedError, Hashable, Sendable {
  /// The kind of error.
  public let code: Code

  /// Creates an error.
  public init(_ code: Code, userInfo: [String: Any] = [:]) { self.code = code }

  /// The kinds of errors, with the numbers of the specification. Applications and profiles define others.
  public struct Code: RawRepresentable, Error, Hashable, Sendable {
    /// The number.
    public let rawValue: Int

    /// Creates a kind with any number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let success = Code(rawValue: 0x00)
    public static let invalidHandle = Code(rawValue: 0x01)
    public static let readNotPermitted = Code(rawValue: 0x02)
    public static let writeNotPermitted = Code(rawValue: 0x03)
    public static let invalidPdu = Code(rawValue: 0x04)
    public static let insufficientAuthentication = Code(rawValue: 0x05)
    public static let requestNotSupported = Code(rawValue: 0x06)
    public static let invalidOffset = Code(rawValue: 0x07)
    public static let insufficientAuthorization = Code(rawValue: 0x08)
    public static let prepareQueueFull = Code(rawValue: 0x09)
    public static let attributeNotFound = Code(rawValue: 0x0A)
    public static let attributeNotLong = Code(rawValue: 0x0B)
    public static let insufficientEncryptionKeySize = Code(rawValue: 0x0C)
    public static let invalidAttributeValueLength = Code(rawValue: 0x0D)
    public static let unlikelyError = Code(rawValue: 0x0E)
    public static let insufficientEncryption = Code(rawValue: 0x0F)
    public static let unsupportedGroupType = Code(rawValue: 0x10)
    public static let insufficientResources = Code(rawValue: 0x11)
  }

  public static var errorDomain: String { CBATTErrorDomain }
  public var errorCode: Int { code.rawValue }
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? ""] }
  public var errorDescription: String? { "\(ATTErrorCode(rawValue: UInt8(clamping: code.rawValue)))" }
}

extension CBATTError {
  public static var success: Code { .success }
  public static var invalidHandle: Code { .invalidHandle }
  public static var readNotPermitted: Code { .readNotPermitted }
  public static var writeNotPermitted: Code { .writeNotPermitted }
  public static var invalidPdu: Code { .invalidPdu }
  public static var insufficientAuthentication: Code { .insufficientAuthentication }
  public static var requestNotSupported: Code { .requestNotSupported }
  public static var invalidOffset: Code { .invalidOffset }
  public static var insufficientAuthorization: Code { .insufficientAuthorization }
  public static var prepareQueueFull: Code { .prepareQueueFull }
  public static var attributeNotFound: Code { .attributeNotFound }
  public static var attributeNotLong: Code { .attributeNotLong }
  public static var insufficientEncryptionKeySize: Code { .insufficientEncryptionKeySize }
  public static var invalidAttributeValueLength: Code { .invalidAttributeValueLength }
  public static var unlikelyError: Code { .unlikelyError }
  public static var insufficientEncryption: Code { .insufficientEncryption }
  public static var unsupportedGroupType: Code { .unsupportedGroupType }
  public static var insufficientResources: Code { .insufficientResources }
}

extension CBATTError.Code {
  /// Returns whether an error is of this kind, for `catch` and `case`.
  public static func ~= (code: Self, error: any Error) -> Bool { (error as? CBATTError)?.code == code }
}
