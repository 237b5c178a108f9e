import Testing

@Suite("Mistakes in control points")
struct ControlPointMistakeTests {
  private static let head = "understudy: 1\nname: Test\nadvertising: []\n"

  /// Returns a control point with further keys that begin in line 11, column 11.
  private static func controlPoint(_ lines: String, properties: String = "[write, notify]") -> String {
    head + "services:\n  - uuid: FFF0\n    characteristics:\n      - id: point\n        uuid: FFF1\n"
      + "        properties: \(properties)\n        control-point:\n"
      + lines.split(separator: "\n").map { "          \($0)\n" }.joined()
  }

  private static let outcomes = "unknown: { error: 0xA0 }\nmalformed: { error: 0xA1 }\n"

  /// Returns one command with keys that begin in line 14, column 15.
  private static func command(_ lines: String) -> String {
    controlPoint(
      outcomes + "commands:\n  - opcode: 1\n" + lines.split(separator: "\n").map { "    \($0)\n" }.joined())
      + "tables: [ { id: rows, columns: { key: u8, name: utf8 } } ]\n"
  }

  private static func notifications(_ lines: String) -> String {
    head + "notifications:\n" + lines.split(separator: "\n").map { "  \($0)\n" }.joined()
  }

  static let mistakes: [Mistake] = [
    Mistake(
      "nothing of it", controlPoint("busy: { error: 0x80 }"), ("11:11: error", "the key 'unknown' is missing"),
      ("11:11: error", "'malformed' is missing"), ("11:11: error", "'commands' is missing")),
    Mistake(
      "misspelt key", controlPoint(outcomes + "commands: []\nanswers: point"),
      ("14:11: error", "unknown key 'answers', did you mean 'answer'?")),
    Mistake(
      "answer of nothing", controlPoint(outcomes + "commands: []\nanswer: pont"),
      ("14:19: error", "there is no characteristic 'pont', did you mean 'point'?")),
    Mistake(
      "no outcome", controlPoint("unknown: { }\nmalformed: { error: 1, result: 1 }\ncommands: []"),
      ("11:20: error", "either 'error' or 'result'"), ("12:22: error", "either 'error' or 'result'")),
    Mistake(
      "without write", controlPoint(outcomes + "commands: []", properties: "[notify]"),
      ("10:9: error", "commands need the property 'write'")),
    Mistake(
      "nowhere to respond", controlPoint(outcomes + "commands: []\nresponse: [result]", properties: "[write]"),
      ("14:11: error", "the property 'notify' or 'indicate'")),
    Mistake(
      "one opcode twice", controlPoint(outcomes + "commands: [ { opcode: 1 }, { opcode: 0x01 } ]"),
      ("13:48: error", "an earlier command has the opcode 1")),
    Mistake("opcode too high", controlPoint(outcomes + "commands: [ { opcode: 256 } ]"), ("13:33: error", "0...255")),
    Mistake(
      "parameters", command("parameters: { all: hex, opcode: u8, c: u7 }"),
      ("15:34: error", "only the last parameter"), ("15:39: error", "'opcode' has another meaning"),
      ("15:54: error", "unknown format 'u7'")),
    Mistake("parameters as a list", command("parameters: [u8]"), ("15:27: error", "from parameters to formats")),
    Mistake(
      "attributes without a record", command("parameters: { a: { attributes: [] } }"),
      ("15:32: error", "there is no check with 'row'")),
    Mistake(
      "attributes",
      command(
        "parameters:\n  k: u8\n  a: { attributes: [ { number: 1, column: nam }, { number: 2, column: name }, "
          + "{ number: 2, column: key } ] }\nrequire: [ { row: rows, key: k } ]"),
      ("17:57: error", "'rows' has no column 'nam', did you mean 'name'?"),
      ("17:103: error", "the number 2 is given twice")),
    Mistake(
      "checks",
      command(
        "parameters: { a: u8 }\nrequire:\n  - { row: row, key: a }\n  - { row: rows }\n  - { parameter: b, in: [1] }\n"
          + "  - { parameter: a }\n  - { parameter: a, in: [300] }\n  - { parameter: a, from: 2, to: 1 }\n"
          + "  - { filled: name, value: point }\n  - { value: point }"),
      ("17:26: error", "there is no table 'row', did you mean 'rows'?"), ("18:19: error", "'key' is missing"),
      ("19:32: error", "there is no parameter 'b'"), ("20:19: error", "'in', or 'from' and 'to'"),
      ("21:40: error", "300 is not within"), ("22:19: error", "'from' is greater than 'to'"),
      ("23:19: error", "one of 'parameter', 'row'"), ("24:19: error", "'is' is missing")),
    Mistake(
      "effects",
      command(
        "parameters: { a: u8 }\ndo:\n  - dance\n  - remove-row\n  - { assign: { point: a } }\n"
          + "  - { assign: { point.x: a } }\n  - { clear: others }\n  - { send: { rows: pont } }\n  - { fly: up }"),
      ("17:19: error", "unknown word 'dance'"), ("18:19: error", "there is no check with 'row'"),
      ("19:38: error", "the formats of 'a' and 'point' differ"), ("20:31: error", "'point' has no field 'x'"),
      ("21:28: error", "there is no table 'others'"), ("22:35: error", "there is no characteristic 'pont'"),
      ("23:21: error", "unknown key 'fly'")),
    Mistake(
      "responses", command("response: [opcode, nothing, hex:0, { column: name }, { }]"),
      ("15:34: error", "there is no parameter 'nothing'"), ("15:43: error", "expected octets"),
      ("15:60: error", "there is no check with 'row'"),
      ("15:68: error", "one of 'value', 'column', 'count' and 'compute'")),
    Mistake(
      "tables",
      head + "tables:\n  - { id: a, columns: { k: u8 }, key: l }\n  - { id: a, columns: { k: u8 } }\n"
        + "  - { id: b, columns: { k: u8, v: u8 }, rows: [ { k: 1 }, { v: 1, w: 2 }, { k: 1, v: 1 }, { k: 1, v: 1 } ] }\n"
        + "  - { id: c, columns: [] }\n",
      ("5:39: error", "unknown word 'l'"), ("6:11: error", "the id 'a' is already taken in line 5"),
      ("7:49: error", "'v' is missing"), ("7:67: error", "there is no column 'w'"),
      ("7:91: error", "the k 1 is already taken"), ("8:23: error", "from columns to formats")),
    Mistake(
      "notifications",
      notifications(
        "apps: [a]\nrows: [ { category: mail }, { uid: 7, title: a }, { uid: 7 } ]\ntimeline:\n"
          + "  - { at: 3 s, remove: 9 }\n  - { at: 1 s, remove: 7 }\n  - { at: 2 s, modify: { uid: 7, title: b } }\n"
          + "  - { at: 1 s }\n  - { at: 1 s, modify: { title: b } }\n  - { add: { } }"),
      ("5:9: error", "from apps to their names"), ("6:23: error", "there is no 'mail'"),
      ("6:53: error", "the uid 7 is already taken"), ("8:7: error", "there is no record with the uid 9"),
      ("10:7: error", "there is no record with the uid 7"), ("11:7: error", "one of 'add', 'modify' and 'remove'"),
      ("12:26: error", "the key 'uid' is missing"), ("13:7: error", "the key 'at' is missing")),
    Mistake(
      "an include without its notifications", head + "services:\n  - include: ancs\n",
      ("5:14: error", "the profile lacks the key 'notifications'")),
    Mistake(
      "authorization",
      head + "services:\n  - { uuid: FFF0, authorization: given }\n"
        + "  - { uuid: FFF2, authorization: { error: 5 } }\n",
      ("5:34: error", "unknown word 'given'"), ("6:34: error", "the key 'state' is missing")),
  ]

  @Test(arguments: mistakes)
  func isReportedAtItsPlace(_ mistake: Mistake) {
    let found = diagnose(mistake.text)
    #expect(found.count == mistake.expected.count, "\(found)")
    for (line, expected) in zip(found, mistake.expected) {
      #expect(line.hasPrefix(expected.place) && line.contains(expected.message), "\(line)")
    }
  }
}
