import BLECore
import BLESMP

/// What an accessory wants of the security of its links, as its profile describes it.
public struct SecurityDefinition: Hashable, Sendable {
  /// What it wants of a pairing, and does wrong in one.
  public var pairing: PairingPolicy
  /// When it sends a Security Request by itself.
  public var requests: SecurityRequestTiming
  /// Who decides what a pairing asks.
  public var answers: PairingScript

  /// The security of an accessory that does not pair.
  public init() {
    pairing = PairingPolicy()
    requests = .never
    answers = PairingScript()
  }

  /// Whether it can keep the keys of centrals.
  public var canBond: Bool { pairing.isPairable && pairing.bonds }

  /// The best protection that a link can get.
  var bestProtection: LinkProtection {
    guard pairing.isPairable else { return .none }
    if pairing.ioCapability == .noInputNoOutput, pairing.outOfBand == nil { return .encrypted }
    return pairing.secureConnections == .none ? .authenticated : .secureConnections
  }
}

/// What is answered to the questions of a pairing without asking anybody.
public struct PairingScript: Hashable, Sendable {
  /// What becomes of a question.
  public enum Decision: String, Hashable, Sendable, CaseIterable {
    /// Somebody is asked.
    case ask
    case accept
    case refuse

    static let words = allCases.map(\.rawValue)
  }

  /// Whether to pair with a central at all.
  public var consent = Decision.accept
  /// Whether both sides show the same number.
  public var comparison = Decision.ask
  /// The passkey that the central shows: `accept` types `typedPasskey`.
  public var passkey = Decision.ask
  /// The passkey that it types.
  public var typedPasskey: UInt32?
  /// Whether the central may type the passkey that is shown.
  public var display = Decision.ask

  /// Consent is given, and somebody is asked for the rest.
  public init() {}

  /// The answer to a question; nil when somebody has to be asked.
  public func answer(to question: PairingQuestion) -> PairingAnswer? {
    switch question {
    case .consent: Self.answer(consent)
    case .comparison: Self.answer(comparison)
    case .passkey: passkey == .accept ? typedPasskey.map { .passkey($0) } : Self.answer(passkey)
    case .display: Self.answer(display)
    }
  }

  private static func answer(_ decision: Decision) -> PairingAnswer? {
    switch decision {
    case .ask: nil
    case .accept: .accept
    case .refuse: .refuse
    }
  }
}
