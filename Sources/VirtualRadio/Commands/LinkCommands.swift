import BLECore
import BLEHCI

extension CommandTable {
  static let linkCommands: [CommandEntry] = [
    begun(HCIDisconnect.self) { controller, command throws(Refusal) in
      let couldBe = Int(command.connectionHandle.rawValue) < controller.configuration.maximumConnections
      if couldBe, controller.configuration.has(.disallowsUnknownDisconnect) {
        let isClassic = controller.classic?.link(command.connectionHandle) != nil
        try controller.require(isClassic || controller.connection(command.connectionHandle) != nil, .commandDisallowed)
      }
      let reasons: [ErrorCode] = [
        .authenticationFailure, .remoteUserTerminatedConnection, .remoteDeviceTerminatedLowResources,
        .remoteDeviceTerminatedPowerOff, .unsupportedRemoteFeature, .pairingWithUnitKeyNotSupported,
        .unacceptableConnectionParameters,
      ]
      if let classic = controller.classic, let (link, end) = classic.link(command.connectionHandle) {
        try controller.require(reasons.contains(command.reason))
        try controller.require(!end.isTerminating, .commandDisallowed)
        return controller.air.detach(link, at: end, command.reason, own: .connectionTerminatedByLocalHost)
      }
      let (link, end) = try controller.existing(command.connectionHandle)
      try controller.require(reasons.contains(command.reason))
      if end.isTerminating, controller.configuration.has(.takesSecondDisconnect) { return }
      try controller.require(!end.isTerminating, .commandDisallowed)
      end.isTerminating = true
      controller.air.send(.terminate(command.reason), from: end, over: link)
    },
    begun(HCIReadRemoteVersionInformation.self) { controller, command throws(Refusal) in
      if let (link, end) = controller.classic?.link(command.connectionHandle) {
        return try controller.air.begin(.version, .versionRequest, at: end, over: link)
      }
      let (link, end) = try controller.existing(command.connectionHandle)
      if end.remoteVersion != nil { return controller.reportVersion(of: end) }
      try controller.require(!end.hostWaitsForVersion, .commandDisallowed)
      end.hostWaitsForVersion = true
      if !end.hasSentVersion { controller.air.start(.versionExchange, at: end, over: link) }
    },
    begun(LEReadRemoteFeatures.self) { controller, command throws(Refusal) in
      let (link, end) = try controller.existing(command.connectionHandle)
      let mayAsk =
        end.side == .central || controller.configuration.features.contains(.peripheralInitiatedFeaturesExchange)
      try controller.require(end.remoteFeatures != nil || mayAsk, .commandDisallowed)
      if end.remoteFeatures != nil { return controller.reportFeatures(of: end, status: .success) }
      try controller.require(!end.hostWaitsForFeatures, .commandDisallowed)
      end.hostWaitsForFeatures = true
      controller.air.start(.featureExchange, at: end, over: link)
    },
    complete(LEReadChannelMap.self, handleFirst: true) { controller, command throws(Refusal) in
      if controller.answersWithZeros(about: command.connectionHandle) {
        return LEReadChannelMap.ReturnParameters { $0.channelMap = ChannelMap(bits: 0) }
      }
      let (link, _) = try controller.existing(command.connectionHandle)
      return LEReadChannelMap.ReturnParameters {
        $0.connectionHandle = command.connectionHandle
        $0.channelMap = ChannelMap(bits: link.channelMap)
      }
    },
  ]

  static let linkParameterCommands: [CommandEntry] = [
    begun(LEConnectionUpdate.self) { controller, command throws(Refusal) in
      let (link, end) = try controller.existing(command.connectionHandle)
      let range = LinkTimingRange(
        minimumIntervalUnits: command.intervalMinimum.rawValue, maximumIntervalUnits: command.intervalMaximum.rawValue,
        latency: command.maximumLatency, timeoutUnits: command.supervisionTimeout.rawValue)
      if !range.isValid, end.side == .peripheral, controller.configuration.has(.beginsInvalidConnectionUpdate) {
        return controller.reportTiming(of: end, link.timing, status: .invalidLLParameters)
      }
      try controller.require(range.isValid && command.minimumEventLength <= command.maximumEventLength)
      let mayAsk = controller.configuration.features.contains(.connectionParametersRequest)
      try controller.require(end.side == .central || mayAsk, .commandDisallowed)
      end.limitEvents(to: command.maximumEventLength)
      controller.air.start(
        end.side == .central ? .connectionUpdate(range) : .connectionParameterRequest(range), at: end, over: link)
    },
    onConnection(LERemoteConnectionParameterRequestReply.self, \.connectionHandle) {
      controller, command, link, end throws(Refusal) in
      let range = LinkTimingRange(
        minimumIntervalUnits: command.intervalMinimum.rawValue, maximumIntervalUnits: command.intervalMaximum.rawValue,
        latency: command.maximumLatency, timeoutUnits: command.timeout.rawValue)
      if end.askedHost == nil, controller.configuration.has(.takesUnaskedParameterReply) { return }
      try controller.require(end.askedHost != nil, .commandDisallowed)
      try controller.require(range.isValid && command.minimumEventLength <= command.maximumEventLength)
      end.askedHost = nil
      end.limitEvents(to: command.maximumEventLength)
      controller.air.start(.connectionUpdate(range), at: end, over: link)
    },
    onConnection(LERemoteConnectionParameterRequestNegativeReply.self, \.connectionHandle) {
      controller, command, link, end throws(Refusal) in
      if end.askedHost == nil, controller.configuration.has(.takesUnaskedParameterReply) { return }
      guard let range = end.askedHost else { throw Refusal(.commandDisallowed) }
      end.askedHost = nil
      controller.air.send(
        .rejectExtended(ControlPDU.connectionParameterRequest(range).opcode, command.reason), from: end, over: link)
    },
  ]

