/// Names one controller on its air; never used twice.
public struct ControllerID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number, counted from 0 in the order in which controllers came.
  public let rawValue: Int

  init(rawValue: Int) { self.rawValue = rawValue }

  /// In the order in which they came to the air.
  public static func < (left: ControllerID, right: ControllerID) -> Bool { left.rawValue < right.rawValue }

  /// Such as `controller 3`.
  public var description: String { "controller \(rawValue)" }
}
