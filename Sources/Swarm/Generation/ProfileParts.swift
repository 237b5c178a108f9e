import AccessoryProfile

/// Parts of profiles that random drawing would rarely produce, because their keys refer to each other or need particular
/// values. A profile contains each part as listed, or not at all.
enum ProfileParts {
  static let security = [
    "{ pairing: just-works }", "{ pairing: display, passkey: 123456 }",
    "{ pairing: display, passkey: 123456, bonding: true }", "{ pairing: compare }",
    "{ pairing: just-works, bonding: false }",
    "{ pairing: just-works, keys: { distributed: [encryption, identity], wanted: [encryption, identity] }, key-size: { minimum: 7, maximum: 16 } }",
    "{ pairing: display, passkey: 123456, keys: { distributed: [encryption, signing], wanted: [encryption, identity, signing] } }",
    "{ pairing: keyboard-display, answers: { consent: accept, comparison: accept, passkey: refuse, display: ask } }",
    "{ pairing: keyboard, passkey: 123456, answers: { passkey: 123456 } }",
    "{ pairing: just-works, oob: { temporary-key: hex:000102030405060708090A0B0C0D0E0F, random: hex:000102030405060708090A0B0C0D0E0F, confirm: hex:000102030405060708090A0B0C0D0E0F } }",
    "{ pairing: just-works, faults: [ { at: pairing-response, fail: unspecified-reason } ] }",
    "{ pairing: just-works, faults: [ { at: pairing-confirm, do: fall-silent } ] }",
  ]

  /// Security that distributes the keys for signatures.
  static let signing =
    "{ pairing: just-works, keys: { distributed: [encryption, identity, signing], wanted: [encryption, identity, signing] } }"

  /// Transports with BR/EDR.
  static let transports = ["[le, br-edr]", "[le, br-edr]", "[le, \"br-edr?\"]"]

  /// How an accessory presents itself over BR/EDR.
  static let classic = [
    "{ class: 0x240418 }", "{ discoverable: 40 s }", "{ discoverable: no }", "{ connectable: false }",
    "{ name: Both, device-id: { vendor: 0x004C, product: 0x1234, version: 0x0123 } }",
  ]

  /// Security that matters to pairing over BR/EDR and to keys for the other transport.
  static let classicSecurity = [
    "{ pairing: compare, keys: { distributed: [encryption, identity, link], wanted: [encryption, identity, link] } }",
    "{ pairing: just-works, keys: { distributed: [encryption, link], wanted: [encryption, identity, link] } }",
    "{ pairing: compare, mitm: true }", "{ pairing: keyboard }", "{ pairing: display }",
    "{ pairing: just-works, secure-connections: only }",
  ]

  /// Advertising sets after the first.
  static let sets = [
    "{ id: directed, kind: directed, to: bonded, duty: low }",
    "{ id: bonded, accept: { connections: bonded, scans: bonded } }",
    "{ id: asks, data: { solicitation: [180D], connection-intervals: [20 ms, 100 ms] } }",
    "{ id: says, data: { name: { complete: Swarm }, manufacturer-data: { company: 0x0059, data: { value: c0 }, format: u8, max-length: 1 } } }",
    "{ id: serves, data: { service-data: { service: FFF0, data: { value: c0 }, format: u8, max-length: 1 } } }",
    "{ id: url, eddystone: { url: 'https://a.example/', measured-power: -20 } }",
    "{ id: uid, eddystone: { uid: { namespace: hex:00010203040506070809, instance: hex:010203040506 } } }",
    "{ id: tlm, eddystone: { tlm: { battery: 3000, temperature: 20 } } }",
    "{ id: eid, eddystone: { eid: { key: hex:000102030405060708090A0B0C0D0E0F, rotation: 10, clock: 5 } } }",
  ]

