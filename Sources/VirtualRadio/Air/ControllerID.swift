/// The identity of a controller on its air. It is never reused.
public struct ControllerID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number, counted from 0 in the order in which controllers are added.
  public let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// Orders controllers by when they were added.
  public static func < (left: ControllerID, right: ControllerID) -> Bool { left.rawValue < right.rawValue }

  /// For example `controller 3`.
  public var description: String { "controller \(rawValue)" }
}
