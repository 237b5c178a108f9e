import AccessoryProfile
import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import Capture
import CentralHost
import Faults
import PeripheralHost
import Simulation
import UnderstudyTesting
import VirtualRadio

/// Runs a case: performs its steps in order, and stops at the first one that fails.
package struct CaseRunner {
  let stage: any CaseStage
  let test: ScenarioCase
  /// The time at the beginning of the case, before its accessory starts.
  let begin: Instant
  /// The number of similar events that a failure shows if the expected one did not occur.
  private static let similarEvents = 3

  init(stage: any CaseStage, test: ScenarioCase, begin: Instant) {
    (self.stage, self.test, self.begin) = (stage, test, begin)
  }

  /// Runs a case of a scenario, and returns the result.
  ///
  /// - Parameters:
  ///   - test: The case.
  ///   - scenario: The scenario of the case.
  ///   - air: The air; nil for one of its own.
  ///   - capture: The file for all packets on the air; nil for none.
  ///   - recording: Gets all packets on the air, and those between all hosts and their controllers.
  package static func run(
    _ test: ScenarioCase, of scenario: Scenario, on air: TestAir? = nil, capturingTo capture: String? = nil,
    recording: ((CaptureRecord) -> Void)? = nil
  ) -> CaseResult {
    let air = air ?? TestAir(seed: test.seed)
    let begin = air.radio.now
    var result = CaseResult(
      scenario: scenario.name, name: test.name, file: scenario.file, failure: nil, transcript: [], duration: .zero)
    let recording = recording.map { CaseRecording(of: air.radio, $0) }
    defer { recording?.end() }
    do {
      let stage = try VirtualStage(scenario, test, on: air)
      let recorder = try capture.map { try CaseCapture(creating: $0, of: air.radio) }
      defer { recorder?.close() }
      result.failure = CaseRunner(stage: stage, test: test, begin: begin).play()
      if recording != nil { result.recorded = stage.recorded }
    } catch {
      result.failure = CaseFailure(line: 0, step: "", reason: "it could not start: \(error)")
    }
    result.transcript = air.transcript.lines
    result.duration = air.radio.now - begin
    return result
  }

  /// Performs all steps. Returns the failure of the first one that failed.
  func play() -> CaseFailure? {
    for step in test.steps {
      stage.note("step", "line \(step.line): \(step.text)")
      guard stage.now - begin <= test.limit else {
        return fail(step, "the case takes longer than its limit of \(test.limit)")
      }
      do {
        try perform(step)
      } catch let skip as StepSkip {
        stage.note("skipped", skip.reason)
      } catch let refusal as StepRefusal {
        return fail(step, refusal.reason, refusal.comparison)
      } catch let error as StepError {
        return fail(step, "this step cannot be done: \(error.reason)")
      } catch {
        return fail(step, "\(error)")
      }
    }
    return nil
  }

  private func fail(
    _ step: ScenarioStep, _ reason: String, _ comparison: CaseFailure.Comparison? = nil
  ) -> CaseFailure {
    stage.note("failed", reason)
    var failure = CaseFailure(
      line: step.line, step: step.text, reason: reason, comparison: comparison, subject: step.action.subject)
    (failure.time, failure.injected) = (stage.now - begin, injected)
    return failure
  }

  // MARK: - Steps

  private func perform(_ step: ScenarioStep) throws {
    switch step.action {
    case .wait: stage.advance(by: step.limit)
    case .set, .value, .push, .arm, .disarm, .press, .drop, .air: try stage.performOnAccessory(step)
    case .expect, .expectAll, .expectNone, .never: try awaitEvents(step)
    default:
      let phone = try stage.phone(step.phone)
      phone.central.limit = step.limit
      try followChanges(phone)
      try perform(step, by: phone)
    }
  }

  // MARK: - Events

  private func awaitEvents(_ step: ScenarioStep) throws {
    switch step.action {
    case .expect(let wanted, let isPhone):
      guard try find([wanted], of: isPhone ? step.phone : nil, limit: step.limit).isEmpty else {
        throw StepRefusal(
          "no such event occurred within \(step.limit)", expected: wanted.jsonText,
          actual: try similar(to: [wanted], of: isPhone ? step.phone : nil))
      }
    case .expectAll(let wanted, let isPhone):
      let missing = try find(wanted, of: isPhone ? step.phone : nil, limit: step.limit)
      guard missing.isEmpty else {
        throw StepRefusal(
          "these events did not occur within \(step.limit): \(missing.map(\.description).joined(separator: ", "))",
          expected: missing.map(\.jsonText).joined(separator: "\n"),
          actual: try similar(to: missing, of: isPhone ? step.phone : nil))
      }
    case .expectNone(let unwanted, let isPhone):
      let before = try events(of: isPhone ? step.phone : nil).count
      stage.advance(by: step.limit)
      let new = try events(of: isPhone ? step.phone : nil).dropFirst(before)
      try refuse(new, unwanted)
    case .never(let unwanted, let isPhone):
      let all = try events(of: isPhone ? step.phone : nil)
      try refuse(all[...], unwanted)
    default: break
    }
  }

  private func refuse(_ events: ArraySlice<TestEvent>, _ unwanted: ProfileValue) throws {
    guard let event = events.first(where: { $0.fields.includes(unwanted) }) else { return }
    throw StepRefusal(
      "an unwanted event occurred: \(event)", expected: "no event \(unwanted.jsonText)", actual: event.description)
  }

  /// Returns the latest events of the expected kinds, so that people can find the difference.
  private func similar(to wanted: [ProfileValue], of phone: String?) throws -> String {
    let kinds = Set(wanted.compactMap { $0["event"]?.string })
    let found = try events(of: phone).filter { kinds.contains($0.name) }.suffix(Self.similarEvents)
    guard found.isEmpty else { return found.map(\.description).joined(separator: "\n") }
    return "no event \(kinds.sorted().joined(separator: ", "))"
  }

  private func events(of phone: String?) throws -> [TestEvent] {
    if let phone { return try stage.phone(phone).events() }
    guard let events = stage.accessoryEvents else { throw StepSkip("a device does not show its events") }
    return events
  }

  /// Waits for events after the last expected one. Returns those that did not occur.
  private func find(_ wanted: [ProfileValue], of name: String?, limit: Duration) throws -> [ProfileValue] {
    let phone = try name.map { try stage.phone($0) }
    _ = try events(of: name)
    var missing = wanted
    var next = phone?.nextEvent ?? stage.position
    _ = stage.advance(
      until: {
        let events = phone?.events() ?? stage.accessoryEvents ?? []
        while !missing.isEmpty, next < events.count {
          if let place = missing.firstIndex(where: { events[next].fields.includes($0) }) { missing.remove(at: place) }
          next += 1
        }
        return missing.isEmpty
      }, within: limit)
    if missing.isEmpty {
      if let phone { phone.nextEvent = next } else { stage.position = next }
    }
    return missing
  }

  // MARK: - The central

  private func perform(_ step: ScenarioStep, by phone: CasePhone) throws {
    switch step.action {
    case .connect(let connection, let outcome):
      try check(outcome) {
        try connect(phone, connection)
        return nil
      }
    case .disconnect:
      let link = try link(of: phone)
      // With bad reception, the link may have ended by itself.
      if phone.central.links.contains(link) { try phone.central.disconnect(link) }
      phone.link = nil
    case .awaitEnd(let reason): try awaitEnd(of: phone, reason: reason, limit: step.limit)
    case .exchangeMTU(let outcome):
      let link = try link(of: phone)
      // A client exchanges the MTU only once (Core 5.4 Vol 3 Part F 3.4.2.1).
      let isDone = stage.scenario.persona?.opening.contains(.exchangeMTU) ?? false
      try check(outcome) { .mtu(isDone ? phone.central.mtu(of: link) : try phone.central.exchangeMTU(on: link)) }
    case .discover(let found, let missing, let outcome):
      let link = try link(of: phone)
      try check(outcome) {
        try openAttributes(of: phone)
        let database = try discover(on: link, of: phone)
        try look(for: found, lacking: missing, in: database)
        return nil
      }
    case .forget:
      for bond in phone.central.stack.bonds { try phone.central.perform(.removeBond(bond.peer)) }
      phone.central.cache = nil
    case .pair(let isAnew, let passkey, let outcome): try pair(phone, isAnew, passkey, outcome)
    case .scan(let wanted) where wanted.transport == .classic: try inquire(phone, wanted, for: step.limit)
    case .scan(let wanted): try scan(phone, wanted, for: step.limit)
    case .records(let found, let missing, let outcome):
      try searchRecords(of: phone, has: found, lacks: missing, outcome)
    case .open, .send, .received, .closeChannel: try performOnChannel(step, by: phone)
    default: try performOnValue(step, by: phone)
    }
  }

  func link(of phone: CasePhone) throws -> ConnectionHandle {
    guard let link = phone.link else { throw StepError("the central is not connected") }
    return link
  }

  private func connect(_ phone: CasePhone, _ connection: ScenarioConnection) throws {
    var parameters = stage.scenario.persona?.linkParameters ?? LinkParameters()
    if let interval = connection.interval { parameters.intervals = interval...interval }
    if let timeout = connection.timeout { parameters.timeout = timeout }
    parameters.latency = connection.latency
    phone.link = nil
    let link = try stage.connect(phone, connection.transport, parameters)
    phone.link = link
    phone.channels = [:]
    // The personas are those of centrals over LE.
    guard let persona = stage.scenario.persona, connection.transport == .le else { return }
    let known = phone.central.cache
    try phone.central.open(as: persona, on: link)
    if let cache = phone.central.cache, cache != known { stage.remember(cache.database, of: phone) }
  }

  /// Returns the services as an app gets them: from the system's cache, or else by discovery.
  private func discover(on link: ConnectionHandle, of phone: CasePhone) throws -> RemoteDatabase {
    guard let persona = stage.scenario.persona else {
      let database = try phone.central.discover(on: link)
      stage.remember(database, of: phone)
      return database
    }
    let isKnown = phone.central.cache != nil
    let database = try phone.central.discover(as: persona, on: link)
    if !isKnown { stage.remember(database, of: phone) }
    return database
  }

  /// Lets the system of a phone discover changed services again.
  private func followChanges(_ phone: CasePhone) throws {
    guard let persona = stage.scenario.persona, let link = phone.link else { return }
    if let database = try phone.central.followChanges(as: persona, on: link) { stage.remember(database, of: phone) }
  }

  private func awaitEnd(of phone: CasePhone, reason: UInt8?, limit: Duration) throws {
    let link = try link(of: phone)
    let hasEnded = stage.advance(until: { !phone.central.links.contains(link) }, within: limit)
    guard hasEnded else { throw StepRefusal("the link has not ended within \(limit)") }
    phone.link = nil
    let end = phone.central.ends.last
    if let reason, end?.rawValue != reason {
      throw StepRefusal(
        "the link ended with \(end.map { "\($0)" } ?? "nothing"), not with 0x\([reason].hexadecimal)",
        expected: "\(ErrorCode(rawValue: reason))", actual: end.map { "\($0)" } ?? "nothing")
    }
  }

  private func look(for found: [String], lacking missing: [String], in database: RemoteDatabase) throws {
    let behaviors = stage.scenario.profile.behaviors
    func isThere(_ id: String) -> Bool {
      guard let uuid = behaviors.first(where: { $0.id == id })?.uuid ?? BluetoothUUID(id) else { return false }
      return database.characteristic(uuid) != nil || database.services.contains { $0.uuid == uuid }
    }
    if let id = found.first(where: { !isThere($0) }) { throw StepRefusal("\(id) was not found") }
    if let id = missing.first(where: isThere) { throw StepRefusal("\(id) was found") }
  }

  private func scan(_ phone: CasePhone, _ wanted: ScenarioScan, for duration: Duration) throws {
    let heard = try phone.central.scan(for: min(duration, .seconds(60))) { advertisement in
      (wanted.name == nil || advertisement.data.localName == wanted.name)
        && (wanted.data.map { advertisement.octets.starts(with: $0) } ?? true) && stage.isOwn(advertisement)
    }
    guard heard.isEmpty == wanted.isHeard else { return }
    throw StepRefusal("\(wanted.isHeard ? "no" : "a") matching advertisement was received")
  }
}

/// Skips a step, because a device cannot do or show what it needs. The case goes on.
struct StepSkip: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}

/// Fails a step.
struct StepRefusal: Error {
  let reason: String
  /// What was expected, and what came instead.
  let comparison: CaseFailure.Comparison?

  init(_ reason: String) { (self.reason, comparison) = (reason, nil) }

  init(_ reason: String, expected: String, actual: String) {
    (self.reason, comparison) = (reason, CaseFailure.Comparison(expected: expected, actual: actual))
  }
}

/// Fails a step that cannot be performed at all, because it refers to something that does not exist. No step can expect this outcome.
struct StepError: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
