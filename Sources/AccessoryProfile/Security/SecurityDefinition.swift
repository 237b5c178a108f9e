import BLECore
import BLESMP

/// An accessory's security settings for its links, as described by its profile.
public struct SecurityDefinition: Hashable, Sendable {
  /// The requirements and the faults of pairings.
  public var pairing: PairingPolicy
  /// The time at which the accessory sends a Security Request by itself.
  public var requests: SecurityRequestTiming
  /// The predefined answers to the questions of pairings.
  public var answers: PairingScript

  /// Creates the settings of an accessory that does not pair.
  public init() {
    pairing = PairingPolicy()
    requests = .never
    answers = PairingScript()
  }

  /// Whether the accessory can store the keys of centrals.
  public var canBond: Bool { pairing.isPairable && pairing.bonds }

  /// The highest protection that a link can have.
  package var bestProtection: LinkProtection {
    guard pairing.isPairable else { return .none }
    if pairing.ioCapability == .noInputNoOutput, pairing.outOfBand == nil { return .encrypted }
    return pairing.secureConnections == .none ? .authenticated : .secureConnections
  }
}

/// The predefined answers to the questions of a pairing.
public struct PairingScript: Hashable, Sendable {
  /// The handling of a question.
  public enum Decision: String, Hashable, Sendable, CaseIterable {
    /// The question is asked.
    case ask
    case accept
    case refuse

    static let words = allCases.map(\.rawValue)
  }

  /// Whether to pair with a central at all.
  public var consent = Decision.accept
  /// Whether both sides display the same number.
  public var comparison = Decision.ask
  /// The answer to the question for the central's passkey. `accept` enters `typedPasskey`.
  public var passkey = Decision.ask
  /// The passkey to enter.
  public var typedPasskey: UInt32?
  /// Whether the central may enter the displayed passkey.
  public var display = Decision.ask

  /// Creates a script that consents to pairing, and asks all other questions.
  public init() {}

  /// Returns the answer to a question; nil if the question must be asked.
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
