import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP

/// What a host stack is to be: everything of an accessory except the behaviour of its values.
public struct HostConfiguration: Sendable {
  /// The device name, also the value of the Device Name characteristic.
  public var name: String
  /// The appearance (Core Specification Supplement Part A 1.12).
  public var appearance: UInt16
  /// Under which address it is known.
  public var identity: IdentityPolicy
  /// Changes the derived addresses, so that two runs of one profile can be two devices.
  public var seed: UInt64
  /// The advertising sets.
  public var advertising: [AdvertisingSetDefinition]
  /// What it wants of its connections.
  public var connection: ConnectionPolicy
  /// The services behind GAP and GATT.
  public var services: [ServiceDefinition]
  /// What the database does for clients that remember it.
  public var gatt: GATTPolicy
  /// What centrals can open L2CAP channels to, from the start.
  public var channels: [PublishedChannel]
  /// What it wants of a pairing.
  public var security = PairingPolicy()
  /// When it asks for security by itself.
  public var securityRequests = SecurityRequestTiming.never
  /// How long an encrypted link may go without an authenticated packet, 10 ms ... 655.35 s; nil leaves it at the controller's 30 s.
  public var authenticatedPayloadTimeout: Duration?
  /// Its Identity Resolving Key, 16 octets, least significant first; nil for one that follows from `identity` and `seed`.
  public var identityResolvingKey: [UInt8]?

  /// Whether it begins asleep, off the air.
  public var startsAsleep = false

  /// Whether it hides behind private addresses.
  public var privacy = PrivacyPolicy()

  /// A configuration.
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

  /// The attributes of all services, with GAP and GATT in front.
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

  /// What is wanted of a controller.
  var bringUp: BringUpPlan {
    var plan = BringUpPlan(
      leEvents: [
        .connectionComplete, .connectionUpdateComplete, .readRemoteFeaturesComplete, .longTermKeyRequest,
        .remoteConnectionParameterRequest, .dataLengthChange, .enhancedConnectionComplete, .phyUpdateComplete,
        .advertisingSetTerminated, .channelSelectionAlgorithm,
      ], randomAddress: identity.randomAddress(seed: seed))
    plan.isAdvertiser = true
    plan.asksForTransmitPower = advertising.contains { $0.transmitPower != nil }
    plan.usesPeerLists = advertising.contains(where: \.filters) || (privacy.isPrivate && privacy.maker != .host)
    plan.suggestedDataLength = connection.dataLengthDelay > .zero ? DataLength.minimum : connection.dataLength
    plan.newestVersion = connection.actsAs?.core
    plan.allowedPHYs = connection.allowedPHYs.map { $0.reduce(into: PHYSet()) { $0.formUnion(PHYSet($1)) } }
    plan.hostBuffers = connection.hostBuffers
    return plan
  }

  /// What is wanted of links.
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
