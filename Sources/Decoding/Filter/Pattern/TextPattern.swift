/// A regular expression that is matched in time linear in the length of the text. All possible states advance through the text in lockstep
/// (Thompson, CACM 11, 1968), so no expression causes backtracking.
///
/// It works on Unicode scalars. `PatternParser` defines the syntax.
struct TextPattern: Sendable {
  /// A test of one scalar.
  enum Test: Hashable, Sendable {
    case scalar(UnicodeScalar)
    /// Any scalar except a line end.
    case any
    case set(ScalarSet)

    func holds(_ scalar: UnicodeScalar) -> Bool {
      switch self {
      case .scalar(let wanted): scalar == wanted
      case .any: !ScalarSet.lineEnds.contains(scalar.value)
      case .set(let set): set.contains(scalar)
      }
    }
  }

  /// A condition on a position between scalars.
  enum Anchor: Hashable, Sendable { case start, end, boundary, noBoundary }

  enum State: Sendable {
    case test(Test, next: Int)
    case anchor(Anchor, next: Int)
    case fork(Int, Int)
    case match
  }

  private let states: [State]
  private let start: Int

  /// Creates a pattern from its text.
  init(_ text: some Collection<Character>) throws(PatternFault) {
    var parser = PatternParser(text)
    var builder = Builder()
    start = builder.add(try parser.parse(), before: builder.add(.match))
    states = builder.states
  }

  /// Returns whether the pattern matches anywhere in the text.
  func matches(_ text: String) -> Bool {
    var (now, next) = (StateSet(states.count), StateSet(states.count))
    var before: UnicodeScalar?
    var scalars = text.unicodeScalars.makeIterator()
    while true {
      let after = scalars.next()
      // The match may start at every position.
      now.waiting.append(start)
      if reach(&now, before, after) { return true }
      guard let after else { return false }
      for place in now.tests {
        if case .test(let test, let follower) = states[place], test.holds(after) { next.waiting.append(follower) }
      }
      swap(&now, &next)
      next.removeAll()
      before = after
    }
  }

  /// The states at one position of the text.
  private struct StateSet {
    /// States whose successors are not yet known.
    var waiting: [Int] = []
    /// States that test the next scalar.
    var tests: [Int] = []
    private var isSeen: [Bool]

    init(_ count: Int) { isSeen = [Bool](repeating: false, count: count) }

    mutating func isNew(_ place: Int) -> Bool {
      defer { isSeen[place] = true }
      return !isSeen[place]
    }

    mutating func removeAll() {
      waiting.removeAll(keepingCapacity: true)
      tests.removeAll(keepingCapacity: true)
      for place in isSeen.indices { isSeen[place] = false }
    }
  }

  /// Follows all transitions that test no scalar. Returns true if the end of the pattern is reached.
  private func reach(_ set: inout StateSet, _ before: UnicodeScalar?, _ after: UnicodeScalar?) -> Bool {
    while let place = set.waiting.popLast() {
      guard set.isNew(place) else { continue }
      switch states[place] {
      case .match: return true
      case .test: set.tests.append(place)
      case .fork(let first, let second): set.waiting += [first, second]
      case .anchor(let anchor, let next): if Self.holds(anchor, before, after) { set.waiting.append(next) }
      }
    }
    return false
  }

  private static func holds(_ anchor: Anchor, _ before: UnicodeScalar?, _ after: UnicodeScalar?) -> Bool {
    func isWord(_ scalar: UnicodeScalar?) -> Bool { scalar.map { ScalarSet.isWord($0) } ?? false }
    return switch anchor {
    case .start: before == nil
    case .end: after == nil
    case .boundary: isWord(before) != isWord(after)
    case .noBoundary: isWord(before) == isWord(after)
    }
  }
}

extension TextPattern {
  /// Creates states from a pattern's tree, from its end to its start.
  private struct Builder {
    var states: [State] = []

    mutating func add(_ state: State) -> Int {
      states.append(state)
      return states.count - 1
    }

    /// Adds states that match a node and are followed by the state `next`. Returns the first state.
    mutating func add(_ node: PatternNode, before next: Int) -> Int {
      switch node {
      case .test(let test): return add(.test(test, next: next))
      case .anchor(let anchor): return add(.anchor(anchor, next: next))
      case .sequence(let nodes): return nodes.reversed().reduce(next) { add($1, before: $0) }
      case .choice(let nodes):
        let firsts = nodes.map { add($0, before: next) }
        return firsts.dropLast().reversed().reduce(firsts.last ?? next) { add(.fork($1, $0)) }
      case .repetition(let node, let least, let most):
        var first = next
        if let most {
          for _ in 0..<max(0, most - least) { first = add(.fork(add(node, before: first), next)) }
        } else {
          // The fork is added first, because the repeated part leads back to it.
          let loop = add(.fork(next, next))
          states[loop] = .fork(add(node, before: loop), next)
          first = loop
        }
        return (0..<least).reduce(first) { first, _ in add(node, before: first) }
      }
    }
  }
}

/// The scalars of a class: ranges, and named classes such as `\d`.
struct ScalarSet: Hashable, Sendable {
  /// A named class such as `\d`.
  enum Class: Hashable, Sendable { case digit, word, space }

  /// A part of the class.
  enum Member: Hashable, Sendable {
    case range(ClosedRange<UInt32>)
    case `class`(Class, isNegated: Bool)
  }

  var members: [Member] = []
  var isNegated = false

  static let lineEnds: Set<UInt32> = [0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029]

  func contains(_ scalar: UnicodeScalar) -> Bool {
    members.contains { member in
      switch member {
      case .range(let range): range.contains(scalar.value)
      case .class(let kind, let isNegated): Self.contains(kind, scalar) != isNegated
      }
    } != isNegated
  }

  private static func contains(_ kind: Class, _ scalar: UnicodeScalar) -> Bool {
    switch kind {
    case .digit: (0x30...0x39).contains(scalar.value)
    case .word: isWord(scalar)
    case .space: scalar.properties.isWhitespace
    }
  }

  /// Letters of any script, the digits 0 to 9, and the underscore.
  static func isWord(_ scalar: UnicodeScalar) -> Bool {
    scalar == "_" || (0x30...0x39).contains(scalar.value) || scalar.properties.isAlphabetic
  }
}
