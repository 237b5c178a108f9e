import BLECore
import BLEHCI

/// The properties and capabilities of a virtual controller.
public struct ControllerConfiguration: Hashable, Sendable {
  /// The name of the preset; empty for a configuration that is not a preset.
  public var name = ""
  /// The public device address; `.zero` for a controller without one, such as Zephyr's.
  public var publicAddress: DeviceAddress = .zero
  /// The version of the Core Specification that HCI and link layer report.
  public var version: CoreVersion = .v5_4
  /// HCI_Subversion.
  public var hciSubversion: UInt16 = 0
  /// LMP_Subversion, which for LE is the link layer's.
  public var linkLayerSubversion: UInt16 = 0
  /// The manufacturer.
  public var manufacturer = ControllerManufacturer(rawValue: 0xFFFF)
  /// The BR/EDR side; nil for an LE-only controller.
  public var classic: ClassicConfiguration?
  /// The features of the link layer.
  public var features: LEFeatures = []
  /// The supported commands. Commands that no virtual controller implements, and those that need a feature missing here, are ignored.
  public var commands: Set<CommandOpcode> = []
  /// The maximum data length of an ACL packet in both directions, 27...65535 octets.
  public var aclDataLength: UInt16 = 251
  /// Whether the data PDUs of an L2CAP PDU are joined into ACL packets for the host, up to their maximum length. Otherwise each data PDU
  /// becomes a packet.
  public var joinsData = false
  /// The number of ACL packets from the host that the controller can hold.
  public var aclPacketCount: UInt8 = 8
  /// The maximum number of host buffers that the controller uses; nil for all. Newer Zephyr controllers use about ten.
  public var maximumHostBuffers: UInt16?
  /// The maximum length of a data PDU in both directions, 27...251 octets.
  public var maximumDataOctets: UInt16 = 251
  /// The maximum air time of a data PDU, in microseconds.
  public var maximumDataTime: UInt16 = 2120
  /// The maximum length of a connection event; nil if only the next use of the radio limits it.
  public var maximumEventLength: Duration?
  /// The maximum number of packets that it sends in one connection event; nil if only time limits it.
  public var maximumPacketsPerEvent: Int?
  /// Whether it corrects its clock late, like Zephyr's up to 3.5: as the peripheral, one connection event later if an event runs until the
  /// next one is prepared. It then misses some events. Each event ends the previous one `eventOverhead` before it starts.
  public var correctsDriftLate = false
  /// The time that a controller with `correctsDriftLate` needs before a connection event.
  public var eventOverhead = Duration.microseconds(275)
  /// Opcodes of link-layer control PDUs that it acknowledges but never answers, like defective controllers.
  public var unansweredControlOpcodes: Set<UInt8> = []
  /// The number of advertising sets that it supports.
  public var advertisingSetCount: UInt8 = 0
  /// The maximum advertising data length of a set, 31...1650 octets.
  public var maximumAdvertisingDataLength: UInt16 = 31
  /// The size of the filter accept list.
  public var filterAcceptListSize: UInt8 = 8
  /// The size of the resolving list; unused without `LEFeatures.privacy`.
  public var resolvingListSize: UInt8 = 0
  /// The maximum number of connections.
  public var maximumConnections = 8
  /// The lowest connection handle that it assigns; 0 is valid.
  public var firstConnectionHandle: UInt16 = 0
  /// The lowest transmit power, in dBm.
  public var minimumTransmitPower: Int8 = -40
  /// The highest transmit power, in dBm, which is also the default when the host has no preference.
  public var maximumTransmitPower: Int8 = 8
  /// LE_States (Core 5.4 Vol 4 Part E 7.8.27).
  public var supportedStates: UInt64 = 0x0000_03FF_FFFF_FFFF
  /// Whether it announces after power on that it is ready, with a Command Complete event for no command.
  public var announcesBoot = false
  /// The points where it is laxer or stricter than the Core Specification.
  public var deviations: Set<ControllerDeviation> = []
  /// The number of unanswered commands that it can hold; further ones are lost. Nil is unlimited.
  public var commandBuffers: Int?
  /// The commands that cause an assertion although its mask of supported commands includes them.
  public var fatalCommands: Set<CommandOpcode> = []
  /// The outcome of an assertion.
  public var afterAssertion = AssertionOutcome.restart
  /// The longest primary advertising interval of extended sets; longer ones are refused.
  public var maximumAdvertisingInterval = AdvertisingInterval(rawValue: 0xFF_FFFF)
  /// The answer to ZephyrReadBuildInformation.
  public var buildInformation = ""

  /// Creates a controller without any capabilities.
  public init() {}

  /// Returns the configuration with another public address.
  public func with(publicAddress: DeviceAddress) -> ControllerConfiguration {
    var copy = self
    copy.publicAddress = publicAddress
    return copy
  }

  /// Returns whether the controller has this deviation from the Core Specification.
  func has(_ deviation: ControllerDeviation) -> Bool { deviations.contains(deviation) }

  /// The mask for Read Local Supported Commands.
  var supportedCommands: SupportedCommands {
    SupportedCommands(commands.filter(knows))
  }

  /// Returns whether the controller has a command. Some commands require a link-layer feature.
  func knows(_ opcode: CommandOpcode) -> Bool {
    commands.contains(opcode) && CommandTable.entries[opcode] != nil && CommandTable.allows(opcode, with: features)
      && (classic != nil || !CommandTable.classicCommandOpcodes.contains(opcode))
  }

  /// The last LE Meta event of the version. The masks of older controllers have no bits for later events.
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
