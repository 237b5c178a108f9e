import BLECore
import BLEGATT

/// Advertising data that follow from values.
extension ProfileRuntime {
  package mutating func advertisingChanged(_ set: String, interval: Duration?, at now: Instant) {
    advertising.changed(set, interval: interval, at: now)
  }

  /// Looks at the data whose time has come, and tells of those that are others now.
  mutating func advanceAdvertising(_ now: Instant, _ actions: inout [ApplicationAction]) {
    for index in advertising.runs.indices {
      guard let due = advertising.runs[index].due, due <= now else { continue }
      let live = advertising.sets[index]
      advertising.runs[index].due = live.live.contains { isMoving($0.source) } ? now + live.pace : nil
      guard let new = advertisedData(live, samples: advertising.runs[index].samples, at: now) else {
        reportFailure(of: live, at: now)
        continue
      }
      advertising.runs[index].samples += 1
      guard new != advertising.runs[index].published else { continue }
      advertising.runs[index].published = new
      advertising.runs[index].changed = now
      actions.append(.advertise(set: live.set, data: new.data, scanResponse: new.scanResponse))
    }
  }

  /// What live sets say at the start.
  package func advertisedAtStart() -> [(set: String, data: [UInt8], scanResponse: [UInt8])] {
    advertising.sets.compactMap { live in
      advertisedData(live, samples: 0, at: start).map { (live.set, $0.data, $0.scanResponse) }
    }
  }

  /// What a set says now; nil where that cannot be computed, or is too long.
  private func advertisedData(_ live: LiveAdvertisement, samples: Int, at now: Instant) -> AdvertisedData? {
    guard let data = octets(of: live.data, live, samples, now),
      let response = octets(of: live.scanResponse, live, samples, now)
    else { return nil }
    return AdvertisedData(data: data, scanResponse: response)
  }

  private func octets(
    of parts: [LiveAdvertisement.Part], _ live: LiveAdvertisement, _ samples: Int, _ now: Instant
  ) -> [UInt8]? {
    var octets: [UInt8] = []
    for part in parts {
      switch part {
      case .fixed(let fixed): octets += fixed
      case .live(let datum):
        guard let content = content(of: datum, live, samples, now), content.count <= datum.longest else { return nil }
        octets.append(UInt8(datum.head.count + content.count))
        octets += datum.head + content
      }
    }
    return octets
  }

  private func content(
    of datum: LiveDatum, _ live: LiveAdvertisement, _ samples: Int, _ now: Instant
  ) -> [UInt8]? {
    let context = EvaluationContext(
      now: now, origin: start, fieldOrigins: [:], fieldOffsets: [:], samples: samples,
      seed: SplitMix64.seed(seed, for: live.set), clock: clock, clockShift: 0, clockAdjusted: [],
      environment: { environment(of: live, samples, now) })
    var beats = Heartbeat()
    return ValueEvaluator.octets(of: datum.source, datum.format, overrides: [:], context, &beats)
  }

  private func environment(of live: LiveAdvertisement, _ samples: Int, _ now: Instant) -> RuleEnvironment {
    let stream = SplitMix64.seed(seed, for: live.set) ^ UInt64(bitPattern: now.nanoseconds)
    return RuleEnvironment(self, RuleContext(counter: samples), at: now, stream: stream)
  }

  /// Reports why data stay as they were.
  private mutating func reportFailure(of live: LiveAdvertisement, at now: Instant) {
    let place = "the data of the advertising set '\(live.set)'"
    var environment = environment(of: live, 0, now)
    for expression in live.live.flatMap(\.source.expressions) {
      do throws(ExpressionError) {
        _ = try expression.evaluate(in: &environment)
      } catch {
        return book.report(.failed(place: place, reason: error.reason))
      }
    }
    book.report(.failed(place: place, reason: "the data is longer than the space reserved for it"))
  }

  /// Whether a source gives another value by itself as time goes on.
  func isMoving(_ source: ValueSource) -> Bool {
    switch source {
    case .constant: false
    case .computed(let expression): isMoving(expression)
    case .record(let fields): fields.contains { isMoving($0.source) }
    default: true
    }
  }
}
