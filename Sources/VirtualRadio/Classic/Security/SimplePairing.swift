import BLECore
import BLEHCI

// Secure Simple Pairing by its outcomes (Core 5.4 Vol 2 Part C 4.2.7, Part H 7). Nothing is computed: both ends are in this process, so
// the air knows whether numbers, passkeys and data agree. Messages give it its time and its order.
extension Air {
  func beginSimplePairing(at end: ClassicEnd, over link: ClassicLink) {
    link.security.pairing = Pairing(initiator: end.place)
    askCapabilities(at: end, over: link)
  }

  private func askCapabilities(at end: ClassicEnd, over link: ClassicLink) {
    let asked = question(.capabilities, HCIIOCapabilityRequest { $0.address = end.peerAddress }, at: end)
    if !asked { hostRefusesPairing(.pairingNotAllowed, at: end, over: link) }
  }

  // MARK: From the host

  func hostHasCapabilities(_ capabilities: PairingCapabilities, at end: ClassicEnd, over link: ClassicLink) {
    end.question = nil
    guard let pairing = link.security.pairing else { return }
    link.security.pairing?.capabilities[end.place] = capabilities
    if pairing.initiator == end.place {
      expectAnswer(over: link, at: end.place)
      send(.capabilities(capabilities), from: end, over: link)
    } else {
      chooseModel(over: link)
      expectAnswer(over: link, at: end.place)
      send(.capabilitiesAnswer(.success(capabilities)), from: end, over: link)
    }
  }

  func hostRefusesPairing(_ reason: ErrorCode, at end: ClassicEnd, over link: ClassicLink) {
    end.question = nil
    guard let pairing = link.security.pairing else { return }
    reportPairing(at: end, reason)
    if pairing.initiator == end.place {
      finishAuthentication(reason, at: end, over: link)
    } else {
      send(.capabilitiesAnswer(.failure(Refusal(reason))), from: end, over: link)
    }
  }

  /// Notes that a host or its user agrees: it has confirmed, or given a passkey or data.
  func hostAgrees(at end: ClassicEnd, over link: ClassicLink) {
    end.question = nil
    guard link.security.pairing?.agreed.insert(end.place).inserted == true else { return }
    send(.confirmed, from: end, over: link)
    checkIfAgreed(at: end, over: link)
  }

  /// Notes that a host or its user does not agree.
  func hostDisagrees(at end: ClassicEnd, over link: ClassicLink) {
    end.question = nil
    guard link.security.pairing != nil else { return }
    reportPairing(at: end, .authenticationFailure)
    send(.stageFailed, from: end, over: link)
  }

  // MARK: From the peer

  func receivePairing(_ message: LMPMessage, at end: ClassicEnd, over link: ClassicLink) {
    guard let pairing = link.security.pairing else { return }
    switch message {
    case .capabilities(let capabilities):
      reportCapabilities(capabilities, at: end)
      askCapabilities(at: end, over: link)
    case .capabilitiesAnswer(.success(let capabilities)):
      reportCapabilities(capabilities, at: end)
      send(.publicKey, from: end, over: link)
    case .capabilitiesAnswer(.failure(let refusal)):
      reportPairing(at: end, refusal.status)
      finishAuthentication(refusal.status, at: end, over: link)
    case .publicKey:
      if pairing.initiator != end.place { send(.publicKey, from: end, over: link) }
      askUser(at: end, over: link)
    case .confirmed:
      link.security.pairing?.heardAgreement.insert(end.place)
      checkIfAgreed(at: end, over: link)
    case .stageFailed:
      guard pairing.model != nil else { return }
      if pairing.hasBegun(at: end.place) { reportPairing(at: end, .authenticationFailure) }
      finishAuthentication(.authenticationFailure, at: end, over: link)
    case .check: receiveCheck(at: end, over: link)
    case .checkAnswer(let status): finishPairing(status, at: end, over: link)
    case .keypress(let type):
      end.classic?.send(
        HCIKeypressNotification {
          $0.address = end.peerAddress
          $0.type = type
        })
    default: break
    }
  }

  private func chooseModel(over link: ClassicLink) {
    guard let pairing = link.security.pairing, let initiator = pairing.capabilities[pairing.initiator],
      let responder = pairing.capabilities[pairing.initiator.other]
    else { return }
    link.security.pairing?.model = AssociationModel(initiator, responder, initiatorPlace: pairing.initiator)
    let number = link[pairing.initiator].classic?.random.upTo(999_999) ?? 0
    link.security.pairing?.number = UInt32(number)
  }

