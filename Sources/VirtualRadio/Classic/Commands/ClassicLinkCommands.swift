import BLECore
import BLEHCI

// The state of links, and settings without effect on the air (Core 5.4 Vol 4 Part E 7.3, 7.4, 7.5).
extension CommandTable {
  static let classicLinkStates: [CommandEntry] = [
    classic(HCIReadLinkSupervisionTimeout.self, handleFirst: true) { classic, command throws(Refusal) in
      let (link, _) = try classic.existing(command.connectionHandle)
      return HCIReadLinkSupervisionTimeout.ReturnParameters {
        $0.connectionHandle = command.connectionHandle
        $0.timeout = link.supervisionTimeout
      }
    },
    classic(HCIWriteLinkSupervisionTimeout.self, handleFirst: true) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.connectionHandle)
      // Only the central sets it (7.3.42).
      try classic.require(link.central == end.place, .commandDisallowed)
      classic.air.catchUp(link)
      link.supervisionTimeout = command.timeout
      classic.air.send(.supervisionTimeout(command.timeout), from: end, over: link)
      classic.air.supervise(link)
      return HCIWriteLinkSupervisionTimeout.ReturnParameters { $0.connectionHandle = command.connectionHandle }
    },
    classic(HCIFlush.self, handleFirst: true) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.connectionHandle)
      classic.flush(end, over: link)
      classic.send(HCIFlushOccurred { $0.connectionHandle = end.connectionHandle })
      return ConnectionReturn { $0.connectionHandle = command.connectionHandle }
    },
    classicBegun(HCIEnhancedFlush.self) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.connectionHandle)
      try classic.require(command.packetType == 0)
      classic.flush(end, over: link)
      classic.send(HCIEnhancedFlushComplete { $0.connectionHandle = end.connectionHandle })
    },
    classic(HCIReadAutomaticFlushTimeout.self, handleFirst: true) { classic, command throws(Refusal) in
      let (_, end) = try classic.existing(command.connectionHandle)
      return HCIReadAutomaticFlushTimeout.ReturnParameters {
        $0.connectionHandle = command.connectionHandle
        $0.timeout = end.flushTimeout
      }
    },
    classic(HCIWriteAutomaticFlushTimeout.self, handleFirst: true) { classic, command throws(Refusal) in
      let (_, end) = try classic.existing(command.connectionHandle)
      try classic.require(command.timeout.rawValue <= 0x07FF)
      end.flushTimeout = command.timeout
      return ConnectionReturn { $0.connectionHandle = command.connectionHandle }
    },
    classic(HCIReadLinkQuality.self, handleFirst: true) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.connectionHandle)
      return HCIReadLinkQuality.ReturnParameters {
        $0.connectionHandle = command.connectionHandle
        $0.quality = classic.air.isSteady(link) ? 255 : end.isStalled ? 128 : 200
      }
    },
  ]

  static let classicHostSettings: [CommandEntry] = [
    classic(HCIReadPageTimeout.self) { classic, _ in
      HCIReadPageTimeout.ReturnParameters { $0.timeout = classic.settings.pageTimeout }
    },
    classicPlain(HCIWritePageTimeout.self) { classic, command throws(Refusal) in
      try classic.require(command.timeout.rawValue > 0)
      classic.settings.pageTimeout = command.timeout
    },
    classic(HCIReadConnectionAcceptTimeout.self) { classic, _ in
      HCIReadConnectionAcceptTimeout.ReturnParameters { $0.timeout = classic.settings.acceptTimeout }
    },
    classicPlain(HCIWriteConnectionAcceptTimeout.self) { classic, command throws(Refusal) in
      try classic.require((1...0xB540).contains(command.timeout.rawValue))
      classic.settings.acceptTimeout = command.timeout
    },
    complete(HCIReadLEHostSupport.self) { controller, _ in
      HCIReadLEHostSupport.ReturnParameters { $0.leSupported = controller.classic?.settings.supportsLE == true }
    },
    classicPlain(HCIWriteLEHostSupport.self) { classic, command in classic.settings.supportsLE = command.leSupported },
    classic(HCIReadVoiceSetting.self) { classic, _ in
      HCIReadVoiceSetting.ReturnParameters { $0.setting = classic.settings.voice }
    },
    classicPlain(HCIWriteVoiceSetting.self) { classic, command throws(Refusal) in
      try classic.require(command.setting.rawValue <= 0x03FF)
      classic.settings.voice = command.setting
    },
    classic(HCIReadSynchronousFlowControlEnable.self) { classic, _ in
      HCIReadSynchronousFlowControlEnable.ReturnParameters { $0.isEnabled = classic.settings.synchronousFlowControl }
    },
    classicPlain(HCIWriteSynchronousFlowControlEnable.self) { classic, command throws(Refusal) in
      try classic.require(classic.openLinks.isEmpty, .commandDisallowed)
      classic.settings.synchronousFlowControl = command.isEnabled
    },
    classic(HCIReadDefaultErroneousDataReporting.self) { classic, _ in
      HCIReadDefaultErroneousDataReporting.ReturnParameters { $0.isEnabled = classic.settings.erroneousDataReporting }
    },
    classicPlain(HCIWriteDefaultErroneousDataReporting.self) { classic, command in
      classic.settings.erroneousDataReporting = command.isEnabled
    },
  ]

  static let classicInformation: [CommandEntry] = [
    classic(HCIReadLocalExtendedFeatures.self) { classic, command throws(Refusal) in
      try classic.require(command.page <= classic.configuration.lastPage)
      return HCIReadLocalExtendedFeatures.ReturnParameters {
        $0.page = command.page
        $0.lastPage = classic.configuration.lastPage
        $0.features = classic.features(page: command.page)
      }
    },
    classic(HCIReadBufferSize.self) { classic, _ in
      HCIReadBufferSize.ReturnParameters {
        $0.aclDataPacketLength = classic.configuration.aclDataLength
        $0.synchronousDataPacketLength = classic.configuration.synchronousDataLength
        $0.totalACLDataPackets = classic.configuration.aclPacketCount
        $0.totalSynchronousDataPackets = classic.configuration.synchronousPacketCount
      }
    },
    classic(HCIReadEncryptionKeySize.self, handleFirst: true) { classic, command throws(Refusal) in
      let (link, _) = try classic.existing(command.connectionHandle)
      try classic.require(link.security.encryption != .off, .insufficientSecurity)
      return HCIReadEncryptionKeySize.ReturnParameters {
        $0.connectionHandle = command.connectionHandle
        $0.keySize = link.security.keySize
      }
    },
  ]
}

extension ClassicController {
  /// Returns the strength of a peer relative to the range that a receiver aims at, in dB; zero within it (Core 5.4 Vol 4 Part E 7.5.4).
  func relativeStrength(of handle: ConnectionHandle) -> Int8? {
    guard let (link, end) = link(handle) else { return nil }
    let strength = Int(air.propagation.strength(from: link[end.place.other].controllerID, to: id))
    let golden = -60 ... -40
    return Int8(
      clamping: strength < golden.lowerBound ? strength - golden.lowerBound : max(0, strength - golden.upperBound))
  }
}
