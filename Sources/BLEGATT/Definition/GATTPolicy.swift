/// What a server does for clients that remember its database (Core 5.4 Vol 3 Part G 2.5.2).
public struct GATTPolicy: Hashable, Sendable {
  /// Whether there is a Service Changed characteristic.
  public var serviceChanged: ServiceChangedMode
  /// Whether anything can bond: a client with a bond keeps the database, and must be told when it changes.
  public var canBond: Bool
  /// Whether there are Client Supported Features, Database Hash and Server Supported Features.
  public var hasRobustCaching: Bool
  /// How many enhanced ATT bearers a client may have beside that of the fixed channel, 0...5 (Core 5.4 Vol 3 Part G 5.3).
  public var enhancedBearers: Int
  /// Whether the accessory opens them itself once the client has said that it takes them.
  public var opensEnhancedBearers: Bool
  /// Whether services with 16-bit UUIDs come before the others, so that a client finds them with fewer requests.
  public var groupsByUUIDSize: Bool

  /// A policy; by default that of an accessory that neither bonds nor changes.
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
    /// When anything can bond. A client that cannot bond keeps the whole database when there is none, and nothing when there
    /// is one.
    case auto
    /// Always.
    case present
    /// Never: a client with a bond is never told of a change.
    case absent
  }

  /// The Generic Attribute service that follows from it.
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
