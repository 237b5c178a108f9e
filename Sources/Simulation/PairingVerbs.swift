import BLECore
import BLEHCI
import BLELink
import BLESMP
import CentralHost

/// How somebody in front of a simulated central answers what its pairings ask.
package enum PairingUser: Hashable, Sendable {
  /// Nobody does; the test answers itself.
  case nobody
  /// Accepts whatever is asked, and types this passkey.
  case accepts(passkey: UInt32? = nil)
  /// Refuses whatever is asked.
  case refuses

  /// The answers to the questions among events.
  func answers(to events: [HostEvent]) -> [(link: ConnectionHandle, answer: PairingAnswer)] {
    guard self != .nobody else { return [] }
    return events.compactMap { event in
      guard case .security(let link, .asked(let question)) = event else { return nil }
      return answer(to: question).map { (link, $0) }
    }
  }

  /// The answer to a question; nil for none.
  private func answer(to question: PairingQuestion) -> PairingAnswer? {
    switch (self, question) {
    case (.nobody, _), (.accepts, .display): nil
    case (.refuses, _): .refuse
    case (.accepts(let passkey), .passkey): passkey.map { .passkey($0) } ?? .refuse
    case (.accepts, .consent), (.accepts, .comparison): .accept
    }
  }
}

/// What came of a pairing.
package enum PairingOutcome: Hashable, Sendable {
  case paired(Bond, bonded: Bool)
  /// The link was encrypted with the key of a bond.
  case encrypted
  case failed(PairingFailed.Reason, byPeer: Bool)
  /// The link could not be encrypted.
  case notEncrypted(ErrorCode)
  /// After 30 s of silence.
  case timedOut
  /// With the link.
  case cut
}

extension ScriptedCentral {
  /// Encrypts a link with the key of the bond, or pairs where there is none; `anew` pairs in any case. What came of it.
  @discardableResult
  package func pair(_ link: ConnectionHandle, anew: Bool = false) throws -> PairingOutcome {
    let first = events.count
    try perform(anew ? .pairAnew(link) : .pair(link))
    return try pairingOutcome(of: link, from: first)
  }

  /// Waits until a pairing, or an encryption with the key of a bond, has ended that began after the `start`th event.
  package func pairingOutcome(of link: ConnectionHandle, from start: Int) throws -> PairingOutcome {
    defer {
      // The last key may be on its way to the peripheral.
      simulation.run(until: { stack.progress(of: link).isIdle }, limit: limit)
    }
    var isPairing = false
    return try wait(for: "the end of pairing", from: start) { event in
      switch event {
      case .security(link, .pairing): isPairing = true
      case .security(link, .paired(let bond, let bonded)): return .paired(bond, bonded: bonded)
      case .security(link, .failed(let reason, let byPeer)): return .failed(reason, byPeer: byPeer)
      case .security(link, .timedOut): return .timedOut
      case .security(link, .cut), .disconnected(link, _): return .cut
      case .encryptionFailed(link, let status) where !isPairing: return .notEncrypted(status)
      case .security(link, .securityChanged(let security)) where !isPairing && security.protection > .none:
        return .encrypted
      default: break
      }
      return nil
    }
  }

  /// How a link is protected; open when there is none.
  package func security(of link: ConnectionHandle) -> LinkSecurity {
    stack.linkStates.first { $0.handle == link }?.security ?? .open
  }
}
