import BLECore

/// Something that an accessory does wrong on purpose: when, how often, and what.
///
/// Faults are data, so that a profile, the command line, the control API and a test express them the same way. They name
/// characteristics, services and channels by their ids in the profile.
public struct Fault: Hashable, Sendable {
  /// The name by which events refer to it.
  public var id: String
  /// The event that triggers it.
  public var occasion: FaultOccasion
  /// The occasions on which it fires.
  public var timing = FaultTiming()
  /// The connection that it applies to; nil for all.
  public var connection: UInt16?
  /// The address of the central that it applies to; nil for all.
  public var peer: DeviceAddress?
  /// What it does.
  public var action: FaultAction

  /// Creates a fault that fires on every occasion.
  public init(id: String, on occasion: FaultOccasion, do action: FaultAction) {
    self.id = id
    self.occasion = occasion
    self.action = action
  }
}

/// The occasions on which a fault fires.
public struct FaultTiming: Hashable, Sendable {
  /// The first occasion that counts, from 1.
  public var first = 1
  /// Fires on every nth occasion, counted from the first.
  public var every = 1
  /// The maximum number of times it fires; nil for no limit.
  public var limit: Int?
  /// The probability that it fires on an occasion that counts, 0...1; nil for certain.
  public var probability: Double?
  /// The time after arming before occasions count.
  public var delay = Duration.zero
  /// An event that must have happened before occasions count.
  public var condition: FaultOccasion?

  /// Creates a timing that includes every occasion.
  public init() {}

  /// Returns whether the fault fires on the occasion with that number, from 1.
  public func includes(_ number: Int) -> Bool { number >= first && (number - first) % max(1, every) == 0 }
}
