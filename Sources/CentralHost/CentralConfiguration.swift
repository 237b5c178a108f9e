import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP

/// What a central is to be.
package struct CentralConfiguration: Sendable {
  /// Its device name, for peripherals that read it.
  package var name: String
  /// Its random static address; nil uses the controller's public one.
  package var randomAddress: DeviceAddress?
  /// The longest ATT PDU that it receives, 23...517 octets.
  package var mtu: Int
  /// The longest LE payload that it offers to send as soon as a link is there, 27...251 octets.
  package var dataLength: Int
  /// The PHY that it asks for, both ways, as soon as a link is there; nil leaves the link as it is.
  package var preferredPHY: PHY?
  /// What becomes of a peripheral's request for other connection parameters.
  package var parameterPolicy: LinkPolicy.ParameterPolicy
  /// Which family of HCI commands it uses.
  package var commandFamily: CommandFamily
  /// How many PDUs of a link may wait for the controller before `CentralStack.writeCommand` takes no more.
  package var writeBacklog: Int
  /// What it offers as a server, behind GAP and GATT.
  package var services: [ServiceDefinition]
  /// What peripherals may open channels to.
  package var publishedChannels: [PublishedChannel]
  /// How many enhanced ATT bearers a link may have, 0...5; with 0 a channel to their SPSM is a channel as any other.
  package var enhancedBearers: Int
  /// What it wants of a pairing. A central that does not pair hands Security Manager packets to its owner as frames.
  package var security = PairingPolicy()
  /// When it pairs, or encrypts with the key of a bond, by itself.
  package var securityRequests = SecurityRequestTiming.never
  /// The identity address that it gives to those it bonds with; nil for the address that it uses on the air.
  package var identityAddress: PeerIdentity?
  /// Its Identity Resolving Key, 16 octets, least significant first; nil when it has none.
  package var identityResolvingKey: [UInt8]?
  /// Whether it says that advertising may be directed to its private addresses (Core 5.4 Vol 3 Part C 12.4).
  package var resolvesAddresses = true

  /// A central.
  package init(
    name: String = "Central", randomAddress: DeviceAddress? = .randomStatic(from: 0xCE00), mtu: Int = 517,
    dataLength: Int = 251, preferredPHY: PHY? = nil, parameterPolicy: LinkPolicy.ParameterPolicy = .accept,
    commandFamily: CommandFamily = .byController, writeBacklog: Int = 2, services: [ServiceDefinition] = [],
    publishedChannels: [PublishedChannel] = [], enhancedBearers: Int = 0
  ) {
    self.name = name
    self.randomAddress = randomAddress
    self.mtu = mtu
    self.dataLength = dataLength
    self.preferredPHY = preferredPHY
    self.parameterPolicy = parameterPolicy
    self.commandFamily = commandFamily
    self.writeBacklog = writeBacklog
    self.services = services
    self.publishedChannels = publishedChannels
    self.enhancedBearers = enhancedBearers
  }

  /// What is wanted of links.
  var linkPolicy: LinkPolicy {
    var policy = LinkPolicy(mtu: mtu, dataLength: dataLength, preferredPHY: preferredPHY)
    policy.parameterPolicy = parameterPolicy
    policy.handsOnUnclaimedFrames = true
    policy.reportsRefusals = true
    policy.enhancedBearers = enhancedBearers
    policy.security.pairing = security
    policy.security.requests = securityRequests
    policy.security.identityAddress = identityAddress
    policy.security.identityResolvingKey = identityResolvingKey
    return policy
  }

  /// What is wanted of a controller. Data length and PHY are asked for on each link.
  var bringUp: BringUpPlan {
    BringUpPlan(
      leEvents: [
        .connectionComplete, .advertisingReport, .connectionUpdateComplete, .readRemoteFeaturesComplete,
        .remoteConnectionParameterRequest, .dataLengthChange, .enhancedConnectionComplete, .phyUpdateComplete,
        .extendedAdvertisingReport, .scanTimeout,
      ], randomAddress: randomAddress)
  }

  /// Legacy or extended commands for scanning and connecting (Core 5.4 Vol 4 Part E 3.1.1).
  package enum CommandFamily: Hashable, Sendable {
    /// Extended ones where the controller has them.
    case byController
    /// Legacy ones, whatever the controller has.
    case legacy
  }
}
