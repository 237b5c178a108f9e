import BLECore
import Bench

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
  case connectionRetries = "connections that took another attempt"
  case interruptions = "sessions that another central's end cut short"
  case standstills = "times that the machine stood still for over a second"
  case centralRestarts = "starts of central hosts that stood still"
  case accessoryRestarts = "starts of accessory hosts that stood still"
}

/// Something that was not as it has to be.
struct SoakFault: Hashable, Sendable, CustomStringConvertible {
  /// When, from the beginning.
  var time: Duration
  /// The central, from 1 on; nil where it is about nobody alone.
  var central: Int?
  /// The session of that central, from 1 on.
  var session: Int
  /// What it was doing.
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
  /// The faults, the first 100 of them.
  private(set) var faults: [SoakFault] = []
  /// How many there were.
  private(set) var faultCount = 0
  private var counts = Array(repeating: 0, count: SoakCount.allCases.count)
  private var ends = Array(repeating: 0, count: SoakEnd.allCases.count)
  /// From a restart to the moment when the accessory is heard again.
  var recoveries = DurationHistogram()
  /// From any other end to that.
  var returns = DurationHistogram()
  /// From a Read Request to its response.
  var reads = DurationHistogram()

  private static let faultLimit = 100

  mutating func add(_ fault: SoakFault) {
    faultCount += 1
    if faults.count < Self.faultLimit { faults.append(fault) }
  }

  mutating func count(_ what: SoakCount, _ number: Int = 1) { counts[Self.place(of: what)] += number }

  mutating func count(_ end: SoakEnd) { ends[Self.place(of: end)] += 1 }

  /// How often something happened.
  package subscript(what: SoakCount) -> Int { counts[Self.place(of: what)] }

  /// How many sessions ended like that.
  package subscript(end: SoakEnd) -> Int { ends[Self.place(of: end)] }

  private static func place<Case: CaseIterable & Equatable>(of item: Case) -> Int where Case.AllCases == [Case] {
    Case.allCases.firstIndex(of: item) ?? 0
  }

  /// Adds what another one has seen.
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
