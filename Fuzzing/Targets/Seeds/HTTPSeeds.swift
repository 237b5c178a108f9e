extension HTTPTarget {
  /// An accessory with at least one of everything that requests can be about.
  static let profile = """
    understudy: 1
    name: Fuzz
    advertising: [ { id: main, kind: legacy, data: { flags: [general] } } ]
    gatt: { service-changed: present, robust-caching: true }
    notifications: { rows: [ { uid: 1, category: email, app: a, title: t } ] }
    services:
      - id: light
        uuid: FFF0
        authorization: granted
        characteristics:
          - { id: level, uuid: FFF1, format: u8, properties: [read, write, notify, indicate], value: 7 }
          - { id: count, uuid: FFF2, format: u16, properties: [read, notify], value: { counter: { to: 9 } } }
          - { id: wide, uuid: FFF3, format: u64, properties: [read], value: 18446744073709551615 }
      - include: ancs-twin
    l2cap: [ { id: log, handler: sink } ]
    """

  package static var seeds: [Seed] {
    requests.map { name, lines in Seed(name, Array(lines.joined(separator: "\u{0}").utf8)) }
  }

  private static func put(_ path: String, _ body: String) -> String { "PUT \(path)\n\n\(body)" }
  private static func post(_ path: String, _ body: String = "") -> String { "POST \(path)\n\n\(body)" }

  private static let requests: [(name: String, lines: [String])] = [
    (
      "state", ["GET /v1/accessory\n\n", "GET /v1/accessories\n\n", "GET /v1/radio\n\n", "GET /v1/characteristics\n\n"]
    ),
    (
      "values",
      [
        "GET /v1/characteristics/count/value\n\n", put("/v1/characteristics/level/value", #"{"hex": "2a"}"#),
        put("/v1/characteristics/level/value", "300"), put("/v1/characteristics/wide/value", "18446744073709551615"),
        put("/v1/characteristics/%6Cevel/value", #"{"value": 3}"#),
      ]
    ),
    (
      "notify",
      [
        post("/v1/characteristics/level/notify", #"{"value": 9, "connection": 1}"#),
        post("/v1/characteristics/level/indicate", #"{"hex": "09"}"#),
        post("/v1/characteristics/level/notify", #"{"connection": "x"}"#),
      ]
    ),
    (
      "services",
      [
        post("/v1/services", #"{"id": "new", "uuid": "FFE0", "characteristics": []}"#),
        put("/v1/services/new", #"{"include": "battery"}"#), "GET /v1/services\n\n", "DELETE /v1/services/new\n\n",
        "DELETE /v1/services/light\n\n", "GET /v1/characteristics/level/value\n\n",
      ]
    ),
    (
      "channels",
      [
        "GET /v1/channels\n\n", post("/v1/published", #"{"id": "x", "psm": "new", "handler": "echo"}"#),
        put("/v1/published/log/authorization", #"{"state": "ask"}"#), "DELETE /v1/published/x\n\n",
        post("/v1/published", #"{"id": "f", "psm": "auto", "handler": "file:/etc/passwd"}"#),
        post("/v1/channels/1/64/send", #"{"text": "hi"}"#), post("/v1/connections/1/channels", #"{"psm": 128}"#),
      ]
    ),
    (
      "connections",
      [
        post("/v1/connections/0/disconnect", #"{"reason": "0x13"}"#),
        post("/v1/connections/0/parameters", #"{"interval_ms": [15, 30], "timeout_ms": 2000}"#),
        "GET /v1/connections/0/remote\n\n", post("/v1/connections/0/remote/read", #"{"uuid": "2A2B"}"#),
      ]
    ),
    (
      "advertising",
      ["GET /v1/advertising\n\n", post("/v1/advertising/main/stop"), post("/v1/advertising/other/start")]
    ),
    (
      "notifications",
      [
        "GET /v1/notifications\n\n", post("/v1/notifications", #"{"category": "social", "app": "b", "title": "u"}"#),
        put("/v1/notifications/1", #"{"title": "v"}"#), "DELETE /v1/notifications/1\n\n",
        put("/v1/services/light/authorization", #"{"state": "revoked"}"#),
      ]
    ),
    ("questions", ["GET /v1/questions\n\n", post("/v1/questions/1/answer", #"{"accept": true}"#)]),
    (
      "radio",
      [
        put("/v1/radio/default", #"{"loss": 0.1}"#), put("/v1/radio/paths/accessory/tcp-1", "{}"),
        post("/v1/radio/controllers/accessory/restart"), "DELETE /v1/radio/default\n\n",
      ]
    ),
    (
      "events",
      ["GET /v1/events\n\n", "GET /v1/events?without=advertising,notified\n\n", "GET /v1/events?without=x\n\n"]
    ),
    (
      "pages",
      [
        "GET /v1/accessory\nOrigin: http://evil.example\n\n", "GET /v1/accessory\nSec-Fetch-Site: cross-site\n\n",
        "GET /v1/accessory\nHost: evil.example\n\n", "POST /v1/published\nOrigin: null\n\n{}",
      ]
    ),
    ("methods", ["PATCH /v1/accessory\n\n", "GET /v1/advertising/main/stop\n\n", "OPTIONS *\n\n", "GET \n\n"]),
    ("paths", ["GET /v1/../etc/passwd\n\n", "GET /v1/characteristics/%ff/value\n\n", "GET /v1//\n\n", "GET /\n\n"]),
  ]
}
