/// The keys of advertising, security, rules, fleets and scenarios that people know from other tools.
extension FamiliarKeys {
  // MARK: Advertising

  static let advertising: [FamiliarKey] = [
    .named(
      "name", "set-id", "handle", "sid", in: ["advertising-set"], means: "id",
      "The name of a set in the control API is its id; the accessory's name is announced with data: { name: complete }"),
    .named(
      "type", "pdu", "adv-type", "mode", in: ["advertising-set"], means: "kind", "It is legacy, extended or directed"),
    .named(
      "adv-data", "payload", "advertising-data", "ad", in: ["advertising-set"], means: "data",
      "It is a mapping: data: { flags: [general], name: complete }"),
    .named(
      "scan-rsp", "scan-data", "scan-response-data", "sd", "rsp", in: ["advertising-set"], means: "scan-response",
      "It is a mapping like 'data'"),
    .named(
      "interval-min", "interval-max", "min-interval", "max-interval", "adv-interval", "period", "interval-ms",
      "advertising-interval",
      in: ["advertising-set"], means: "interval", "It is one duration: interval: 100 ms"),
    .named(
      "timeout", "duration", "intervals", in: ["advertising-set"], means: "schedule",
      "Intervals with durations are schedule: [ { interval: 20 ms, for: 30 s }, { interval: 1 s } ]"),
    .named("enabled", "auto-start", in: ["advertising-set"], means: "start", "It is auto or manual"),
    .named(
      "power", "txpower", "tx-power-level", in: ["advertising-set", "advertising-data"], means: "tx-power",
      "It is a number in dBm"),
    .named(
      "filter", "filter-policy", "whitelist", "accept-list", in: ["advertising-set"], means: "accept",
      "It is all or bonded"),
    .named(
      "phy", "phys", "secondary", in: ["advertising-set"], means: "secondary-phy",
      "It is 1M, 2M or coded; the primary PHY follows from it"),
    .elsewhere(
      "local-name", "device-name", "complete-name", "service-uuids", "uuids", "manufacturer", in: ["advertising-set"],
      "it belongs in 'data', as in data: { name: complete, services: [180D], manufacturer-data: { company: 0xFFFF, data: hex:0102 } }"
    ),
    .named(
      "local-name", "complete-local-name", "device-name", "shortened-local-name", "complete-name", "short-name",
      in: ["advertising-data"], means: "name", "It is name: complete, or another name: name: { complete: Belt }"),
    .named(
      "uuids", "service-uuids", "uuid16", "uuid128", "complete-services", "uuid", "service", in: ["advertising-data"],
      means: "services", "It is a list of UUIDs: services: [180D]"),
    .named(
      "manufacturer", "manufacturer-specific", "manufacturer-specific-data", "mfg-data", "msd", "vendor-data",
      in: ["advertising-data"], means: "manufacturer-data",
      "It has the company and what follows: manufacturer-data: { company: 0xFFFF, data: hex:0102 }"),
    .elsewhere(
      "interval", "connectable", "scannable", "kind", "schedule", in: ["advertising-data"],
      "it is a key of the set, beside 'data'"),
    .named(
      "solicit", "solicit-uuids", "solicited-services", in: ["advertising-data"], means: "solicitation",
      "It is a list of UUIDs"),
    .named(
      "id", "company-id", "cid", "manufacturer-id", "manufacturer", "vendor", "company-identifier",
      in: ["manufacturer-data"], means: "company", "It is a name or a number: company: 0xFFFF"),
    .named(
      "value", "payload", "bytes", "hex", in: ["manufacturer-data", "service-data"], means: "data",
      "It is octets, or a generator with 'format': data: hex:0102"),
    .named(
      "uuid", "service-uuid", "id", in: ["service-data"], means: "service",
      "It is a UUID or an assigned name: service: 180F"),
    .named(
      "tx-power", "power", "rssi", "rssi-at-1m", in: ["ibeacon", "eddystone"], means: "measured-power",
      "It is the received power in dBm: at 1 m for an iBeacon, at 0 m for Eddystone"),
    .named("duration", "timeout", in: ["advertising-phase"], means: "for", "It is a duration: for: 30 s"),
    .named(
      "mac", "mac-address", "type", "static-address", "random-address", in: ["identity"], means: "address",
      "It is static, public, private, or an address such as C4:12:34:56:78:9A"),
    .named(
      "category", "icon", "gap-appearance", in: ["identity"], means: "appearance",
      "It is a name or a number: appearance: heart-rate-sensor"),
    .elsewhere(
      "name", "local-name", "device-name", in: ["identity"], "the accessory's name is the key 'name' of the file"),
  ]

