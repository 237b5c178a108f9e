import BLEHCI

/// A version of the Core Specification as whose device a host behaves, although its controller may be younger.
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

  /// The features of a link layer that a controller of the version can have.
  public var features: LEFeatures { .known(in: core) }

  /// Which of two came first.
  public static func < (left: ActedVersion, right: ActedVersion) -> Bool { left.core < right.core }
}
