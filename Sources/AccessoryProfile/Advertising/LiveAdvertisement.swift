import BLECore
import BLEGAP

/// An advertising set whose data follow from values while the accessory runs.
public struct LiveAdvertisement: Hashable, Sendable {
  /// The set.
  public var set: String
  /// The advertising data, and the scan response.
  var data: [Part]
  var scanResponse: [Part]
  /// How often the data change at the most.
  public var pace: Duration

  /// AD structures that stay as they are, or one whose content follows from a value.
  enum Part: Hashable, Sendable {
    case fixed([UInt8])
    case live(LiveDatum)
  }

  /// Everything in it that changes.
  var live: [LiveDatum] {
    (data + scanResponse).compactMap { if case .live(let datum) = $0 { datum } else { nil } }
  }
}

/// What stands behind the head of one AD structure and changes.
struct LiveDatum: Hashable, Sendable {
  /// The type of the structure, and the company or the service.
  var head: [UInt8] = []
  var source: ValueSource
  var format: ValueFormat
  /// The most octets that there is room for.
  var longest: Int
}

/// What an advertising set says.
struct AdvertisedData: Hashable, Sendable {
  var data: [UInt8]
  var scanResponse: [UInt8]
}

/// How far the live advertising data are told, and how long sets have been on the air.
struct LiveAdvertising: Hashable, Sendable {
  let sets: [LiveAdvertisement]
  var runs: [Run]
  /// How many advertising events there have been, apart from those of the stretches under way.
  private var finishedEvents = 0.0
  private var stretches: [String: Stretch] = [:]

  struct Run: Hashable, Sendable {
    /// What was said last, when that began, and how often it was computed.
    var published: AdvertisedData?
    var changed: Instant?
    var samples = 0
    /// When it is looked at next.
    var due: Instant?
  }

  /// A set on the air.
  private struct Stretch: Hashable, Sendable {
    var start: Instant
    var period: Duration

    func events(until now: Instant) -> Double { max(0, (now - start) / period) + 1 }
  }

  init(_ sets: [LiveAdvertisement]) {
    self.sets = sets
    runs = sets.map { _ in Run() }
  }

  /// When something is looked at next.
  var nextDeadline: Instant? { runs.reduce(nil) { Instant.earliest($0, $1.due) } }

  /// Something has changed that data may follow from: they are looked at as soon as they may change again.
  mutating func attend(at now: Instant) {
    for index in runs.indices {
      let soonest = runs[index].changed.map { max(now, $0 + sets[index].pace) } ?? now
      runs[index].due = .earliest(runs[index].due, soonest)
    }
  }

  // MARK: Counting

  /// The delay that a controller adds to each interval at random has this mean (Core 5.4 Vol 6 Part B 4.4.2.2.1).
  private static let meanDelay = Duration.milliseconds(5)

  /// A set is on the air at an interval, or off it.
  mutating func changed(_ set: String, interval: Duration?, at now: Instant) {
    if let stretch = stretches.removeValue(forKey: set) { finishedEvents += stretch.events(until: now).rounded(.down) }
    if let interval { stretches[set] = Stretch(start: now, period: interval + Self.meanDelay) }
  }

  /// About how many advertising events there have been. Controllers do not count them, so it follows from the intervals.
  func events(until now: Instant) -> Int64 {
    Int64(stretches.values.reduce(finishedEvents) { $0 + $1.events(until: now).rounded(.down) })
  }

  /// Goes on later, off the air: what was said is to be said again.
  mutating func resume(at now: Instant) {
    stretches.removeAll()
    for index in runs.indices { (runs[index].published, runs[index].changed, runs[index].due) = (nil, nil, nil) }
    attend(at: now)
  }

  /// Begins to count anew.
  mutating func restart(at now: Instant) {
    finishedEvents = 0
    for set in stretches.keys { stretches[set]?.start = now }
  }
}
