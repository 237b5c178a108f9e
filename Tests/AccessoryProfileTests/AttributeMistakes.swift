/// Mistakes in services, characteristics and their rules.
extension DiagnosticTests {
  static let attributeMistakes: [Mistake] = [
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
      "rules without property", characteristic("on-write: [ { when: 'a', do: log } ]"),
      ("8:9: error", "it cannot be written")),
    Mistake(
      "dangling reset", characteristic("on-write: [ { when: 'a', do: { reset: nothing } } ]", properties: "[write]"),
      ("8:47: error", "there is no characteristic 'nothing' (known: FFF1)")),
    Mistake(
      "reset of no field",
      characteristic("on-write: [ { when: 'a', do: { reset: FFF1.bpm } } ]", properties: "[write]"),
      ("8:47: error", "'FFF1' has no field 'bpm'")),
    Mistake(
      "notify of one that cannot",
      characteristic("on-write: [ { when: 'a', do: { notify: FFF1 } } ]", properties: "[write]"),
      ("8:48: error", "its properties lack 'notify'")),
    Mistake(
      "dangling set",
      characteristic("on-write: [ { when: 'a', do: { set: { FFF2: hex:00 } } } ]", properties: "[write]"),
      ("8:47: error", "there is no characteristic 'FFF2', did you mean 'FFF1'?")),
    Mistake(
      "otherwise before the end",
      characteristic("on-write: [ { otherwise: log }, { when: 'a', do: log } ]", properties: "[write]"),
      ("8:34: error", "must be last")),
    Mistake(
      "otherwise and when", characteristic("on-write: [ { otherwise: log, when: 'a' } ]", properties: "[write]"),
      ("8:39: error", "cannot be combined")),
    Mistake(
      "rule without when", characteristic("on-write: [ { do: log } ]", properties: "[write]"),
      ("8:21: error", "needs 'when', 'if' or 'otherwise'")),
    Mistake(
      "rule without do", characteristic("on-write: [ { when: 'a' } ]", properties: "[write]"),
      ("8:21: error", "needs 'do', 'error', 'after' or 'ask'")),
    Mistake(
      "unknown error", characteristic("on-write: [ { when: 'a', error: value-not-alowed } ]", properties: "[write]"),
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
      characteristic("on-write: [ { when: 'a', ask: true, within: 1 min } ]", properties: "[write]"),
      ("8:53: warning", "the ATT transaction timeout of 30 s")),
    Mistake(
      "write asked and refused",
      characteristic("on-write: [ { when: 'a', ask: true, error: 1 } ]", properties: "[write]"),
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
}
