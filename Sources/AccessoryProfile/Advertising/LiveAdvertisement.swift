import BLECore
import BLEGAP

/// An advertising set whose data follow from values while the accessory runs.
public struct LiveAdvertisement: Hashable, Sendable {
  /// The name of the set.
  public var set: String
  /// The parts of the advertising data, and of the scan response.
  var data: [Part]
  var scanResponse: [Part]
  /// The minimum time between two changes of the data.
  public var pace: Duration

  /// AD structures that stay the same, or one whose content follows from a value.
  enum Part: Hashable, Sendable {
    case fixed([UInt8])
    case live(LiveDatum)
  }

  /// All parts that can change.
  var live: [LiveDatum] {
    (data + scanResponse).compactMap { if case .live(let datum) = $0 { datum } else { nil } }
  }
}

/// The changing content of one AD structure.
struct LiveDatum: Hashable, Sendable {
  /// The fixed start of the structure: its type, and the company or service.
  var head: [UInt8] = []
  var source: ValueSource
  var format: ValueFormat
  /// The maximum length of the content, in octets.
  var longest: Int
}

/// The data of an advertising set.
struct AdvertisedData: Hashable, Sendable {
  var data: [UInt8]
  var scanResponse: [UInt8]
}

/// The state of all live advertising data, and the on-air times of the sets.
struct LiveAdvertising: Hashable, Sendable {
  let sets: [LiveAdvertisement]
  var runs: [Run]
  /// The number of advertising events so far, without those of the current stretches.
  private var finishedEvents = 0.0
  private var stretches: [String: Stretch] = [:]

  struct Run: Hashable, Sendable {
    /// The last data given to the host, the time of that change, and the number of computations.
    var published: AdvertisedData?
    var changed: Instant?
    var samples = 0
    /// The next time at which the data are checked.
    var due: Instant?
  }

  /// The time during which a set has been on the air.
  private struct Stretch: Hashable, Sendable {
    var start: Instant
    var period: Duration

    func events(until now: Instant) -> Double { max(0, (now - start) / period) + 1 }
  }

  init(_ sets: [LiveAdvertisement]) {
    self.sets = sets
    runs = sets.map { _ in Run() }
  }

  /// The next time at which any data are checked.
  var nextDeadline: Instant? { runs.reduce(nil) { Instant.earliest($0, $1.due) } }

  /// Schedules a check of all data as soon as they may change again, because a value that they may follow from has changed.
  mutating func attend(at now: Instant) {
    for index in runs.indices {
      let soonest = runs[index].changed.map { max(now, $0 + sets[index].pace) } ?? now
      runs[index].due = .earliest(runs[index].due, soonest)
    }
  }

  // MARK: Counting

  /// The mean of the random delay that a controller adds to each interval (Core 5.4 Vol 6 Part B 4.4.2.2.1).
  private static let meanDelay = Duration.milliseconds(5)

  /// Notes that a set is on the air with an interval, or off the air.
  mutating func changed(_ set: String, interval: Duration?, at now: Instant) {
    if let stretch = stretches.removeValue(forKey: set) { finishedEvents += stretch.events(until: now).rounded(.down) }
    if let interval { stretches[set] = Stretch(start: now, period: interval + Self.meanDelay) }
  }

  /// Returns the approximate number of advertising events so far. It is calculated from the intervals, because controllers do not count
  /// events.
  func events(until now: Instant) -> Int64 {
    Int64(stretches.values.reduce(finishedEvents) { $0 + $1.events(until: now).rounded(.down) })
  }

  /// Continues at a later time, off the air. All data are given to the host again.
  mutating func resume(at now: Instant) {
    stretches.removeAll()
    for index in runs.indices { (runs[index].published, runs[index].changed, runs[index].due) = (nil, nil, nil) }
    attend(at: now)
  }

  /// Starts counting again from zero.
  mutating func restart(at now: Instant) {
    finishedEvents = 0
    for set in stretches.keys { stretches[set]?.start = now }
  }
}
