import BLECore

/// How the time of a loop passes: the time that all deadlines on it are measured by.
public enum LoopPace: Hashable, Sendable {
  /// As the machine's monotonic clock.
  case real
  /// That many times as fast.
  case scaled(Double)
  /// As fast as it can go: when there is nothing to do, time jumps to the next deadline.
  ///
  /// While peers are watched (`PollLoop.watch`), who need some time to answer, time passes as on the machine's clock, and
  /// jumps when nothing has come for `settle`. Otherwise it stands still between jumps, and the same inputs give the same
  /// run.
  case fast(settle: Duration)

  /// Long enough for most programs of this machine to answer, in the machine's time.
  public static let defaultSettle = Duration.milliseconds(2)
}

/// The time of a loop, reckoned from that of the machine.
struct LoopTime: Sendable {
  /// How long to wait for descriptors.
  struct Wait: Hashable {
    /// In the machine's time; nil without end.
    var nanoseconds: Int64?
    /// Where time jumps to when nothing has come by then.
    var leap: Instant?
  }

  /// How it passes, unless it is hurried.
  private let usualPace: LoopPace
  private var base: Instant
  private var realBase: Instant
  /// Until when time jumps whatever its pace, and how it does.
  private var hurry: (until: Instant, pace: LoopPace)?
  /// Whether time that can jump also passes by itself.
  private(set) var flows = false

  /// How it passes now.
  var pace: LoopPace { hurry?.pace ?? usualPace }

  /// A time that begins as the machine's.
  init(pace: LoopPace, real: Instant) {
    usualPace = pace
    base = real
    realBase = real
  }

  /// The time of the loop when that of the machine is `real`.
  func now(real: Instant) -> Instant {
    switch pace {
    case .real: base + (real - realBase)
    case .scaled(let factor): base + .nanoseconds(Self.scaled((real - realBase).inNanoseconds, by: factor))
    case .fast: flows ? base + (real - realBase) : base
    }
  }

  /// Whether peers are watched from now on.
  mutating func setFlows(_ flows: Bool, real: Instant) {
    rebase(real: real)
    self.flows = flows
  }

  /// Lets time jump up to an instant; it passes as usual from there on.
  mutating func hurry(until instant: Instant, settle: Duration, real: Instant) {
    rebase(real: real)
    hurry = (max(instant, hurry?.until ?? instant), .fast(settle: settle))
  }

  private mutating func rebase(real: Instant) {
    base = now(real: real)
    realBase = real
  }

  /// Time passes as usual again when it is as late as was wanted.
  mutating func endHurry(real: Instant) {
    guard let hurry, now(real: real) >= hurry.until else { return }
    rebase(real: real)
    self.hurry = nil
  }

  /// How long to wait when the next deadline is `deadline`.
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

  /// Jumps; never back.
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
