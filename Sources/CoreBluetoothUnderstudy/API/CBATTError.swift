// Apple's names need no comment of ours.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLEATT
import Foundation

/// The domain of errors of the Attribute Protocol.
public let CBATTErrorDomain = "CBATTErrorDomain"

/// An error that a server returned (Core 5.4 Vol 3 Part F 3.4.1.1).
public struct CBATTError: CustomNSError, LocalizedError, Hashable, Sendable {
  private let error: NSError

  /// Creates an error. Its text is `userInfo[NSLocalizedDescriptionKey]`, by default the specification's.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    let text: [String: Any] = [NSLocalizedDescriptionKey: "\(ATTErrorCode(rawValue: UInt8(clamping: code.rawValue)))"]
    error = NSError(domain: CBATTErrorDomain, code: code.rawValue, userInfo: text.merging(userInfo) { $1 })
  }

  init(_ code: ATTErrorCode) { self.init(Code(code)) }

  /// The kind of error.
  public var code: Code { Code(number: error.code) }
  /// The text, and everything else that was given.
  public var userInfo: [String: Any] { error.userInfo }

  /// The kinds of errors, with the specification's numbers. This is not an enumeration because applications and profiles define more.
  public struct Code: RawRepresentable, Error, Hashable, Sendable {
    /// The number.
    public let rawValue: Int

    /// Creates a kind with any number. It never returns nil, but is failable like the initializer of Core Bluetooth's enumeration.
    public init?(rawValue: Int) { self.rawValue = rawValue }

    init(_ code: ATTErrorCode) { self.init(number: Int(code.rawValue)) }

    fileprivate init(number: Int) { rawValue = number }

    public static let success = Code(number: 0x00)
    public static let invalidHandle = Code(number: 0x01)
    public static let readNotPermitted = Code(number: 0x02)
    public static let writeNotPermitted = Code(number: 0x03)
    public static let invalidPdu = Code(number: 0x04)
    public static let insufficientAuthentication = Code(number: 0x05)
    public static let requestNotSupported = Code(number: 0x06)
    public static let invalidOffset = Code(number: 0x07)
    public static let insufficientAuthorization = Code(number: 0x08)
    public static let prepareQueueFull = Code(number: 0x09)
    public static let attributeNotFound = Code(number: 0x0A)
    public static let attributeNotLong = Code(number: 0x0B)
    public static let insufficientEncryptionKeySize = Code(number: 0x0C)
    public static let invalidAttributeValueLength = Code(number: 0x0D)
    public static let unlikelyError = Code(number: 0x0E)
    public static let insufficientEncryption = Code(number: 0x0F)
    public static let unsupportedGroupType = Code(number: 0x10)
    public static let insufficientResources = Code(number: 0x11)
  }

  public static var errorDomain: String { CBATTErrorDomain }
  public var errorCode: Int { error.code }
  public var errorUserInfo: [String: Any] { error.userInfo }
  public var errorDescription: String? { error.localizedDescription }

  public static func == (left: Self, right: Self) -> Bool { left.error.isEqual(right.error) }
  // Foundation on Linux ends the program when it hashes an NSError.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
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
