import BLECore
import BLEHCI

/// What a central's controller is and can, by its own report.
public struct CentralController: Sendable {
  /// The commands it knows.
  public var commands = SupportedCommands()
  /// What its link layer can.
  public var features: LEFeatures = []
  /// The longest ACL packet it takes, in octets of data.
  public var aclLength = 27
  /// How many ACL packets it holds.
  public var aclCount = 1
  /// The longest payload it sends in one packet on the air, in octets.
  public var maximumDataLength = 27
  /// Its own address; zero when it has none.
  public var publicAddress = DeviceAddress.zero
  /// Whether scanning and connecting go by the extended commands.
  public var usesExtendedCommands = false

  /// Nothing known yet.
  public init() {}
}
