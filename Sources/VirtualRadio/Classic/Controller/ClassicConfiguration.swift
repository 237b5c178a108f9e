import BLECore
import BLEHCI

/// The BR/EDR side of a virtual controller, as its host sees it.
public struct ClassicConfiguration: Hashable, Sendable {
  /// The LMP features, page 0.
  package var features: LMPFeatures = []
  /// The LMP features, page 2. Page 1 follows from the host's settings.
  package var secondFeatures: LMPSecondFeatures = []
  /// The maximum data length of an ACL packet in both directions. These buffers are not LE's.
  public var aclDataLength: UInt16 = 1021
  /// The number of ACL packets from the host that the controller can hold.
  public var aclPacketCount: UInt16 = 8
  /// The maximum data length of a synchronous packet; only reported.
  public var synchronousDataLength: UInt8 = 64
  /// The number of synchronous packets that the controller can hold; only reported.
  public var synchronousPacketCount: UInt16 = 8
  /// The maximum number of links.
  public var maximumLinks = 7
  /// For how many inquiry access codes it can scan at once.
  public var accessCodeCount: UInt8 = 2
  /// The size of the longest encryption key that it agrees to, 7...16 octets. Below 16, a link has a key that can be guessed.
  public var encryptionKeySize: UInt8 = 16

  /// Creates a side without features.
  public init() {}

  /// The number of the last page of features.
  var lastPage: UInt8 { secondFeatures.isEmpty ? 1 : 2 }

  var supportsSecureConnections: Bool { secondFeatures.contains(.secureConnections) }
}

extension ClassicConfiguration {
  /// A modern adapter: enhanced data rate, Secure Connections, and extended inquiry responses.
  public static let modern: ClassicConfiguration = {
    var configuration = ClassicConfiguration()
    configuration.features = .ofModernAdapters
    configuration.secondFeatures = [.secureConnections, .ping]
    return configuration
  }()

  /// RootCanal's side (`ControllerProperties`): long buffers, and four access codes.
  static let rootcanal: ClassicConfiguration = {
    var configuration = modern
    configuration.aclDataLength = 1023
    configuration.aclPacketCount = 10
    configuration.synchronousDataLength = 255
    configuration.synchronousPacketCount = 10
    configuration.accessCodeCount = 4
    return configuration
  }()
}

extension LMPFeatures {
  /// What these links can do. Features of synchronous links and of the radio are not among them.
  fileprivate static let ofModernAdapters: LMPFeatures = [
    .threeSlotPackets, .fiveSlotPackets, .encryption, .roleSwitch, .sniffMode, .enhancedDataRate2M,
    .enhancedDataRate3M, .interlacedInquiryScan, .interlacedPageScan, .rssiWithInquiryResults,
    .leSupportedController, .threeSlotEnhancedPackets, .fiveSlotEnhancedPackets, .sniffSubrating, .pauseEncryption,
    .extendedInquiryResponse, .simultaneousLEAndBREDR, .secureSimplePairing, .encapsulatedPDU,
    .linkSupervisionTimeoutChangedEvent, .extendedFeatures,
  ]

  /// Features without a name in HCI: encapsulated PDUs, which Secure Simple Pairing needs.
  private static let encapsulatedPDU = LMPFeatures(rawValue: 1 << 52)
}
