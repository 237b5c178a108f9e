import BLECore
import BLEGATT

/// Plays the steps of a profile on the server of each central.
struct ClientRuntime: Sendable {
  let steps: [ClientStep]
  /// When a step is due next.
  private(set) var nextDeadline: Instant?
  private var links: [LinkSteps] = []
  private var reports: [ClientStepReport] = []
  private static let reportLimit = 1000

  /// A value that a step has brought.
  struct Brought {
    var step: Int
    var value: [UInt8]
  }

  init(_ steps: [ClientStep]) { self.steps = steps }

  // MARK: Links

  mutating func clientArrived(_ peer: ClientID, at now: Instant) {
    guard !steps.isEmpty else { return }
    links.removeAll { $0.peer == peer }
    var state = LinkSteps(peer, count: steps.count)
    for step in steps.indices where steps[step].trigger == .connected {
      state.runs[step].state = .due(now + steps[step].delay)
    }
    links.append(state)
    updateDeadline()
  }

  mutating func clientLeft(_ peer: ClientID) {
    guard !links.isEmpty else { return }
    links.removeAll { $0.peer == peer }
    updateDeadline()
  }

  /// The central of a link has subscribed to a characteristic of the accessory; a step that is under way goes on.
  mutating func subscribed(_ characteristic: CharacteristicIndex, on peer: ClientID, at now: Instant) {
    guard let place = links.firstIndex(where: { $0.peer == peer }) else { return }
    for step in steps.indices
    where steps[step].trigger == .subscribed(characteristic) && links[place].runs[step].isResting {
      links[place].runs[step] = Run(state: .due(now + steps[step].delay))
    }
    updateDeadline()
  }

  // MARK: Steps

  func isDue(on peer: ClientID, at now: Instant) -> Bool {
    links.contains { $0.peer == peer && $0.nextDeadline.map { $0 <= now } ?? false }
  }

  /// Begins the steps that are due on a link.
  mutating func begin(
    _ client: inout GATTClient, of peer: ClientID, at now: Instant, into out: inout GATTClientOutput
  ) {
    guard let place = links.firstIndex(where: { $0.peer == peer }) else { return }
    for step in steps.indices where links[place].runs[step].deadline.map({ $0 <= now }) ?? false {
      begin(step, of: place, &client, at: now, into: &out)
    }
    updateDeadline()
  }

  private mutating func begin(
    _ step: Int, of place: Int, _ client: inout GATTClient, at now: Instant, into out: inout GATTClientOutput
  ) {
    guard links[place].isDiscovered else {
      links[place].runs[step].state = .awaitingDiscovery
      if links[place].discovery == nil { links[place].discovery = client.perform(.discoverAll, at: now, into: &out) }
      return
    }
    guard let uuid = steps[step].action.characteristic else {
      links[place].runs[step].state = .rested
      return
    }
    guard let characteristic = client.database.characteristic(uuid, in: steps[step].service) else {
      return fail(step, of: place, .notThere, at: now)
    }
    let id = client.perform(steps[step].action.operation(on: characteristic), at: now, into: &out)
    links[place].runs[step].state = .underWay(id)
    if case .subscribe = steps[step].action { links[place].runs[step].subscribed = characteristic.value }
  }

  private mutating func fail(_ step: Int, of place: Int, _ failure: ClientStepReport.Failure, at now: Instant) {
    links[place].runs[step].attempts += 1
    links[place].runs[step].subscribed = nil
    // Nothing more goes over a bearer that has ended.
    let isLast = failure == .operation(.timedOut) || failure == .operation(.closed)
    let isTriedAgain = !isLast && links[place].runs[step].attempts <= steps[step].retries
    links[place].runs[step].state =
      isTriedAgain ? .due(now + steps[step].retryInterval) : failure == .notThere ? .missing : .rested
    report(step, on: links[place].peer, .failed(failure, isTriedAgain: isTriedAgain))
  }

  // MARK: What comes of them

  /// Takes what a link's client reports, and returns what it has brought for steps.
  mutating func reported(
    _ event: GATTClientEvent, _ client: inout GATTClient, of peer: ClientID, at now: Instant,
    into out: inout GATTClientOutput
  ) -> [Brought] {
    guard let place = links.firstIndex(where: { $0.peer == peer }) else { return [] }
    defer { updateDeadline() }
    switch event {
    case .ended(let id, let outcome) where id == links[place].discovery:
      discovered(outcome, place, &client, at: now, into: &out)
    case .ended(let id, let outcome):
      guard let step = links[place].runs.firstIndex(where: { $0.state == .underWay(id) }) else { return [] }
      return ended(step, of: place, outcome, at: now)
    case .notification(let handle, let value), .indication(let handle, let value):
      return steps.indices.filter { links[place].runs[$0].subscribed == handle }.map { Brought(step: $0, value: value) }
    case .servicesChanged(let range): changed(range, of: place, at: now)
    case .databaseOutOfSync: changed(1...0xFFFF, of: place, at: now)
    case .began, .violation: break
    }
    return []
  }

