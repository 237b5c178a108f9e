import BLECore
import BLEGATT

/// What the runtime knows of its rules: which are due, in which state they are, and what they remember.
struct RuleBook: Hashable, Sendable {
  let rules: [Rule]
  /// The names of the states, the first first; empty where there are none.
  let states: [String]
  /// The state now; nil where there are none.
  var state: Int?
  /// For each rule, when its clock is due, whether its threshold is passed, and how often it was followed.
  var runs: [Run]
  /// What will be done after a delay.
  private(set) var waiting: [Waiting] = []
  let variables: [Variable]
  /// The variables' values: for all, and for clients that have others.
  private var values: [ExpressionValue]
  private var clientValues: [ClientID: [Int: ExpressionValue]] = [:]
  /// The clients that are there.
  var clients: [ClientID] = []
  /// What the host does at its next turn.
  var actions: [ApplicationAction] = []
  /// When thresholds and derived values are looked at next, because something has changed or may have.
  var attention: Instant?
  /// What may still be done because of what happens now.
  var allowance = Allowance(.effects)
  /// How often random numbers were drawn.
  var draws: UInt64 = 0
  private var requests: [DeviceRequest] = []
  private var reports: [RuleReport] = []
  private static let reportLimit = 1000
  /// What waits at the most.
  private static let waitingLimit = 10_000

  struct Run: Hashable, Sendable {
    var due: Instant?
    var isPassed = false
    var count = 0
  }

  /// A rule that will be followed.
  struct Waiting: Hashable, Sendable {
    var due: Instant
    var rule: Int
    var context: RuleContext
  }

  init(_ profile: Profile) {
    rules = profile.rules
    states = profile.states
    state = states.isEmpty ? nil : 0
    variables = profile.variables
    values = variables.map(\.initial)
    runs = rules.map { _ in Run() }
  }

  /// Forgets everything that has happened, apart from what is yet to be told.
  mutating func begin() {
    state = states.isEmpty ? nil : 0
    runs = rules.map { _ in Run() }
    waiting.removeAll()
    values = variables.map(\.initial)
    clientValues.removeAll()
    attention = nil
  }

  /// Whether there is anything to look at when values change.
  var hasThresholds: Bool { rules.contains { if case .becomes = $0.trigger { true } else { false } } }

  /// Whether a rule is followed in the state now.
  func isActive(_ rule: Int) -> Bool { rules[rule].state == nil || rules[rule].state == state }

  /// When something is due next.
  var nextDeadline: Instant? {
    var deadline = waiting.reduce(attention) { Instant.earliest($0, $1.due) }
    for run in runs { deadline = .earliest(deadline, run.due) }
    return deadline
  }

  // MARK: Delays

  /// Lets a rule wait for its delay; too many of them are too much.
  mutating func wait(_ entry: Waiting) { if waiting.count < Self.waitingLimit { waiting.append(entry) } }

  /// The first that is due, in the order of their times.
  mutating func takeDue(at now: Instant) -> Waiting? {
    guard let place = waiting.indices.min(by: { waiting[$0].due < waiting[$1].due }), waiting[place].due <= now else {
      return nil
    }
    return waiting.remove(at: place)
  }

  /// Forgets what waits for a client that has gone, except what its going has begun.
  mutating func forget(_ client: ClientID) {
    clients.removeAll { $0 == client }
    clientValues[client] = nil
    waiting.removeAll { $0.context.client == client && ![.disconnected, .lost].contains(rules[$0.rule].trigger) }
  }

  /// Goes on that much later, and without any client.
  mutating func resume(after pause: Duration) {
    (clients, clientValues) = ([], [:])
    waiting.removeAll { $0.context.client != nil }
    for place in waiting.indices { waiting[place].due += pause }
    for rule in runs.indices { runs[rule].due = runs[rule].due.map { $0 + pause } }
    attention = attention.map { $0 + pause }
  }

  /// Forgets what waits in a state that has ended.
  mutating func forgetState(_ state: Int) {
    waiting.removeAll { rules[$0.rule].state == state && rules[$0.rule].trigger != .left }
  }

  // MARK: Variables

  /// A variable's value, of that client where each has its own.
  func value(of variable: Int, for client: ClientID?) -> ExpressionValue {
    guard variables[variable].owner != .accessory else { return values[variable] }
    return client.flatMap { clientValues[$0]?[variable] } ?? variables[variable].initial
  }

  /// Sets a variable; one of which every client has its own, of that client.
  mutating func set(_ variable: Int, to value: ExpressionValue, for client: ClientID?) {
    if variables[variable].owner == .accessory {
      values[variable] = value
    } else if let client {
      clientValues[client, default: [:]][variable] = value
    }
  }

  /// The variables that a client has set and that are kept with its bond.
  func keptVariables(of client: ClientID) -> [(name: String, value: ExpressionValue)] {
    (clientValues[client] ?? [:]).compactMap { variable, value in
      variables[variable].owner == .bond ? (variables[variable].name, value) : nil
    }
  }

  /// Takes from a client what is kept with its bond.
  mutating func forgetKeptVariables(of client: ClientID) {
    clientValues[client] = clientValues[client]?.filter { variables[$0.key].owner != .bond }
  }

  // MARK: Requests and reports

  mutating func request(_ request: DeviceRequest) { requests.append(request) }

  mutating func takeRequests() -> [DeviceRequest] {
    defer { requests.removeAll() }
    return requests
  }

  mutating func report(_ report: RuleReport) {
    // The same failure again and again is one.
    if case .failed = report, reports.last == report { return }
    if reports.count >= Self.reportLimit { reports.removeFirst() }
    reports.append(report)
  }

  mutating func takeReports() -> [RuleReport] {
    defer { reports.removeAll() }
    return reports
  }
}

/// Something that a rule wants of the owner of the host.
package struct DeviceRequest: Hashable, Sendable {
  /// What.
  package var action: DeviceAction
  /// The client that the rule is about.
  package var client: ClientID?
}

/// What a rule is about.
struct RuleContext: Hashable, Sendable {
  /// The client that has done something.
  var client: ClientID?
  /// What was written, and to what.
  var writer: CharacteristicIndex?
  var written: [UInt8] = []
  /// What that means, where it was not written to a characteristic of the accessory.
  var format: ValueFormat?
  /// The parameters of a command.
  var parameters: [String: ProfileValue] = [:]
  /// How often the rule was followed, or the value was sent.
  var counter = 0
  /// The value now and as it was sent last, of a threshold.
  var value: ExpressionValue?
  var sent: ExpressionValue?
}
