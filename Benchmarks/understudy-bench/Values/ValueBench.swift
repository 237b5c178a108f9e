import AccessoryProfile
import BLECore
import BLEGATT

/// A measurement of how long a generated value takes, from its timer to the octets that are notified.
struct ValueBench: Sendable {
  /// The result for one characteristic.
  struct Figure: Hashable, Sendable {
    /// The characteristic.
    var id: String
    /// How many values were made.
    var values: Int
    /// The time that each value took, in the fastest of several rounds.
    var each: Duration
  }

  /// The profile; its characteristics that notify on a timer are measured.
  var profile: Profile

  /// Makes a bench for the accessory of that profile.
  init(_ profile: Profile) { self.profile = profile }

  private static let rounds = 10

  /// Measures with that many values in each round.
  func measure(values: Int) -> [Figure] {
    let timed = profile.behaviors.indices.filter {
      if case .every = profile.behaviors[$0].notify { true } else { false }
    }
    return timed.map { measure(CharacteristicIndex($0), values) }
  }

  private func measure(_ index: CharacteristicIndex, _ values: Int) -> Figure {
    var runtime = ProfileRuntime(profile: profile)
    var actions: [ApplicationAction] = []
    runtime.subscriptionsChanged(index, notified: 1, indicated: 0, at: .zero, actions: &actions)
    let clock = ContinuousClock()
    var fastest = Duration.seconds(3600)
    for _ in 0..<Self.rounds {
      let start = clock.now
      for _ in 0..<values {
        let deadline = runtime.nextDeadline ?? .zero
        actions.removeAll(keepingCapacity: true)
        runtime.advance(to: deadline, actions: &actions)
        _ = runtime.read(index, for: 1, at: deadline)
      }
      fastest = min(fastest, (clock.now - start) / values)
    }
    return Figure(id: profile.behaviors[index.position].id, values: values, each: fastest)
  }
}
