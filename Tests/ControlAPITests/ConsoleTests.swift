import AccessoryProfile
import Testing
import Understudy

@testable import ControlAPI

@Suite("Lines of a console") struct ConsoleTests {
  private func request(_ text: String) throws(ConsoleLine.Fault) -> String {
    let line = try ConsoleLine(parsing: text)
    let body = line.body.map { " \($0.jsonText)" } ?? ""
    return "\(line.verb.route.method.rawValue) \(line.path(of: "/v1/accessories/lamp"))\(body)"
  }

  @Test(
    "A line is a request of the control API",
    arguments: [
      ("state", "GET /v1/accessories/lamp"), ("characteristics", "GET /v1/accessories/lamp/characteristics"),
      ("read level", "GET /v1/accessories/lamp/characteristics/level/value"),
      ("  characteristics  level  value ", "GET /v1/accessories/lamp/characteristics/level/value"),
      ("set level 80", "PUT /v1/accessories/lamp/characteristics/level/value 80"),
      ("set level hex:0102", #"PUT /v1/accessories/lamp/characteristics/level/value {"hex":"0102"}"#),
      (
        "set hr { bpm: 180, contact: true }",
        #"PUT /v1/accessories/lamp/characteristics/hr/value {"bpm":180,"contact":true}"#
      ),
      ("set text \"a b\"", #"PUT /v1/accessories/lamp/characteristics/text/value "a b""#),
      ("notify level", "POST /v1/accessories/lamp/characteristics/level/notify"),
      ("notify level 80", #"POST /v1/accessories/lamp/characteristics/level/notify {"value":80}"#),
      (
        "notify level value=[1, 2] connection=3",
        #"POST /v1/accessories/lamp/characteristics/level/notify {"connection":3,"value":[1,2]}"#
      ),
      ("press knob", "POST /v1/accessories/lamp/buttons/knob"), ("buttons", "GET /v1/accessories/lamp/buttons"),
      ("answer 3 accept=true", #"POST /v1/accessories/lamp/questions/3/answer {"accept":true}"#),
      (
        "fault { on: { read: level }, do: { error: 0x80 } }",
        #"POST /v1/accessories/lamp/faults {"do":{"error":"0x80"},"on":{"read":"level"}}"#
      ),
      ("faults delete", "DELETE /v1/accessories/lamp/faults"), ("disarm f 1", ""),
      ("disconnect 0", "POST /v1/accessories/lamp/connections/0/disconnect"),
      ("connections 0 rssi", "GET /v1/accessories/lamp/connections/0/rssi"),
      ("bonds export", "GET /v1/accessories/lamp/bonds/export"),
      ("bonds 2 delete", "DELETE /v1/accessories/lamp/bonds/2"),
      ("security set { pairing: none }", #"PUT /v1/accessories/lamp/security {"pairing":"none"}"#),
      ("air", "GET /v1/radio"),
      ("radio default set { loss: 20% }", #"PUT /v1/radio/default {"loss":"20%"}"#),
      ("read a/b", "GET /v1/accessories/lamp/characteristics/a%2fb/value"),
    ])
  func requests(line: String, expected: String) throws {
    guard !expected.isEmpty else {
      #expect(throws: ConsoleLine.Fault.self) { try request(line) }
      return
    }
    #expect(try request(line) == expected)
  }

  @Test(
    "A line that is no request is an error, with a suggestion",
    arguments: [
      ("raed level", "unknown command 'raed', did you mean 'read'?"), ("read", "expected read CHARACTERISTIC"),
      ("set level", "expected set CHARACTERISTIC VALUE"), ("press knob twice", "expected press BUTTON"),
      ("set level { a", "the value: column"), ("answer 3 accept=true accept=false", "accept is given twice"),
    ])
  func faults(line: String, expected: String) {
    #expect { try request(line) } throws: { "\($0)".contains(expected) }
  }

  @Test("Every request that answers with JSON has its own verb, and every short form is one of them")
  func verbs() throws {
    let routes = RouteTable.all.filter { if case .json = $0.content { true } else { false } }
    #expect(ConsoleVerb.all.count == routes.count + 13)
    #expect(Set(ConsoleVerb.all.map(\.words)).count == ConsoleVerb.all.count)
    for verb in ConsoleVerb.all {
      let text = verb.words.map { word in if case .word(let word) = word { word } else { "1" } }.joined(separator: " ")
      let value = verb.route.body?.isRequired == true && verb.takesValue ? " {}" : ""
      let line = try ConsoleLine(parsing: text + value)
      #expect(line.verb.route.path == verb.route.path && line.verb.route.method == verb.route.method, "\(text)")
    }
  }

  @Test("Completion offers the words that are possible, including names from the accessory")
  func completion() {
    func ask(_ path: String) -> [String: ProfileValue]? {
      switch path {
      case "characteristics": ["characteristics": .array([.object(["id": "level"]), .object(["id": "light"])])]
      case "buttons": ["buttons": .array(["knob"])]
      case "": ["connections": .array([.object(["connection": 7])])]
      default: nil
      }
    }
    func words(_ line: String) -> [String] { ConsoleCompletion.words(for: line, ask: ask) }
    #expect(words("rea") == ["read"])
    #expect(words("read ") == ["level", "light"])
    #expect(words("read li") == ["light"])
    #expect(words("press ") == ["knob"])
    #expect(words("disconnect ") == ["7"])
    #expect(words("notify level ") == ["connection=", "hex=", "value="])
    #expect(words("notify level value=3 ") == ["connection=", "hex="])
    #expect(words("answer 1 accept=") == ["accept=false", "accept=true"])
    #expect(words("bonds ").contains("add"))
    #expect(words("nonsense ") == [])
    #expect(words("").contains("help"))
    #expect(ConsoleCompletion.common(["level", "light"]) == "l")
    #expect(ConsoleCompletion.common([]) == "")
  }
}
