import BLECore
import BLEHCI

/// What a controller is and can, by its own report. Nothing is assumed from a board's name.
public struct ControllerProfile: Sendable {
  /// The version of the specification that its HCI follows.
  public var version = CoreVersion(rawValue: 0)
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
  /// How many packets it may send that the host has not taken; zero where it does not count them
  /// (Core 5.4 Vol 4 Part E 4.2).
  public var hostBufferCount = 0
  /// How it can advertise.
  public var advertising = AdvertisingCapabilities(usesExtendedCommands: false)
  /// Its own address; zero when it has none.
  public var publicAddress = DeviceAddress.zero

  /// Nothing known yet.
  public init() {}
}