  // MARK: Security and connections

  static let security: [FamiliarKey] = [
    .named(
      "io-capability", "iocap", "io-cap", "io", "capability", "method", "mode", in: ["security"], means: "pairing",
      "It says what the accessory can show and take: pairing: just-works, display, compare, keyboard, keyboard-display, or none"
    ),
    .named("bond", "bondable", in: ["security"], means: "bonding", "It is true or false"),
    .named(
      "sc", "lesc", "le-sc", "sc-only", "secure", in: ["security"], means: "secure-connections",
      "It is one of \(Language.security.words(of: "secure-connections").joined(separator: ", "))"),
    .named(
      "pin", "pin-code", "pincode", "fixed-passkey", "static-passkey", "code", in: ["security"], means: "passkey",
      "It is a number of up to six digits, without quotes: passkey: 123456"),
    .named(
      "authentication", "authenticated", "man-in-the-middle", in: ["security"], means: "mitm",
      "It is true, false or required"),
    .named("max-bonds", "bond-count", in: ["security"], means: "bonds", "It is the number of bonds that are kept"),
    .elsewhere(
      "level", "security-level", "read", "write", "encrypted", in: ["security"],
      "the security that clients need is a matter of each characteristic: permissions: { read: encrypted }"),
    .named("max", "limit", "max-conn", in: ["connection"], means: "max-connections", "It is a number"),
    .named("att-mtu", "max-mtu", "mtu-size", in: ["connection"], means: "mtu", "It is a number of octets: mtu: 247"),
    .named(
      "dle", "data-len", "max-octets", in: ["connection"], means: "data-length",
      "It is a number of octets: data-length: 251"),
    .named(
      "subscription", "notify", "indicate", "cccd", in: ["permissions"], means: "subscribe",
      "It is the security for writing the configuration of notifications"),
    .elsewhere(
      "encrypted", "authenticated", "encryption", "mitm", "security", in: ["permissions"],
      "name what needs it: permissions: { read: encrypted, write: authenticated }"),
    .named("spsm", "le-psm", "port", in: ["channel"], means: "psm", "It is auto, new, or a number"),
    .named("name", "label", in: ["channel"], means: "id", "The name of a channel in the control API is its id"),
    .named(
      "max-sdu", "sdu", in: ["channel"], means: "mtu", "It is the largest SDU that the accessory takes, in octets"),
  ]

  // MARK: Rules

  static let rule: [FamiliarKey] = [
    .named(
      "on", "trigger", "event", "platform", in: ["rule"], means: "when",
      "It is a trigger: when: connected, or when: { button: alarm }"),
    .named(
      "on", "trigger", "match", "value", "data", "equals", "pattern", in: ["write-rule"], means: "when",
      "It is what was written: when: hex:01, or when: { first: 0x10 }"),
    .named(
      "condition", "conditions", "require", "where", in: ["rule", "write-rule", "read-rule"], means: "if",
      "It is an expression: if: level > 20"),
    .named(
      "then", "action", "actions", "effect", "effects", "run", in: ["rule", "write-rule", "command"], means: "do",
      "It is one action or a list: do: { set: { level: 90 } }"),
    .named(
      "delay", "wait", "for", in: ["rule", "write-rule", "read-rule"], means: "after", "It is a duration: after: 2 s"),
    .named(
      "default", in: ["write-rule"], means: "otherwise", "It is what all other writes do: otherwise: { error: 0x80 }"),
    .named(
      "status", "code", "reject", "refuse", "att-error", "return", in: ["write-rule", "read-rule"], means: "error",
      "It is the error in response: error: value-not-allowed"),
    .named(
      "write", "on-write", "changed", in: ["trigger"], means: "written",
      "It is the id of a characteristic: when: { written: command }"),
    .named("interval", "timer", "period", in: ["trigger"], means: "every", "It is a duration: when: { every: 2 s }"),
    .named("time", "cron", "clock", in: ["trigger"], means: "at", "It is a time of day: when: { at: \"07:30\" }"),
    .named(
      "press", "pressed", "gpio", in: ["trigger"], means: "button",
      "It is a name that you choose: when: { button: alarm }"),
    .named(
      "above", "below", "condition", "value", in: ["trigger"], means: "becomes",
      "It is an expression: when: { becomes: level < 20 }"),
    .named(
      "write", "assign", "value", "update", in: ["effect", "rule-effect"], means: "set",
      "It is a mapping from ids to values: set: { level: 90 }"),
    .named(
      "send", "respond", "answer", "response", in: ["effect", "rule-effect"], means: "reply",
      "It sends a notification of a characteristic to the client: reply: { tx: hex:01 }"),
    .named(
      "goto", "state", "transition", in: ["effect", "rule-effect", "command-effect"], means: "enter",
      "It is the name of a state: enter: open"),
    .elsewhere(
      "delay", "wait", in: ["effect", "rule-effect", "command-effect"],
      "a delay is the key 'after' of a rule with the trigger 'written': rules: [ { when: written, after: 2 s, do: … } ]"
    ),
    .elsewhere(
      "call", "script", "exec", "lambda", "python", "shell", in: ["effect", "rule-effect", "command-effect"],
      "a profile calls no code: 'programs' run beside the accessory, and a library's own code is Accessory.onWrite"),
    .named(
      "op", "code", "op-code", "command", "id", in: ["command"], means: "opcode", "It is the first octet: opcode: 0x01"),
    .named(
      "params", "args", "arguments", "operand", in: ["command"], means: "parameters",
      "They are names and formats, in order: parameters: { level: u8 }"),
    .named(
      "if", "checks", "condition", in: ["command"], means: "require",
      "It is a list of conditions with their outcomes: require: [ { if: level < 20, else: { result: 3 } } ]"),
    .named(
      "error", "result", "status", in: ["command"], means: "require",
      "A command that fails does so by a condition: require: [ { if: ready, else: { result: 3 } } ]"),
    .named(
      "code", "status", in: ["outcome"], means: "result",
      "It is the number in the response; 'error' is an error in response to the write itself"),
  ]

