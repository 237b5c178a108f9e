import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import Faults

/// A test of a central against an accessory, described by a file: an accessory, and cases, each with steps that are performed in order.
package struct Scenario: Sendable {
  /// The file, as the user named it.
  package var file: String
  /// The name of the scenario.
  package var name: String
  /// A description of what it tests; empty if the file has none.
  package var about: String
  /// The accessory.
  package var profile: Profile
  /// What the centrals are like; nil for centrals that accept everything.
  package var persona: CentralPersona?
  /// The cases. Those of a matrix are listed individually.
  package var cases: [ScenarioCase]
  /// Problems that the author should know about, although the scenario can run.
  package var warnings: [Diagnostic]

  /// The key that every scenario begins with.
  static let mark = "understudy-scenario"

  /// Returns whether the file at a path is a scenario: one of its lines begins with `understudy-scenario:`.
  package static func isScenario(at path: String) -> Bool {
    guard path != "-", case .success(let text) = FileReading.text(at: path) else { return false }
    return text.split(whereSeparator: \.isNewline).contains { $0.hasPrefix("\(mark):") }
  }

  /// Loads a scenario file, or a shipped scenario.
  ///
  /// - Throws: All errors of the scenario, and of the profile that it names, at once.
  package static func load(contentsOf path: String) throws(ProfileError) -> Scenario {
    if let text = ShippedScenarios.text(at: path) { return try load(text: text, file: path) }
    switch FileReading.text(at: path) {
    case .success(let text): return try load(text: text, file: path)
    case .failure(let error):
      throw ProfileError(diagnostics: [
        Diagnostic(file: path, line: 1, column: 1, severity: .error, message: error.reason, sourceLine: "")
      ])
    }
  }

  /// Loads a scenario from its text. Messages refer to it as `file`, and paths in it are relative to `file`.
  package static func load(text: String, file: String = "scenario.yaml") throws(ProfileError) -> Scenario {
    let source = SourceFile(name: file, text: text)
    let (root, faults) = YAMLReader.read(text, source: source)
    var loader = ProfileLoader(source: source, diagnostics: faults)
    let scenario = root.flatMap { loader.scenario($0) }
    let diagnostics = loader.sortedDiagnostics
    guard var scenario, !loader.hasError else {
      throw ProfileError(diagnostics: diagnostics, omitted: loader.omitted)
    }
    scenario.warnings = diagnostics
    return scenario
  }
}

/// One case of a scenario, with its parameters filled in.
package struct ScenarioCase: Sendable {
  /// The name of the case, with the parameters if it is part of a matrix: `refuses [code=0x05]`.
  package var name: String
  /// The tags by which the case can be selected.
  package var tags: [String]
  /// The seed of everything random.
  package var seed: UInt64
  /// The time limit, in virtual time.
  package var limit: Duration
  /// The faults that are armed at the start.
  package var faults: [Fault]
  /// Where these faults are written, as `FILE:LINE`, by their ids.
  package var faultPlaces: [String: String]
  /// The steps, in order.
  package var steps: [ScenarioStep]
}

/// One step of a case.
package struct ScenarioStep: Sendable {
  /// The action of the step.
  package var action: ScenarioAction
  /// The central that performs the step.
  package var phone: String
  /// The time limit.
  package var limit: Duration
  /// The line in the file.
  package var line: Int
  /// A description, for people.
  package var text: String
}

extension ScenarioStep {
  /// Whether the step verifies something about the accessory: it requires an outcome, not only success of the preparation.
  var isExpectation: Bool {
    switch action {
    case .value, .expect, .expectAll, .expectNone, .never, .notified, .notNotified, .received, .scan, .awaitEnd: true
    case .discover(let found, let missing, let outcome):
      !found.isEmpty || !missing.isEmpty || outcome != .succeeds && outcome != .any
    case .records(let found, let missing, let outcome):
      !found.isEmpty || !missing.isEmpty || outcome != .succeeds && outcome != .any
    case .connect(_, let outcome), .exchangeMTU(let outcome): outcome != .succeeds && outcome != .any
    case .read(_, let outcome), .write(_, _, _, let outcome), .subscribe(_, _, let outcome),
      .unsubscribe(_, let outcome), .pair(_, _, let outcome), .open(_, let outcome), .send(_, _, let outcome):
      outcome != .any
    case .disconnect, .forget, .closeChannel, .set, .push, .arm, .disarm, .press, .drop, .wait, .air: false
    }
  }
}

