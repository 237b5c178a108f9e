import BLECore
import BLEHCI

// Starting encryption, and pausing it to restart with another key (Core 5.4 Vol 6 Part B 5.1.3).
extension Air {
  /// Starts encryption at the central: with LL_ENC_REQ, preceded by a pause on an encrypted link.
  func startEncryption(_ parameters: EncryptionParameters, at end: LinkEnd, over link: Link) {
    end.encryption.isRefresh = end.encryption.isOn
    if end.encryption.isRefresh {
      end.encryption.stage = .pausing
      send(.pauseEncryptionRequest, from: end, over: link)
    } else {
      requestEncryption(parameters, at: end, over: link)
    }
  }

  private func requestEncryption(_ parameters: EncryptionParameters, at end: LinkEnd, over link: Link) {
    guard let share = end.controller?.drawSessionShare() else { return }
    end.encryption.stage = .requested(parameters, share)
    let request = EncryptionRequest(
      random: parameters.random, encryptedDiversifier: parameters.encryptedDiversifier, share: share)
    send(.encryptionRequest(request), from: end, over: link)
  }

  func receiveEncryption(_ pdu: ControlPDU, at end: LinkEnd, over link: Link) {
    switch (pdu, end.side, end.encryption.stage) {
    case (.encryptionRequest(let request), .peripheral, .idle),
      (.encryptionRequest(let request), .peripheral, .pausing):
      receiveRequest(request, at: end, over: link)
    case (.encryptionResponse(let share), .central, .requested(let parameters, let own)):
      end.encryption.stage = .starting(
        SessionKey(
          longTermKey: parameters.longTermKey, central: own.keyDiversifier, peripheral: share.keyDiversifier))
    case (.startEncryptionRequest, .central, .starting(let key)):
      end.encryption.transmitKey = key
      end.encryption.receiveKey = key
      send(.startEncryptionResponse, from: end, over: link)
    case (.startEncryptionResponse, .peripheral, .starting(let key)):
      end.encryption.transmitKey = key
      send(.startEncryptionResponse, from: end, over: link)
      finishEncryption(at: end, over: link)
    case (.startEncryptionResponse, .central, .starting): finishEncryption(at: end, over: link)
    default: receivePause(pdu, at: end, over: link)
    }
  }

  // MARK: The peripheral

  private func receiveRequest(_ request: EncryptionRequest, at end: LinkEnd, over link: Link) {
    guard let controller = end.controller else { return }
    guard controller.configuration.features.contains(.encryption) else {
      return refuseEncryption(.unsupportedRemoteFeature, at: end, over: link)
    }
    let share = controller.drawSessionShare()
    end.encryption.stage = .askingHost(request, share)
    send(.encryptionResponse(share), from: end, over: link)
    if controller.isWanted(subevent: .leLongTermKeyRequest) {
      controller.reportKeyRequest(request, of: end)
      watchProcedure(at: link[end.side.other], over: link)
    } else {
      refuseEncryption(.pinOrKeyMissing, at: end, over: link)
    }
  }

  /// Continues with the key from the peripheral's host. From now on the peripheral expects only encrypted packets.
  func beginEncryption(longTermKey: [UInt8], at end: LinkEnd, over link: Link) {
    guard case .askingHost(let request, let own) = end.encryption.stage else { return }
    let key = SessionKey(
      longTermKey: longTermKey, central: request.share.keyDiversifier, peripheral: own.keyDiversifier)
    end.encryption.stage = .starting(key)
    end.encryption.receiveKey = key
    send(.startEncryptionRequest, from: end, over: link)
  }

  /// Refuses to encrypt, at the peripheral. A link that was encrypted before ends, because no plain text may be sent on it.
  func refuseEncryption(_ reason: ErrorCode, at end: LinkEnd, over link: Link) {
    if end.encryption.isRefresh {
      end.encryption.stage = .pausing
      end.isTerminating = true
      return send(.terminate(reason), from: end, over: link)
    }
    end.encryption.stage = .idle
    let features = localFeatures(of: end).intersection(end.remoteFeatures ?? [])
    let isExtended = features.contains(.extendedRejectIndication)
    send(
      isExtended ? .rejectExtended(ControlPDU.encryptionRequestOpcode, reason) : .reject(reason), from: end, over: link)
  }

  // MARK: Pausing (5.1.3.2)

  private func receivePause(_ pdu: ControlPDU, at end: LinkEnd, over link: Link) {
    switch (pdu, end.side, end.encryption.stage) {
    case (.pauseEncryptionRequest, .peripheral, .idle) where end.encryption.isOn:
      end.encryption.stage = .pausing
      end.encryption.isRefresh = true
      end.encryption.receiveKey = nil
      send(.pauseEncryptionResponse, from: end, over: link)
    case (.pauseEncryptionResponse, .central, .pausing):
      end.encryption.transmitKey = nil
      end.encryption.receiveKey = nil
      send(.pauseEncryptionResponse, from: end, over: link)
      if case .encryption(let parameters) = end.procedure { requestEncryption(parameters, at: end, over: link) }
    case (.pauseEncryptionResponse, .peripheral, .pausing): end.encryption.transmitKey = nil
    default: break
    }
  }

  // MARK: The end of the procedure

  private func finishEncryption(at end: LinkEnd, over link: Link) {
    let isRefresh = end.encryption.isRefresh
    end.encryption.stage = .idle
    end.encryption.isRefresh = false
    if isRefresh {
      end.controller?.reportKeyRefresh(of: end)
    } else {
      end.controller?.reportEncryption(of: end, status: .success)
    }
    finishProcedure(at: end, over: link) { $0.encrypts }
    watchPayloads(of: link)
    wake(link)
  }

  /// Handles a peripheral that refuses or does not support LL_ENC_REQ: the link continues in plain text.
  func failEncryption(_ reason: ErrorCode, at end: LinkEnd, over link: Link) {
    end.encryption.stage = .idle
    end.controller?.reportEncryption(of: end, status: reason)
    finishProcedure(at: end, over: link) { $0.encrypts }
    wake(link)
  }

  /// Handles a packet that is not encrypted with the receiver's key. The receiver leaves the link at once (5.1.3.1), and its peer's
  /// procedure fails with the same error.
  func failIntegrity(of link: Link) {
    for side in [LinkSide.peripheral, .central] {
      close(link, at: side, reason: .connectionTerminatedDueToMICFailure)
    }
  }
}

extension VirtualController {
  /// Draws this end's share of a session key from the controller's random numbers.
  func drawSessionShare() -> SessionShare {
    SessionShare(
      keyDiversifier: random.next(), initializationVector: UInt32(truncatingIfNeeded: random.next()))
  }
}
