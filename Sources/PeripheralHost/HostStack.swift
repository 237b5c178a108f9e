import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import Faults

/// The peripheral-role host: one controller below, one accessory above, everything in between.
public typealias HostStack<Application: AttributeApplication & ChannelApplication> =
  HostEngine<PeripheralRole, Application>

extension HostEngine where Role == PeripheralRole {
  /// A host of that accessory, which does nothing before `start`.
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
        isAsleep: configuration.startsAsleep),
      application: application, server: server, publishedChannels: configuration.channels,
      policy: configuration.linkPolicy, bringUp: configuration.bringUp)
  }

  /// Begins with advertising sets that were switched on or off in an earlier run, instead of what their definitions say. To be
  /// called before `start`.
  public mutating func restoreAdvertising(_ switched: [String: Bool]) { role.restore(switched) }

  /// The advertising sets that were switched on or off.
  package var switchedAdvertising: [String: Bool] { role.requests }

  /// Arms faults, each in the place of one with the same id; an accessory that starts anew has the services of the configuration.
  /// `channels` are the PSMs of what it publishes, by their ids.
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
