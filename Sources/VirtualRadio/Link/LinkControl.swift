import BLECore
import BLEHCI

// The responses of a link end to its peer's control PDUs (Core 5.4 Vol 6 Part B 5.1).
extension Air {
  func receive(_ pdu: ControlPDU, at end: LinkEnd, over link: Link) {
    if let controller = end.controller, controller.configuration.unansweredControlOpcodes.contains(pdu.opcode) {
      return
    }
    switch pdu {
    case .terminate(let reason): receiveTermination(reason, at: end, over: link)
    case .connectionUpdate(let timing, let instant): agree(.timing(timing), instant: instant, over: link)
    case .channelMap(let map, let instant): agree(.channelMap(map), instant: instant, over: link)
    case .phyUpdate(let toPeripheral, let toCentral, let instant):
      receivePHYUpdate(toPeripheral, toCentral, instant: instant, over: link)
    case .unknownResponse(let opcode):
      failProcedure(opcode, .unsupportedRemoteFeature, at: end, over: link)
    case .rejectExtended(let opcode, let reason): failProcedure(opcode, reason, at: end, over: link)
    case .reject(let reason): failProcedure(ControlPDU.encryptionRequestOpcode, reason, at: end, over: link)
    case .encryptionRequest, .encryptionResponse, .startEncryptionRequest, .startEncryptionResponse,
      .pauseEncryptionRequest, .pauseEncryptionResponse:
      receiveEncryption(pdu, at: end, over: link)
    case .pingRequest, .pingResponse: receivePing(pdu, at: end, over: link)
    case .featureRequest, .peripheralFeatureRequest, .featureResponse, .version:
      receiveCapabilities(pdu, at: end, over: link)
    case .connectionParameterRequest(let range): receiveParameterRequest(range, at: end, over: link)
    case .lengthRequest, .lengthResponse: receiveLength(pdu, at: end, over: link)
    case .phyRequest, .phyResponse: receivePHYs(pdu, at: end, over: link)
    }
  }

  private func has(_ feature: LEFeatures, _ end: LinkEnd) -> Bool {
    end.controller?.configuration.features.contains(feature) ?? false
  }

  func localFeatures(of end: LinkEnd) -> LEFeatures { end.controller?.configuration.features ?? [] }

  func localVersion(of end: LinkEnd) -> LinkVersion {
    LinkVersion(
      version: end.controller?.configuration.version.rawValue ?? 0,
      companyIdentifier: end.controller?.configuration.manufacturer.rawValue ?? 0,
      subversion: end.controller?.configuration.linkLayerSubversion ?? 0)
  }

  // MARK: Features and versions (5.1.4, 5.1.5)

  private func receiveCapabilities(_ pdu: ControlPDU, at end: LinkEnd, over link: Link) {
    switch pdu {
    case .peripheralFeatureRequest where !has(.peripheralInitiatedFeaturesExchange, end):
      send(.unknownResponse(pdu.opcode), from: end, over: link)
    case .featureRequest(let features), .peripheralFeatureRequest(let features):
      end.remoteFeatures = features
      // The first octet has the features that both support, the rest the sender's own.
      let common = localFeatures(of: end).rawValue & (features.rawValue | ~0xFF)
      send(.featureResponse(LEFeatures(rawValue: common)), from: end, over: link)
    case .featureResponse(let features):
      end.remoteFeatures = features
      if end.hostWaitsForFeatures {
        end.hostWaitsForFeatures = false
        end.controller?.reportFeatures(of: end, status: .success)
      }
      finishProcedure(at: end, over: link) { $0 == .featureExchange }
    case .version(let version):
      end.remoteVersion = version
      if !end.hasSentVersion {
        end.hasSentVersion = true
        send(.version(localVersion(of: end)), from: end, over: link)
      }
      if end.hostWaitsForVersion {
        end.hostWaitsForVersion = false
        end.controller?.reportVersion(of: end)
      }
      finishProcedure(at: end, over: link) { $0 == .versionExchange }
    default: break
    }
  }

  // MARK: Connection parameters (5.1.7)

  private func receiveParameterRequest(_ range: LinkTimingRange, at end: LinkEnd, over link: Link) {
    let opcode = ControlPDU.connectionParameterRequest(range).opcode
    guard has(.connectionParametersRequest, end) else {
      return send(.unknownResponse(opcode), from: end, over: link)
    }
    if let collision = collision(with: .connectionParameterRequest(range), at: end, over: link) {
      return send(.rejectExtended(opcode, collision), from: end, over: link)
    }
    guard range.isValid else {
      return send(.rejectExtended(opcode, .unsupportedFeatureOrParameterValue), from: end, over: link)
    }
    guard end.controller?.state.leEventMask.contains(.remoteConnectionParameterRequest) == true else {
      return send(.rejectExtended(opcode, .unsupportedRemoteFeature), from: end, over: link)
    }
    end.askedHost = range
    watchProcedure(at: link[end.side.other], over: link)
    end.controller?.reportParameterRequest(range, of: end)
  }

