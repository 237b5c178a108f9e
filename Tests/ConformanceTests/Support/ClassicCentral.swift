import BLECore
import BLEHCI
import BLEL2CAP
import Simulation
import Testing
import VirtualRadio

/// A central of BR/EDR without a host: it pairs by itself as it is told, and a test supplies the octets of its frames. Over LE it only
/// connects and encrypts.
final class ClassicCentral: RawDevice {
  /// What its user can see and enter.
  var capability = SimplePairingIOCapability.displayYesNo
  /// What its pairings aim at.
  var requirements = AuthenticationRequirements.generalBondingMITM
  /// The keys that pairings have made.
  private(set) var keys: [HCILinkKeyNotification] = []
  /// The key that it has for the accessory.
  var key: [UInt8]?
  /// What the accessory has said of itself in pairings.
  private(set) var peers: [HCIIOCapabilityResponse] = []
  /// The results of pairings.
  private(set) var pairings: [ErrorCode] = []
  /// Whether the link is encrypted.
  private(set) var isEncrypted = false
  /// How often the controller has needed the key: for its own authentication, or for the accessory's.
  private(set) var keyRequests = 0
  /// The link over LE; nil when there is none.
  private(set) var lowEnergyLink: ConnectionHandle?
  private var responses: [InquiryResponse] = []
  private var isInquiring = false
  private var features: [UInt8: LMPFeaturePage] = [:]
  private var authentication: ErrorCode?
  private var encryption: ErrorCode?
  private var connection: ErrorCode?
  private let address: DeviceAddress

  /// A central for the device with that address, on a controller.
  init(on simulation: RadioSimulation, _ controller: ControllerID, for address: DeviceAddress) throws {
    self.address = address
    let classic = try #require(simulation.air.configuration(of: controller)?.classic)
    super.init(
      on: simulation, controller, packetLength: Int(classic.aclDataLength), packetCount: Int(classic.aclPacketCount))
  }

  /// Resets its controller. With `isSecure`, its host supports Secure Connections.
  func start(isSecure: Bool = true) throws {
    try command(HCIReset())
    try command(HCISetEventMask { $0.eventMask = EventMask(rawValue: .max) })
    try command(LESetEventMask { $0.eventMask = LEEventMask(rawValue: .max) })
    try command(HCIWriteSimplePairingMode { $0.isEnabled = true })
    if isSecure { try command(HCIWriteSecureConnectionsHostSupport { $0.isEnabled = true }) }
    try command(HCIWriteLEHostSupport { $0.leSupported = true })
  }

  override func take(_ event: EventPacket, _ parameters: Span<UInt8>) {
    do {
      switch (event.code, event.subevent) {
      case (.inquiryResult, _): responses += try HCIInquiryResult(decoding: parameters).responses
      case (.inquiryComplete, _): isInquiring = false
      case (.connectionComplete, _):
        let made = try HCIConnectionComplete(decoding: parameters)
        connection = made.status
        isEncrypted = false
        if made.status == .success { connected(made.connectionHandle) }
      case (.readRemoteExtendedFeaturesComplete, _):
        let page = try HCIReadRemoteExtendedFeaturesComplete(decoding: parameters)
        features[page.page] = page.features
      case (.authenticationComplete, _): authentication = try HCIAuthenticationComplete(decoding: parameters).status
      case (.encryptionChange, _): encrypted(try HCIEncryptionChange(decoding: parameters).status)
      case (.encryptionChangeV2, _): encrypted(try HCIEncryptionChangeV2(decoding: parameters).status)
      case (.leMeta, .leEnhancedConnectionComplete?):
        let made = try LEEnhancedConnectionComplete(decoding: parameters)
        if made.status == .success { lowEnergyLink = made.connectionHandle }
      default: try pair(event, parameters)
      }
    } catch { Issue.record("a malformed \(event.code)") }
  }

  private func encrypted(_ status: ErrorCode) {
    encryption = status
    isEncrypted = status == .success
  }

  /// Answers the controller's questions of pairings.
  private func pair(_ event: EventPacket, _ parameters: Span<UInt8>) throws {
    let address = address
    switch event.code {
    case .linkKeyRequest:
      keyRequests += 1
      guard let key else { return reply(HCILinkKeyRequestNegativeReply { $0.address = address }) }
      reply(
        HCILinkKeyRequestReply {
          $0.address = address
          $0.linkKey = key
        })
    case .ioCapabilityRequest:
      reply(
        HCIIOCapabilityRequestReply {
          $0.address = address
          $0.ioCapability = capability
          $0.requirements = requirements
        })
    case .ioCapabilityResponse: peers.append(try HCIIOCapabilityResponse(decoding: parameters))
    case .userConfirmationRequest: reply(HCIUserConfirmationRequestReply { $0.address = address })
    case .linkKeyNotification:
      let notification = try HCILinkKeyNotification(decoding: parameters)
      keys.append(notification)
      key = notification.linkKey
    case .simplePairingComplete: pairings.append(try HCISimplePairingComplete(decoding: parameters).status)
    default: break
    }
  }

