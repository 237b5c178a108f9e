import AccessoryProfile
import BLECore
import Scenarios
import Testing
import Understudy

/// Steps that pair need the passkey: from the step, or from the accessory's display.
@Suite("Steps that pair") struct PairingStepTests {
  private func result(_ security: String, _ steps: String) async throws -> CaseResult {
    let text = """
      understudy-scenario: 1
      name: Test
      accessory:
        security: { \(security) }
        services:
          - uuid: FFF0
            characteristics:
              - { id: level, uuid: FFF1, properties: [read], format: u8, value: 7, permissions: { read: authenticated } }
      prepare: [ connect ]
      cases: [ { name: pairs, steps: [ \(steps) ] } ]
      """
    return try #require(await ScenarioRun([try Scenario.load(text: text)]).run(jobs: 1) { _, _ in }.first)
  }

  private static let untold =
    "this step cannot be done: the accessory displays a passkey; write `passkey: displayed` or its digits"

  @Test(
    "A central enters the passkey that the accessory displays, or the digits of the step",
    arguments: [
      ("pairing: display", "{ pair: any, passkey: displayed }, { read: level, gives: 7 }", String?.none),
      (
        "pairing: display, secure-connections: none", "{ pair: any, passkey: displayed }, { read: level, gives: 7 }",
        nil
      ),
      ("pairing: display, passkey: 12345", "{ pair: any, passkey: displayed }, { read: level, gives: 7 }", nil),
      ("pairing: display, passkey: 12345", "{ pair: any, passkey: 12345 }, { read: level, gives: 7 }", nil),
      (
        "pairing: display",
        "{ repeat: 3, steps: [ { pair: any, anew: true, passkey: displayed }, disconnect, connect, pair ] }", nil
      ),
      ("pairing: compare", "pair, { read: level, gives: 7 }", nil),
      ("pairing: display", "pair", untold),
      ("pairing: display", "{ pair: any, fails: timeout }", nil),
      ("pairing: display, faults: [ wrong-passkey ]", "{ pair: any, passkey: displayed, fails: true }", nil),
      (
        "pairing: none", "{ pair: any, passkey: displayed }",
        "pairing failed, as the accessory reported: Pairing Not Supported (0x05)"
      ),
    ])
  func passkeys(security: String, steps: String, reason: String?) async throws {
    let result = try await result(security, steps)
    #expect(result.failure?.reason == reason, "\(result.transcript.joined(separator: "\n"))")
    if reason != nil { #expect(result.duration < .seconds(5)) }
  }

  @Test(
    "An action takes any, and its other keys stand beside it",
    arguments: [
      (
        "{ pair: { passkey: displayed, foo: 1 } }",
        "expected any, not a mapping: other keys stand beside 'pair', as in { pair: any, passkey: … } (known: anew, "
      ),
      ("{ discover: [ level ] }", "expected any, not a list: other keys stand beside 'discover'"),
      ("{ connect: [ 1 ] }", "expected any or a mapping such as { interval: 50 ms }, not a list"),
      ("{ notified: level, gives: 7 }", "'notified' takes no 'gives', did you mean 'value'? (known: for, "),
      ("{ write: level, value: 7, gives: 7 }", "'write' takes no 'gives' (known: fails, "),
      ("{ pair: any, passkey: shown }", "unknown word 'shown' (known: displayed)"),
      ("{ pair: any, passkey: 1000000 }", "1000000 is not within 0...999999"),
      ("{ pair: any, passkeys: 1 }", "unknown key 'passkeys', did you mean 'passkey'? (known: pair, "),
    ])
  func mistakes(step: String, message: String) async throws {
    let error = await #expect(throws: ProfileError.self) { try await result("pairing: display", step) }
    #expect(error.map { "\($0)".contains(message) } == true, "\(error.map { "\($0)" } ?? "")")
  }
}
