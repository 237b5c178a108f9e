import BLEHCI

/// A version of the Core Specification that a host can imitate, although its controller may implement a newer one.
public enum ActedVersion: String, Hashable, Sendable, CaseIterable, Comparable {
  case v4_0 = "4.0"
  case v4_1 = "4.1"
  case v4_2 = "4.2"
  case v5_0 = "5.0"
  case v5_1 = "5.1"

  /// The version.
  public var core: CoreVersion {
    switch self {
    case .v4_0: .v4_0
    case .v4_1: .v4_1
    case .v4_2: .v4_2
    case .v5_0: .v5_0
    case .v5_1: .v5_1
    }
  }

  /// The link layer features that a controller of this version can have.
  public var features: LEFeatures { .known(in: core) }

  /// Returns whether `left` is the older version.
  public static func < (left: ActedVersion, right: ActedVersion) -> Bool { left.core < right.core }
}
