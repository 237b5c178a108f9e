import BLECore
import BLEHCI

/// What a controller is and can, by its own report. Nothing is assumed from a board's name.
public struct ControllerProfile: Sendable {
  /// The version of the specification that its HCI follows.
  public var version = CoreVersion(rawValue: 0)
  /// The version that the host makes use of: that, or an older one as which it acts.
  var usedVersion = CoreVersion(rawValue: 0)
  /// Who made it.
  public var manufacturer = ControllerManufacturer(rawValue: 0)
  /// The commands it knows.
  public var commands = SupportedCommands()
  /// What its link layer can.
  public var features: LEFeatures = []
  /// The longest ACL packet it takes, in octets of data.
  public var aclLength = 27
  /// How many ACL packets it holds.
  public var aclCount = 1
  /// The longest payload it sends in one packet on the air, in octets.
  public var maximumDataLength = DataLength.minimum
  /// The longest payload it receives in one packet on the air, in octets.
  public var maximumReceiveLength = DataLength.minimum
  /// The data length it was told to suggest for new connections, in octets (Core 5.4 Vol 4 Part E 7.8.35).
  package var suggestedDataLength = DataLength.minimum
  /// How many packets it may send that the host has not taken; zero where it does not count them
  /// (Core 5.4 Vol 4 Part E 4.2).
  public var hostBufferCount = 0
  /// The longest ACL packet that it sends, in octets of data: what it was told where it counts them, else all that the length
  /// field can say (Core 5.4 Vol 4 Part E 5.4.2, 7.3.39).
  public var hostBufferLength = Int(UInt16.max)
  /// How it can advertise.
  public var advertising = AdvertisingCapabilities(usesExtendedCommands: false)
  /// Its own address; zero when it has none.
  public var publicAddress = DeviceAddress.zero

  /// Nothing known yet.
  public init() {}

  /// The PHYs of its link layer.
  public var phys: PHYSet {
    var phys = PHYSet.le1M
    if features.contains(.phy2M) { phys.insert(.le2M) }
    if features.contains(.phyCoded) { phys.insert(.leCoded) }
    return phys
  }

  /// What is known of controllers of its kind that they do otherwise than they report.
  public var quirks: ControllerQuirks { ControllerQuirks(of: self) }
}

extension LEEventMask {
  /// The events that exist in a controller's version of the specification, or come with a feature that it has
  /// (Core 5.4 Vol 4 Part E 7.8.1). A bit that a controller does not know may be refused.
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
