/// A server's support of clients that cache its database (Core 5.4 Vol 3 Part G 2.5.2).
public struct GATTPolicy: Hashable, Sendable {
  /// Whether there is a Service Changed characteristic.
  public var serviceChanged: ServiceChangedMode
  /// Whether clients can bond. A bonded client caches the database, and must be notified of changes.
  public var canBond: Bool
  /// Whether there are Client Supported Features, Database Hash and Server Supported Features.
  public var hasRobustCaching: Bool
  /// The number of enhanced ATT bearers that a client may have besides that of the fixed channel, 0...5 (Core 5.4 Vol 3 Part G 5.3).
  public var enhancedBearers: Int
  /// Whether the accessory opens enhanced bearers itself when the client has declared support for them.
  public var opensEnhancedBearers: Bool
  /// Whether services with 16-bit UUIDs come before the others, so that a client finds them with fewer requests.
  public var groupsByUUIDSize: Bool

  /// Creates a policy. The default is for an accessory that neither bonds nor changes its database.
  public init(
    serviceChanged: ServiceChangedMode = .auto, canBond: Bool = false, hasRobustCaching: Bool = false,
    enhancedBearers: Int = 0, opensEnhancedBearers: Bool = false, groupsByUUIDSize: Bool = true
  ) {
    self.serviceChanged = serviceChanged
    self.canBond = canBond
    self.hasRobustCaching = hasRobustCaching
    self.enhancedBearers = enhancedBearers
    self.opensEnhancedBearers = opensEnhancedBearers
    self.groupsByUUIDSize = groupsByUUIDSize
  }

  /// Whether there is a Service Changed characteristic.
  public enum ServiceChangedMode: String, Hashable, Sendable, CaseIterable {
    /// If clients can bond. Without Service Changed, a client that cannot bond may cache the whole database; with it, nothing.
    case auto
    /// Always.
    case present
    /// Never: a bonded client is never notified of a change.
    case absent
  }

  /// The resulting Generic Attribute service.
  public var service: ServiceDefinition {
    let hasServiceChanged =
      switch serviceChanged {
      case .auto: canBond
      case .present: true
      case .absent: false
      }
    return .genericAttribute(
      hasServiceChanged: hasServiceChanged, hasRobustCaching: hasRobustCaching,
      hasEnhancedBearers: enhancedBearers > 0)
  }
}
