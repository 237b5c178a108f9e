import BLECore
import BLEGATT

/// The runtime's state of its rules: deadlines, the current state, and variables.
struct RuleBook: Hashable, Sendable {
  let rules: [Rule]
  /// The names of the states, starting with the initial one; empty if there are none.
  let states: [String]
  /// The current state; nil if there are none.
  var state: Int?
  /// For each rule, the deadline of its clock, whether its condition is met, and the number of executions.
  var runs: [Run]
  /// The executions that are delayed.
  private(set) var waiting: [Waiting] = []
  let variables: [Variable]
  /// The values of the variables: shared ones, and those of individual clients.
  private var values: [ExpressionValue]
  private var clientValues: [ClientID: [Int: ExpressionValue]] = [:]
  /// The connected clients.
  var clients: [ClientID] = []
  /// The actions for the host in its next turn.
  var actions: [ApplicationAction] = []
  /// The time of the next check of conditions and derived values, because something has changed or may have.
  var attention: Instant?
  /// The remaining budget for effects of the present event.
  var allowance = Allowance(.effects)
  /// The number of times that random numbers were drawn.
  var draws: UInt64 = 0
  private var requests: [DeviceRequest] = []
  private var reports: [RuleReport] = []
  private static let reportLimit = 1000
  /// The maximum number of delayed executions.
  private static let waitingLimit = 10_000

  struct Run: Hashable, Sendable {
    var due: Instant?
    var isPassed = false
    var count = 0
  }

  /// A delayed execution of a rule.
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

  /// Forgets everything that has happened, except pending requests and reports.
  mutating func begin() {
    state = states.isEmpty ? nil : 0
    runs = rules.map { _ in Run() }
    waiting.removeAll()
    values = variables.map(\.initial)
    clientValues.removeAll()
    attention = nil
  }

  /// Whether any rule has a condition that must be checked when values change.
  var hasThresholds: Bool { rules.contains { if case .becomes = $0.trigger { true } else { false } } }

  /// Returns whether a rule is active in the current state.
  func isActive(_ rule: Int) -> Bool { rules[rule].state == nil || rules[rule].state == state }

  /// The time of the next deadline.
  var nextDeadline: Instant? {
    var deadline = waiting.reduce(attention) { Instant.earliest($0, $1.due) }
    for run in runs { deadline = .earliest(deadline, run.due) }
    return deadline
  }

  // MARK: Delays

  /// Delays the execution of a rule. It is dropped if too many are waiting.
  mutating func wait(_ entry: Waiting) { if waiting.count < Self.waitingLimit { waiting.append(entry) } }

  /// Removes the first execution that is due, in the order of time.
  mutating func takeDue(at now: Instant) -> Waiting? {
    guard let place = waiting.indices.min(by: { waiting[$0].due < waiting[$1].due }), waiting[place].due <= now else {
      return nil
    }
    return waiting.remove(at: place)
  }

  /// Forgets a client that has disconnected, and what waited to be done about its connection. What follows from its disconnection still
  /// concerns it; other delayed executions go on without it.
  mutating func forget(_ client: ClientID) {
    clients.removeAll { $0 == client }
    clientValues[client] = nil
    waiting.removeAll { $0.context.client == client && rules[$0.rule].trigger.isAboutConnection }
    for place in waiting.indices where waiting[place].context.client == client {
      if ![.disconnected, .lost].contains(rules[waiting[place].rule].trigger) { waiting[place].context.leave() }
    }
  }

  /// Continues later by `pause`, without clients.
  mutating func resume(after pause: Duration) {
    (clients, clientValues) = ([], [:])
    waiting.removeAll { $0.context.client != nil && rules[$0.rule].trigger.isAboutConnection }
    for place in waiting.indices {
      waiting[place].due += pause
      waiting[place].context.leave()
    }
    for rule in runs.indices { runs[rule].due = runs[rule].due.map { $0 + pause } }
    attention = attention.map { $0 + pause }
  }

  /// Forgets the delayed executions of a state that has been left.
  mutating func forgetState(_ state: Int) {
    waiting.removeAll { rules[$0.rule].state == state && rules[$0.rule].trigger != .left }
  }

  // MARK: Variables

  /// Returns a variable's value. If each client has its own, it is that of `client`.
  func value(of variable: Int, for client: ClientID?) -> ExpressionValue {
    guard variables[variable].owner != .accessory else { return values[variable] }
    return client.flatMap { clientValues[$0]?[variable] } ?? variables[variable].initial
  }

  /// Sets a variable. If each client has its own, that of `client` is set.
  mutating func set(_ variable: Int, to value: ExpressionValue, for client: ClientID?) {
    if variables[variable].owner == .accessory {
      values[variable] = value
    } else if let client {
      clientValues[client, default: [:]][variable] = value
    }
  }

  /// Returns the variables that a client has set and that are kept with its bond.
  func keptVariables(of client: ClientID) -> [(name: String, value: ExpressionValue)] {
    (clientValues[client] ?? [:]).compactMap { variable, value in
      variables[variable].owner == .bond ? (variables[variable].name, value) : nil
    }
  }

  /// Discards a client's variables that are kept with its bond.
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
    // A repeated failure is reported once.
    if case .failed = report, reports.last == report { return }
    if reports.count >= Self.reportLimit { reports.removeFirst() }
    reports.append(report)
  }

  mutating func takeReports() -> [RuleReport] {
    defer { reports.removeAll() }
    return reports
  }
}

/// A request of a rule to the owner of the host.
package struct DeviceRequest: Hashable, Sendable {
  /// The requested action.
  package var action: DeviceAction
  /// The client that triggered the rule.
  package var client: ClientID?
}

/// The context of a rule's execution.
struct RuleContext: Hashable, Sendable {
  /// The client that triggered the rule; nil if there was none, or it has disconnected.
  var client: ClientID?
  /// Whether the client has disconnected since.
  var hasLeft = false
  /// The written characteristic and value.
  var writer: CharacteristicIndex?
  var written: [UInt8] = []
  /// The format of the written value, if it was not written to a characteristic of the accessory.
  var format: ValueFormat?
  /// The parameters of a command.
  var parameters: [String: ProfileValue] = [:]
  /// The number of times the rule was executed, or the value was sent.
  var counter = 0
  /// The present value and the last value sent, for a threshold.
  var value: ExpressionValue?
  var sent: ExpressionValue?

  /// Goes on without the client, if there is one. Its identity may soon be that of another.
  mutating func leave() {
    guard client != nil else { return }
    (client, hasLeft) = (nil, true)
  }
}
