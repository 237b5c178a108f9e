import BLECore

/// Something that an accessory does wrong on purpose: on which occasion, how often, and what.
///
/// It is data, so that a profile, the command line, the control API and a test say the same. Characteristics, services and channels
/// are named by their ids in the profile.
public struct Fault: Hashable, Sendable {
  /// Its name, by which the event that it has happened speaks of it.
  public var id: String
  /// What it waits for.
  public var occasion: FaultOccasion
  /// On which of these occasions it happens.
  public var timing = FaultTiming()
  /// The connection that it is about; nil for all.
  public var connection: UInt16?
  /// The central that it is about, by its address; nil for all.
  public var peer: DeviceAddress?
  /// What is done.
  public var action: FaultAction

  /// A fault that happens on every occasion.
  public init(id: String, on occasion: FaultOccasion, do action: FaultAction) {
    self.id = id
    self.occasion = occasion
    self.action = action
  }
}

/// On which of its occasions a fault happens.
public struct FaultTiming: Hashable, Sendable {
  /// The first occasion that counts, from 1.
  public var first = 1
  /// Of those from the first on, every so many.
  public var every = 1
  /// How often it happens at the most; nil without end.
  public var limit: Int?
  /// How likely it is on an occasion that counts, 0...1; nil for certain.
  public var probability: Double?
  /// How long after it was armed occasions begin to count.
  public var delay = Duration.zero
  /// What has to have happened before occasions count.
  public var condition: FaultOccasion?

  /// Every occasion.
  public init() {}

  /// Whether the occasion with that number, from 1, is one of those.
  public func includes(_ number: Int) -> Bool { number >= first && (number - first) % max(1, every) == 0 }
}
