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
  /// How many values may wait for one step.
  private static let waitingLimit = 64

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

  /// Somebody has pressed a button: its steps begin on every link.
  mutating func press(_ button: String, at now: Instant) {
    for place in links.indices { trigger(.button(button), [], of: place, at: now) }
    updateDeadline()
  }

  /// Something has happened that can happen while a step is under way: it begins again when that has ended.
  private mutating func trigger(_ trigger: ClientStep.Trigger, _ occasion: [UInt8], of place: Int, at now: Instant) {
    for step in steps.indices where steps[step].trigger == trigger {
      guard links[place].runs[step].waiting.count < Self.waitingLimit else { continue }
      links[place].runs[step].waiting.append(occasion)
      if links[place].runs[step].isResting { beginAgain(step, of: place, at: now) }
    }
  }

  /// Lets the next occasion that waits for a step begin it.
  private mutating func beginAgain(_ step: Int, of place: Int, at now: Instant) {
    guard !links[place].runs[step].waiting.isEmpty else { return }
    links[place].runs[step].occasion = links[place].runs[step].waiting.removeFirst()
    links[place].runs[step].attempts = 0
    links[place].runs[step].isPrepared = false
    links[place].runs[step].state = .due(now + steps[step].delay)
  }

  // MARK: Steps

  func isDue(on peer: ClientID, at now: Instant) -> Bool {
    links.contains { $0.peer == peer && $0.nextDeadline.map { $0 <= now } ?? false }
  }

  /// A step that is due on a link and not prepared, with the value that it waited for.
  func unprepared(on peer: ClientID, at now: Instant) -> Brought? {
    guard let place = links.firstIndex(where: { $0.peer == peer }) else { return nil }
    let runs = links[place].runs
    return runs.indices.first { !runs[$0].isPrepared && runs[$0].deadline.map { $0 <= now } ?? false }
      .map { Brought(step: $0, value: runs[$0].occasion) }
  }

  /// Lets a step that is due begin; where that is computed, with what it writes.
  mutating func prepare(_ step: Int, on peer: ClientID, writing value: [UInt8] = []) {
    guard let place = links.firstIndex(where: { $0.peer == peer }) else { return }
    links[place].runs[step].value = value
    links[place].runs[step].isPrepared = true
  }

  /// Passes over a step that is due.
  mutating func pass(_ step: Int, on peer: ClientID, at now: Instant) {
    guard let place = links.firstIndex(where: { $0.peer == peer }) else { return }
    links[place].runs[step].state = .rested
    beginAgain(step, of: place, at: now)
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
    let operation = steps[step].action.operation(on: characteristic, writing: links[place].runs[step].value)
    let id = client.perform(operation, at: now, into: &out)
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
    if !isTriedAgain { beginAgain(step, of: place, at: now) }
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
      return received(ended(step, of: place, outcome, at: now), place, at: now)
    case .notification(let handle, let value), .indication(let handle, let value):
      let meant = steps.indices.filter { links[place].runs[$0].subscribed == handle }
      return received(meant.map { Brought(step: $0, value: value) }, place, at: now)
    case .servicesChanged(let range): changed(range, of: place, at: now)
    case .databaseOutOfSync: changed(1...0xFFFF, of: place, at: now)
    case .began, .violation: break
    }
    return []
  }

  /// Lets the steps begin that wait for values that have come.
  private mutating func received(_ values: [Brought], _ place: Int, at now: Instant) -> [Brought] {
    var reported: Set<BluetoothUUID> = []
    for brought in values {
      guard let uuid = steps[brought.step].action.received, reported.insert(uuid).inserted else { continue }
      trigger(.received(uuid), brought.value, of: place, at: now)
    }
    return values
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
      let written = links[place].runs[step].value
      links[place].runs[step].state = .rested
      beginAgain(step, of: place, at: now)
      if case .value(let value) = result { return [Brought(step: step, value: value)] }
      if case .write(_, let value) = steps[step].action { return [Brought(step: step, value: value)] }
      if case .compute = steps[step].action { return [Brought(step: step, value: written)] }
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
      if isGone { report(step, on: links[place].peer, .lapsed) }
      links[place].runs[step].attempts = 0
      links[place].runs[step].subscribed = nil
      links[place].runs[step].isPrepared = false
      links[place].runs[step].state = .due(now)
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
  /// The value that it waited for, and those that have come since.
  var occasion: [UInt8] = []
  var waiting: [[UInt8]] = []
  /// Whether it may begin when it is due, and what it writes where that is computed.
  var isPrepared = false
  var value: [UInt8] = []
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
  fileprivate func operation(on characteristic: RemoteCharacteristic, writing computed: [UInt8]) -> GATTOperation {
    switch self {
    case .discover: .discoverAll
    case .read: .read(characteristic.value)
    case .subscribe:
      .configure(characteristic.value, characteristic.properties.contains(.notify) ? .notification : .indication)
    case .write(_, let value): Self.write(value, characteristic)
    case .compute: Self.write(computed, characteristic)
    }
  }

  private static func write(_ value: [UInt8], _ characteristic: RemoteCharacteristic) -> GATTOperation {
    characteristic.properties.contains(.write)
      ? .write(characteristic.value, value) : .writeWithoutResponse(characteristic.value, value)
  }

  /// The characteristic of which it brings values of the central.
  fileprivate var received: BluetoothUUID? {
    switch self {
    case .read(let uuid), .subscribe(let uuid): uuid
    case .discover, .write, .compute: nil
    }
  }
}
