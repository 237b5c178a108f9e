import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESDP
import BLESMP

/// The configuration of a host stack: everything about an accessory except the behavior of its values.
public struct HostConfiguration: Sendable {
  /// The device name, which is also the value of the Device Name characteristic.
  public var name: String
  /// The appearance (Core Specification Supplement Part A 1.12).
  public var appearance: UInt16
  /// The address by which it is known.
  public var identity: IdentityPolicy
  /// The seed of the derived addresses, so that two runs of one profile can be two devices.
  public var seed: UInt64
  /// The advertising sets.
  public var advertising: [AdvertisingSetDefinition]
  /// Its preferences for connections.
  public var connection: ConnectionPolicy
  /// The services after GAP and GATT.
  public var services: [ServiceDefinition]
  /// The settings of the database for clients that cache it.
  public var gatt: GATTPolicy
  /// The L2CAP channels that centrals can open from the start.
  public var channels: [PublishedChannel]
  /// Its requirements for pairing.
  public var security = PairingPolicy()
  /// When it requests security by itself.
  public var securityRequests = SecurityRequestTiming.never
  /// The maximum time without an authenticated packet on an encrypted link, 10 ms ... 655.35 s; nil for the controller's default of 30 s.
  public var authenticatedPayloadTimeout: Duration?
  /// Its Identity Resolving Key, 16 octets, least significant first; nil for a key derived from `identity` and `seed`.
  public var identityResolvingKey: [UInt8]?

  /// Whether it starts asleep, off the air.
  public var startsAsleep = false

  /// Whether and how it uses private addresses.
  public var privacy = PrivacyPolicy()

  /// How it presents itself over BR/EDR; nil if it uses LE alone.
  public var classic: ClassicSettings?
  /// Its service records on BR/EDR, besides those of its GATT services.
  public var serviceRecords: [BLESDP.ServiceRecord] = []

  /// Creates a configuration.
  public init(
    name: String, appearance: UInt16 = 0, identity: IdentityPolicy? = nil, seed: UInt64 = 0,
    advertising: [AdvertisingSetDefinition], connection: ConnectionPolicy = ConnectionPolicy(),
    services: [ServiceDefinition], gatt: GATTPolicy = GATTPolicy(), channels: [PublishedChannel] = []
  ) {
    self.name = name
    self.appearance = appearance
    self.identity = identity ?? .derivedStatic(from: name)
    self.seed = seed
    self.advertising = advertising
    self.connection = connection
    self.services = services
    self.gatt = gatt
    self.channels = channels
  }

  /// Returns the attributes of all services, GAP and GATT first.
  public func makeDatabase() throws(AttributeDatabase.DefinitionError) -> AttributeDatabase {
    let preferred = connection.parameterRequest.map { request in
      var parameters = PreferredConnectionParameters()
      parameters.minimumInterval = UInt16(clamping: request.intervals.lowerBound.inNanoseconds / 1_250_000)
      parameters.maximumInterval = UInt16(clamping: request.intervals.upperBound.inNanoseconds / 1_250_000)
      parameters.latency = UInt16(clamping: request.latency)
      parameters.timeout = UInt16(clamping: request.timeout.inNanoseconds / 10_000_000)
      return parameters
    }
    return try AttributeDatabase(
      host: [
        .genericAccess(
          name: name, appearance: appearance, preferredParameters: preferred, isPrivate: privacy.isPrivate),
        gatt.service,
      ],
      application: services, groupsByUUIDSize: gatt.groupsByUUIDSize)
  }

  /// The requirements for bring-up of the controller.
  var bringUp: BringUpPlan {
    var plan = BringUpPlan(
      leEvents: [
        .connectionComplete, .connectionUpdateComplete, .readRemoteFeaturesComplete, .longTermKeyRequest,
        .remoteConnectionParameterRequest, .dataLengthChange, .enhancedConnectionComplete, .phyUpdateComplete,
        .advertisingSetTerminated, .channelSelectionAlgorithm,
      ], randomAddress: identity.randomAddress(seed: seed))
    plan.isAdvertiser = true
    plan.usesClassic = classic != nil
    plan.asksForTransmitPower = advertising.contains { $0.transmitPower != nil }
    plan.usesPeerLists = advertising.contains(where: \.filters) || (privacy.isPrivate && privacy.maker != .host)
    plan.suggestedDataLength = connection.dataLengthDelay > .zero ? DataLength.minimum : connection.dataLength
    plan.newestVersion = connection.actsAs?.core
    plan.allowedPHYs = connection.allowedPHYs.map { $0.reduce(into: PHYSet()) { $0.formUnion(PHYSet($1)) } }
    plan.hostBuffers = connection.hostBuffers
    return plan
  }

  /// The settings of links.
  var linkPolicy: LinkPolicy {
    var policy = LinkPolicy(
      mtu: connection.mtu, dataLength: connection.dataLength, preferredPHY: connection.preferredPHY)
    policy.dataLengthDelay = connection.dataLengthDelay
    policy.mtuAnswer = connection.mtuAnswer
    policy.parameterRequest = connection.parameterRequest
    policy.parameterDelay = connection.parameterDelay
    policy.parameterPolicy =
      switch connection.parameterAnswer {
      case .accept: .accept
      case .acceptWithin(let range): .acceptWithin(range)
      case .reject: .reject
      case .ignore: .ignore
      }
    policy.reportsClientBeginnings = true
    policy.enhancedBearers = gatt.enhancedBearers
    policy.opensEnhancedBearers = gatt.opensEnhancedBearers
    policy.security.pairing = security.resolved(isPrivate: privacy.isPrivate)
    policy.security.requests = securityRequests
    policy.security.authenticatedPayloadTimeout = authenticatedPayloadTimeout
    policy.security.identityResolvingKey = resolvingKey
    return policy
  }

  /// Its Identity Resolving Key.
  var resolvingKey: [UInt8] { identityResolvingKey ?? identity.identityResolvingKey(seed: seed) }
}
