import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink

/// The central-role host: one controller below, any number of peripherals on the other side of the air.
public typealias CentralStack = HostEngine<CentralRole, NoApplication>

extension HostEngine where Role == CentralRole, Application == NoApplication {
  /// A central, which does nothing before `start`.
  public init(_ configuration: CentralConfiguration = CentralConfiguration())
    throws(AttributeDatabase.DefinitionError)
  {
    let database = try AttributeDatabase(
      host: [
        .genericAccess(name: configuration.name, appearance: 0, preferredParameters: nil),
        .genericAttribute(
          hasServiceChanged: false, hasRobustCaching: false, hasEnhancedBearers: configuration.enhancedBearers > 0),
      ], application: configuration.services)
    self.init(
      role: CentralRole(commandFamily: configuration.commandFamily, writeBacklog: configuration.writeBacklog),
      application: NoApplication(), server: GATTServer(database: database, receiveMTU: configuration.mtu),
      publishedChannels: configuration.publishedChannels, policy: configuration.linkPolicy,
      bringUp: configuration.bringUp)
    reportsAccess = true
  }

  /// Whether it is scanning.
  public var isScanning: Bool { role.isScanning }

  /// Whether a connection is being made.
  public var isConnecting: Bool { role.isConnecting }
}

/// A central's server keeps its values itself.
public struct NoApplication: AttributeApplication, ChannelApplication {
  /// Nothing stands behind the values.
  public init() {}

  public func read(_ characteristic: CharacteristicIndex, for client: ClientID, at now: Instant) -> ReadAnswer {
    .value([])
  }

  public func write(
    _ value: [UInt8], to characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> WriteAnswer { .accepted }

  public func subscriptionsChanged(
    _ characteristic: CharacteristicIndex, notified: Int, indicated: Int, at now: Instant,
    actions: inout [ApplicationAction]
  ) {}

  public var nextDeadline: Instant? { nil }

  public func advance(to now: Instant, actions: inout [ApplicationAction]) {}
}