  // MARK: Fleets and scenarios

  static let fleet: [FamiliarKey] = [
    .named(
      "devices", "members", "peripherals", "profiles", in: ["fleet"], means: "accessories",
      "It is a list: accessories: [ { profile: heart-rate, count: 3 } ]"),
    .named(
      "file", "path", "type", "device", in: ["fleet-accessory"], means: "profile",
      "It is a file, or the name of a shipped profile: profile: heart-rate"),
    .named(
      "quantity", "replicas", "instances", "number", "copies", in: ["fleet-accessory"], means: "count",
      "It is a number: count: 3"),
    .named(
      "parameters", "settings", "vars", "with", in: ["fleet-accessory"], means: "set",
      "It is a mapping from paths to values, as for --set"),
  ]

  static let scenario: [FamiliarKey] = [
    .named(
      "tests", "scenarios", in: ["scenario"], means: "cases",
      "It is a list: cases: [ { name: reads, steps: [ { read: battery-level } ] } ]"),
    .named(
      "steps", in: ["scenario"], means: "cases",
      "Steps belong to a case: cases: [ { name: reads, steps: [ { read: battery-level } ] } ]; those in 'prepare' begin each case"
    ),
    .named(
      "min", "minimum", "from", "at-least", "above", in: ["number-range"], means: "low",
      "A range is { low: 60, high: 100 }"),
    .named(
      "max", "maximum", "to", "at-most", "below", in: ["number-range"], means: "high",
      "A range is { low: 60, high: 100 }"),
    .named(
      "profile", "device", "peripheral", in: ["scenario"], means: "accessory",
      "It is a file, or the name of a shipped profile: accessory: heart-rate"),
    .named(
      "setup", "before", "before-each", "background", in: ["scenario"], means: "prepare",
      "It is a list of steps that each case begins with"),
    .named("sleep", "delay", "pause", in: ["scenario-step"], means: "wait", "It is a duration: wait: 1 s"),
    .named(
      "assert", "equals", "expected", "returns", in: ["scenario-step"], means: "gives",
      "It is the value that a step must give: read: battery-level, gives: 90"),
    .named(
      "error", "raises", in: ["scenario-step"], means: "fails", "It is true, or the error: fails: read-not-permitted"),
    .named(
      "maybe", "optional", "may-fail", "allow-failure", in: ["scenario-step"], means: "fails",
      "Both outcomes are accepted with fails: maybe"),
    .named("title", "label", in: ["scenario", "scenario-case"], means: "name", "It is text: name: Reads"),
    .named("timeout", in: ["scenario-step"], means: "within", "It is a duration: within: 2 s"),
  ]
}
