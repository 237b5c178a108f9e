import AccessoryProfile
import BLEHCI
import BLESMP
import Simulation
import Synchronization

/// The sheet that a phone shows while it pairs, until the person answers or the pairing ends. Any thread may answer it.
public final class PairingSheet: Sendable {
  /// The kinds of questions.
  public enum Kind: Hashable, Sendable {
    /// Whether to pair.
    case pair
    /// Whether the accessory displays the same six digits.
    case compare(String)
    /// The six digits that the accessory displays.
    case enterPasskey
    /// The six digits to type on the accessory.
    case showPasskey(String)
  }

  /// The question.
  public let kind: Kind
  /// The accessory's name.
  public let accessory: String
  /// Whether it still waits for an answer.
  public var isShown: Bool { shown.withLock { $0 } }
  let link: ConnectionHandle
  private let shown = Mutex(true)
  private let answer: @Sendable (PairingSheet, PairingAnswer) -> Void

  init(
    _ question: PairingQuestion, accessory: String, link: ConnectionHandle,
    answer: @escaping @Sendable (PairingSheet, PairingAnswer) -> Void
  ) {
    kind =
      switch question {
      case .consent: .pair
      case .comparison(let digits): .compare(PairingWords.digits(digits))
      case .passkey: .enterPasskey
      case .display(let digits): .showPasskey(PairingWords.digits(digits))
      }
    (self.accessory, self.link, self.answer) = (accessory, link, answer)
  }

  /// Taps "Pair".
  public func accept() { respond(.accept) }

  /// Taps "Cancel".
  public func cancel() { respond(.refuse) }

  /// Types six digits, and taps "Pair".
  public func type(_ passkey: UInt32) { respond(.passkey(passkey)) }

  /// Closes the sheet. Returns whether it was still shown.
  @discardableResult
  func dismiss() -> Bool {
    shown.withLock { shown in
      defer { shown = false }
      return shown
    }
  }

  private func respond(_ answer: PairingAnswer) {
    if dismiss() { self.answer(self, answer) }
  }
}

/// The person who holds a phone.
public enum Person: Hashable, Sendable {
  /// Does nothing: the test answers the sheet.
  case waits
  /// Pairs with any accessory, and types this passkey if the phone asks for one.
  case pairs(passkey: UInt32? = nil)
  /// Cancels every pairing.
  case cancels

  /// The person as the user of a scripted central.
  private var user: PairingUser {
    switch self {
    case .waits: .nobody
    case .pairs(let passkey): .accepts(passkey: passkey)
    case .cancels: .refuses
    }
  }

  /// Returns the answer to a question; nil for none.
  func answer(to question: PairingQuestion) -> PairingAnswer? { user.answer(to: question) }
}
