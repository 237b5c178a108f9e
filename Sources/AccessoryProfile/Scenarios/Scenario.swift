import BLECore
import BLEGATT
import Faults

/// A test of a central against an accessory, as a file describes it: an accessory, and cases of steps that are done one after the other.
package struct Scenario: Sendable {
  /// The file as the user named it.
  package var file: String
  /// What it is called.
  package var name: String
  /// What it tests, in a sentence; empty where its author says nothing.
  package var about: String
  /// The accessory.
  package var profile: Profile
  /// The cases, those of a matrix one by one.
  package var cases: [ScenarioCase]
  /// What the author should know although the scenario can be played.
  package var warnings: [Diagnostic]

  /// Loads a scenario file, or a scenario inside of the program. Throws all that is wrong with it, and with the profile that it names, at once.
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

  /// Loads a scenario from its text; `file` is what messages call it, and where files that it names are looked for.
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

/// One case of a scenario, with its parameters put in.
package struct ScenarioCase: Sendable {
  /// What it is called, with its parameters where it is one of a matrix: `refuses [code=0x05]`.
  package var name: String
  /// What it can be chosen by.
  package var tags: [String]
  /// For what is random.
  package var seed: UInt64
  /// How long it may take of virtual time.
  package var limit: Duration
  /// What the accessory does wrong from the beginning.
  package var faults: [Fault]
  /// What is done, in order.
  package var steps: [ScenarioStep]
}

/// One step of a case.
package struct ScenarioStep: Sendable {
  /// What is done.
  package var action: ScenarioAction
  /// The central that does it.
  package var phone: String
  /// How long it may take.
  package var limit: Duration
  /// The line in its file.
  package var line: Int
  /// What it is, for people.
  package var text: String
}

extension ScenarioStep {
  /// Whether it shows something of the accessory: it requires an outcome beyond that of getting ready.
  var isExpectation: Bool {
    switch action {
    case .value, .expect, .expectAll, .expectNone, .never, .notified, .notNotified, .received, .scan, .awaitEnd: true
    case .discover(let found, let missing, let outcome):
      !found.isEmpty || !missing.isEmpty || outcome != .succeeds && outcome != .any
    case .connect(_, _, _, let outcome), .exchangeMTU(let outcome): outcome != .succeeds && outcome != .any
    case .read(_, let outcome), .write(_, _, _, let outcome), .subscribe(_, _, let outcome),
      .unsubscribe(_, let outcome), .pair(_, _, let outcome), .open(_, let outcome), .send(_, _, let outcome):
      outcome != .any
    case .disconnect, .forget, .closeChannel, .set, .push, .arm, .disarm, .press, .drop, .wait, .air: false
    }
  }
}

/// What a step does.
package enum ScenarioAction: Sendable {
  // MARK: The central

  /// Finds the accessory and connects to it.
  case connect(interval: Duration, latency: Int, timeout: Duration, ScenarioOutcome)
  case disconnect
  /// Waits for the end of the link, for that reason where one is given.
  case awaitEnd(reason: UInt8?)
  case exchangeMTU(ScenarioOutcome)
  /// Finds all services; `lacks` and `has` are ids that are not, or are, among what was found.
  case discover(has: [String], lacks: [String], ScenarioOutcome)
  case read(String, ScenarioOutcome)
  case write(String, [UInt8], withResponse: Bool, ScenarioOutcome)
  case subscribe(String, indications: Bool, ScenarioOutcome)
  case unsubscribe(String, ScenarioOutcome)
  /// Waits until these values of a characteristic have come, in this order and without others between them.
  case notified(String, [[UInt8]?])
  /// No value of that characteristic comes in that time.
  case notNotified(String)
  /// Pairs, or encrypts with the keys of before.
  case pair(anew: Bool, passkey: UInt32?, ScenarioOutcome)
  /// The central forgets its bonds.
  case forget
  case open(String, ScenarioOutcome)
  case send(String, [UInt8], ScenarioOutcome)
  case received(String, [UInt8])
  case closeChannel(String)
  /// Scans that long, and hears, or does not hear, an advertiser with that name or those data.
  case scan(hears: String?, data: [UInt8]?, isHeard: Bool)

  // MARK: The accessory

  /// Gives characteristics values, as the control API does.
  case set([(id: String, octets: [UInt8])])
  case value(String, [UInt8])
  /// Notifies or indicates a characteristic.
  case push(String, indicating: Bool)
  case arm(Fault)
  case disarm(String?)
  /// Presses a button.
  case press(String)
  /// Asks the central for security, or ends the link from the accessory's side.
  case drop

  // MARK: Both

  /// Waits for an event that has these fields, behind the last one that was waited for.
  case expect(ProfileValue, ofPhone: Bool)
  /// Waits for all of these, in any order.
  case expectAll([ProfileValue], ofPhone: Bool)
  /// No such event comes in that time.
  case expectNone(ProfileValue, ofPhone: Bool)
  /// No such event has occurred since the case began.
  case never(ProfileValue, ofPhone: Bool)
  /// Lets time pass.
  case wait
  /// What the air does to packets from now on.
  case air(loss: Double, isReachable: Bool)
}

/// How an action is to end.
package enum ScenarioOutcome: Hashable, Sendable {
  /// Well.
  case succeeds
  /// With those octets; or an MTU.
  case gives([UInt8])
  case mtu(Int)
  /// Badly: for any reason, for an ATT error, because nobody answers, or because the link ends.
  case fails
  case refused(UInt8)
  case timesOut
  case cut
  /// Because the answer broke the protocol.
  case violation
  /// Either way; what counts comes later.
  case any
}
