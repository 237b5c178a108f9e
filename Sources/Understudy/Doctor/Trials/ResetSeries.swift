import BLECore

/// Resets in a row, until one is answered.
///
/// A controller that has lost octets of a long command waits for the rest, and takes what comes next for it. So behind the
/// first resets go zeros, which begin no packet: they fill up what is missing, and a reset finds the controller in step.
struct ResetSeries: Hashable, Sendable {
  /// Which series it is.
  enum Occasion: Hashable, Sendable {
    /// Nothing is known of the controller yet; so many resets are tried.
    case first(Int)
    /// It has answered before.
    case again
  }

  /// How many resets go out before there are zeros.
  private static let plainCount = 2
  /// How many zeros go before a reset.
  private static let fillerLength = 12
  /// How many resets there are: with their zeros they fill the longest command.
  private static let count = 24

  private let occasion: Occasion
  private var number = 0
  /// When the answer to the latest reset is overdue.
  private(set) var deadline: Instant

  /// The first reset of a series.
  init(_ occasion: Occasion, at now: Instant) {
    self.occasion = occasion
    deadline = now
    deadline = now + patience
  }

  /// Whether this is the first reset.
  var begins: Bool { number == 0 }

  /// What goes before the reset.
  var filler: [UInt8] { isPlain ? [] : Array(repeating: 0, count: Self.fillerLength) }

  /// Whether there are no zeros yet. Somebody who never answered gets none at all: he may be no controller, or one that bears
  /// none.
  private var isPlain: Bool { occasion != .again || number < Self.plainCount }

  /// How long the answer may take.
  private var patience: Duration {
    if case .first(let count) = occasion, number == count - 1 { return Examination.longestWait }
    return isPlain ? Examination.patience : .milliseconds(100)
  }

  /// Goes on to the next reset; false when there is none.
  mutating func advance(at now: Instant) -> Bool {
    number += 1
    deadline = now + patience
    return switch occasion {
    case .first(let count): number < count
    case .again: number < Self.count
    }
  }
}
