import BLECore
import BLEHCI
import BLELink
import BLESMP
import CentralHost

/// The user of a simulated central, who answers the questions of its pairings.
package enum PairingUser: Hashable, Sendable {
  /// Nobody. The test itself answers.
  case nobody
  /// Accepts all questions, and enters this passkey.
  case accepts(passkey: UInt32? = nil)
  /// Accepts all questions but those for a passkey, which the test itself answers.
  case acceptsExceptPasskeys
  /// Refuses all questions.
  case refuses

  /// Returns the answers to the questions among events.
  func answers(to events: [HostEvent]) -> [(link: ConnectionHandle, answer: PairingAnswer)] {
    guard self != .nobody else { return [] }
    return events.compactMap { event in
      guard case .security(let link, .asked(let question)) = event else { return nil }
      return answer(to: question).map { (link, $0) }
    }
  }

  /// Returns the answer to a question; nil for none.
  package func answer(to question: PairingQuestion) -> PairingAnswer? {
    switch (self, question) {
    case (.nobody, _), (.accepts, .display), (.acceptsExceptPasskeys, .display),
      (.acceptsExceptPasskeys, .passkey):
      nil
    case (.refuses, _): .refuse
    case (.accepts(let passkey), .passkey): passkey.map { .passkey($0) } ?? .refuse
    case (.accepts, .consent), (.accepts, .comparison), (.acceptsExceptPasskeys, .consent),
      (.acceptsExceptPasskeys, .comparison):
      .accept
    }
  }
}

/// The outcome of a pairing.
package enum PairingOutcome: Hashable, Sendable {
  case paired(Bond, bonded: Bool)
  /// The link was encrypted with the key of a bond.
  case encrypted
  case failed(PairingFailed.Reason, byPeer: Bool)
  /// The link could not be encrypted.
  case notEncrypted(ErrorCode)
  /// There was no answer for 30 s.
  case timedOut
  /// The link ended.
  case cut
}

extension PairingOutcome: CustomStringConvertible {
  /// The outcome in words.
  package var description: String {
    switch self {
    case .paired: "paired"
    case .encrypted: "encrypted"
    case .failed(let reason, let byPeer): "pairing failed\(byPeer ? ", as the accessory reported" : ""): \(reason)"
    case .notEncrypted(let status): "the link was not encrypted: \(status)"
    case .timedOut: "pairing timed out after 30 s of silence"
    case .cut: "the link ended during pairing"
    }
  }
}

extension ScriptedCentral {
  /// Encrypts a link with the key of the bond, or pairs if there is none. `anew` pairs in any case. Returns the outcome.
  @discardableResult
  package func pair(_ link: ConnectionHandle, anew: Bool = false) throws -> PairingOutcome {
    let first = events.count
    try perform(anew ? .pairAnew(link) : .pair(link))
    return try pairingOutcome(of: link, from: first)
  }

  /// Waits for the end of a pairing, or of an encryption with the key of a bond, that started after the `start`th event.
  package func pairingOutcome(of link: ConnectionHandle, from start: Int) throws -> PairingOutcome {
    defer {
      // The last key may still be on its way to the peripheral.
      stage.run(until: { stack.progress(of: link).isIdle }, limit: limit)
    }
    var isPairing = false
    var paired: PairingOutcome?
    return try wait(for: "the end of pairing", from: start) { event in
      switch event {
      case .security(link, .pairing): isPairing = true
      // Over BR/EDR, encryption follows the pairing.
      case .security(link, .paired(let bond, let bonded)):
        paired = .paired(bond, bonded: bonded)
        if security(of: link).protection > .none { return paired }
      case .security(link, .failed(let reason, let byPeer)): return .failed(reason, byPeer: byPeer)
      case .security(link, .timedOut): return .timedOut
      case .security(link, .cut), .disconnected(link, _): return .cut
      case .encryptionFailed(link, let status) where !isPairing: return .notEncrypted(status)
      case .security(link, .securityChanged(let security)) where security.protection > .none:
        if let paired { return paired }
        if !isPairing { return .encrypted }
      default: break
      }
      return nil
    }
  }

  /// Returns the security of a link; `open` if there is no such link.
  package func security(of link: ConnectionHandle) -> LinkSecurity {
    stack.linkStates.first { $0.handle == link }?.security ?? .open
  }
}
