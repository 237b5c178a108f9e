import BLECore
import BLEHCI
import BLEL2CAP
import Simulation
import Testing
import VirtualRadio

/// A device of BR/EDR without a host: it pairs by itself as it is told, and a test supplies the octets of its frames.
class ClassicDevice: RawDevice {
  /// What its user can see and enter.
  var capability = SimplePairingIOCapability.displayYesNo
  /// What its pairings aim at.
  var requirements = AuthenticationRequirements.generalBondingMITM
  /// The keys that pairings have made.
  private(set) var keys: [HCILinkKeyNotification] = []
  /// The key that it has for its peer.
  var key: [UInt8]?
  /// What its peer has said of itself in pairings.
  private(set) var peers: [HCIIOCapabilityResponse] = []
  /// The results of pairings.
  private(set) var pairings: [ErrorCode] = []
  /// Whether the link is encrypted.
  private(set) var isEncrypted = false
  /// How often the controller has needed the key: for its own authentication, or for the peer's.
  private(set) var keyRequests = 0
  /// The result of the last connection.
  var connection: ErrorCode?
  /// The result of the last encryption.
  var encryption: ErrorCode?
  private var authentication: ErrorCode?
  /// The address of its peer.
  let peer: DeviceAddress

  /// A device for the peer with that address, on a controller.
  init(on simulation: RadioSimulation, _ controller: ControllerID, for peer: DeviceAddress) throws {
    self.peer = peer
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
    do { try handle(event, parameters) } catch { Issue.record("a malformed \(event.code)") }
  }

  /// Handles an event.
  func handle(_ event: EventPacket, _ parameters: Span<UInt8>) throws {
    switch event.code {
    case .connectionComplete:
      let made = try HCIConnectionComplete(decoding: parameters)
      connection = made.status
      isEncrypted = false
      if made.status == .success { connected(made.connectionHandle) }
    case .authenticationComplete: authentication = try HCIAuthenticationComplete(decoding: parameters).status
    case .encryptionChange: encrypted(try HCIEncryptionChange(decoding: parameters).status)
    case .encryptionChangeV2: encrypted(try HCIEncryptionChangeV2(decoding: parameters).status)
    default: try pair(event, parameters)
    }
  }

  private func encrypted(_ status: ErrorCode) {
    encryption = status
    isEncrypted = status == .success
  }

  /// Answers the controller's questions of pairings.
  private func pair(_ event: EventPacket, _ parameters: Span<UInt8>) throws {
    let peer = peer
    switch event.code {
    case .linkKeyRequest:
      keyRequests += 1
      guard let key else { return reply(HCILinkKeyRequestNegativeReply { $0.address = peer }) }
      reply(
        HCILinkKeyRequestReply {
          $0.address = peer
          $0.linkKey = key
        })
    case .ioCapabilityRequest:
      reply(
        HCIIOCapabilityRequestReply {
          $0.address = peer
          $0.ioCapability = capability
          $0.requirements = requirements
        })
    case .ioCapabilityResponse: peers.append(try HCIIOCapabilityResponse(decoding: parameters))
    case .userConfirmationRequest: reply(HCIUserConfirmationRequestReply { $0.address = peer })
    case .linkKeyNotification:
      let notification = try HCILinkKeyNotification(decoding: parameters)
      keys.append(notification)
      key = notification.linkKey
    case .simplePairingComplete: pairings.append(try HCISimplePairingComplete(decoding: parameters).status)
    default: break
    }
  }

  /// Sends a command from an event.
  func reply(_ command: some HCICommand) { out.append(command.h4.span) }

  // MARK: Security

  /// Authenticates the peer, pairing if it has no key; returns the result.
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

  /// Authenticates the peer and encrypts the link.
  func secure() throws {
    let authenticated = try authenticate()
    try #require(authenticated == .success)
    let encrypted = try encrypt()
    try #require(encrypted == .success)
  }
}
