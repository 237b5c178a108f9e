// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// A time in units that HCI defines.
public protocol TimeUnits: OpenCode, Comparable, CustomStringConvertible {
  /// The length of one unit.
  static var unit: Duration { get }
}

extension TimeUnits {
  /// The duration.
  @inlinable
  public var duration: Duration { .nanoseconds(Int64(clamping: rawValue) * Self.unit.inNanoseconds) }

  /// Creates the number of units nearest to `duration`, clamped to the representable range.
  public init(rounding duration: Duration) {
    let unit = Self.unit.inNanoseconds
    let (sum, overflow) = duration.inNanoseconds.addingReportingOverflow(unit / 2)
    self.init(rawValue: RawValue(clamping: (overflow ? .max : sum) / unit))
  }

  @inlinable
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// The duration, for example `0.03 seconds`.
  public var description: String { duration.description }
}

/// The time between two advertising events, in units of 0.625 ms (Core 5.4 Vol 4 Part E 7.8.5, 7.8.53): 16 bits in legacy commands and 24
/// in extended ones.
public struct AdvertisingInterval: TimeUnits {
  public var rawValue: UInt32
  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let unit = Duration.microseconds(625)
}

/// A scan interval or scan window, in units of 0.625 ms (Core 5.4 Vol 4 Part E 7.8.10).
public struct ScanInterval: TimeUnits {
  public var rawValue: UInt16
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let unit = Duration.microseconds(625)
}

/// The duration of extended scanning, in units of 10 ms (Core 5.4 Vol 4 Part E 7.8.65).
public struct ScanDuration: TimeUnits {
  public var rawValue: UInt16
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let unit = Duration.milliseconds(10)
}

/// The period after which extended scanning starts again, in units of 1.28 s (Core 5.4 Vol 4 Part E 7.8.65).
public struct ScanPeriod: TimeUnits {
  public var rawValue: UInt16
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let unit = Duration.milliseconds(1280)
}

/// The time between two connection events, in units of 1.25 ms: 6...3200 (Core 5.4 Vol 4 Part E 7.8.12).
public struct ConnectionInterval: TimeUnits {
  public var rawValue: UInt16
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let unit = Duration.microseconds(1250)
}

/// The length of a connection event, in units of 0.625 ms (Core 5.4 Vol 4 Part E 7.8.12).
public struct ConnectionEventLength: TimeUnits {
  public var rawValue: UInt16
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let unit = Duration.microseconds(625)
}

/// The silence after which a connection is lost, in units of 10 ms: 10...3200 (Core 5.4 Vol 4 Part E 7.8.12).
public struct SupervisionTimeout: TimeUnits {
  public var rawValue: UInt16
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let unit = Duration.milliseconds(10)
}

/// The maximum time without an authenticated packet on an encrypted link, in units of 10 ms (Core 5.4 Vol 4 Part E 7.3.94).
public struct AuthenticatedPayloadTimeout: TimeUnits {
  public var rawValue: UInt16
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let unit = Duration.milliseconds(10)

  /// The default of a new connection: 30 s.
  public static let specificationDefault = AuthenticatedPayloadTimeout(rawValue: 3000)
}

/// The duration of an advertising set, in units of 10 ms; zero is unlimited (Core 5.4 Vol 4 Part E 7.8.56).
public struct AdvertisingDuration: TimeUnits {
  public var rawValue: UInt16
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let unit = Duration.milliseconds(10)
}

/// The lifetime of a resolvable private address, in seconds (Core 5.4 Vol 4 Part E 7.8.45).
public struct RPATimeout: TimeUnits {
  public var rawValue: UInt16
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let unit = Duration.seconds(1)
}

/// A time in slots of BR/EDR, of 0.625 ms (Core 5.4 Vol 4 Part E 5.2): scans, sniff intervals, timeouts.
public struct BasebandSlots: TimeUnits {
  public var rawValue: UInt16
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let unit = Duration.microseconds(625)
}

/// The duration of an inquiry, in units of 1.28 s: 1...48 (Core 5.4 Vol 4 Part E 7.1.1).
public struct InquiryLength: TimeUnits {
  public var rawValue: UInt8
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let unit = Duration.milliseconds(1280)
}

/// The time between two inquiries, in units of 1.28 s (Core 5.4 Vol 4 Part E 7.1.3).
public struct InquiryPeriod: TimeUnits {
  public var rawValue: UInt16
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let unit = Duration.milliseconds(1280)
}
