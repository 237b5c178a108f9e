import BLECore

/// A controller's properties as it reports them. Nothing is assumed from a board's name.
public struct ControllerProfile: Sendable {
  /// The version of the specification that its HCI follows.
  public var version = CoreVersion(rawValue: 0)
  /// The version that the host uses: the controller's, or an older one that it imitates.
  var usedVersion = CoreVersion(rawValue: 0)
  /// The manufacturer.
  public var manufacturer = ControllerManufacturer(rawValue: 0)
  /// The supported commands.
  public var commands = SupportedCommands()
  /// The features of its link layer.
  public var features: LEFeatures = []
  /// The longest ACL packet that it accepts, in octets of data.
  public var aclLength = 27
  /// The number of ACL packets that it can buffer.
  public var aclCount = 1
  /// The longest ACL packet that it accepts for BR/EDR, in octets of data, and the number of them that it can buffer; zero if LE and BR/EDR
  /// share their buffers, or if it has no BR/EDR.
  package var classicACLLength = 0
  package var classicACLCount = 0
  /// The LMP features of its BR/EDR part; nil if the host has not asked for them.
  package var classicFeatures: LMPFeatures?
  /// The longest payload that it can send in one packet on the air, in octets.
  public var maximumDataLength = DataLength.minimum
  /// The longest payload that it can receive in one packet on the air, in octets.
  public var maximumReceiveLength = DataLength.minimum
  /// The suggested data length for new connections that the host has set, in octets (Core 5.4 Vol 4 Part E 7.8.35).
  package var suggestedDataLength = DataLength.minimum
  /// The number of packets that it may send before the host has processed them; zero without flow control (Core 5.4 Vol 4 Part E 4.2).
  public var hostBufferCount = 0
  /// The longest ACL packet that it sends, in octets of data: the host's limit with flow control, otherwise the maximum of the length
  /// field (Core 5.4 Vol 4 Part E 5.4.2, 7.3.39).
  public var hostBufferLength = Int(UInt16.max)
  /// Its advertising capabilities.
  public var advertising = AdvertisingCapabilities(usesExtendedCommands: false)
  /// Its public address; zero when it has none.
  public var publicAddress = DeviceAddress.zero

  /// Creates the profile of an unknown controller.
  public init() {}

  /// Whether it supports BR/EDR, as far as the host has asked.
  public var supportsClassic: Bool { classicFeatures.map { !$0.contains(.brEDRNotSupported) } ?? false }

  /// Whether it supports Secure Connections over BR/EDR.
  package var supportsClassicSecureConnections: Bool {
    supportsClassic && commands.contains(.writeSecureConnectionsHostSupport)
  }

  /// The PHYs that its link layer supports.
  public var phys: PHYSet {
    var phys = PHYSet.le1M
    if features.contains(.phy2M) { phys.insert(.le2M) }
    if features.contains(.phyCoded) { phys.insert(.leCoded) }
    return phys
  }

  /// The known deviations of controllers of its kind from what they report.
  public var quirks: ControllerQuirks { ControllerQuirks(of: self) }
}

extension LEEventMask {
  /// Returns the events that exist in the version used or come with a feature of the controller (Core 5.4 Vol 4 Part E 7.8.1). A
  /// controller may reject bits that it does not know.
  static func known(to profile: ControllerProfile) -> LEEventMask {
    var events = LEEventMask.specificationDefault
    if profile.usedVersion >= .v4_1 || profile.features.contains(.connectionParametersRequest) {
      events.insert(.remoteConnectionParameterRequest)
    }
    if profile.usedVersion >= .v4_2 || profile.features.contains(.dataPacketLengthExtension) {
      events.formUnion([
        .dataLengthChange, .readLocalP256PublicKeyComplete, .generateDHKeyComplete, .enhancedConnectionComplete,
        .directedAdvertisingReport,
      ])
    }
    if profile.usedVersion >= .v5_0 || profile.features.contains(.extendedAdvertising) {
      events.formUnion([
        .phyUpdateComplete, .extendedAdvertisingReport, .scanTimeout, .advertisingSetTerminated, .scanRequestReceived,
        .channelSelectionAlgorithm,
      ])
    }
    return events
  }
}