/// The action of a step.
package enum ScenarioAction: Sendable {
  // MARK: The central

  /// Finds the accessory and connects to it.
  case connect(ScenarioConnection, ScenarioOutcome)
  case disconnect
  /// Waits for the end of the link, for that reason if one is given.
  case awaitEnd(reason: UInt8?)
  case exchangeMTU(ScenarioOutcome)
  /// Discovers all services. `has` and `lacks` are ids that must be, and must not be, among the discovered ones.
  case discover(has: [String], lacks: [String], ScenarioOutcome)
  case read(String, ScenarioOutcome)
  case write(String, [UInt8], withResponse: Bool, ScenarioOutcome)
  case subscribe(String, indications: Bool, ScenarioOutcome)
  case unsubscribe(String, ScenarioOutcome)
  /// Waits for these values of a characteristic, in this order and without others between them.
  case notified(String, [ExpectedValue?])
  /// Expects no value of that characteristic during that time.
  case notNotified(String)
  /// Pairs, or encrypts the link with existing keys.
  case pair(anew: Bool, passkey: ScenarioPasskey?, ScenarioOutcome)
  /// Deletes the central's bonds.
  case forget
  case open(String, ScenarioOutcome)
  case send(String, [UInt8], ScenarioOutcome)
  case received(String, [UInt8])
  case closeChannel(String)
  /// Scans for that time, and expects an advertiser with that name or those data to be heard, or not to be heard.
  case scan(ScenarioScan)
  /// Searches the service records over BR/EDR. `has` and `lacks` are services that must be, and must not be, among them.
  case records(has: [String], lacks: [String], ScenarioOutcome)

  // MARK: The accessory

  /// Sets characteristics, as through the control API.
  case set([(id: String, octets: [UInt8])])
  case value(String, ExpectedValue)
  /// Notifies or indicates a characteristic.
  case push(String, indicating: Bool)
  case arm(Fault)
  case disarm(String?)
  /// Presses a button.
  case press(String)
  /// Disconnects all links from the accessory's side.
  case drop

  // MARK: Both

  /// Waits for an event with these fields, after the last expected one.
  case expect(ProfileValue, ofPhone: Bool)
  /// Waits for all of these events, in any order.
  case expectAll([ProfileValue], ofPhone: Bool)
  /// Expects no such event during that time.
  case expectNone(ProfileValue, ofPhone: Bool)
  /// Expects that no such event has occurred since the start of the case.
  case never(ProfileValue, ofPhone: Bool)
  /// Lets time pass.
  case wait
  /// Sets what the radio does to packets from now on.
  case air(loss: Double, isReachable: Bool)
}

/// How a central connects.
package struct ScenarioConnection: Sendable {
  package var transport = LinkTransport.le
  /// The parameters of a link over LE; nil for those of the central.
  package var interval: Duration?
  package var latency = 0
  package var timeout: Duration?
}

/// What a central looks for on the air.
package struct ScenarioScan: Sendable {
  package var transport = LinkTransport.le
  /// The name that is to be found; nil for any.
  package var name: String?
  /// What its data begin with; nil for anything.
  package var data: [UInt8]?
  /// Whether it must be found, or must not.
  package var isHeard = true
}

/// The passkey that a central enters.
package enum ScenarioPasskey: Hashable, Sendable {
  case digits(UInt32)
  /// The passkey that the accessory displays.
  case displayed
}

extension ScenarioAction {
  /// The id of the characteristic or channel that it concerns, if it concerns one.
  package var subject: String? {
    switch self {
    case .read(let id, _), .write(let id, _, _, _), .subscribe(let id, _, _), .unsubscribe(let id, _),
      .notified(let id, _), .notNotified(let id), .open(let id, _), .send(let id, _, _), .received(let id, _),
      .closeChannel(let id), .value(let id, _), .push(let id, _):
      id
    case .expect(let wanted, _), .expectNone(let wanted, _), .never(let wanted, _): wanted["characteristic"]?.string
    case .expectAll(let wanted, _): wanted.lazy.compactMap { $0["characteristic"]?.string }.first
    case .discover(let has, let lacks, _): has.first ?? lacks.first
    default: nil
    }
  }
}

/// The expected outcome of an action.
package enum ScenarioOutcome: Hashable, Sendable {
  /// Success.
  case succeeds
  /// Success with this value, or with this MTU.
  case gives(ExpectedValue)
  case mtu(Int)
  /// Failure: for any reason, with an ATT error, by a timeout, or by the end of the link.
  case fails
  case refused(UInt8)
  case timesOut
  case cut
  /// Failure by a response that violates the protocol.
  case violation
  /// Success or failure. A later step verifies the result.
  case any
}
