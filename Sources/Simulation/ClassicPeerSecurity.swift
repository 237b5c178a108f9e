import BLECore
import BLEHCI

/// The answers of a peer over BR/EDR to the questions of its controller about keys and pairing (Core 5.4 Vol 4 Part E 7.7).
extension ClassicPeer {
  func receiveSecurityEvent(_ code: EventCode, _ parameters: Span<UInt8>) {
    switch code {
    case .authenticationComplete:
      if let event = try? HCIAuthenticationComplete.received(parameters) { events.append(.authenticated(event.status)) }
    case .encryptionChange:
      guard let event = try? HCIEncryptionChange.received(parameters), event.status == .success else { return }
      isEncrypted = event.encryption != .off
      events.append(.encrypted(isEncrypted))
    case .linkKeyNotification:
      guard let event = try? HCILinkKeyNotification.received(parameters) else { return }
      linkKey = LinkKey(event.linkKey, event.type)
      events.append(.paired(event.type))
    case .userPasskeyNotification:
      if let event = try? HCIUserPasskeyNotification.received(parameters) {
        events.append(.shown(event.passkey.rawValue))
      }
    default: if let peer = Self.asker(code, parameters) { answer(code, peer) }
    }
  }

  /// Returns the device that a question is about; nil if the event is no question.
  private static func asker(_ code: EventCode, _ parameters: Span<UInt8>) -> DeviceAddress? {
    switch code {
    case .connectionRequest, .linkKeyRequest, .pinCodeRequest, .ioCapabilityRequest, .userConfirmationRequest,
      .userPasskeyRequest, .remoteOOBDataRequest:
      (try? AddressReturn.decodePrefix(of: ([0] + parameters.withUnsafeBytes { Array($0) }).span))?.value.address
    default: nil
    }
  }

  private func answer(_ code: EventCode, _ peer: DeviceAddress) {
    switch code {
    case .connectionRequest: send(HCIRejectConnectionRequest { $0.address = peer })
    case .linkKeyRequest:
      guard let linkKey else { return send(HCILinkKeyRequestNegativeReply { $0.address = peer }) }
      send(
        HCILinkKeyRequestReply {
          $0.address = peer
          $0.linkKey = linkKey.octets
        })
    case .pinCodeRequest: send(HCIPINCodeRequestNegativeReply { $0.address = peer })
    case .remoteOOBDataRequest: send(HCIRemoteOOBDataRequestNegativeReply { $0.address = peer })
    case .ioCapabilityRequest:
      send(
        HCIIOCapabilityRequestReply {
          $0.address = peer
          $0.ioCapability = conduct.capability
          $0.requirements = conduct.requirements
        })
    case .userConfirmationRequest:
      answer({ HCIUserConfirmationRequestReply { $0.address = peer }.h4 }) {
        HCIUserConfirmationRequestNegativeReply { $0.address = peer }.h4
      }
    case .userPasskeyRequest:
      let accept = { [unowned self] in
        HCIUserPasskeyRequestReply {
          $0.address = peer
          $0.passkey.rawValue = shownToUser() ?? 0
        }.h4
      }
      answer(accept) { HCIUserPasskeyRequestNegativeReply { $0.address = peer }.h4 }
    default: break
    }
  }

  /// The time that the user takes, in which the other side's user sees the digits.
  private static let reaction = Duration.milliseconds(500)

  /// Answers a question to the user.
  private func answer(_ acceptance: @escaping () -> [UInt8], _ refusal: @escaping () -> [UInt8]) {
    switch conduct.answer {
    case .accept: send(after: Self.reaction, acceptance)
    case .refuse: send(after: Self.reaction, refusal)
    case .silence: break
    case .late(let time): send(after: time, acceptance)
    }
  }
}