  static let dataLengthCommands: [CommandEntry] = [
    onConnection(LESetDataLength.self, \.connectionHandle) { controller, command, link, end throws(Refusal) in
      try requireDataLength(command.txOctets, command.txTime, controller)
      end.localLength.maximumTransmitOctets = min(command.txOctets, controller.configuration.maximumDataOctets)
      end.localLength.maximumTransmitTime = min(command.txTime, controller.configuration.maximumDataTime)
      controller.air.start(.dataLength(end.localLength), at: end, over: link)
    },
    complete(LEReadSuggestedDefaultDataLength.self) { controller, _ in
      LEReadSuggestedDefaultDataLength.ReturnParameters {
        $0.maximumTxOctets = controller.state.suggestedDataOctets
        $0.maximumTxTime = controller.state.suggestedDataTime
      }
    },
    plain(LEWriteSuggestedDefaultDataLength.self) { controller, command throws(Refusal) in
      try requireDataLength(command.maximumTxOctets, command.maximumTxTime, controller)
      controller.state.suggestedDataOctets = command.maximumTxOctets
      controller.state.suggestedDataTime = command.maximumTxTime
    },
    complete(LEReadMaximumDataLength.self) { controller, _ in
      LEReadMaximumDataLength.ReturnParameters {
        $0.maximumTxOctets = controller.configuration.maximumDataOctets
        $0.maximumTxTime = controller.configuration.maximumDataTime
        $0.maximumRxOctets = controller.configuration.maximumDataOctets
        $0.maximumRxTime = controller.configuration.maximumDataTime
      }
    },
  ]

  /// Checks the ranges of Core 5.4 Vol 4 Part E 7.8.33, whatever the controller supports.
  private static func requireDataLength(
    _ octets: UInt16, _ time: UInt16, _ controller: VirtualController
  ) throws(Refusal) {
    try controller.require((27...251).contains(octets) && (328...17040).contains(time))
  }

  static let phyCommands: [CommandEntry] = [
    complete(LEReadPHY.self, handleFirst: true) { controller, command throws(Refusal) in
      if controller.answersWithZeros(about: command.connectionHandle) {
        return LEReadPHY.ReturnParameters { ($0.txPHY, $0.rxPHY) = (.none, .none) }
      }
      let (link, end) = try controller.existing(command.connectionHandle)
      return LEReadPHY.ReturnParameters {
        $0.connectionHandle = command.connectionHandle
        $0.txPHY = PHY(end.transmitPHY)
        $0.rxPHY = PHY(link[end.side.other].transmitPHY)
      }
    },
    plain(LESetDefaultPHY.self) { controller, command throws(Refusal) in
      var (transmitPHYs, receivePHYs) = (command.txPHYs, command.rxPHYs)
      if controller.configuration.has(.takesAnyDefaultPHY) {
        let supported = PHYSet(rawValue: controller.configuration.supportedPHYs)
        transmitPHYs = transmitPHYs.isDisjoint(with: supported) ? supported : transmitPHYs.intersection(supported)
        receivePHYs = receivePHYs.isDisjoint(with: supported) ? supported : receivePHYs.intersection(supported)
      }
      let (transmit, receive) = try controller.preferredPHYs(command.noPreference, transmitPHYs, receivePHYs)
      controller.state.preferredTransmitPHYs = transmit
      controller.state.preferredReceivePHYs = receive
    },
    begun(LESetPHY.self) { controller, command throws(Refusal) in
      let (link, end) = try controller.existing(command.connectionHandle)
      let (transmit, receive) = try controller.preferredPHYs(command.noPreference, command.txPHYs, command.rxPHYs)
      // The two lowest bits of PHY_Options: no preference, S=2, S=8.
      try controller.require(command.options & 3 != 3)
      end.preferredTransmit = transmit
      end.preferredReceive = receive
      end.coding = command.options & 3 == 1 ? .leCodedS2 : .leCoded
      if end.transmitPHY.isCoded { end.transmitPHY = end.coding }
      controller.air.start(.phy(transmit: transmit, receive: receive), at: end, over: link)
    },
  ]
}

extension VirtualController {
  /// Returns the PHYs that a host prefers. In a direction that the host leaves to the controller, these are all supported PHYs.
  func preferredPHYs(
    _ noPreference: PHYPreference, _ transmit: PHYSet, _ receive: PHYSet
  ) throws(Refusal) -> (transmit: UInt8, receive: UInt8) {
    let supported = configuration.supportedPHYs
    func mask(_ phys: PHYSet, isFree: Bool) throws(Refusal) -> UInt8 {
      if isFree { return supported }
      try require(!phys.isEmpty && phys.rawValue < 8)
      try require(phys.rawValue & ~supported == 0, .unsupportedFeatureOrParameterValue)
      return phys.rawValue
    }
    return (
      try mask(transmit, isFree: noPreference.contains(.noTxPreference)),
      try mask(receive, isFree: noPreference.contains(.noRxPreference))
    )
  }
}

extension ErrorCode {
  /// Invalid LL Parameters.
  fileprivate static let invalidLLParameters = ErrorCode(rawValue: 0x1E)
}
