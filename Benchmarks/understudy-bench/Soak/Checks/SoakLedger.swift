import Bench
import BLECore
import Transport

/// What the soak counts.
enum SoakCount: String, CaseIterable, Hashable, Sendable {
  case sessions
  case mtuExchanges = "MTU exchanges"
  case discoveries
  case reads
  case writes
  case writeCommands = "writes without response"
  case notifications
  case indications
  case channels
  case channelOctets = "channel octets, each way"
  case parameterUpdates = "parameter updates"
  case connectionRetries = "connections that needed another attempt"
  case interruptions = "sessions that ended early because of another central"
  case standstills = "times the machine stood still for over a second"
  case centralRestarts = "restarts of central hosts that hung"
  case accessoryRestarts = "restarts of accessory hosts that hung"
}

/// Something that was wrong.
struct SoakFault: Hashable, Sendable, CustomStringConvertible {
  /// The time since the beginning.
  var time: Duration
  /// The number of the central, starting at 1; nil when it concerns no single central.
  var central: Int?
  /// The number of that central's session, starting at 1.
  var session: Int
  /// What the central was doing.
  var place: String
  /// What was wrong.
  var reason: String

  var description: String {
    let who = central.map { "central \($0), session \(session)" } ?? "session \(session)"
    return "\(time.inSeconds.rounded(places: 3)) s, \(who), \(place): \(reason)"
  }
}

/// What a soak has seen so far.
struct SoakLedger: Hashable, Sendable {
  /// The faults, up to the first 100.
  private(set) var faults: [SoakFault] = []
  /// How many faults there were.
  private(set) var faultCount = 0
  private var counts = Array(repeating: 0, count: SoakCount.allCases.count)
  private var ends = Array(repeating: 0, count: SoakEnd.allCases.count)
  /// The times from a restart until the accessory is heard again.
  var recoveries = DurationHistogram()
  /// The times from any other end until the accessory is heard again.
  var returns = DurationHistogram()
  /// The times from a Read Request to its response.
  var reads = DurationHistogram()

  private static let faultLimit = 100

  mutating func add(_ fault: SoakFault) {
    faultCount += 1
    if faults.count < Self.faultLimit { faults.append(fault) }
  }

  mutating func count(_ what: SoakCount, _ number: Int = 1) { counts[Self.place(of: what)] += number }

  mutating func count(_ end: SoakEnd) { ends[Self.place(of: end)] += 1 }

  /// Returns how often something happened.
  package subscript(what: SoakCount) -> Int { counts[Self.place(of: what)] }

  /// Returns how many sessions ended in that way.
  package subscript(end: SoakEnd) -> Int { ends[Self.place(of: end)] }

  private static func place<Case: CaseIterable & Equatable>(of item: Case) -> Int where Case.AllCases == [Case] {
    Case.allCases.firstIndex(of: item) ?? 0
  }

  /// Adds what another ledger has seen.
  mutating func add(_ other: SoakLedger) {
    for place in counts.indices { counts[place] += other.counts[place] }
    for place in ends.indices { ends[place] += other.ends[place] }
    recoveries.add(other.recoveries)
    returns.add(other.returns)
    reads.add(other.reads)
    faultCount += other.faultCount
    faults = Array((faults + other.faults).sorted { $0.time < $1.time }.prefix(Self.faultLimit))
  }
}
