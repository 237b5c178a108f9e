import BLECore
import BLEGATT
import Testing

@testable import AccessoryProfile

@Suite("Client steps in profiles")
struct ClientStepLoadingTests {
  private static func profile(_ client: String) -> String {
    """
    understudy: 1
    name: Test
    services:
      - uuid: FFF0
        characteristics:
          - { id: copy, uuid: FFF1, properties: [read, notify], format: u8, value: 0 }
          - { id: plain, uuid: FFF2, properties: [read], value: hex:00 }
    client:
    \(client.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))
    """
  }

  private static func steps(_ client: String) throws -> [ClientStep] {
    try Profile.load(text: profile(client)).clientSteps
  }

  @Test func stepsHaveDefaults() throws {
    let steps = try Self.steps("- { read: current-time }")
    #expect(steps == [ClientStep(.read(BluetoothUUID(0x2A2B)), name: "read current-time")])
    #expect(steps.first?.trigger == .connected && steps.first?.retries == 0)
  }

  @Test func everythingCanBeSaid() throws {
    let steps = try Self.steps(
      """
      - { discover: all, after: 250 ms }
      - { when: connected, read: battery-level, service: battery, do: [log, { copy: copy, notify: copy }] }
      - { when: { subscribed: copy }, subscribe: 2A19, retry: { times: 3, every: 5 s } }
      - { write: alert-level, value: high }
      - { write: FFE1, value: hex:0102, do: { set: { copy: 9 } } }
      - { when: { received: battery-level }, if: written > 3, write: FFE1, value: { compute: u8(written) } }
      - { when: { button: find }, write: alert-level, value: high }
      """)
    try #require(steps.count == 7)
    #expect(steps[0].action == .discover && steps[0].delay == .milliseconds(250) && steps[0].name == "discover all")
    #expect(steps[1].service == BluetoothUUID(0x180F))
    let (copy, level) = (CharacteristicIndex(0), BluetoothUUID(0x2A19))
    #expect(steps[1].action == .read(level) && steps[1].effects == [.log, .copy(copy), .notify(copy)])
    #expect(steps[2].action == .subscribe(level) && steps[2].trigger == .subscribed(copy))
    #expect(steps[2].retries == 3 && steps[2].retryInterval == .seconds(5))
    #expect(steps[3].action == .write(BluetoothUUID(0x2A06), [2]))
    #expect(steps[5].trigger == .received(level) && steps[5].condition?.text == "written > 3")
    #expect(steps[6].trigger == .button("find") && steps[6].condition == nil)
    #expect(steps[4].action == .write(BluetoothUUID(0xFFE1), [1, 2]) && steps[4].effects == [.set(copy, .int(9))])
  }

  @Test(arguments: [
    ("- { after: 1 s }", "9:5: error: a step needs one of discover, read, subscribe, write"),
    ("- { read: 2A19, write: 2A19, value: 1 }", "9:19: error: a step has only one action"),
    (
      "- { when: { button: a, received: 2A19 }, read: 2A19 }",
      "9:13: error: expected exactly one trigger (known: subscribed, received, button)"
    ),
    ("- { when: { button: a b }, read: 2A19 }", "9:23: error: the name of a button consists of"),
    (
      "- { when: { button: a }, write: FFE1, value: { compute: written } }",
      "9:59: error: 'written' cannot be used here"
    ),
    ("- { read: baterry-level }", "9:13: error: 'baterry-level' is neither a UUID nor the name"),
    ("- { read: 2A19, value: 1 }", "9:19: error: 'value' is for 'write'"),
    ("- { write: 2A19 }", "9:14: error: 'write' needs a 'value'"),
    ("- { write: 2A19, value: 300 }", "9:27: error: "),
    ("- { read: 2A19, do: { copy: cpoy } }", "9:31: error: there is no characteristic 'cpoy'"),
    ("- { read: 2A19, do: { error: 0x80 } }", "9:25: error: unknown key 'error'"),
    ("- { read: 2A19, do: { notify: plain } }", "9:33: error: its properties lack 'notify'"),
    ("- { when: { subscribed: plain }, read: 2A19 }", "9:27: error: it cannot be subscribed to"),
    ("- { when: later, read: 2A19 }", "9:13: error: unknown word 'later'"),
    ("- { discover: all, do: log }", "9:22: error: 'do' needs a characteristic, but 'discover' finds all"),
    ("- { discover: some }", "9:17: error: unknown word 'some'"),
    ("- { read: 2A19, retry: { times: 0, every: 1 s } }", "9:35: error: 0 is not within 1...1000"),
    ("- { read: 2A19, retry: { times: 2 } }", "9:26: error: the key 'every' is missing"),
    ("- { read: 2A19, after: 2 h }", "9:26: error: 2 h is not within"),
    ("- { reed: 2A19 }", "9:7: error: unknown key 'reed'"),
  ])
  func mistakesAreFoundAtTheirPlaces(_ client: String, _ message: String) throws {
    let error = try #require(throws: ProfileError.self) { try Self.steps(client) }
    let texts = error.diagnostics.map { "\($0.line):\($0.column): \($0.severity): \($0.message)" }
    #expect(texts.contains { $0.hasPrefix(message) }, "\(texts)")
  }
}