  /// Characteristics after the plain ones.
  static let characteristics = [
    "{ id: waves, uuid: FFD0, properties: [read, notify], format: u16, value: { wave: sine, low: 1, high: 90, period: 10 s, noise: 2 } }",
    "{ id: ramps, uuid: FFD1, properties: [read], format: u16, value: { ramp: { from: 1, to: 90, over: 10 s }, noise: 2 } }",
    "{ id: counts, uuid: FFD2, properties: [read, notify], format: u16, value: { counter: { from: 1, to: 90 }, noise: 1, round: 5 }, notify: { every: 500 ms } }",
    "{ id: chances, uuid: FFD3, properties: [read], format: u16, value: { random: { low: 1, high: 90 }, noise: 2 } }",
    "{ id: constants, uuid: FFD4, properties: [read], format: u16, value: { constant: 7 } }",
    "{ id: patterns, uuid: FFD5, properties: [notify], format: hex, value: { pattern: counter, length: 40 }, notify: { every: 200 ms } }",
    "{ id: sequences, uuid: FFD6, properties: [read, notify], format: u8, value: { sequence: [1, 2, 3], every: 1 s, repeat: true }, notify: { change: 1 } }",
    "{ id: beats, uuid: FFD7, properties: [notify], format: { struct: { rate: u8, gaps: { list: u16 } } }, value: { rate: 60, gaps: { intervals: rate, per: 1 min, ticks: 1024, most: 4 } }, notify: { every: 1 s } }",
    "{ id: later, uuid: FFD8, properties: [write], format: hex, on-write: [ { when: { first: 1 }, after: 1 s }, { when: { length: 2 }, do: { notify: sequences } }, { when: { length: 3 }, do: { indicate: hints } }, { when: hex:0506, do: { add-service: extra } }, { when: hex:0507, do: { remove-service: extra } }, { when: hex:0508, do: { publish: l0 } }, { when: hex:0509, do: { withdraw: l0 } }, { when: hex:050A, do: { enter: high } }, { when: hex:050B, do: { stop-advertising: more } }, { when: hex:050C, do: { forget-bonds: others } }, { when: hex:050D, do: { add: { rows: { k: 9, v: 1 } } } }, { when: hex:050E, do: { transmit: { l1: hex:01 } } }, { otherwise: { error: 0x80 } } ] }",
    "{ id: hints, uuid: FFD9, properties: [read, indicate], format: u8, value: 1, on-read: { ask: true, within: 2 s, else: 0x81 } }",
    "{ id: sums, uuid: FFDA, properties: [read, notify], format: { struct: { a: u8, b: u8 } }, value: { a: 1, b: 2 }, notify: { change: 1, of: a } }",
    "{ id: point, uuid: FFDB, properties: [write, indicate], format: hex, control-point: { answer: point, success: 1, response: [ { value: constants }, opcode, result ], unknown: { result: 2 }, malformed: { result: 3 }, commands: [ { opcode: 1, parameters: { name: { terminated: utf8 } }, require: [ { value: constants, is: 7, else: { result: 4 } } ], do: [ { copy: hints }, { indicate: hints }, { reset: waves } ] }, { opcode: 2, parameters: { key: u16, what: { attributes: [ { number: 1, column: v, maximum: true }, { number: 2, column: v, size: true } ], else: { error: 0x85 } } }, require: [ { row: rows, key: key, else: { error: 0x84 } }, { filled: v, else: { error: 0x83 } } ] }, { opcode: 3, parameters: { which: { records: rows, filters: { 1: k }, invalid-operand: { result: 5 }, invalid-operator: { result: 6 }, unsupported-operator: { result: 7 }, unsupported-operand: { result: 8 } } } }, { opcode: 4, do: [ { advertise: more }, { stop-advertising: more }, { publish: l0 }, { withdraw: l0 }, { add-service: extra }, { remove-service: extra }, { reply: { sequences: 3 } } ] } ] } }",
  ]

  /// Rules.
  static let rules = [
    "{ when: { subscribed: sequences }, do: { notify: sequences } }",
    "{ when: { read: constants }, do: { set: { hints: 2 } } }",
    "{ when: { becomes: 'c0 > 3', until: 'c0 < 2' }, do: { indicate: hints } }",
    "{ when: { every: 2 s }, do: { reset: waves } }",
    "{ when: { button: press }, do: { enter: high } }",
  ]

  /// Whole sections.
  static let sections = [
    "states: { low: [ { when: { button: press }, do: { enter: high } } ], high: [ { when: { every: 5 s }, do: { enter: low } } ] }",
    "tables: [ { id: rows, columns: { k: u16, v: utf8 }, key: k, rows: [ { k: 1, v: a }, { k: 2, v: b } ], timeline: [ { at: 1 s, modify: { k: 1, v: c } } ] } ]",
    "sleep: { after: 20 s, wakes-every: 30 s }",
    "acts-as: 4.2",
    "client: [ { discover: all }, { when: { button: press }, read: 2A2B }, { when: { received: 2A2B }, write: 2A06, value: 1 } ]",
    "connection: { parameter-requests: { within: [20 ms, 1 s] }, data-length: { octets: 100, after: 1 s } }",
  ]

  /// Channels.
  static let channels = [
    "{ id: l1, psm: 0x81, handler: rules, mtu: 100, mps: 50, psm-characteristic: { service: main, id: where, uuid: FFDE, security: encrypted } }"
  ]
}
