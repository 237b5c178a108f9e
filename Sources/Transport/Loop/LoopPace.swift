import BLECore

/// The pace of a loop's time, by which all its deadlines are measured.
public enum LoopPace: Hashable, Sendable {
  /// Real time, by the machine's monotonic clock.
  case real
  /// Real time multiplied by this factor.
  case scaled(Double)
  /// As fast as possible: when there is nothing to do, time jumps to the next deadline.
  ///
  /// While peers are watched (`PollLoop.watch`), which need some time to respond, time runs like the machine's clock, and jumps when no
  /// input has arrived for `settle`. Otherwise it stands still between jumps, and the same inputs give the same run.
  case fast(settle: Duration)

  /// Long enough for most programs on this machine to respond, in real time.
  public static let defaultSettle = Duration.milliseconds(2)
}

/// The time of a loop, computed from that of the machine.
struct LoopTime: Sendable {
  /// The time to wait for descriptors.
  struct Wait: Hashable {
    /// In the machine's time; nil is unlimited.
    var nanoseconds: Int64?
    /// The time to jump to if nothing has arrived by then.
    var leap: Instant?
  }

  /// The pace, unless it is hurried.
  private let usualPace: LoopPace
  private var base: Instant
  private var realBase: Instant
  /// The time up to which a hurried loop jumps regardless of its pace, and the pace of the jumps.
  private var hurry: (until: Instant, pace: LoopPace)?
  /// Whether a time that can jump also runs between jumps.
  private(set) var flows = false

  /// The current pace.
  var pace: LoopPace { hurry?.pace ?? usualPace }

  /// Creates a time that starts at the machine's.
  init(pace: LoopPace, real: Instant) {
    usualPace = pace
    base = real
    realBase = real
  }

  /// Returns the time of the loop when that of the machine is `real`.
  func now(real: Instant) -> Instant {
    switch pace {
    case .real: base + (real - realBase)
    case .scaled(let factor): base + .nanoseconds(Self.scaled((real - realBase).inNanoseconds, by: factor))
    case .fast: flows ? base + (real - realBase) : base
    }
  }

  /// Sets whether peers are watched.
  mutating func setFlows(_ flows: Bool, real: Instant) {
    rebase(real: real)
    self.flows = flows
  }

  /// Lets time jump up to an instant. From then on it runs at its usual pace.
  mutating func hurry(until instant: Instant, settle: Duration, real: Instant) {
    rebase(real: real)
    hurry = (max(instant, hurry?.until ?? instant), .fast(settle: settle))
  }

  private mutating func rebase(real: Instant) {
    base = now(real: real)
    realBase = real
  }

  /// Ends the hurry when its instant has been reached.
  mutating func endHurry(real: Instant) {
    guard let hurry, now(real: real) >= hurry.until else { return }
    rebase(real: real)
    self.hurry = nil
  }

  /// Returns how long to wait before the next deadline.
  func wait(until deadline: Instant?, real: Instant) -> Wait {
    guard let deadline = Instant.earliest(deadline, hurry?.until) else { return Wait() }
    let left = max(0, (deadline - now(real: real)).inNanoseconds)
    switch pace {
    case .real: return Wait(nanoseconds: left)
    case .scaled(let factor): return Wait(nanoseconds: Self.scaled(left, by: 1 / factor, .up))
    case .fast(let settle):
      let limit = flows ? max(0, settle.inNanoseconds) : 0
      return left <= limit && flows ? Wait(nanoseconds: left) : Wait(nanoseconds: limit, leap: deadline)
    }
  }

  /// Jumps forward, never back.
  mutating func leap(to instant: Instant, real: Instant) {
    base = max(now(real: real), instant)
    realBase = real
    endHurry(real: real)
  }

  private static func scaled(
    _ nanoseconds: Int64, by factor: Double, _ rule: FloatingPointRoundingRule = .down
  ) -> Int64 {
    let product = (Double(nanoseconds) * factor).rounded(rule)
    return product < 9.2e18 ? Int64(product) : .max
  }
}
