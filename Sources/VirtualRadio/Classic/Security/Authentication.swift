import BLECore
import BLEHCI

// Authentication with a link key (Core 5.4 Vol 2 Part C 4.2.1, Part H 5).
extension Air {
  func beginAuthentication(at end: ClassicEnd, over link: ClassicLink) {
    let asked = question(.linkKey, HCILinkKeyRequest { $0.address = end.peerAddress }, at: end)
    if !asked { hostHasKey(nil, at: end, over: link) }
  }

  /// Handles a host's answer to Link Key Request; nil is none.
  func hostHasKey(_ key: [UInt8]?, at end: ClassicEnd, over link: ClassicLink) {
    end.question = nil
    end.offeredKey = key
    guard let current = link.security.current, current.task == .authenticate else { return }
    if current.by == end.place {
      guard key != nil else { return beginPairing(at: end, over: link) }
      expectAnswer(over: link, at: end.place)
      send(.challenge, from: end, over: link)
    } else {
      answerChallenge(at: end, over: link)
    }
  }

  func receiveChallenge(at end: ClassicEnd, over link: ClassicLink) {
    let asked = question(.linkKey, HCILinkKeyRequest { $0.address = end.peerAddress }, at: end)
    if !asked {
      end.offeredKey = nil
      answerChallenge(at: end, over: link)
    }
  }

  private func answerChallenge(at end: ClassicEnd, over link: ClassicLink) {
    let peer = link[end.place.other]
    let status: ErrorCode
    if let key = end.offeredKey {
      status = key == peer.offeredKey ? .success : .authenticationFailure
    } else {
      status = .pinOrKeyMissing
    }
    send(.challengeAnswer(status), from: end, over: link)
  }

  func receiveChallengeAnswer(_ status: ErrorCode, at end: ClassicEnd, over link: ClassicLink) {
    guard link.security.current?.task == .authenticate else { return }
    if status == .success { link.security.isAuthenticated = true }
    finishAuthentication(status, at: end, over: link)
    // Two devices with different keys part (4.2.1).
    if status == .authenticationFailure, end.isPresent, !end.isTerminating {
      detach(link, at: end, status, own: status)
    }
  }

  /// Ends an authentication at the end whose host asked for it.
  func finishAuthentication(_ status: ErrorCode, at end: ClassicEnd, over link: ClassicLink) {
    guard let current = link.security.current, current.task == .authenticate else { return }
    let initiator = link[current.by]
    reportAuthentication(at: initiator, status)
    finishTask(over: link)
    guard !initiator.isOpen, link.setup == .accepted else { return }
    // Part of connecting, because a host authenticates all connections.
    if status == .success {
      send(.setupComplete, from: initiator, over: link)
    } else if status != .authenticationFailure {
      detach(link, at: initiator, status, own: status)
    }
  }

  /// Begins pairing after a host has no key for its peer.
  private func beginPairing(at end: ClassicEnd, over link: ClassicLink) {
    guard let classic = end.classic, let peer = link[end.place.other].classic else { return }
    if classic.supportsSimplePairing && peer.supportsSimplePairing {
      beginSimplePairing(at: end, over: link)
    } else {
      beginPINPairing(at: end, over: link)
    }
  }

  // MARK: Pairing with a PIN (Core 5.4 Vol 2 Part C 4.2.2)

  private func beginPINPairing(at end: ClassicEnd, over link: ClassicLink) {
    link.security.pairing = Pairing(initiator: end.place)
    let asked = question(.pin, HCIPINCodeRequest { $0.address = end.peerAddress }, at: end)
    if !asked { hostHasPIN(nil, at: end, over: link) }
  }

  /// Handles a host's answer to PIN Code Request; nil is none.
  func hostHasPIN(_ pin: [UInt8]?, at end: ClassicEnd, over link: ClassicLink) {
    end.question = nil
    guard var pairing = link.security.pairing else { return }
    pairing.pins[end.place] = pin
    link.security.pairing = pairing
    if pairing.initiator == end.place {
      guard pin != nil else { return finishAuthentication(.pinOrKeyMissing, at: end, over: link) }
      expectAnswer(over: link, at: end.place)
      send(.pinStart, from: end, over: link)
    } else {
      let matches = pin != nil && pin == pairing.pins[end.place.other]
      let status: ErrorCode = pin == nil ? .pairingNotAllowed : matches ? .success : .authenticationFailure
      send(.pinAnswer(status), from: end, over: link)
    }
  }

  func receivePIN(_ message: LMPMessage, at end: ClassicEnd, over link: ClassicLink) {
    guard link.security.pairing != nil else { return }
    switch message {
    case .pinStart:
      let asked = question(.pin, HCIPINCodeRequest { $0.address = end.peerAddress }, at: end)
      if !asked { hostHasPIN(nil, at: end, over: link) }
    case .pinAnswer(let status):
      if status == .success { useNewKey(.combination, over: link, madeBy: end) }
      finishAuthentication(status, at: end, over: link)
      if status == .authenticationFailure, end.isPresent, !end.isTerminating {
        detach(link, at: end, status, own: status)
      }
    default: break
    }
  }

  /// Makes a key that both ends have from now on, and tells both hosts.
  func useNewKey(_ type: LinkKeyType, over link: ClassicLink, madeBy end: ClassicEnd) {
    guard let key = end.classic?.random.octets(16) else { return }
    link.security.isAuthenticated = true
    for end in link.ends {
      end.classic?.send(
        HCILinkKeyNotification {
          $0.address = end.peerAddress
          $0.linkKey = key
          $0.type = type
        })
    }
  }
}
