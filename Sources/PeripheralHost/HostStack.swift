import BLECore
import BLECryptography
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import Faults

/// The peripheral-role host, between one controller and one accessory.
public typealias HostStack<Application: AttributeApplication & ChannelApplication> =
  HostEngine<PeripheralRole, Application>

extension HostEngine where Role == PeripheralRole {
  /// Creates the host of this accessory. It does nothing before `start`.
  public init(
    _ configuration: HostConfiguration, application: Application
  ) throws(AttributeDatabase.DefinitionError) {
    let server = GATTServer(
      database: try configuration.makeDatabase(), receiveMTU: configuration.connection.mtu,
      hashFunction: { AESCMAC.authenticationCode(of: $0, key: AESCMAC.zeroKey) })
    self.init(
      role: PeripheralRole(
        sets: configuration.advertising, maximumConnections: configuration.connection.maximumConnections,
        addressing: PrivateAddressing(
          configuration.privacy, key: configuration.resolvingKey, sets: configuration.advertising),
        isAsleep: configuration.startsAsleep,
        classic: configuration.classic.map {
          ClassicScanning(
            $0, services: configuration.services.filter { $0.isDiscoverable(over: .classic) }.map(\.uuid),
            security: configuration.security)
        }),
      application: application, server: server, publishedChannels: configuration.channels,
      policy: configuration.linkPolicy, bringUp: configuration.bringUp,
      serviceRecords: configuration.classic == nil ? nil : configuration.serviceRecords)
  }

  /// The present settings for BR/EDR; nil if it uses LE alone.
  package var classicSettings: ClassicSettings? { role.classicSettings }

  /// Restores advertising sets that were switched on or off in an earlier run, in place of the settings in their definitions. Call this
  /// before `start`.
  public mutating func restoreAdvertising(_ switched: [String: Bool]) { role.restore(switched) }

  /// The advertising sets that were switched on or off.
  package var switchedAdvertising: [String: Bool] { role.requests }

  /// Arms faults. Each replaces one with the same id. If a fault restarts the accessory, it starts with the services of the
  /// configuration. `channels` maps the ids of the published channels to their PSMs.
  public mutating func arm(
    _ faults: [Fault], of configuration: HostConfiguration, channels: [String: SPSM] = [:], at now: Instant
  ) {
    var pristine: GATTServer?
    if faultStates.isEmpty, let database = try? configuration.makeDatabase() {
      pristine = GATTServer(
        database: database, receiveMTU: configuration.connection.mtu,
        hashFunction: { AESCMAC.authenticationCode(of: $0, key: AESCMAC.zeroKey) })
    }
    arm(faults, seed: configuration.seed, channels: channels, pristine: pristine, at: now)
  }

  /// The advertising sets that are on the air.
  public var activeSets: [String] { role.advertiser?.activeSets ?? [] }
}
