import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import Testing

@Suite("The Record Access Control Point")
struct RecordAccessTests {
  private func meter() throws -> ProfileRuntime {
    let path = try #require(ShippedProfiles.path(named: "glucose"))
    var runtime = ProfileRuntime(profile: try Profile.load(contentsOf: path))
    runtime.configure("control-point", .indication)
    runtime.configure("measurement", .notification)
    return runtime
  }

  /// Performs a command, and returns the sequence numbers of the records and the response.
  private func perform(
    _ command: String, _ runtime: inout ProfileRuntime
  ) throws -> (records: [UInt8], response: String?) {
    #expect(runtime.command(command, "control-point").error == nil)
    var messages: [ClientMessage] = []
    while let message = runtime.nextMessage(for: 1, limit: 20, at: .zero) { messages.append(message) }
    runtime.confirmed(try #require(runtime.index(of: "control-point")), by: 1, at: .zero)
    let last = messages.popLast()
    let response = try #require(last)
    #expect(response.isIndication && messages.allSatisfy { !$0.isIndication && $0.value.count == 17 })
    return (messages.map { $0.value[1] }, response.value.hexadecimal)
  }

  @Test(
    "Operators select records, for reports and counts",
    arguments: [
      ("01", [1, 2, 3, 4, 5]), ("02010300", [1, 2, 3]), ("03010300", [3, 4, 5]), ("040102000400", [2, 3, 4]),
      ("040103000300", [3]), ("05", [1]), ("06", [5]), ("0301ffff", []), ("02010000", []),
    ] as [(String, [UInt8])])
  func operators(_ selection: String, _ expected: [UInt8]) throws {
    var runtime = try meter()
    let reported = try perform("01" + selection, &runtime)
    #expect(reported.records == expected && reported.response == (expected.isEmpty ? "06000106" : "06000101"))
    let counted = try perform("04" + selection, &runtime)
    #expect(counted.records.isEmpty && counted.response == "05000\(expected.count)00")
  }

  @Test("Deleted records are gone", arguments: [("01", 0), ("02010200", 3), ("040102000400", 2), ("06", 4)])
  func delete(_ selection: String, _ left: Int) throws {
    var runtime = try meter()
    #expect(try perform("02" + selection, &runtime).response == "06000201")
    #expect(try perform("0401", &runtime).response == "05000\(left)00")
    if left == 0 { #expect(try perform("02" + selection, &runtime).response == "06000206") }
  }

  @Test(
    "Errors in a command",
    arguments: [
      ("01", "06000103"), ("0100", "06000103"), ("0107", "06000104"), ("01ff", "06000104"), ("010101", "06000105"),
      ("0105010100", "06000105"), ("0102", "06000105"), ("010201", "06000105"), ("01020100", "06000105"),
      ("0102010000ff", "06000105"), ("0104010400", "06000105"), ("01040104000200", "06000105"),
      ("0103020100", "06000109"),
      ("0300", "06000301"), ("0301", "06000303"), ("030000", "06000305"), ("03", "06000305"), ("0501", "06000502"),
      ("", "06000005"),
    ])
  func faults(_ command: String, _ response: String) throws {
    var runtime = try meter()
    let answer = try perform(command, &runtime)
    #expect(answer.records.isEmpty && answer.response == response)
  }

  @Test("An abort cancels what has not been sent yet, and is the only command allowed meanwhile")
  func abort() throws {
    var runtime = try meter()
    #expect(runtime.command("0101", "control-point") == .accepted)
    #expect(runtime.nextMessage(for: 1, limit: 20, at: .zero)?.value[1] == 1)
    #expect(runtime.command("0101", "control-point").error?.rawValue == 0x80)
    #expect(runtime.command("0300", "control-point") == .accepted)
    #expect(runtime.messages() == ["06000301"] && !runtime.hasMessages)
    runtime.confirmed(try #require(runtime.index(of: "control-point")), by: 1, at: .zero)
    #expect(try perform("0105", &runtime).records == [1])
  }

  @Test("An abort does not affect other clients")
  func otherClients() throws {
    var runtime = try meter()
    runtime.configure("control-point", .indication, client: 2)
    runtime.configure("measurement", .notification, client: 2)
    #expect(runtime.command("0101", "control-point") == .accepted)
    #expect(runtime.command("0101", "control-point", client: 2) == .accepted)
    #expect(runtime.command("0300", "control-point") == .accepted)
    #expect(runtime.messages().count == 1 && runtime.messages(client: 2).count == 6)
  }

  @Test("A client that is not subscribed to the records, or the responses, gets an error")
  func unsubscribed() throws {
    var runtime = try meter()
    runtime.configure("measurement", [])
    #expect(runtime.command("0101", "control-point").error?.rawValue == 0x81)
    #expect(try perform("0401", &runtime).response == "05000500")
    runtime.configure("control-point", [])
    #expect(runtime.command("0401", "control-point").error?.rawValue == 0x81)
  }

  @Test("Records are added over time")
  func timeline() throws {
    var runtime = try meter()
    _ = runtime.run(until: .ms(300_000))
    #expect(try perform("0106", &runtime).records == [7])
    #expect(try perform("0401", &runtime).response == "05000700")
  }

  // MARK: Mistakes

  /// Returns the diagnostics for one command, whose keys begin in line 15, column 15.
  private func report(_ lines: String) -> [String] {
    diagnose(
      """
      understudy: 1
      name: Test
      advertising: []
      tables: [ { id: rows, columns: { key: u8, name: utf8 } } ]
      services:
        - uuid: FFF0
          characteristics:
            - id: point
              uuid: FFF1
              properties: [write, notify]
              control-point:
                unknown: { error: 0xA0 }
                malformed: { error: 0xA1 }
                commands:
                  - opcode: 1

      """ + lines.split(separator: "\n").map { "              \($0)\n" }.joined())
  }

  @Test(
    "Mistakes",
    arguments: [
      ("parameters: { a: { records: row } }", "16:43: error: there is no table 'row', did you mean 'rows'?"),
      (
        "parameters: { a: { records: rows, filters: [1] } }", "16:58: error: expected a mapping from numbers to columns"
      ),
      ("parameters: { a: { records: rows, filters: { 256: key } } }", "16:60: error: 256 is not within 0...255"),
      ("parameters: { a: { records: rows, filters: { 1: kay } } }", "16:63: error: 'rows' has no column 'kay'"),
      (
        "parameters: { a: { records: rows, filters: { 1: name } } }",
        "16:63: error: 'name' does not contain whole numbers"
      ),
      ("parameters: { a: { records: rows, malformed: { result: 1 } } }", "16:49: error: unknown key 'malformed'"),
      ("parameters: { a: { records: rows }, b: u8 }", "16:32: error: only the last parameter"),
      ("parameters: { a: u8 }\nrequire: [ { found: a } ]", "17:35: error: 'a' does not select records"),
      ("parameters: { a: u8 }\nrequire: [ { found: b } ]", "17:35: error: there is no parameter 'b'"),
      ("require: [ { subscribed: pont } ]", "16:40: error: there is no characteristic 'pont'"),
      ("parameters: { a: u8 }\ndo: { clear: a }", "17:28: error: there is no table 'a'"),
      ("while-busy: 1", "16:27: error: expected true or false"), ("do: stopp", "16:19: error: unknown word 'stopp'"),
    ])
  func mistakes(_ lines: String, _ expected: String) {
    let found = report(lines)
    #expect(found.count == 1 && found[0].hasPrefix(expected), "\(found)")
  }

  @Test("Outcomes that are not given default to `malformed`")
  func defaults() throws {
    var runtime = ProfileRuntime(
      profile: try profile(
        """
        tables: [ { id: rows, columns: { key: u8 }, rows: [ { key: 3 } ] } ]
        services:
          - uuid: FFF0
            characteristics:
              - id: point
                uuid: FFF1
                properties: [write, notify]
                control-point:
                  unknown: { error: 0xA0 }
                  malformed: { error: 0xA1 }
                  commands: [ { opcode: 1, parameters: { which: { records: rows } }, response: [which, { count: which }] } ]
        """))
    runtime.configure("point", .notification)
    for command in ["01", "0100", "0107", "010201", "0101ff"] {
      #expect(runtime.command(command, "point").error?.rawValue == 0xA1)
    }
    #expect(runtime.command("0106", "point") == .accepted)
    #expect(runtime.messages() == ["060100"])
  }
}
