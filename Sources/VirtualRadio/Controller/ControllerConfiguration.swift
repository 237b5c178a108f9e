import BLECore
import BLEHCI

/// What a virtual controller is and can do.
public struct ControllerConfiguration: Hashable, Sendable {
  /// What people call it; empty for one that is nobody's preset.
  public var name = ""
  /// The public device address; `.zero` for a controller that has none, as Zephyr's.
  public var publicAddress: DeviceAddress = .zero
  /// The version of the Core Specification that HCI and link layer say they follow.
  public var version: CoreVersion = .v5_4
  /// HCI_Subversion.
  public var hciSubversion: UInt16 = 0
  /// LMP_Subversion, which for LE is the link layer's.
  public var linkLayerSubversion: UInt16 = 0
  /// Who made it.
  public var manufacturer = ControllerManufacturer(rawValue: 0xFFFF)
  /// The features of the link layer.
  public var features: LEFeatures = []
  /// The commands it knows. Nothing comes of those here that no virtual controller knows, or that need a feature which
  /// this one has not.
  public var commands: Set<CommandOpcode> = []
  /// Octets of data in one ACL packet, in both directions, 27...65535.
  public var aclDataLength: UInt16 = 251
  /// Whether the data PDUs of an L2CAP PDU are joined into ACL packets for the host, as long as those may be. Without it
  /// each data PDU is a packet.
  public var joinsData = false
  /// How many ACL packets of the host the controller can hold.
  public var aclPacketCount: UInt8 = 8
  /// How many of the buffers it uses that its host says it has; nil for all. Younger Zephyr controllers use about ten.
  public var maximumHostBuffers: UInt16?
  /// The longest data PDU it can send and receive, 27...251 octets.
  public var maximumDataOctets: UInt16 = 251
  /// The longest time of a data PDU, in microseconds.
  public var maximumDataTime: UInt16 = 2120
  /// How long a connection event may be; nil for as long as there is room before the next use of the radio.
  public var maximumEventLength: Duration?
  /// How many packets it sends in one connection event; nil for as many as there is room for.
  public var maximumPacketsPerEvent: Int?
  /// Whether, as the peripheral of a link, it corrects its clock one connection event late where events go on until it prepares the
  /// next one, as Zephyr's up to 3.5: it then misses some events.
  public var correctsDriftLate = false
  /// Opcodes of link-layer control PDUs that it acknowledges and never answers, as defective controllers do.
  public var unansweredControlOpcodes: Set<UInt8> = []
  /// How many advertising sets it can have.
  public var advertisingSetCount: UInt8 = 0
  /// How much data one advertising set can have, 31...1650 octets.
  public var maximumAdvertisingDataLength: UInt16 = 31
  /// How many entries the filter accept list can have.
  public var filterAcceptListSize: UInt8 = 8
  /// How many entries the resolving list can have; of no meaning without `LEFeatures.privacy`.
  public var resolvingListSize: UInt8 = 0
  /// How many connections it can have.
  public var maximumConnections = 8
  /// The lowest connection handle it gives; 0 is valid.
  public var firstConnectionHandle: UInt16 = 0
  /// The transmit power it can choose from, in dBm.
  public var minimumTransmitPower: Int8 = -40
  /// The highest transmit power, which it also uses where the host has no preference, in dBm.
  public var maximumTransmitPower: Int8 = 8
  /// LE_States (Core 5.4 Vol 4 Part E 7.8.27).
  public var supportedStates: UInt64 = 0x0000_03FF_FFFF_FFFF
  /// Whether it says after power on that it is ready, by a Command Complete event without a command.
  public var announcesBoot = false
  /// Where it is laxer or stricter than the Core Specification.
  public var deviations: Set<ControllerDeviation> = []
  /// How many commands it keeps whose answers the host has not got; more are lost. Nil for any number.
  public var commandBuffers: Int?
  /// The commands that are an assertion, although its mask of supported commands has them.
  public var fatalCommands: Set<CommandOpcode> = []
  /// What becomes of it after an assertion.
  public var afterAssertion = AssertionOutcome.restart
  /// The longest primary advertising interval of extended sets; longer ones are refused.
  public var maximumAdvertisingInterval = AdvertisingInterval(rawValue: 0xFF_FFFF)
  /// What ZephyrReadBuildInformation answers.
  public var buildInformation = ""

  /// A controller that can do nothing yet.
  public init() {}

  /// The configuration with another public address.
  public func with(publicAddress: DeviceAddress) -> ControllerConfiguration {
    var copy = self
    copy.publicAddress = publicAddress
    return copy
  }

  /// Whether the controller deviates from the Core Specification there.
  func has(_ deviation: ControllerDeviation) -> Bool { deviations.contains(deviation) }

  /// The mask for Read Local Supported Commands.
  var supportedCommands: SupportedCommands {
    SupportedCommands(commands.filter(knows))
  }

  /// Whether the controller has a command: some go with a feature of the link layer.
  func knows(_ opcode: CommandOpcode) -> Bool {
    commands.contains(opcode) && CommandTable.entries[opcode] != nil && CommandTable.allows(opcode, with: features)
  }

  /// The latest LE Meta event of the version: the masks of older controllers have no bits for younger ones.
  var lastSubevent: LESubevent {
    switch version {
    case ...CoreVersion.v4_0: .leLongTermKeyRequest
    case ...CoreVersion.v4_1: .leRemoteConnectionParameterRequest
    case ...CoreVersion.v4_2: .leDirectedAdvertisingReport
    default: LESubevent(rawValue: .max)
    }
  }

  var supportedPHYs: UInt8 {
    RadioPHY.le1M.bit | (features.contains(.phy2M) ? RadioPHY.le2M.bit : 0)
      | (features.contains(.phyCoded) ? RadioPHY.leCoded.bit : 0)
  }
}