  private func reply(_ command: some HCICommand) { out.append(command.h4.span) }

  // MARK: Finding

  /// Returns what the accessory answers to an inquiry of 10 s.
  func inquire(_ accessCode: InquiryAccessCode = .general) throws -> InquiryResponse? {
    (responses, isInquiring) = ([], true)
    try command(
      HCIInquiry {
        $0.accessCode = accessCode
        $0.length = InquiryLength(rawValue: 8)
      })
    simulation.run(until: { !isInquiring }, limit: .seconds(20))
    return responses.first { $0.address == address }
  }

  /// Pages the accessory, and returns the result.
  func page() throws -> ErrorCode {
    connection = nil
    try command(HCICreateConnection { $0.address = address })
    simulation.run(until: { connection != nil }, limit: .seconds(20))
    return try #require(connection)
  }

  /// Connects to the accessory.
  func connect() throws {
    let result = try page()
    try #require(result == .success)
    simulation.run(for: .milliseconds(200))
  }

  /// Returns a page of the accessory's LMP features.
  func readFeatures(page: UInt8) throws -> UInt64 {
    let link = try #require(link)
    try command(
      HCIReadRemoteExtendedFeatures {
        $0.connectionHandle = link
        $0.page = page
      })
    simulation.run(until: { features[page] != nil }, limit: .seconds(2))
    return try #require(features[page]).rawValue
  }

  /// Ends a link, by default that of BR/EDR.
  func disconnect(_ handle: ConnectionHandle? = nil) throws {
    let handle = try #require(handle ?? link)
    let before = ends.count
    try command(
      HCIDisconnect {
        $0.connectionHandle = handle
        $0.reason = .remoteUserTerminatedConnection
      })
    simulation.run(until: { ends.count > before }, limit: .seconds(5))
    if handle == lowEnergyLink { lowEnergyLink = nil }
    simulation.run(for: .milliseconds(200))
  }

  /// Sends an ACL packet with the first or a further part of a frame, whatever there is in it.
  func sendFragment(_ octets: [UInt8], isFirst: Bool) throws {
    let link = try #require(link)
    ACLHeader(connectionHandle: link, boundary: isFirst ? .firstFromHost : .continuing, length: octets.count)
      .encodeH4(into: &out)
    out.append(octets)
    simulation.exchange()
  }

  // MARK: Security

  /// Authenticates the accessory, pairing if it has no key; returns the result.
  func authenticate() throws -> ErrorCode {
    authentication = nil
    let link = try #require(link)
    try command(HCIAuthenticationRequested { $0.connectionHandle = link })
    simulation.run(until: { authentication != nil || self.link == nil }, limit: .seconds(40))
    return authentication ?? ends.last ?? .unspecifiedError
  }

  /// Encrypts the link; returns the result.
  func encrypt() throws -> ErrorCode {
    encryption = nil
    let link = try #require(link)
    try command(
      HCISetConnectionEncryption {
        $0.connectionHandle = link
        $0.isEnabled = true
      })
    simulation.run(until: { encryption != nil || self.link == nil }, limit: .seconds(10))
    simulation.run(for: .milliseconds(200))
    return encryption ?? ends.last ?? .unspecifiedError
  }

  /// Authenticates the accessory and encrypts the link.
  func secure() throws {
    let authenticated = try authenticate()
    try #require(authenticated == .success)
    let encrypted = try encrypt()
    try #require(encrypted == .success)
  }

  // MARK: LE

  /// Connects to the accessory over LE, too, from the same address.
  func connectLowEnergy() throws {
    try command(
      LECreateConnection {
        $0.peerAddress = address
        $0.intervalMinimum.rawValue = 24
        $0.intervalMaximum.rawValue = 24
        $0.supervisionTimeout.rawValue = 400
      })
    simulation.run(until: { lowEnergyLink != nil }, limit: .seconds(10))
    try #require(lowEnergyLink != nil)
    simulation.run(for: .milliseconds(200))
  }

  /// Encrypts the link over LE with a key of Secure Connections; returns the result.
  func encryptLowEnergy(with key: [UInt8]) throws -> ErrorCode {
    encryption = nil
    let link = try #require(lowEnergyLink)
    try command(
      LEEnableEncryption {
        $0.connectionHandle = link
        $0.longTermKey = key
      })
    simulation.run(until: { encryption != nil }, limit: .seconds(5))
    return encryption ?? ends.last ?? .unspecifiedError
  }
}
