import BLECore
import BLEHCI
import BLEL2CAP
import Simulation
import Testing
import VirtualRadio

/// A central of BR/EDR without a host. Over LE it only connects and encrypts.
final class ClassicCentral: ClassicDevice {
  /// The link over LE; nil when there is none.
  private(set) var lowEnergyLink: ConnectionHandle?
  private var responses: [InquiryResponse] = []
  private var isInquiring = false
  private var features: [UInt8: LMPFeaturePage] = [:]

  override func handle(_ event: EventPacket, _ parameters: Span<UInt8>) throws {
    switch (event.code, event.subevent) {
    case (.inquiryResult, _): responses += try HCIInquiryResult(decoding: parameters).responses
    case (.inquiryComplete, _): isInquiring = false
    case (.readRemoteExtendedFeaturesComplete, _):
      let page = try HCIReadRemoteExtendedFeaturesComplete(decoding: parameters)
      features[page.page] = page.features
    case (.leMeta, .leEnhancedConnectionComplete?):
      let made = try LEEnhancedConnectionComplete(decoding: parameters)
      if made.status == .success { lowEnergyLink = made.connectionHandle }
    default: try super.handle(event, parameters)
    }
  }

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
    return responses.first { $0.address == peer }
  }

  /// Pages the accessory, and returns the result.
  func page() throws -> ErrorCode {
    connection = nil
    let peer = peer
    try command(HCICreateConnection { $0.address = peer })
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

  // MARK: LE

  /// Connects to the accessory over LE, too, from the same address.
  func connectLowEnergy() throws {
    let peer = peer
    try command(
      LECreateConnection {
        $0.peerAddress = peer
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
