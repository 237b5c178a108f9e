import AccessoryProfile
import BLECore
import Transport
import Understudy

/// The measurements of `understudy doctor` over a connection between two controllers: the time until an answer, and the throughput.
package struct LinkTrial: Sendable {
  private let profile: Profile
  private let accessory: ControllerAddress
  private let central: ControllerAddress
  private let seed: UInt64

  /// Creates a trial on the controller under examination, with the accessory of that profile, which must be the shipped `throughput` one.
  package init(_ profile: Profile, accessory: ControllerAddress, central: ControllerAddress, seed: UInt64 = 0) {
    self.profile = profile
    self.accessory = accessory
    self.central = central
    self.seed = seed
  }

  /// A link that every central supports. Its writes wait only for the interval.
  private static let latencyStep = LadderStep(
    number: 1, name: "write with response", method: .request,
    link: LinkShape(interval: .milliseconds(15), mtu: 23, dataLength: 27, phy: .le1M))
  /// The octets of a hundred values.
  private static let latencyOctets = 2000
  private static let throughputStep = LadderStep(
    number: 2, name: "L2CAP channel", method: .channel,
    link: LinkShape(interval: .milliseconds(30), mtu: 247, dataLength: 251, phy: .le1M))
  /// One or two seconds, if nothing is wrong.
  private static let throughputOctets = 100_000

  /// Measures both.
  package func play(on loop: PollLoop) async -> [StepFinding] {
    [
      StepFinding(.linkLatency, await transfer(Self.latencyStep, Self.latencyOctets, on: loop) { Self.latency($0) }),
      StepFinding(
        .linkThroughput, await transfer(Self.throughputStep, Self.throughputOctets, on: loop) { Self.rate($0) }),
    ]
  }

  private func transfer(
    _ step: LadderStep, _ octets: Int, on loop: PollLoop, _ judge: (Transfer) -> Observation
  ) async -> Observation {
    var observation = Observation.linkFailed("nothing came of it")
    do {
      let ladder = BoardLadder(profile, accessory: accessory, central: central, seed: seed)
      try await ladder.play([step], octets: octets, on: loop) { result in
        switch result.outcome {
        case .success(let transfer): observation = judge(transfer)
        case .failure(let failure): observation = .linkFailed(failure.reason)
        }
      }
    } catch {
      observation = .linkFailed("\(error)")
    }
    return observation
  }

  private static func latency(_ transfer: Transfer) -> Observation {
    var histogram = DurationHistogram()
    for answer in transfer.answers { histogram.add(answer) }
    guard let median = histogram.quantile(0.5), let p99 = histogram.quantile(0.99) else {
      return .linkFailed("no write was answered")
    }
    return .linkLatency(median: median, p99: p99, interval: transfer.link.interval, count: transfer.answers.count)
  }

  private static func rate(_ transfer: Transfer) -> Observation {
    .linkRate(kbps: transfer.kbps, limitKbps: transfer.limitKbps, bound: transfer.bound.rawValue)
  }
}