  /// Returns the error with which the central must refuse a request of the peripheral that collides with its own change (5.3); nil if it
  /// need not.
  private func collision(with procedure: LinkProcedure, at end: LinkEnd, over link: Link) -> ErrorCode? {
    guard end.side == .central else { return nil }
    switch (end.procedure, procedure) {
    case (.connectionUpdate, .connectionParameterRequest), (.phy, .phy): return .linkLayerProcedureCollision
    case (.some(let own), _) where own.changesAtInstant: return .differentTransactionCollision
    default: return link.isChanging ? .differentTransactionCollision : nil
    }
  }

  // MARK: Data length (5.1.9)

  /// Returns whether an end starts a data length update itself, because its host has suggested longer packets for new links.
  func wantsLongerData(_ end: LinkEnd) -> Bool {
    has(.dataPacketLengthExtension, end) && end.localLength.maximumTransmitOctets > 27
  }

  private func receiveLength(_ pdu: ControlPDU, at end: LinkEnd, over link: Link) {
    switch pdu {
    case .lengthRequest where !has(.dataPacketLengthExtension, end):
      send(.unknownResponse(pdu.opcode), from: end, over: link)
    case .lengthRequest(let remote):
      use(remote, at: end, over: link)
      send(.lengthResponse(end.localLength), from: end, over: link)
    case .lengthResponse(let remote):
      use(remote, at: end, over: link)
      finishProcedure(at: end, over: link) { if case .dataLength = $0 { true } else { false } }
    default: break
    }
  }

  /// Applies in each direction the smaller of what one end can send and the other can receive (4.5.10).
  private func use(_ remote: LinkDataLength, at end: LinkEnd, over link: Link) {
    let local = end.localLength
    let effective = LinkDataLength(
      maximumReceiveOctets: min(local.maximumReceiveOctets, remote.maximumTransmitOctets),
      maximumReceiveTime: min(local.maximumReceiveTime, remote.maximumTransmitTime),
      maximumTransmitOctets: min(local.maximumTransmitOctets, remote.maximumReceiveOctets),
      maximumTransmitTime: min(local.maximumTransmitTime, remote.maximumReceiveTime))
    guard effective != end.effectiveLength else { return }
    end.effectiveLength = effective
    end.controller?.reportDataLength(of: end, over: link)
  }

  /// Reports the change to hosts when a direction moves to or from LE Coded: times below the minimum of LE Coded are raised to it there
  /// (4.5.10).
  func reportTimesOnCoded(of link: Link) {
    for end in [link.central, link.peripheral] {
      let isSent = end.effectiveLength.maximumTransmitTime < LinkDataLength.minimumTimeOnCoded
      let isReceived = end.effectiveLength.maximumReceiveTime < LinkDataLength.minimumTimeOnCoded
      guard has(.dataPacketLengthExtension, end), isSent || isReceived else { continue }
      end.controller?.reportDataLength(of: end, over: link)
    }
  }

  // MARK: PHYs (5.1.10)

  private func receivePHYs(_ pdu: ControlPDU, at end: LinkEnd, over link: Link) {
    switch (pdu, end.side) {
    case (.phyRequest, _) where localFeatures(of: end).isDisjoint(with: [.phy2M, .phyCoded]):
      send(.unknownResponse(pdu.opcode), from: end, over: link)
    case (.phyRequest, .peripheral):
      send(.phyResponse(transmit: end.preferredTransmit, receive: end.preferredReceive), from: end, over: link)
    case (.phyRequest(let transmit, let receive), .central):
      if let collision = collision(with: .phy(transmit: transmit, receive: receive), at: end, over: link) {
        return send(.rejectExtended(pdu.opcode, collision), from: end, over: link)
      }
      choosePHYs(transmit: transmit, receive: receive, at: end, over: link)
    case (.phyResponse(let transmit, let receive), .central):
      choosePHYs(transmit: transmit, receive: receive, at: end, over: link)
    default: break
    }
  }

  /// Chooses the fastest PHY that both ends accept in each direction, or leaves a direction as it is. Done by the central.
  private func choosePHYs(transmit: UInt8, receive: UInt8, at central: LinkEnd, over link: Link) {
    func choice(_ mask: UInt8, now current: RadioPHY) -> UInt8 {
      guard let phy = RadioPHY.fastest(of: mask), phy.bit != current.bit else { return 0 }
      return phy.bit
    }
    let toPeripheral = choice(central.preferredTransmit & receive, now: link.central.transmitPHY)
    let toCentral = choice(central.preferredReceive & transmit, now: link.peripheral.transmitPHY)
    change(
      .phyUpdate(centralToPeripheral: toPeripheral, peripheralToCentral: toCentral, instant: instant(for: link)),
      from: central, over: link)
  }

  private func receivePHYUpdate(_ toPeripheral: UInt8, _ toCentral: UInt8, instant: Int, over link: Link) {
    let change = PendingChange.Kind.phys(centralToPeripheral: toPeripheral, peripheralToCentral: toCentral)
    if toPeripheral == 0 && toCentral == 0 {
      // Nothing changes, so there is no instant to wait for.
      apply(PendingChange(instant: 0, kind: change), to: link)
    } else {
      agree(change, instant: instant, over: link)
    }
  }
}
