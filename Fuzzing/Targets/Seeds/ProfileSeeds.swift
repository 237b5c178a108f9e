/// The inputs of `ProfileTarget`: short profiles that use the parts of the language.
enum ProfileSeeds {
  static var all: [Seed] { texts.map { Seed($0.name, Array($0.text.utf8)) } }

  private static let head = "understudy: 1\nname: Fuzz\n"

  private static func characteristic(_ keys: String) -> String {
    head + "services: [ { uuid: FFF0, characteristics: [ { id: x, uuid: FFF1, \(keys) } ] } ]\n"
  }

  private static let texts: [(name: String, text: String)] = [
    (
      "identity",
      head
        + "identity: { address: C4:12:34:56:78:9A, appearance: heart-rate-belt }\nconnection: { mtu: 185, data-length: 27,"
        + " phy: 2M, max-connections: 2, request: { interval: [15 ms, 30 ms], timeout: 6 s, after: 5 s } }\n"
    ),
    (
      "advertising",
      head
        + "advertising:\n  - id: main\n    kind: legacy\n    data: { flags: [general], name: complete, services: [battery] }\n"
        + "    schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]\n  - id: more\n    kind: extended\n"
        + "    data: { manufacturer: { company: 0x004C, data: hex:0215 } }\n"
    ),
    ("gatt", head + "gatt: { service-changed: present, robust-caching: true, order: as-written, eatt: 0 }\n"),
    ("includes", head + "services:\n  - include: battery\n  - include: heart-rate\n  - include: device-information\n"),
    ("current-time", head + "services:\n  - include: current-time\n"),
    (
      "overrides",
      head + "services:\n  - include: battery\n    level: { value: { ramp: { from: 100, to: 0, over: 8 h } } }\n"
    ),
    (
      "wave",
      characteristic("properties: [read, notify], format: u8, value: { wave: sine, low: 1, high: 9, period: 3 s }")
    ),
    ("random", characteristic("properties: [read], format: s16, value: { random: { from: -5, to: 5 } }")),
    ("text", characteristic("properties: [read, write], format: utf8, value: \"a\\u00e9\", max-length: 20")),
    ("octets", characteristic("properties: [read], value: hex:00 ff 10")),
    (
      "rules",
      characteristic(
        "properties: [read, write], format: u8, value: 3, on-write: [ { when: hex:01, do: { reset: x } }, "
          + "{ otherwise: { error: 0x80 } } ]")
    ),
    ("notify", characteristic("properties: [notify, indicate], format: u16, value: 7, notify: { every: 250 ms }")),
    ("security", characteristic("properties: [read], value: 1, format: u8, security: { read: encrypted }")),
    (
      "l2cap",
      head + "l2cap:\n  - { id: a, psm: auto, handler: echo, mtu: 100 }\n  - { id: b, psm: 0x80, handler: sink }\n"
    ),
    ("duplicates", head + "about: a\nabout: b\nservices: []\nservices: []\n"),
    ("anchors", head + "x: &a [1, 2]\ny: [*a, *a]\nz: { <<: *b }\n"),
    ("not-yaml", head + "services: [ { uuid: }\n\t- %\n"),
    ("tags", "%YAML 1.1\n---\n" + head + "about: !!str 12\n...\n"),
    ("blocks", head + "about: |\n  two\n  lines\nservices: >-\n  folded\n"),
    ("wrong-types", "understudy: one\nname: []\nservices: { a: b }\nadvertising: 3\nconnection: [1]\n"),
  ]
}