  // MARK: Stage 1 (Core 5.4 Vol 2 Part H 7.2)

  private func askUser(at end: ClassicEnd, over link: ClassicLink) {
    guard let pairing = link.security.pairing, let model = pairing.model else { return }
    expectAnswer(over: link, at: end.place)
    let number = NumericValue(rawValue: pairing.number)
    let asked: Bool
    switch model {
    case .justWorks, .numericComparison:
      let request = HCIUserConfirmationRequest {
        $0.address = end.peerAddress
        $0.number = number
      }
      asked = question(.confirmation, request, at: end)
    case .passkey(end.place):
      end.classic?.send(
        HCIUserPasskeyNotification {
          $0.address = end.peerAddress
          $0.passkey = number
        })
      return hostAgrees(at: end, over: link)
    case .passkey: asked = question(.passkey, HCIUserPasskeyRequest { $0.address = end.peerAddress }, at: end)
    case .outOfBand where pairing.capabilities[end.place]?.outOfBandData == OOBDataPresence.none:
      return hostAgrees(at: end, over: link)
    case .outOfBand:
      asked = question(.outOfBandData, HCIRemoteOOBDataRequest { $0.address = end.peerAddress }, at: end)
    }
    if !asked { hostDisagrees(at: end, over: link) }
  }

  /// Lets the initiator begin stage 2 when both sides agree.
  private func checkIfAgreed(at end: ClassicEnd, over link: ClassicLink) {
    guard let pairing = link.security.pairing, pairing.agreed.contains(end.place) else { return }
    // Only a silent peer is timed out.
    guard pairing.heardAgreement.contains(end.place) else { return expectAnswer(over: link, at: end.place) }
    guard pairing.initiator == end.place, !pairing.isChecking else { return }
    link.security.pairing?.isChecking = true
    send(.check, from: end, over: link)
  }

  // MARK: Stage 2 (Core 5.4 Vol 2 Part H 7.3)

  private func receiveCheck(at end: ClassicEnd, over link: ClassicLink) {
    guard let pairing = link.security.pairing else { return }
    let isCorrect = pairing.isCorrect { place in link[place.other].classic?.outOfBandMaterial ?? OutOfBandMaterial() }
    let status: ErrorCode = isCorrect ? .success : .authenticationFailure
    reportPairing(at: end, status)
    send(.checkAnswer(status), from: end, over: link)
  }

  private func finishPairing(_ status: ErrorCode, at end: ClassicEnd, over link: ClassicLink) {
    guard let model = link.security.pairing?.model else { return }
    reportPairing(at: end, status)
    if status == .success {
      let isSecure = link.ends.allSatisfy { $0.classic?.supportsSecureConnections == true }
      let type: LinkKeyType =
        switch (isSecure, model.isAuthenticated) {
        case (true, true): .authenticatedP256
        case (true, false): .unauthenticatedP256
        case (false, true): .authenticatedP192
        case (false, false): .unauthenticatedP192
        }
      useNewKey(type, over: link, madeBy: end)
    }
    finishAuthentication(status, at: end, over: link)
  }

  // MARK: Reports

  private func reportCapabilities(_ capabilities: PairingCapabilities, at end: ClassicEnd) {
    end.classic?.send(
      HCIIOCapabilityResponse {
        $0.address = end.peerAddress
        $0.ioCapability = capabilities.ioCapability
        $0.oobData = capabilities.outOfBandData
        $0.requirements = capabilities.requirements
      })
  }

  private func reportPairing(at end: ClassicEnd, _ status: ErrorCode) {
    guard let link = end.classic?.links.first(where: { $0.link[$0.place] === end })?.link else { return }
    link.security.pairing?.capabilities[end.place] = nil
    end.classic?.send(
      HCISimplePairingComplete {
        $0.status = status
        $0.address = end.peerAddress
      })
  }
}

extension ClassicController {
  /// The data that this host has read to hand it over out of band.
  var outOfBandMaterial: OutOfBandMaterial {
    OutOfBandMaterial(p192: settings.outOfBand192, p256: settings.outOfBand256)
  }
}
