import BLEHCI
import BLESMP

/// What a phone shows while it pairs, until a person answers or the pairing ends.
public final class PairingSheet {
  /// What is asked.
  public enum Kind: Hashable, Sendable {
    /// Whether to pair.
    case pair
    /// Whether the accessory displays the same six digits.
    case compare(String)
    /// The six digits that the accessory displays.
    case enterPasskey
    /// These six digits have to be typed on the accessory.
    case showPasskey(String)
  }

  /// What is asked.
  public let kind: Kind
  /// The accessory's name.
  public let accessory: String
  /// Whether it still waits for an answer.
  public internal(set) var isShown = true
  let link: ConnectionHandle
  private let answer: (PairingAnswer) -> Void

  init(
    _ question: PairingQuestion, accessory: String, link: ConnectionHandle, answer: @escaping (PairingAnswer) -> Void
  ) {
    kind =
      switch question {
      case .consent: .pair
      case .comparison(let digits): .compare(digits.sixDigits)
      case .passkey: .enterPasskey
      case .display(let digits): .showPasskey(digits.sixDigits)
      }
    (self.accessory, self.link, self.answer) = (accessory, link, answer)
  }

  /// Taps "Pair".
  public func accept() { respond(.accept) }

  /// Taps "Cancel".
  public func cancel() { respond(.refuse) }

  /// Types six digits, and taps "Pair".
  public func type(_ passkey: UInt32) { respond(.passkey(passkey)) }

  private func respond(_ answer: PairingAnswer) {
    if isShown { self.answer(answer) }
  }
}

/// The person who holds a phone.
public enum Person: Hashable, Sendable {
  /// Does nothing: the test answers the sheet.
  case waits
  /// Pairs with any accessory, and types this passkey if one is asked for.
  case pairs(passkey: UInt32? = nil)
  /// Cancels every pairing.
  case cancels

  /// Returns the answer to a question; nil for none.
  func answer(to question: PairingQuestion) -> PairingAnswer? {
    switch (self, question) {
    case (.waits, _), (.pairs, .display): nil
    case (.cancels, _): .refuse
    case (.pairs(let passkey), .passkey): passkey.map { .passkey($0) } ?? .refuse
    case (.pairs, .consent), (.pairs, .comparison): .accept
    }
  }
}

extension UInt32 {
  /// The number as six digits.
  fileprivate var sixDigits: String { String(String(self % 1_000_000 + 1_000_000).dropFirst()) }
}
