/// Keeps the beginning and the end of a sequence that may be too long: a quarter of the limit for the beginning, the rest for the end.
struct EndsOfSequence<Element> {
  /// The number of elements to keep of the beginning.
  let head: Int
  private let tailLimit: Int
  private var first: [Element] = []
  private var last: [Element] = []
  /// The place of the oldest element in `last`, once `last` is full.
  private var oldest = 0
  /// The number of elements that were dropped from the middle.
  private(set) var dropped = 0

  init(limit: Int) {
    head = limit / 4
    tailLimit = max(1, limit - limit / 4)
  }

  mutating func append(_ element: Element) {
    if first.count < head {
      first.append(element)
    } else if last.count < tailLimit {
      last.append(element)
    } else {
      last[oldest] = element
      oldest = (oldest + 1) % tailLimit
      dropped += 1
    }
  }

  /// The kept elements, in order.
  var elements: [Element] { first + last[oldest...] + last[..<oldest] }
}

extension EndsOfSequence: Sendable where Element: Sendable {}
