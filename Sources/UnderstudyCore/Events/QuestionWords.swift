import AccessoryProfile
import BLESMP

extension QuestionEnd {
  /// How the question ended, as text.
  package var text: String {
    switch self {
    case .answered, .pairing(_, isLate: false): "it was answered"
    case .expired, .pairing(_, isLate: true): "nobody answered in time"
    case .over: "the pairing has continued or ended"
    case .clientLeft: "the central has disconnected"
    case .abandoned: "the central has given up"
    }
  }
}

extension PairingQuestion {
  /// The kind of question, as one word.
  package var word: String {
    switch self {
    case .consent: "consent"
    case .comparison: "comparison"
    case .passkey: "passkey"
    case .display: "display"
    }
  }

  /// The six digits to show.
  public var digits: String? {
    switch self {
    case .comparison(let number), .display(let number): PairingWords.digits(number)
    case .consent, .passkey: nil
    }
  }
}
