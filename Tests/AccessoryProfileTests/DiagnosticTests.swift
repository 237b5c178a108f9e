import AccessoryProfile
import Testing

@Suite("Diagnostics")
struct DiagnosticTests {
  static let head = "understudy: 1\nname: Test\n"
  private static let bonding = head + "security: { pairing: just-works }\n"

  /// Returns a service with one characteristic whose further keys begin in line 8, column 9.
  static func characteristic(_ lines: String, uuid: String = "FFF1", properties: String = "[read]") -> String {
    head + "services:\n  - uuid: FFF0\n    characteristics:\n      - uuid: \(uuid)\n        properties: \(properties)\n"
      + lines.split(separator: "\n").map { "        \($0)\n" }.joined()
  }

  private static func set(_ lines: String) -> String {
    head + "advertising:\n  - id: main\n" + lines.split(separator: "\n").map { "    \($0)\n" }.joined()
  }

  static let mistakes: [Mistake] = [
    // The file.
    Mistake("empty file", "", ("1:1: error", "the file is empty")),
    Mistake("a list", "- a\n", ("1:1: error", "a mapping with understudy, name")),
    Mistake("no name", "understudy: 1\n", ("1:1: error", "the key 'name' is missing")),
    Mistake("another version", "understudy: 2\nname: a\n", ("1:13: error", "supports version 1")),
    Mistake(
      "unknown key", head + "servces: []\n",
      ("3:1: error", "unknown key 'servces', did you mean 'services'? (known: understudy,")),
    Mistake("swapped letters", head + "abuot: x\n", ("3:1: error", "did you mean 'about'?")),
    Mistake("nothing near", head + "zebra: x\n", ("3:1: error", "unknown key 'zebra' (known: understudy,")),
    Mistake(
      "same key twice", head + "about: a\nname: b\n",
      ("4:1: error", "the key 'name' is a duplicate; it is already in line 2")),
    Mistake(
      "same keys twice in two mappings",
      head + "identity: { address: static, address: public }\nconnection: { mtu: 23, phy: 1M, mtu: 40 }\n",
      ("3:30: error", "'address' is a duplicate"), ("4:33: error", "'mtu' is a duplicate")),
    Mistake(
      "long name", "understudy: 1\nname: " + String(repeating: "x", count: 249),
      ("2:7: error", "the name has 249 octets")),
    Mistake("list for text", "understudy: 1\nname: [a]\n", ("2:7: error", "expected text, not a list")),
    Mistake("nothing for text", "understudy: 1\nname:\n", ("2:6: error", "expected text, not nothing")),
    // YAML.
    Mistake("open list", "understudy: 1\nname: [\n", ("3:1: error", "this is not valid YAML")),
    Mistake("tab", "understudy: 1\n\tname: x\n", ("2:1: error", "this is not valid YAML")),
    Mistake("unknown alias", "understudy: 1\nname: *x\n", ("2:7: error", "undefined alias")),
    Mistake("control character", "understudy: 1\nname: a\u{1}b\n", ("2:8: error", "this is not valid YAML")),
    // Identity and connection.
    Mistake(
      "no static address", head + "identity: { address: 00:12:34:56:78:9A }\n",
      ("3:22: error", "not a random static address")),
    Mistake("no address", head + "identity: { address: C4:12 }\n", ("3:22: error", "expected an address")),
    Mistake("rotation", head + "identity: { rotation: 1 min }\n", ("3:13: error", "only private addresses")),
    Mistake("maker", head + "identity: { privacy: auto }\n", ("3:13: error", "this needs private addresses")),
    Mistake(
      "long rotation", head + "identity: { address: private, rotation: 2 h, privacy: controller }\n",
      ("3:55: error", "an hour at most")),
    Mistake(
      "call without bonds", head + "advertising: [ { id: a, kind: directed } ]\n",
      ("3:14: warning", "none can pair"), ("3:25: error", "the accessory does not bond")),
    Mistake(
      "call with data", bonding + "advertising: [ { id: a, kind: directed, data: { flags: [general] } }, { id: b } ]\n",
      ("4:41: error", "carries no data")),
    Mistake(
      "call at intervals", bonding + "advertising: [ { id: a, kind: directed, interval: 20 ms }, { id: b } ]\n",
      ("4:41: error", "use 'duty: low' for intervals")),
    Mistake(
      "call by a legacy set", bonding + "advertising: [ { id: a, to: bonded, interval: 20 ms }, { id: b } ]\n",
      ("4:25: error", "use 'kind: directed' to call one central")),
    Mistake(
      "call of nobody", bonding + "advertising: [ { id: a, kind: directed, to: me }, { id: b } ]\n",
      ("4:45: error", "expected a bonded central, not 'me'")),
    Mistake(
      "duty", bonding + "advertising: [ { id: a, duty: low } ]\n",
      ("4:25: error", "only directed sets have a duty cycle")),
    Mistake(
      "filter without bonds", head + "advertising: [ { id: a, accept: bonded }, { id: b } ]\n",
      ("3:25: error", "the accessory does not bond")),
    Mistake(
      "filter of nobody",
      bonding + "advertising: [ { id: a, connectable: false, accept: bonded, scannable: false }, { id: b } ]\n",
      ("4:45: error", "'accept' has no effect")),
    Mistake(
      "connectable and not to be recognized", head + "advertising: [ { id: a, address: non-resolvable } ]\n",
      ("3:34: error", "cannot be connectable")),
    Mistake(
      "no appearance", head + "identity: { appearance: heart-rate-bell }\n",
      ("3:25: error", "did you mean 'heart-rate-belt'?")),
    Mistake(
      "octal", head + "connection: { mtu: 0517 }\n",
      ("3:20: error", "expected a whole number within 23...517, not '0517'")),
    Mistake("sexagesimal", head + "connection: { mtu: 1:30 }\n", ("3:20: error", "a whole number")),
    Mistake("large MTU", head + "connection: { mtu: 518 }\n", ("3:20: error", "518 is not within 23...517")),
    Mistake("number in quotes", head + "connection: { mtu: \"23\" }\n", ("3:20: error", "not the text \"23\"")),
    Mistake(
      "no unit", head + "connection: { request: { interval: 15, timeout: 6 s } }\n",
      ("3:36: error", "expected a duration such as '20 ms' (units: us, ms, s, min, h, d)")),
    Mistake(
      "short timeout", head + "connection: { request: { interval: 1 s, latency: 2, timeout: 6 s } }\n",
      ("3:62: error", "which is 6 s")),
    Mistake(
      "odd interval", head + "connection: { request: { interval: 16 ms, timeout: 6 s } }\n",
      ("3:36: warning", "16.25 ms is used")),
    Mistake(
      "turned range", head + "connection: { request: { interval: [30 ms, 15 ms], timeout: 6 s } }\n",
      ("3:36: error", "the shortest and the longest")),
    Mistake(
      "unknown PHY", head + "connection: { phy: 3M }\n", ("3:20: error", "unknown word '3M', did you mean '1M'?")),
    // Security.
    Mistake(
      "pairing", head + "security: { pairing: telepathy, bonding: true }\n", ("3:22: error", "unknown word 'telepathy'")
    ),
    Mistake(
      "no pairing", head + "security: { passkey: 123456, bonding: false, request: never }\n",
      ("3:13: error", "'passkey' needs a 'pairing' other than none"), ("3:46: error", "'request' needs a 'pairing'")),
    Mistake(
      "security of just-works", head + "security: { pairing: just-works, passkey: 1, mitm: true }\n",
      ("3:34: warning", "neither displays nor enters"), ("3:52: warning", "cannot protect against a man in the middle")),
    Mistake(
      "key sizes", head + "security: { pairing: display, key-size: { minimum: 12, maximum: 8 }, passkey: 1000000 }\n",
      ("3:52: error", "greater than the maximum, 8 octets"), ("3:79: error", "not within 0...999999")),
    Mistake(
      "out of band", head + "security: { pairing: display, oob: { confirm: hex:00 }, keys: { wanted: [ltk] } }\n",
      ("3:36: error", "'confirm' and 'random' belong together"), ("3:47: error", "expected 16 octets, not 1"),
      ("3:74: error", "unknown word 'ltk'")),
    Mistake("nothing out of band", head + "security: { pairing: display, oob: {} }\n", ("3:36: error", "is missing")),
    Mistake(
      "faults",
      head + "security: { pairing: display, faults: [ { at: pairing-confirm }, { at: x, do: corrupt }, lies ] }\n",
      ("3:41: error", "either 'fail' or 'do'"), ("3:72: error", "unknown word 'x'"),
      ("3:90: error", "unknown word 'lies'")),
    Mistake(
      "answers", head + "security: { pairing: display, answers: { passkey: accept, comparison: maybe } }\n",
      ("3:51: error", "within 0...999999"), ("3:71: error", "unknown word 'maybe'")),
    Mistake(
      "key without encryption", characteristic("value: hex:00\npermissions: { read: none, key-size: 16 }"),
      ("9:36: error", "a key size needs 'encrypted'")),
    Mistake(
      "never authenticated",
      "understudy: 1\nname: x\nadvertising: []\nsecurity: { pairing: just-works, key-size: { maximum: 10 } }\n"
        + "l2cap: [ { id: a, security: authenticated, key-size: 16, handler: echo } ]\n",
      ("5:29: warning", "pairing with this accessory is never 'authenticated'"),
      ("5:54: warning", "no key of 16 octets")),
    // Parts that do not exist yet.
    Mistake(
      "gatt", head + "gatt: { service-changed: perhaps, order: random, opens-eatt: true }\n",
      ("3:26: error", "unknown word 'perhaps'"), ("3:42: error", "unknown word 'random'"),
      ("3:50: error", "Enhanced ATT bearers")),
    Mistake(
      "encrypted", characteristic("value: hex:00\npermissions: { read: encrypted }"),
      ("9:30: warning", "this accessory does not pair")),
    // Advertising.
    Mistake("no id", head + "advertising: [ { kind: legacy } ]\n", ("3:16: error", "the key 'id' is missing")),
    Mistake(
      "set twice", head + "advertising: [ { id: a }, { id: a } ]\n",
      ("3:33: error", "the id 'a' is already taken in line 3")),
    Mistake("scannable extended", set("kind: extended\nscannable: true"), ("6:16: error", "never scannable")),
    Mistake("unscannable legacy", set("scannable: false"), ("5:16: error", "always scannable")),
    Mistake(
      "data of a scannable extended set",
      set("kind: extended\nconnectable: false\nscannable: true\ndata: { name: complete }"),
      ("8:11: error", "in the scan response only")),
    Mistake(
      "scan response of an unscannable set", set("kind: extended\nscan-response: { name: complete }"),
      ("6:5: error", "only scannable sets")),
    Mistake("secondary PHY of a legacy set", set("secondary-phy: 2M"), ("5:20: error", "only extended sets")),
    Mistake(
      "32 octets", set("data: { raw: hex:1effffff000102030405060708090a0b0c0d0e0f101112131415161718191a1b }"),
      ("5:18: error", "the length at octet")),
    Mistake(
      "too long", set("data: { flags: [general], name: { complete: 12345678901234567890123456789 } }"),
      ("5:11: error", "the data takes 34 octets where 31 fit (Flags 3, Complete Local Name 31); move something")),
    Mistake(
      "long for Apple",
      set(
        "kind: extended\ndata: { manufacturer-data: { company: 0xFFFF, data: hex:\(String(repeating: "00", count: 121)) } }"
      ), ("6:11: warning", "the data has 125 octets; Apple devices accept up to 124")),
    Mistake(
      "connectable extended data that needs a chain",
      set(
        "kind: extended\ndata: { manufacturer-data: { company: 0xFFFF, data: hex:\(String(repeating: "00", count: 242)) } }"
      ),
      (
        "6:11: error",
        "the data takes 246 octets where 245 fit (Manufacturer Specific Data 246); the data of a connectable extended set must fit into "
          + "one packet: shorten it, or move something to another set with `connectable: false`"
      )),
    Mistake(
      "long structure",
      set(
        "kind: extended\ndata: { manufacturer-data: { company: 0xFFFF, data: hex:\(String(repeating: "00", count: 253)) } }"
      ), ("6:11: error", "Manufacturer Specific Data takes 256 octets, and a structure holds 255")),
    Mistake(
      "gap in schedule", set("schedule: [ { interval: 20 ms }, { interval: 152.5 ms } ]"),
      ("5:17: error", "only the last phase may be unlimited")),
    Mistake("empty schedule", set("schedule: []"), ("5:15: error", "at least one phase")),
    Mistake("short interval", set("interval: 10 ms"), ("5:15: error", "10 ms is not within 20 ms to 10240 ms")),
    Mistake(
      "interval between", set("interval: 100 ms"),
      ("5:15: warning", "Apple devices find an accessory soonest at one of 20 ms, 152.5 ms")),
    Mistake(
      "interval and schedule", set("interval: 20 ms\nschedule: [ { interval: 20 ms } ]"),
      ("6:5: error", "cannot be combined")),
    Mistake("general and limited", set("data: { flags: [general, limited] }"), ("5:20: error", "cannot be combined")),
    Mistake(
      "unknown company", set("data: { manufacturer-data: { company: aple, data: hex:00 } }"),
      ("5:43: error", "did you mean 'apple'?")),
    Mistake(
      "service not advertised",
      head + "services: [ { uuid: FFF0 } ]\nadvertising: [ { id: a, data: { name: complete } } ]\n",
      ("4:31: warning", "contains no service of the accessory")),
    Mistake(
      "service in the scan response",
      head
        + "services: [ { uuid: FFF0 } ]\nadvertising: [ { id: a, data: { name: complete }, scan-response: { services: [FFF0] } } ]\n",
      ("4:31: warning", "only in the scan response")),
    Mistake(
      "foreign service",
      head + "services: [ { uuid: FFF0 } ]\nadvertising: [ { id: a, data: { services: [FFF0, battery] } } ]\n",
      ("4:31: warning", "contains the service battery, which the accessory does not have")),
  ]

