import BLECore
import BLEHCI

/// Brings a controller from whatever state it is in to the point where it can scan and connect, choosing by what it reports
/// (Core 5.4 Vol 6 Part D 2). One command at a time; the next one depends on the answers so far.
struct CentralBringUp: Sendable {
  /// What the controller has reported so far.
  private(set) var controller = CentralController()
  /// Why it cannot be used.
  private(set) var failure: CentralFailure?
  private var steps: [any HCICommand] = [HCIReset()]
  private var stage = Stage.reset
  private let configuration: CentralConfiguration

  private enum Stage { case reset, identification, setUp, done }

  init(_ configuration: CentralConfiguration) { self.configuration = configuration }

  /// Whether the controller is ready.
  var isDone: Bool { stage == .done }

  /// The next command; nil while answers are missing, and when all is done.
  mutating func nextCommand() -> (any HCICommand)? { steps.isEmpty ? nil : steps.removeFirst() }

  /// Takes a command's answer; `parameters` are its return parameters, status included.
  mutating func answered(_ command: any HCICommand, _ parameters: Span<UInt8>) {
    let status = ErrorCode(rawValue: parameters.count > 0 ? parameters[0] : ErrorCode.unspecifiedError.rawValue)
    if status != .success {
      if command is LEReadBufferSizeV2 {
        steps.append(LEReadBufferSize())
      } else if isEssential(command) {
        failure = .refused(type(of: command).opcode, status)
      }
    } else if !learn(command, parameters), isEssential(command) {
      failure = .nonsense(type(of: command).opcode)
    }
    if steps.isEmpty && failure == nil { advance() }
  }

  /// Whether nothing works without a command's success.
  private func isEssential(_ command: any HCICommand) -> Bool {
    switch command {
    case is HCIReset, is HCISetEventMask, is LESetEventMask, is LEReadBufferSize, is HCIReadBufferSize,
      is LESetRandomAddress:
      true
    default: false
    }
  }

  private mutating func advance() {
    switch stage {
    case .reset:
      stage = .identification
      steps = [HCIReadLocalSupportedCommands(), LEReadLocalSupportedFeatures()]
    case .identification:
      stage = .setUp
      steps = setUp
    case .setUp: stage = .done
    case .done: break
    }
  }

  private func supports(_ opcode: CommandOpcode) -> Bool { controller.commands.contains(opcode) }

  /// Masks, sizes and the own address. What the mask of supported commands does not name is not sent, because some controllers
  /// stay silent instead of answering Unknown HCI Command.
  private var setUp: [any HCICommand] {
    var commands: [any HCICommand] = [
      HCISetEventMask {
        $0.eventMask = [
          .disconnectionComplete, .encryptionChange, .readRemoteVersionInformationComplete, .hardwareError,
          .dataBufferOverflow, .encryptionKeyRefreshComplete, .leMeta,
        ]
      },
      LESetEventMask {
        $0.eventMask = [
          .connectionComplete, .advertisingReport, .connectionUpdateComplete, .readRemoteFeaturesComplete,
          .remoteConnectionParameterRequest, .dataLengthChange, .enhancedConnectionComplete, .phyUpdateComplete,
          .extendedAdvertisingReport, .scanTimeout,
        ]
      },
      supports(.leReadBufferSizeV2) ? LEReadBufferSizeV2() : LEReadBufferSize(),
    ]
    if supports(.readBDADDR) { commands.append(HCIReadBDADDR()) }
    if supports(.leReadMaximumDataLength) { commands.append(LEReadMaximumDataLength()) }
    if let address = configuration.randomAddress { commands.append(LESetRandomAddress { $0.address = address }) }
    return commands
  }

  /// Keeps what an answer says; false when it does not fit its layout.
  private mutating func learn(_ command: any HCICommand, _ parameters: Span<UInt8>) -> Bool {
    do throws(LayoutFault) {
      switch command {
      case is HCIReadLocalSupportedCommands:
        controller.commands = try HCIReadLocalSupportedCommands.returned(parameters).supportedCommands
      case is LEReadLocalSupportedFeatures:
        controller.features = try LEReadLocalSupportedFeatures.returned(parameters).features
        chooseFamily()
      case is LEReadBufferSizeV2:
        let answer = try LEReadBufferSizeV2.returned(parameters)
        learnBuffers(Int(answer.aclDataPacketLength), Int(answer.totalACLDataPackets))
      case is LEReadBufferSize:
        let answer = try LEReadBufferSize.returned(parameters)
        learnBuffers(Int(answer.aclDataPacketLength), Int(answer.totalACLDataPackets))
      case is HCIReadBufferSize:
        let answer = try HCIReadBufferSize.returned(parameters)
        controller.aclLength = Int(answer.aclDataPacketLength)
        controller.aclCount = Int(answer.totalACLDataPackets)
        return controller.aclLength > 0 && controller.aclCount > 0
      case is HCIReadBDADDR: controller.publicAddress = try HCIReadBDADDR.returned(parameters).address
      case is LEReadMaximumDataLength:
        controller.maximumDataLength = Int(try LEReadMaximumDataLength.returned(parameters).maximumTxOctets)
      default: break
      }
      return true
    } catch { return false }
  }

  /// One extended command locks the legacy ones out until the next reset, and the other way round
  /// (Core 5.4 Vol 4 Part E 3.1.1); so the family is chosen once.
  private mutating func chooseFamily() {
    controller.usesExtendedCommands =
      configuration.commandFamily == .byController && controller.features.contains(.extendedAdvertising)
      && supports(.leSetExtendedScanParameters) && supports(.leSetExtendedScanEnable)
      && supports(.leExtendedCreateConnection)
  }

  /// Zero means that LE shares the buffers of BR/EDR (Core 5.4 Vol 4 Part E 7.8.2).
  private mutating func learnBuffers(_ length: Int, _ count: Int) {
    if length == 0 || count == 0 {
      steps.append(HCIReadBufferSize())
    } else {
      (controller.aclLength, controller.aclCount) = (length, count)
    }
  }
}
