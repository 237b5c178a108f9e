import BLECore
import BLEHCI

/// The answers of a fake controller.
struct ControllerScript {
  enum Answer {
    /// Command Complete with these return parameters.
    case complete([UInt8])
    /// Command Status.
    case status(ErrorCode)
    /// Nothing.
    case silence
  }

  /// The commands that it reports as supported, and answers.
  var commands: SupportedCommands
  var features: LEFeatures = []
  var manufacturer = ControllerManufacturer(rawValue: 0x0002)
  var version = CoreVersion.v5_4
  var publicAddress = DeviceAddress(bits: 0x0012_3456_789A)
  var bufferLength: UInt16 = 27
  var bufferCount: UInt8 = 4
  var maximumDataOctets: UInt16 = 251
  var setCount: UInt8 = 2
  var maximumAdvertisingData: UInt16 = 191
  /// Answers that differ from those of the properties above.
  var answers: [CommandOpcode: Answer] = [:]
  /// Whether it leaves unknown commands unanswered.
  var isSilentAboutUnknown = false
  /// Whether it disconnects on command.
  var disconnects = true
  /// Whether buffers are free again as soon as they are filled.
  var completesPackets = true

  static let basicCommands: [CommandOpcode] = [
    .disconnect, .setEventMask, .reset, .readLocalVersionInformation, .readBDADDR, .readRSSI, .leSetEventMask,
    .leReadBufferSize, .leReadLocalSupportedFeatures, .leSetRandomAddress, .leSetAdvertisingParameters,
    .leReadAdvertisingPhysicalChannelTxPower, .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable,
    .leLongTermKeyRequestNegativeReply, .leRemoteConnectionParameterRequestReply,
  ]
  static let longPacketCommands: [CommandOpcode] = [
    .leSetDataLength, .leWriteSuggestedDefaultDataLength, .leReadMaximumDataLength, .leSetDefaultPHY,
    .leReadBufferSizeV2, .writeLEHostSupport,
  ]
  static let extendedCommands: [CommandOpcode] = [
    .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
    .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
    .leReadNumberOfSupportedAdvertisingSets,
  ]

  static let flowControlCommands: [CommandOpcode] = [
    .setControllerToHostFlowControl, .hostBufferSize, .hostNumberOfCompletedPackets,
  ]

  /// A controller of version 4.0: legacy advertising, short packets.
  static var basic: ControllerScript { ControllerScript(commands: SupportedCommands(basicCommands)) }

  /// A controller with extended advertising and long packets.
  static var extended: ControllerScript {
    var script = ControllerScript(
      commands: SupportedCommands(basicCommands + longPacketCommands + extendedCommands))
    script.features = [.dataPacketLengthExtension, .phy2M, .extendedAdvertising]
    script.bufferLength = 251
    script.bufferCount = 8
    return script
  }

  static let classicCommands: [CommandOpcode] = [
    .readLocalSupportedFeatures, .readBufferSize, .writeLocalName, .writeClassOfDevice, .writeScanEnable,
    .writeSimplePairingMode, .writeSecureConnectionsHostSupport, .writeDefaultLinkPolicySettings,
    .writeExtendedInquiryResponse, .writeCurrentIACLAP, .acceptConnectionRequest, .rejectConnectionRequest,
    .linkKeyRequestReply, .linkKeyRequestNegativeReply, .pinCodeRequestNegativeReply, .ioCapabilityRequestReply,
    .ioCapabilityRequestNegativeReply, .userConfirmationRequestReply, .userConfirmationRequestNegativeReply,
    .userPasskeyRequestReply, .userPasskeyRequestNegativeReply, .remoteOOBDataRequestNegativeReply,
    .authenticationRequested, .setConnectionEncryption, .readEncryptionKeySize,
  ]

  /// A controller with BR/EDR, whose buffers for it are few and long.
  static var dual: ControllerScript {
    var script = ControllerScript(commands: SupportedCommands(basicCommands + classicCommands))
    let features: LMPFeatures = [
      .encryption, .roleSwitch, .sniffMode, .leSupportedController, .extendedInquiryResponse, .secureSimplePairing,
    ]
    script.answers[.readLocalSupportedFeatures] = .complete(
      HCIReadLocalSupportedFeatures.ReturnParameters { $0.features = features }.encoded)
    script.answers[.readBufferSize] = .complete(
      HCIReadBufferSize.ReturnParameters {
        $0.aclDataPacketLength = 200
        $0.totalACLDataPackets = 2
      }.encoded)
    for opcode in [
      CommandOpcode.acceptConnectionRequest, .rejectConnectionRequest, .authenticationRequested,
      .setConnectionEncryption,
    ] {
      script.answers[opcode] = .status(.success)
    }
    script.setKeySize(16)
    return script
  }

  /// Sets the size of the keys with which links over BR/EDR are encrypted, in octets.
  mutating func setKeySize(_ size: UInt8) {
    answers[.readEncryptionKeySize] = .complete(
      HCIReadEncryptionKeySize.ReturnParameters {
        $0.connectionHandle = ConnectionHandle(rawValue: ClassicBench.handle)
        $0.keySize = size
      }.encoded)
  }

  /// A controller that counts the packets that it sends (Core 5.4 Vol 4 Part E 4.2).
  static var counting: ControllerScript {
    ControllerScript(commands: SupportedCommands(basicCommands + flowControlCommands))
  }

  /// Returns its answer to a command.
  func answer(to opcode: CommandOpcode, _ parameters: [UInt8]) -> Answer {
    if let answer = answers[opcode] { return answer }
    guard commands.contains(opcode) else { return isSilentAboutUnknown ? .silence : .status(.unknownHCICommand) }
    switch opcode {
    case .readLocalSupportedCommands: return .complete([0] + commands.octets)
    case .readLocalVersionInformation:
      return .complete(
        HCIReadLocalVersionInformation.ReturnParameters {
          $0.hciVersion = version
          $0.manufacturer = manufacturer
        }.encoded)
    case .leReadLocalSupportedFeatures:
      return .complete(LEReadLocalSupportedFeatures.ReturnParameters { $0.features = features }.encoded)
    case .readBDADDR: return .complete(HCIReadBDADDR.ReturnParameters { $0.address = publicAddress }.encoded)
    case .leReadBufferSize:
      return .complete([0] + Self.word(bufferLength) + [bufferCount])
    case .leReadBufferSizeV2:
      return .complete([0] + Self.word(bufferLength) + [bufferCount, 0, 0, 0])
    case .leReadMaximumDataLength:
      let direction = Self.word(maximumDataOctets) + [0x48, 0x08]
      return .complete([0] + direction + direction)
    case .leReadNumberOfSupportedAdvertisingSets: return .complete([0, setCount])
    case .leReadMaximumAdvertisingDataLength: return .complete([0] + Self.word(maximumAdvertisingData))
    case .leReadAdvertisingPhysicalChannelTxPower, .leSetExtendedAdvertisingParameters: return .complete([0, 4])
    case .leSetDataLength, .leLongTermKeyRequestNegativeReply, .leRemoteConnectionParameterRequestReply:
      return .complete([0] + parameters.prefix(2))
    case .readRSSI: return .complete([0] + parameters.prefix(2) + [0xC4])
    case .disconnect: return .status(.success)
    default: return .complete([0])
    }
  }

  static func word(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
}
