import AccessoryProfile
import BLECore
import BLEGATT
import BLELink
import PeripheralHost
import Understudy
import UnderstudyTesting

/// A plan as a scenario for `understudy test`, if the language of scenarios can express its acts and the finding.
package struct PlanScenario {
  /// The text of the scenario.
  package let text: String
  /// The line of the first step that checks the finding. A failure in an earlier line is not the finding.
  package let expectationLine: Int

  /// Creates the scenario; nil if the language cannot express it. `profile` is the name of the accessory's profile in the scenario.
  package init?(_ plan: SwarmPlan, showing finding: Finding, profile name: String) {
    guard plan.preset == "full", plan.companion == nil, plan.peers.isEmpty,
      let profile = try? Profile.load(swarm: plan.profile),
      let expectation = Self.expectation(of: finding, in: profile), let words = ScenarioWords(profile)
    else { return nil }
    var timed: [(at: Duration, order: Int, steps: [String])] = []
    for (number, central) in plan.centrals.enumerated() {
      guard central.kind == .phone || central.kind == .plain else {
        guard central.steps.isEmpty else { return nil }
        continue
      }
      var time = Duration.zero
      for step in central.steps {
        time += step.pause
        guard let steps = words.steps(step.act, phone: "phone-\(number)") else { return nil }
        timed.append((time, number, steps))
      }
    }
    var time = Duration.zero
    for step in plan.owner {
      time += step.pause
      guard let steps = words.steps(step.act) else { return nil }
      timed.append((time, -1, steps))
    }
    var (lines, now) = ([String](), Duration.zero)
    for entry in timed.sorted(by: { ($0.at, $0.order) < ($1.at, $1.order) }) {
      if entry.at > now { lines.append("{ wait: \(max(1, (entry.at - now).inNanoseconds / 1_000_000)) ms }") }
      now = entry.at
      lines += entry.steps
    }
    expectationLine = 10 + lines.count
    text = """
      # Found by understudy test --explore, with seed \(plan.seed): \(finding.message.split(separator: "\n").joined(separator: " "))
      understudy-scenario: 1
      name: \(ProfileValue.string("Exploration of \(profile.name)").jsonText)
      accessory: \(ProfileValue.string(name).jsonText)
      seed: \(plan.seed & UInt64(Int64.max))
      timeout: 1 d
      cases:
        - name: \(ProfileValue.string(finding.subject.map { "\(finding.rule): \($0)" } ?? finding.rule).jsonText)
          steps:
      \((lines + expectation).map { "      - \($0)" }.joined(separator: "\n"))

      """
  }

  /// Returns the steps that fail as long as the finding exists; nil if the language cannot express them.
  private static func expectation(of finding: Finding, in profile: Profile) -> [String]? {
    let subject = ProfileValue.string(finding.subject ?? "").jsonText
    switch finding.rule {
    case "trap", "hang": return ["{ expect-none: { event: controller-failed }, for: 60 s }"]
    case "life": return ["{ wait: 60 s }", "{ connect: any, phone: visitor }", "{ discover: any, phone: visitor }"]
    case "rule": return ["{ wait: 60 s }", "{ never: { event: rule-failed, place: \(subject) } }"]
    case "state":
      return [
        "{ expect: { event: state, state: \(subject) } }", "{ expect: { event: state }, within: 1 h }",
      ]
    case "control-point":
      guard let point = profile.behaviors.first(where: { $0.id == finding.subject })?.controlPoint,
        profile.behaviors.indices.contains(point.answer.position)
      else { return nil }
      let id = ProfileValue.string(profile.behaviors[point.answer.position].id).jsonText
      return ["{ notified: \(id), within: 30 s, phone: phone-0 }"]
    case "readable":
      // The plan's reads come before this one.
      return ["{ read: \(subject), phone: phone-0 }"]
    default: return nil
    }
  }
}

/// Translates acts to the steps of scenarios.
private struct ScenarioWords {
  /// The ids of the characteristics by their numbers in acts; nil for those of the host itself.
  private let ids: [String?]
  /// The ids of the characteristics that allow subscriptions, by their numbers in acts.
  private let configurable: [String?]
  private let buttons: [String]
  private let profile: Profile

  init?(_ profile: Profile) {
    let known = Set(profile.behaviors.map(\.id))
    guard let host = WriteDrawing.host(of: profile) else { return nil }
    let database = host.server.database
    (self.profile, buttons) = (profile, host.application.buttons)
    func id(_ index: CharacteristicIndex) -> String? {
      let id = database[index].definition.id
      return known.contains(id) ? id : nil
    }
    ids = database.characteristics.map { id($0.index) }
    configurable = database.attributes.compactMap { attribute in
      if case .clientConfiguration(let index) = attribute.role { .some(id(index)) } else { nil }
    }
  }

  /// Returns the steps for a central's act, which may fail; nil if no step can express the act.
  func steps(_ act: CentralAct, phone: String) -> [String]? {
    func step(_ words: String?) -> [String]? { words.map { ["{ \($0), phone: \(phone) }"] } }
    func named(_ verb: String, _ id: String?, _ rest: String = "") -> [String]? {
      step(id.map { "\(verb): \(ProfileValue.string($0).jsonText)\(rest), fails: maybe" })
    }
    let value = { (octets: [UInt8]) in ", value: hex:\(octets.hexadecimal)" }
    switch act {
    case .connect: return step("connect: any")
    case .disconnect: return step("disconnect: any")
    case .exchangeMTU: return step("exchange-mtu: any, fails: maybe")
    case .discover: return step("discover: any, fails: maybe")
    case .read(let number): return named("read", ids.cycled(number) ?? nil)
    case .write(let number, let octets): return named("write", ids.cycled(number) ?? nil, value(octets))
    case .writeCommand(let number, let octets):
      return named("write", ids.cycled(number) ?? nil, value(octets) + ", without-response: true")
    case .subscribe(let number, let toIndications):
      return named("subscribe", configurable.cycled(number) ?? nil, toIndications ? ", indications: true" : "")
    case .unsubscribe(let number): return named("unsubscribe", configurable.cycled(number) ?? nil)
    case .pair, .pairAnew:
      let passkey = profile.security.pairing.fixedPasskey.map { ", passkey: \($0)" } ?? ""
      return step("pair: any\(act == .pairAnew ? ", anew: true" : "")\(passkey), fails: maybe")
    case .forgetBonds: return step("forget: any")
    case .open(let number): return named("open", profile.channels.cycled(number)?.id)
    default: return nil
    }
  }

  /// Returns the steps for an act of the owner or a change of the air; nil if no step can express it.
  func steps(_ act: OwnerAct) -> [String]? {
    func named(_ verb: String, _ id: String?) -> [String]? {
      id.map { ["{ \(verb): \(ProfileValue.string($0).jsonText) }"] }
    }
    switch act {
    case .set(let number, let octets):
      return (ids.cycled(number) ?? nil).map {
        ["{ set: { \(ProfileValue.string($0).jsonText): hex:\(octets.hexadecimal) } }"]
      }
    case .disconnect: return ["drop"]
    case .press(let number): return named("press", buttons.cycled(number))
    case .arm(let fault): return ["{ fault: \(fault.hasPrefix("{") ? fault : "{ \(fault) }") }"]
    case .disarm: return ["{ disarm: all }"]
    case .lose(let percent): return ["{ air: { loss: \(percent)% } }"]
    case .silence(let time):
      return ["{ air: unreachable }", "{ wait: \(time.inNanoseconds / 1_000_000) ms }", "{ air: good }"]
    default: return nil
    }
  }
}
