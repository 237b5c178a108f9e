// Apple's names need no comment of ours.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLEATT
import BLECore
import Foundation

/// The domain of Core Bluetooth's errors.
public let CBErrorDomain = "CBErrorDomain"

/// An error of Core Bluetooth itself.
public struct CBError: CustomNSError, LocalizedError, Hashable, Sendable {
  private let error: NSError

  /// Creates an error. Its text is `userInfo[NSLocalizedDescriptionKey]`, by default that of its kind.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    let text: [String: Any] = [NSLocalizedDescriptionKey: code.text]
    error = NSError(domain: CBErrorDomain, code: code.rawValue, userInfo: text.merging(userInfo) { $1 })
  }

  /// The kind of error.
  public var code: Code { Code(rawValue: error.code) ?? .unknown }
  /// The text, and everything else that was given.
  public var userInfo: [String: Any] { error.userInfo }

  /// The kinds of errors, with Core Bluetooth's numbers.
  public enum Code: Int, Error, Hashable, Sendable, CaseIterable {
    case unknown = 0
    case invalidParameters = 1
    case invalidHandle = 2
    case notConnected = 3
    case outOfSpace = 4
    case operationCancelled = 5
    case connectionTimeout = 6
    case peripheralDisconnected = 7
    case uuidNotAllowed = 8
    case alreadyAdvertising = 9
    case connectionFailed = 10
    case connectionLimitReached = 11
    case unknownDevice = 12
    case operationNotSupported = 13
    case peerRemovedPairingInformation = 14
    case encryptionTimedOut = 15
    case tooManyLEPairedDevices = 16
    case leGattExceededBackgroundNotificationLimit = 17
    case leGattNearBackgroundNotificationLimit = 18

    /// The former spelling.
    public static var unkownDevice: Code { .unknownDevice }
  }

  public static var errorDomain: String { CBErrorDomain }
  public var errorCode: Int { error.code }
  public var errorUserInfo: [String: Any] { error.userInfo }
  public var errorDescription: String? { error.localizedDescription }

  public static func == (left: Self, right: Self) -> Bool { left.error.isEqual(right.error) }
  // Foundation on Linux ends the program when it hashes an NSError.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension CBError.Code {
  fileprivate var text: String {
    switch self {
    case .unknown: "An unknown error occurred."
    case .invalidParameters: "The specified parameters are invalid."
    case .invalidHandle: "The specified attribute handle is invalid."
    case .notConnected: "The specified device is not connected."
    case .outOfSpace: "The device has run out of space."
    case .operationCancelled: "The operation was canceled."
    case .connectionTimeout: "The connection has timed out unexpectedly."
    case .peripheralDisconnected: "The peripheral ended the connection."
    case .uuidNotAllowed: "The specified UUID is not permitted."
    case .alreadyAdvertising: "The device is already advertising."
    case .connectionFailed: "The connection has failed unexpectedly."
    case .connectionLimitReached: "The device has reached the maximum number of connections."
    case .unknownDevice: "The specified device is unknown."
    case .operationNotSupported: "The operation is not supported."
    case .peerRemovedPairingInformation: "The peripheral has removed its pairing information."
    case .encryptionTimedOut: "Encryption has timed out."
    case .tooManyLEPairedDevices: "There are too many paired devices."
    case .leGattExceededBackgroundNotificationLimit: "Notifications have woken the app too often in the background."
    case .leGattNearBackgroundNotificationLimit: "Notifications have almost woken the app too often in the background."
    }
  }
}

extension CBError {
  public static var unknown: Code { .unknown }
  public static var invalidParameters: Code { .invalidParameters }
  public static var invalidHandle: Code { .invalidHandle }
  public static var notConnected: Code { .notConnected }
  public static var outOfSpace: Code { .outOfSpace }
  public static var operationCancelled: Code { .operationCancelled }
  public static var connectionTimeout: Code { .connectionTimeout }
  public static var peripheralDisconnected: Code { .peripheralDisconnected }
  public static var uuidNotAllowed: Code { .uuidNotAllowed }
  public static var alreadyAdvertising: Code { .alreadyAdvertising }
  public static var connectionFailed: Code { .connectionFailed }
  public static var connectionLimitReached: Code { .connectionLimitReached }
  public static var unknownDevice: Code { .unknownDevice }
  public static var operationNotSupported: Code { .operationNotSupported }
  public static var peerRemovedPairingInformation: Code { .peerRemovedPairingInformation }
  public static var encryptionTimedOut: Code { .encryptionTimedOut }
  public static var tooManyLEPairedDevices: Code { .tooManyLEPairedDevices }
  public static var leGattExceededBackgroundNotificationLimit: Code { .leGattExceededBackgroundNotificationLimit }
  public static var leGattNearBackgroundNotificationLimit: Code { .leGattNearBackgroundNotificationLimit }
}

extension CBError.Code {
  /// Returns whether an error is of this kind, for `catch` and `case`.
  public static func ~= (code: Self, error: any Error) -> Bool { (error as? CBError)?.code == code }
}