  @Test(arguments: mistakes + attributeMistakes)
  func isReportedAtItsPlace(_ mistake: Mistake) {
    let found = diagnose(mistake.text)
    #expect(found.count == mistake.expected.count, "\(found)")
    for (diagnostic, expected) in zip(found, mistake.expected) {
      #expect(diagnostic.hasPrefix(expected.place + ": "), "\(diagnostic)")
      #expect(diagnostic.contains(expected.message), "\(diagnostic)")
    }
  }

  @Test func showsTheLineAndACaret() throws {
    let error = try #require(throws: ProfileError.self) {
      try Profile.load(text: "understudy: 1\nname: x\nconnection: { mtu: 5 }\n", file: "belt.yaml")
    }
    #expect(
      error.description == """
        belt.yaml:3:20: error: 5 is not within 23...517
        connection: { mtu: 5 }
                           ^
        """)
  }

  @Test func placesCountScalarsAndKeepTabs() throws {
    let error = try #require(throws: ProfileError.self) {
      try Profile.load(text: "understudy: 1\nname: x\nabout: \"é\u{1F44D}\"\nidentity: {\taddress: \"é\" }\n")
    }
    let last = try #require(error.diagnostics.last)
    #expect(last.line == 4 && last.column == 22)
    #expect(last.description.hasSuffix("\n\(String(repeating: " ", count: 11))\t\(String(repeating: " ", count: 9))^"))
  }

  @Test func filesThatCannotBeRead() throws {
    let error = try #require(throws: ProfileError.self) { try Profile.load(contentsOf: "/no/such/file.yaml") }
    #expect(error.description == "/no/such/file.yaml:1:1: error: cannot be read: No such file or directory")
  }
}