  /// All that waited for the discovery goes on, or has failed with it.
  private mutating func discovered(
    _ outcome: GATTOutcome, _ place: Int, _ client: inout GATTClient, at now: Instant,
    into out: inout GATTClientOutput
  ) {
    links[place].discovery = nil
    let waiting = steps.indices.filter { links[place].runs[$0].state == .awaitingDiscovery }
    switch outcome {
    case .success:
      links[place].isDiscovered = true
      // What changes later is told only to those who have asked for it (Core 5.4 Vol 3 Part G 7.1).
      if let changes = client.database.characteristic(.serviceChanged), changes.configuration != nil {
        client.perform(.configure(changes.value, .indication), at: now, into: &out)
      }
      for step in waiting { begin(step, of: place, &client, at: now, into: &out) }
    case .failure(let failure):
      for step in waiting { fail(step, of: place, .operation(failure), at: now) }
    }
  }

  private mutating func ended(_ step: Int, of place: Int, _ outcome: GATTOutcome, at now: Instant) -> [Brought] {
    switch outcome {
    case .success(let result):
      links[place].runs[step].state = .rested
      if case .value(let value) = result { return [Brought(step: step, value: value)] }
      if case .write(_, let value) = steps[step].action { return [Brought(step: step, value: value)] }
    case .failure(let failure): fail(step, of: place, .operation(failure), at: now)
    }
    return []
  }

  /// The central's services have changed: subscriptions in that range begin again, and steps that have found nothing look again.
  private mutating func changed(_ range: ClosedRange<UInt16>, of place: Int, at now: Instant) {
    links[place].isDiscovered = false
    for step in steps.indices {
      let isGone = links[place].runs[step].subscribed.map { range.contains($0) } ?? false
      guard isGone || links[place].runs[step].state == .missing else { continue }
      links[place].runs[step] = Run(state: .due(now))
    }
  }

  // MARK: Reports and the deadline

  /// What has become of steps since the last call; the oldest is forgotten beyond 1,000.
  mutating func takeReports() -> [ClientStepReport] {
    defer { if !reports.isEmpty { reports = [] } }
    return reports
  }

  mutating func report(_ step: Int, on peer: ClientID, _ outcome: ClientStepReport.Outcome) {
    if reports.count >= Self.reportLimit { reports.removeFirst() }
    reports.append(ClientStepReport(peer: peer, step: steps[step].name, outcome: outcome))
  }

  private mutating func updateDeadline() {
    nextDeadline = links.reduce(nil) { Instant.earliest($0, $1.nextDeadline) }
  }
}

/// How far the steps are on one link.
private struct LinkSteps: Sendable {
  let peer: ClientID
  /// Whether everything is known of the central's server.
  var isDiscovered = false
  /// The discovery under way.
  var discovery: OperationID?
  /// One for each step.
  var runs: [Run]

  init(_ peer: ClientID, count: Int) {
    self.peer = peer
    runs = Array(repeating: Run(), count: count)
  }

  var nextDeadline: Instant? { runs.reduce(nil) { Instant.earliest($0, $1.deadline) } }
}

/// How far one step is.
private struct Run: Sendable {
  var state = State.rested
  /// How often it has failed.
  var attempts = 0
  /// The value whose notifications and indications are its.
  var subscribed: UInt16?

  enum State: Hashable, Sendable {
    /// Not begun, or at its end.
    case rested
    /// At its end, because the central has no such characteristic.
    case missing
    case due(Instant)
    case awaitingDiscovery
    case underWay(OperationID)
  }

  var deadline: Instant? { if case .due(let instant) = state { instant } else { nil } }

  var isResting: Bool { state == .rested || state == .missing }
}

extension ClientStep.Action {
  /// What it does with the characteristic that was found.
  fileprivate func operation(on characteristic: RemoteCharacteristic) -> GATTOperation {
    switch self {
    case .discover: .discoverAll
    case .read: .read(characteristic.value)
    case .subscribe:
      .configure(characteristic.value, characteristic.properties.contains(.notify) ? .notification : .indication)
    case .write(_, let value):
      characteristic.properties.contains(.write)
        ? .write(characteristic.value, value) : .writeWithoutResponse(characteristic.value, value)
    }
  }
}
