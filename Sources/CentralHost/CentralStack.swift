import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink

/// The central-role host: one controller and any number of peripherals.
package typealias CentralStack = HostEngine<CentralRole, NoApplication>

extension HostEngine where Role == CentralRole {
  /// Creates a central whose server's values are those of an application. It does nothing before `start`.
  package init(
    _ configuration: CentralConfiguration, application: Application
  ) throws(AttributeDatabase.DefinitionError) {
    let database = try AttributeDatabase(
      host: [
        .genericAccess(
          name: configuration.name, appearance: 0, preferredParameters: nil,
          resolvesAddresses: configuration.resolvesAddresses),
        .genericAttribute(
          hasServiceChanged: false, hasRobustCaching: false, hasEnhancedBearers: configuration.enhancedBearers > 0),
      ], application: configuration.services)
    self.init(
      role: CentralRole(configuration),
      application: application, server: GATTServer(database: database, receiveMTU: configuration.mtu),
      publishedChannels: configuration.publishedChannels, policy: configuration.linkPolicy,
      bringUp: configuration.bringUp, serviceRecords: configuration.usesClassic ? [] : nil)
    reportsAccess = true
  }

  /// Whether it uses BR/EDR too.
  package var usesClassic: Bool { role.inquirer != nil }

  /// Whether it is scanning.
  package var isScanning: Bool { role.scanner.isScanning }

  /// Whether an inquiry is in progress.
  package var isInquiring: Bool { role.inquirer?.isInquiring ?? false }

  /// Whether a connection is being made, over LE or BR/EDR.
  package var isConnecting: Bool { role.isConnecting }
}

extension HostEngine where Role == CentralRole, Application == NoApplication {
  /// Creates a central. It does nothing before `start`.
  package init(_ configuration: CentralConfiguration = CentralConfiguration())
    throws(AttributeDatabase.DefinitionError)
  {
    try self.init(configuration, application: NoApplication())
  }
}

/// The application of a central, whose server stores its values itself.
package struct NoApplication: AttributeApplication, ChannelApplication {
  /// Creates the application.
  package init() {}

  package func read(_ characteristic: CharacteristicIndex, for client: ClientID, at now: Instant) -> ReadAnswer {
    .value([])
  }

  package func write(
    _ value: [UInt8], to characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> WriteAnswer { .accepted }

  package func subscriptionsChanged(
    _ characteristic: CharacteristicIndex, notified: Int, indicated: Int, at now: Instant,
    actions: inout [ApplicationAction]
  ) {}

  package var nextDeadline: Instant? { nil }

  package func advance(to now: Instant, actions: inout [ApplicationAction]) {}
}
