import AccessoryProfile
import Testing

/// A text, and the diagnostics expected for it: position and severity, and a part of the message.
struct Mistake: Sendable, CustomTestStringConvertible {
  var title: String
  var text: String
  var expected: [(place: String, message: String)]

  var testDescription: String { title }

  init(_ title: String, _ text: String, _ expected: (place: String, message: String)...) {
    self.title = title
    self.text = text
    self.expected = expected
  }
}

@Suite("Diagnostics")
struct DiagnosticTests {
  private static let head = "understudy: 1\nname: Test\n"
  private static let bonding = head + "security: { pairing: just-works }\n"

  /// Returns a service with one characteristic whose further keys begin in line 8, column 9.
  private static func characteristic(_ lines: String, uuid: String = "FFF1", properties: String = "[read]") -> String {
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
    // Services.
    Mistake("no UUID", head + "services: [ { id: a } ]\n", ("3:13: error", "the key 'uuid' is missing")),
    Mistake("wrong UUID", head + "services: [ { uuid: heart-rat } ]\n", ("3:21: error", "did you mean 'heart-rate'?")),
    Mistake("host's service", head + "services: [ { uuid: 1800 } ]\n", ("3:21: error", "added automatically")),
    Mistake(
      "service twice", head + "services: [ { uuid: FFF0 }, { uuid: FFF0 } ]\n",
      ("3:37: error", "the id 'FFF0' is already taken in line 3; give this one an 'id'")),
    Mistake("odd id", head + "services: [ { uuid: FFF0, id: a b } ]\n", ("3:31: error", "an id consists of letters")),
    Mistake(
      "dangling include", head + "services: [ { uuid: FFF0, id: abc, includes: [abd] } ]\n",
      ("3:47: error", "there is no service 'abd', did you mean 'abc'?")),
    Mistake("services no list", head + "services: battery\n", ("3:11: error", "expected a list, such as [battery]")),
    Mistake(
      "unknown include", head + "services: [ { include: batery } ]\n", ("3:24: error", "did you mean 'battery'?")),
    Mistake(
      "unknown key of an include", head + "services: [ { include: battery, levl: 5 } ]\n",
      ("3:33: error", "did you mean 'level'?")),
    Mistake(
      "wrong value in an include", head + "services:\n  - include: battery\n    level: full\n",
      ("5:12: error", "expected a whole number, not 'full'")),
    Mistake(
      "nothing to omit", head + "services: [ { include: battery, omit: [levle] } ]\n",
      ("3:40: error", "did you mean 'level'?")),
    Mistake(
      "include twice", head + "services:\n  - include: battery\n  - include: battery\n",
      ("5:14: error", "the id 'battery' is already taken in line 4"),
      ("5:14: error", "the id 'battery-level' is already taken in line 4")),
    // Characteristics.
    Mistake(
      "unknown property", characteristic("value: hex:00", properties: "[read, fly]"),
      ("7:28: error", "unknown word 'fly' (known: broadcast, read,")),
    Mistake(
      "property twice", characteristic("value: hex:00", properties: "[read, read]"),
      ("7:28: warning", "is given twice")),
    Mistake(
      "extended without descriptor", characteristic("value: hex:00", properties: "[read, extended]"),
      ("7:21: error", "2900")),
    Mistake("half an octet", characteristic("value: hex:0"), ("8:16: error", "expected octets (hex:0102")),
    Mistake(
      "513 octets", characteristic("value: hex:" + String(repeating: "00", count: 513)),
      ("8:16: error", "the value has 513 octets; the maximum is 512")),
    Mistake(
      "longer than allowed", characteristic("value: hex:0011\nmax-length: 1"),
      ("8:16: error", "the value has 2 octets; the maximum is 1")),
    Mistake(
      "not of the fixed length", characteristic("value: hex:0011\nmax-length: 3\nfixed-length: true"),
      ("10:23: error", "its length must be 3")),
    Mistake(
      "number out of range", characteristic("value: 256\nformat: u8"), ("8:16: error", "256 is not within 0...255")),
    Mistake(
      "octal value", characteristic("value: 017\nformat: u8"), ("8:16: error", "expected a whole number, not '017'")),
    Mistake(
      "unknown format", characteristic("value: 1\nformat: u7"),
      ("9:17: error", "unknown format 'u7', did you mean 'u8'?")),
    Mistake("list of texts", characteristic("format: { list: utf8 }"), ("8:25: error", "need a known length")),
    Mistake(
      "number without format", characteristic("value: { counter: { to: 5 } }"), ("8:16: error", "need a 'format'")),
    Mistake(
      "generator out of range", characteristic("format: u8\nvalue: { ramp: { from: 0, to: 300, over: 1 s } }"),
      ("9:16: error", "300 is not within 0...255")),
    Mistake(
      "unknown generator", characteristic("value: { wav: sine }"), ("8:16: error", "(known: constant, wave, ramp,")),
    Mistake(
      "unknown wave", characteristic("format: u8\nvalue: { wave: sinus, low: 1, high: 2, period: 1 s }"),
      ("9:24: error", "unknown word 'sinus', did you mean 'sine'?")),
    Mistake(
      "missing period", characteristic("format: u8\nvalue: { wave: sine, low: 1, high: 2 }"),
      ("9:16: error", "the key 'period' is missing")),
    Mistake(
      "turned wave", characteristic("format: u8\nvalue: { wave: sine, low: 3, high: 2, period: 1 s }"),
      ("9:35: error", "greater than the largest")),
    Mistake(
      "wrong ramp", characteristic("format: u8\nvalue: { ramp: 1 kJ every 10 s }"),
      ("9:24: error", "a ramp such as '1 kJ per 10 s'")),
    Mistake(
      "counter that cannot arrive", characteristic("format: u8\nvalue: { counter: { from: 5, to: 1, step: 1 } }"),
      ("9:51: error", "does not lead")),
    Mistake(
      "clock without a time", characteristic("format: u8\nvalue: { clock: local }"),
      ("9:25: error", "a clock needs a format")),
    Mistake(
      "short pattern", characteristic("value: { pattern: counter, length: 3 }"),
      ("8:44: error", "3 is not within 4...512")),
    Mistake(
      "unknown field", characteristic("value: { bpm: 60, energie: 5 }", uuid: "heart-rate-measurement"),
      ("8:27: error", "did you mean 'energy'?")),
    Mistake(
      "missing field", characteristic("value: { contact: detected }", uuid: "heart-rate-measurement"),
      ("8:16: error", "'bpm' is missing")),
    Mistake(
      "wrong field", characteristic("value: { bpm: 70000, contact: maybe }", uuid: "heart-rate-measurement"),
      ("8:23: error", "70000 is not within 0...65535"),
      ("8:39: error", "there is no 'maybe' here (known: unsupported, not-detected, detected)")),
    Mistake(
      "unknown location", characteristic("value: chests", uuid: "body-sensor-location"),
      ("8:16: error", "did you mean 'chest'?")),
    Mistake(
      "no such day", characteristic("value: { time: 2023-02-29T00:00:00 }", uuid: "current-time"),
      ("8:24: error", "a time such as")),
    Mistake(
      "no such zone", characteristic("value: { time-zone: +01:10, dst: standard }", uuid: "local-time-information"),
      ("8:29: error", "a time zone such as +01:00")),
    Mistake(
      "notify without property", characteristic("notify: { every: 1 s }"),
      ("8:9: error", "the properties lack 'notify'")),
    Mistake(
      "indication per buffer", characteristic("indicate: { every: buffer }", properties: "[indicate]"),
      ("8:28: error", "'buffer' is for notify only")),
    Mistake(
      "write permission without property", characteristic("permissions: { write: none }"),
      ("8:31: error", "the properties lack 'write'")),
    Mistake(
      "CCCD", characteristic("descriptors: [ { uuid: 2902, value: hex:0000 } ]"),
      ("8:32: error", "added automatically")),
    Mistake(
      "unknown unit", characteristic("presentation-format: { format: u8, unit: percent }"),
      ("8:50: error", "did you mean 'percentage'?")),
    // Rules.
    Mistake(
      "rules without property", characteristic("on-write: [ { when: any, do: log } ]"),
      ("8:9: error", "it cannot be written")),
    Mistake(
      "dangling reset", characteristic("on-write: [ { when: any, do: { reset: nothing } } ]", properties: "[write]"),
      ("8:47: error", "there is no characteristic 'nothing' (known: FFF1)")),
    Mistake(
      "reset of no field",
      characteristic("on-write: [ { when: any, do: { reset: FFF1.bpm } } ]", properties: "[write]"),
      ("8:47: error", "'FFF1' has no field 'bpm'")),
    Mistake(
      "notify of one that cannot",
      characteristic("on-write: [ { when: any, do: { notify: FFF1 } } ]", properties: "[write]"),
      ("8:48: error", "its properties lack 'notify'")),
    Mistake(
      "dangling set",
      characteristic("on-write: [ { when: any, do: { set: { FFF2: hex:00 } } } ]", properties: "[write]"),
      ("8:47: error", "there is no characteristic 'FFF2', did you mean 'FFF1'?")),
    Mistake(
      "otherwise before the end",
      characteristic("on-write: [ { otherwise: log }, { when: any, do: log } ]", properties: "[write]"),
      ("8:34: error", "must be last")),
    Mistake(
      "otherwise and when", characteristic("on-write: [ { otherwise: log, when: any } ]", properties: "[write]"),
      ("8:39: error", "cannot be combined")),
    Mistake(
      "rule without when", characteristic("on-write: [ { do: log } ]", properties: "[write]"),
      ("8:21: error", "needs 'when', 'if' or 'otherwise'")),
    Mistake(
      "rule without do", characteristic("on-write: [ { when: any } ]", properties: "[write]"),
      ("8:21: error", "needs 'do', 'error', 'after' or 'ask'")),
    Mistake(
      "unknown error", characteristic("on-write: [ { when: any, error: value-not-alowed } ]", properties: "[write]"),
      ("8:41: error", "did you mean 'value-not-allowed'?")),
    Mistake("no answer", characteristic("on-read: {}"), ("8:18: error", "'error', 'after' or 'ask'")),
    Mistake(
      "asked and delayed", characteristic("on-read: { ask: true, after: 2 s }"),
      ("8:31: error", "'ask' and 'after'")),
    Mistake(
      "asked and refused", characteristic("on-read: { error: 0x80, ask: true }"),
      ("8:20: error", "'ask' and 'error'")),
    Mistake(
      "within without ask", characteristic("on-read: { after: 1 s, within: 2 s, else: 0x80 }"),
      ("8:32: error", "'within' applies to questions"), ("8:45: error", "'else' applies to questions")),
    Mistake("delay without unit", characteristic("on-read: { after: 2 }"), ("8:27: error", "a duration such as")),
    Mistake("ask without truth", characteristic("on-read: { ask: maybe }"), ("8:25: error", "true or false")),
    Mistake(
      "longer than a client waits", characteristic("on-read: { after: 30 s }"),
      ("8:27: warning", "the ATT transaction timeout of 30 s")),
    Mistake(
      "asked for longer than a client waits",
      characteristic("on-write: [ { when: any, ask: true, within: 1 min } ]", properties: "[write]"),
      ("8:53: warning", "the ATT transaction timeout of 30 s")),
    Mistake(
      "write asked and refused",
      characteristic("on-write: [ { when: any, ask: true, error: 1 } ]", properties: "[write]"),
      ("8:45: error", "'ask' and 'error'")),
    Mistake(
      "otherwise asked and refused",
      characteristic("on-write: [ { otherwise: { error: 1 }, ask: true } ]", properties: "[write]"),
      ("8:48: error", "'ask' and 'error'")),
    Mistake(
      "unknown state", characteristic("authorization: maybe"), ("8:24: error", "unknown word 'maybe' (known: pending,")),
    Mistake(
      "unknown key of an authorization", characteristic("authorization: { state: ask, witin: 2 s }"),
      ("8:38: error", "did you mean 'within'?")),
    Mistake("error 0", characteristic("on-read: { error: 0x00 }"), ("8:27: error", "0x00 is not within 1...255")),
    Mistake(
      "length and first",
      characteristic("on-write: [ { when: { length: 1, first: 2 }, do: log } ]", properties: "[write]"),
      ("8:29: error", "either 'length' or 'first'")),
  ]

  @Test(arguments: mistakes)
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
