import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP

/// The configuration of a central.
package struct CentralConfiguration: Sendable {
  /// Its device name, for peripherals that read it.
  package var name: String
  /// Its random static address; nil for the controller's public address.
  package var randomAddress: DeviceAddress?
  /// The longest ATT PDU that it can receive, 23...517 octets.
  package var mtu: Int
  /// The longest LE payload that it offers to send when a link is made, 27...251 octets.
  package var dataLength: Int
  /// The PHY that it requests in both directions when a link is made; nil leaves the link as it is.
  package var preferredPHY: PHY?
  /// How it responds to a peripheral's request for other connection parameters.
  package var parameterPolicy: LinkPolicy.ParameterPolicy
  /// The family of HCI commands that it uses.
  package var commandFamily: CommandFamily
  /// The number of PDUs of a link that may be queued for the controller before `CentralStack.writeCommand` accepts no more.
  package var writeBacklog: Int
  /// The services of its server, after GAP and GATT.
  package var services: [ServiceDefinition]
  /// The channels that peripherals can open.
  package var publishedChannels: [PublishedChannel]
  /// The number of enhanced ATT bearers that a link may have, 0...5. With 0, a channel to their SPSM is an ordinary channel.
  package var enhancedBearers: Int
  /// Its requirements for pairing. A central that does not pair passes Security Manager packets to its owner as frames.
  package var security = PairingPolicy()
  /// When it pairs, or encrypts with the key of a bond, by itself.
  package var securityRequests = SecurityRequestTiming.never
  /// The identity address that it distributes when it bonds; nil for its address on the air.
  package var identityAddress: TypedAddress?
  /// Its Identity Resolving Key, 16 octets, least significant first; nil when it has none.
  package var identityResolvingKey: [UInt8]?
  /// Whether it uses BR/EDR too. Then its identity must be the controller's public address; without `identityAddress`, it uses that
  /// address on both transports.
  package var usesClassic = false
  /// Whether it announces that advertising may be directed to its private addresses (Core 5.4 Vol 3 Part C 12.4).
  package var resolvesAddresses = true

  /// Creates a configuration.
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

  /// The settings of links.
  var linkPolicy: LinkPolicy {
    var policy = LinkPolicy(mtu: mtu, dataLength: dataLength, preferredPHY: preferredPHY)
    policy.parameterPolicy = parameterPolicy
    policy.handsOnUnclaimedFrames = true
    policy.reportsRefusals = true
    policy.enhancedBearers = enhancedBearers
    policy.security.pairing = usesClassic ? security.forBothTransports : security
    policy.security.requests = securityRequests
    policy.security.identityAddress = identityAddress
    policy.security.identityResolvingKey = identityResolvingKey
    return policy
  }

  /// The requirements for bring-up of the controller. Data length and PHY are requested on each link.
  var bringUp: BringUpPlan {
    var plan = BringUpPlan(
      leEvents: [
        .connectionComplete, .advertisingReport, .connectionUpdateComplete, .readRemoteFeaturesComplete,
        .remoteConnectionParameterRequest, .dataLengthChange, .enhancedConnectionComplete, .phyUpdateComplete,
        .extendedAdvertisingReport, .scanTimeout,
      ], randomAddress: usesClassic && identityAddress == nil ? nil : randomAddress)
    (plan.usesClassic, plan.inquires) = (usesClassic, usesClassic)
    return plan
  }

  /// Legacy or extended commands for scanning and connecting (Core 5.4 Vol 4 Part E 3.1.1).
  package enum CommandFamily: Hashable, Sendable {
    /// Extended commands if the controller supports them.
    case byController
    /// Always legacy commands.
    case legacy
  }
}

extension PairingPolicy {
  /// The same policy for a device whose pairings are for both transports (Core 5.4 Vol 3 Part C 14.1).
  package var forBothTransports: PairingPolicy {
    var policy = self
    policy.wants.insert(.link)
    policy.distributes = (distributes ?? [.encryption, .identity]).union(.link)
    return policy
  }
}
