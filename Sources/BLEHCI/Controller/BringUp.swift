import BLECore

/// Brings a controller from any state to the point where a role can begin, with commands that depend on what it reports (Core 5.4 Vol 6
/// Part D 2). It issues one command at a time; the next one depends on the answers so far.
package struct BringUp: Sendable {
  /// What the controller has reported so far.
  package private(set) var profile = ControllerProfile()
  /// Why the controller is unusable.
  package private(set) var failure: ControllerFailure?
  private var steps: [any HCICommand] = [HCIReset()]
  private var stage = Stage.reset
  /// Whether the controller has no buffers for LE alone.
  private var sharesBuffers = false
  private let plan: BringUpPlan

  /// The stages of bring-up. The answers of a stage determine the commands of the next.
  private enum Stage { case reset, identification, configuration, addressing, done }

  /// Creates a bring-up that begins with a reset.
  package init(_ plan: BringUpPlan) { self.plan = plan }

  /// Whether the controller is ready.
  package var isDone: Bool { stage == .done }

  /// Returns the next command; nil when an answer of the stage is outstanding or bring-up is finished.
  package mutating func nextCommand() -> (any HCICommand)? {
    steps.isEmpty ? nil : steps.removeFirst()
  }

  /// Processes a command's answer; `parameters` are its return parameters, status included.
  package mutating func answered(_ command: any HCICommand, _ parameters: Span<UInt8>) {
    let status = ErrorCode(rawValue: parameters.count > 0 ? parameters[0] : ErrorCode.unspecifiedError.rawValue)
    if status != .success {
      if command is HCIHostBufferSize, profile.quirks.contains(.unsetHostBufferStatus) {
        // The answer to Set Controller To Host Flow Control shows whether the sizes were accepted.
        _ = learn(command, parameters)
      } else if command is LEReadBufferSizeV2 {
        steps.append(LEReadBufferSize())
      } else if let mask = command as? LESetEventMask, mask.eventMask != Self.oldestLEEvents {
        // A controller that rejects the events of its version accepts those of Core 4.0 (Core 4.0 Vol 2 Part E 7.8.1).
        steps.insert(LESetEventMask { $0.eventMask = Self.oldestLEEvents }, at: 0)
      } else if isEssential(command) {
        failure = .refused(type(of: command).opcode, status)
      }
    } else if !learn(command, parameters), isEssential(command) {
      failure = .nonsense(type(of: command).opcode)
    }
    if steps.isEmpty && failure == nil { advance() }
  }

  /// Returns whether the host cannot do without a command's success.
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
      steps = [
        HCIReadLocalVersionInformation(), HCIReadLocalSupportedCommands(), LEReadLocalSupportedFeatures(),
      ]
      if plan.usesClassic { steps.append(HCIReadLocalSupportedFeatures()) }
    case .identification:
      stage = .configuration
      steps = configuration
    case .configuration:
      stage = .addressing
      steps = addressing
      if steps.isEmpty { stage = .done }
    case .addressing: stage = .done
    case .done: break
    }
  }

  private func supports(_ opcode: CommandOpcode) -> Bool { profile.commands.contains(opcode) }

  /// The events that the host handles.
  private var eventMask: EventMask {
    guard profile.supportsClassic else { return Self.events }
    return Self.events.union(plan.inquires ? .classic.union(.inquiry) : .classic)
  }

  /// The commands for event masks and sizes. A command that is missing from the controller's supported commands is not sent, because some
  /// controllers stay silent instead of answering Unknown HCI Command.
  private var configuration: [any HCICommand] {
    var commands: [any HCICommand] = [
      HCISetEventMask { $0.eventMask = eventMask },
      LESetEventMask { $0.eventMask = plan.leEvents.intersection(.known(to: profile)) },
    ]
    if supports(.setEventMaskPage2) { commands.append(HCISetEventMaskPage2 { $0.eventMask = laterEvents }) }
    if supports(.writeLEHostSupport) { commands.append(HCIWriteLEHostSupport { $0.leSupported = true }) }
    commands.append(supports(.leReadBufferSizeV2) ? LEReadBufferSizeV2() : LEReadBufferSize())
    if profile.supportsClassic { commands.append(HCIReadBufferSize()) }
    if supports(.readBDADDR) { commands.append(HCIReadBDADDR()) }
    let knowsDataLength = plan.newestVersion.map { $0 >= .v4_2 } ?? true
    if knowsDataLength, supports(.leReadMaximumDataLength) { commands.append(LEReadMaximumDataLength()) }
    // One extended command, even a read, locks out the legacy ones until the next reset. So the family is chosen here, once (Core 5.4 Vol
    // 4 Part E 3.1.1).
    if plan.isAdvertiser, profile.features.contains(.extendedAdvertising), supports(.leSetExtendedAdvertisingEnable),
      supports(.leReadNumberOfSupportedAdvertisingSets), supports(.leReadMaximumAdvertisingDataLength)
    {
      commands += [LEReadNumberOfSupportedAdvertisingSets(), LEReadMaximumAdvertisingDataLength()]
    }
    if plan.usesPeerLists { commands += listSizes }
    // Other manufacturers use this opcode for other commands.
    if plan.asksForTransmitPower, profile.manufacturer == .zephyr { commands.append(ZephyrReadSupportedCommands()) }
    return commands
  }

  /// The commands that read how many peers the controller can filter by and resolve, where it supports that.
  private var listSizes: [any HCICommand] {
    var commands: [any HCICommand] = []
    if supports(.leReadFilterAcceptListSize), supports(.leClearFilterAcceptList),
      supports(.leAddDeviceToFilterAcceptList)
    {
      commands.append(LEReadFilterAcceptListSize())
    }
    if profile.features.contains(.privacy), supports(.leReadResolvingListSize), supports(.leAddDeviceToResolvingList),
      supports(.leClearResolvingList), supports(.leSetAddressResolutionEnable), supports(.leSetPrivacyMode)
    {
      commands.append(LEReadResolvingListSize())
    }
    return commands
  }

  /// The LE events that every controller supports.
  private static let oldestLEEvents = LEEventMask.specificationDefault

  /// The events that every role handles.
  private static let events: EventMask = [
    .disconnectionComplete, .encryptionChange, .readRemoteVersionInformationComplete, .hardwareError,
    .dataBufferOverflow, .encryptionKeyRefreshComplete, .leMeta,
  ]

  /// The events that every role handles and that newer versions added (Core 5.4 Vol 4 Part E 7.3.69).
  private var laterEvents: EventMaskPage2 {
    profile.version >= .v5_3
      ? [.authenticatedPayloadTimeoutExpired, .encryptionChangeV2] : .authenticatedPayloadTimeoutExpired
  }

  /// The commands that depend on the sizes.
  private var addressing: [any HCICommand] {
    var commands: [any HCICommand] = []
    if let length = plan.suggestedDataLength, supports(.leWriteSuggestedDefaultDataLength),
      profile.features.contains(.dataPacketLengthExtension)
    {
      commands.append(LEWriteSuggestedDefaultDataLength(octets: min(length, profile.maximumDataLength)))
    }
    // The controller accepts any PHY that a peer requests (Core 5.4 Vol 6 Part B 5.1.10), unless the plan limits them. The host requests
    // its own preference on each link.
    if supports(.leSetDefaultPHY) {
      let allowed = profile.phys.intersection(plan.allowedPHYs ?? profile.phys)
      commands.append(
        LESetDefaultPHY {
          $0.txPHYs = allowed.isEmpty ? .le1M : allowed
          $0.rxPHYs = $0.txPHYs
        })
    }
    if offersHostBuffers { commands.append(hostBufferSize) }
    if let address = plan.randomAddress { commands.append(LESetRandomAddress { $0.address = address }) }
    return commands
  }

  /// Whether the controller supports flow control towards the host and the plan asks for it.
  private var offersHostBuffers: Bool {
    plan.hostBuffers > 0 && !profile.quirks.contains(.falseHostFlowControl) && supports(.hostBufferSize)
      && supports(.setControllerToHostFlowControl)
      && supports(.hostNumberOfCompletedPackets)
  }

  /// The host's buffers. The length is that of the longest packet on the air, because some controllers do not split packets into shorter
  /// ones (Zephyr answers 0x12). Synchronous data is not used; NimBLE accepts only zeros there.
  private var hostBufferSize: HCIHostBufferSize {
    HCIHostBufferSize {
      $0.aclDataPacketLength = hostBufferLength
      $0.totalACLDataPackets = UInt16(clamping: plan.hostBuffers)
    }
  }

  private var hostBufferLength: UInt16 {
    UInt16(
      clamping: max(DataLength.maximum, profile.maximumReceiveLength, profile.aclLength, profile.classicACLLength))
  }

  /// Stores the contents of an answer. Returns false when it does not fit its layout.
  private mutating func learn(_ command: any HCICommand, _ parameters: Span<UInt8>) -> Bool {
    do throws(LayoutFault) {
      switch command {
      case is HCIReadLocalVersionInformation:
        let answer = try HCIReadLocalVersionInformation.returned(parameters)
        (profile.version, profile.manufacturer) = (answer.hciVersion, answer.manufacturer)
        profile.usedVersion = min(answer.hciVersion, plan.newestVersion ?? answer.hciVersion)
      case is HCIReadLocalSupportedCommands:
        profile.commands = try HCIReadLocalSupportedCommands.returned(parameters).supportedCommands
        for opcode in profile.quirks.unansweredCommands { profile.commands.remove(opcode) }
      case is LEReadLocalSupportedFeatures:
        profile.features = try LEReadLocalSupportedFeatures.returned(parameters).features
        if let newest = plan.newestVersion { profile.features.formIntersection(.known(in: newest)) }
      case is HCIReadLocalSupportedFeatures:
        profile.classicFeatures = try HCIReadLocalSupportedFeatures.returned(parameters).features
      case is LEReadBufferSizeV2:
        let answer = try LEReadBufferSizeV2.returned(parameters)
        learnBuffers(Int(answer.aclDataPacketLength), Int(answer.totalACLDataPackets))
      case is LEReadBufferSize:
        let answer = try LEReadBufferSize.returned(parameters)
        learnBuffers(Int(answer.aclDataPacketLength), Int(answer.totalACLDataPackets))
      case is HCIReadBufferSize:
        let answer = try HCIReadBufferSize.returned(parameters)
        let (length, count) = (Int(answer.aclDataPacketLength), Int(answer.totalACLDataPackets))
        if sharesBuffers {
          (profile.aclLength, profile.aclCount) = (length, count)
        } else {
          (profile.classicACLLength, profile.classicACLCount) = (length, count)
        }
        return length > 0 && count > 0
      case is HCIReadBDADDR: profile.publicAddress = try HCIReadBDADDR.returned(parameters).address
      case is LEReadMaximumDataLength:
        let answer = try LEReadMaximumDataLength.returned(parameters)
        profile.maximumDataLength = Int(answer.maximumTxOctets)
        profile.maximumReceiveLength = Int(answer.maximumRxOctets)
      case let command as LEWriteSuggestedDefaultDataLength:
        profile.suggestedDataLength = Int(command.maximumTxOctets)
      case is LEReadNumberOfSupportedAdvertisingSets:
        profile.advertising.setCount = Int(try LEReadNumberOfSupportedAdvertisingSets.returned(parameters).count)
        profile.advertising.usesExtendedCommands = true
      case is LEReadMaximumAdvertisingDataLength:
        profile.advertising.maximumDataLength = Int(
          try LEReadMaximumAdvertisingDataLength.returned(parameters).maximumLength)
        if let longest = profile.quirks.longestConnectableData {
          profile.advertising.maximumConnectableDataLength = longest
        }
      case is LEReadFilterAcceptListSize:
        profile.advertising.acceptListSize = Int(try LEReadFilterAcceptListSize.returned(parameters).size)
      case is ZephyrReadSupportedCommands:
        profile.advertising.writesTransmitPower = try ZephyrReadSupportedCommands.returned(parameters)
          .writesTransmitPower
      case is LEReadResolvingListSize:
        profile.advertising.resolvingListSize = Int(try LEReadResolvingListSize.returned(parameters).size)
      case is HCIHostBufferSize:
        // Flow control may be enabled only now (Core 5.4 Vol 4 Part E 7.3.38, 7.3.39).
        steps.insert(HCISetControllerToHostFlowControl { $0.flowControl = .acl }, at: 0)
      case is HCISetControllerToHostFlowControl:
        (profile.hostBufferCount, profile.hostBufferLength) = (plan.hostBuffers, Int(hostBufferLength))
      default: break
      }
      return true
    } catch { return false }
  }

  /// Stores the sizes of the LE buffers. Zero means that LE shares the buffers of BR/EDR (Core 5.4 Vol 4 Part E 7.8.2).
  private mutating func learnBuffers(_ length: Int, _ count: Int) {
    sharesBuffers = length == 0 || count == 0
    if sharesBuffers {
      if !profile.supportsClassic { steps.append(HCIReadBufferSize()) }
    } else {
      (profile.aclLength, profile.aclCount) = (length, count)
    }
  }
}
