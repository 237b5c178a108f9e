import BLECore

/// A series of resets that ends when one is answered.
///
/// A controller that has lost octets of a long command waits for the rest, and takes the octets that follow for it. So after the first
/// resets, zeros are sent, which begin no packet. They fill up what is missing, and the next reset reaches a synchronized controller.
struct ResetSeries: Hashable, Sendable {
  /// The occasion of a series.
  enum Occasion: Hashable, Sendable {
    /// Nothing is known about the controller yet; this many resets are tried.
    case first(Int)
    /// The controller has answered before.
    case again
  }

  /// The number of resets without zeros before them.
  private static let plainCount = 2
  /// The number of zeros before a reset.
  private static let fillerLength = 12
  /// The number of resets. With their zeros, they fill the longest command.
  private static let count = 24

  private let occasion: Occasion
  private var number = 0
  /// When the answer to the latest reset is overdue.
  private(set) var deadline: Instant

  /// Creates a series that starts with its first reset.
  init(_ occasion: Occasion, at now: Instant) {
    self.occasion = occasion
    deadline = now
    deadline = now + patience
  }

  /// Whether this is the series' first reset.
  var begins: Bool { number == 0 }

  /// The octets to send before the reset.
  var filler: [UInt8] { isPlain ? [] : Array(repeating: 0, count: Self.fillerLength) }

  /// Whether to send no zeros. The other side gets none until it has answered once: it may not be a controller, or may not tolerate them.
  private var isPlain: Bool { occasion != .again || number < Self.plainCount }

  /// How long the answer may take.
  private var patience: Duration {
    if case .first(let count) = occasion, number == count - 1 { return Examination.longestWait }
    return isPlain ? Examination.patience : .milliseconds(100)
  }

  /// Advances to the next reset. Returns false if there is none.
  mutating func advance(at now: Instant) -> Bool {
    number += 1
    deadline = now + patience
    return switch occasion {
    case .first(let count): number < count
    case .again: number < Self.count
    }
  }
}
