/// The keys that people know from other tools: here those of files, services, characteristics and their values.
enum FamiliarKeys {
  static let all = file + service + characteristic + value + advertising + security + rule + fleet + scenario

  // MARK: The file

  static let file: [FamiliarKey] = [
    .named(
      "device-name", "local-name", "complete-local-name", "friendly-name", "alias", "title", in: ["profile"],
      means: "name", "It is the accessory's name, in its advertising data and in its services"),
    .named(
      "version", "schema-version", "profile-version", in: ["profile"], means: "understudy",
      "It is the version of the language: understudy: 1"),
    .named("comment", "summary", in: ["profile"], means: "about", "It describes the accessory for people"),
    .named(
      "adv", "advertise", "advertisement", "advertisements", "advertiser", "beacon", in: ["profile"],
      means: "advertising", "It is a list of sets, as in advertising: [ { id: main, interval: 100 ms } ]"),
    .named(
      "gatt-services", "gatt-server", "service", "service-list", in: ["profile"], means: "services",
      "It is a list, as in services: [ { include: battery } ]"),
    .named(
      "on-boot", "on-connect", "on-disconnect", "automation", "automations", "triggers", "events", in: ["profile"],
      means: "rules",
      "It is a list of triggers and actions, as in rules: [ { when: start, do: { set: { level: 90 } } } ]"),
    .named(
      "globals", "vars", "state", in: ["profile"], means: "variables",
      "They are names and initial values: variables: { count: 0 }"),
    .named(
      "substitutions", "settings", in: ["profile"], means: "parameters",
      "They are names and default values, which the profile uses as $NAME: parameters: { level: 90 }"),
    .elsewhere(
      "understudy-scenario", in: ["profile"],
      "this is a scenario, not a profile: `understudy test` runs it, and `understudy check` checks it"),
    .elsewhere(
      "mac", "mac-address", "bd-addr", "bdaddr", "static-address", "random-address", in: ["profile"],
      "the address belongs in 'identity', as in identity: { address: C4:12:34:56:78:9A }"),
    .elsewhere(
      "identity-address-type", "address-type", "own-address-type", "privacy-enabled", in: ["profile", "identity"],
      "the kind of address follows from identity: { address: static }, or public, or private"),
    .elsewhere(
      "irk", "ltk", "keystore", "bond-store", "store", in: ["profile", "security", "identity"],
      "keys are no part of a profile: `understudy run` keeps them in its state, and `understudy bonds` lists and imports them"
    ),
    .elsewhere(
      "class-of-device", "classic-enabled", "le-enabled", "classic-sc-enabled", in: ["profile"],
      "BR/EDR has the keys transports: [le, br-edr] and classic: { class: 0x240418 }"),
    .elsewhere(
      "manufacturer", "manufacturer-name", "model", "model-number", "serial-number", "firmware-revision",
      "firmware-version",
      in: ["profile"],
      "it is a value of the Device Information Service: services: [ { include: device-information, manufacturer-name: Example } ]"
    ),
    .elsewhere(
      "advertising-interval", "advertising-interval-min", "advertising-interval-max", "adv-interval", "interval-ms",
      in: ["profile"],
      "the interval belongs to a set: advertising: [ { id: main, interval: 100 ms } ]"),
    .elsewhere(
      "advertising-data", "adv-data", "scan-response-data", "scan-rsp", "manufacturer-data", "manufacturer-id",
      "service-uuids",
      "service-data", in: ["profile"],
      "the data belong to a set: advertising: [ { id: main, data: { flags: [general], services: [180D] } } ]"),
    .elsewhere(
      "io-capability", "iocap", "io-cap", "bond", "pair", "pin", "pin-code", "auth", in: ["profile"],
      "pairing belongs in 'security', as in security: { pairing: just-works }"),
    .elsewhere(
      "connection-interval", "conn-params", "connection-parameters", "min-connection-interval",
      "max-connection-interval",
      "slave-latency", "supervision-timeout", in: ["profile", "connection"],
      "the accessory asks for parameters with connection: { request: { interval: [15 ms, 30 ms], latency: 0, timeout: 4 s } }"
    ),
    .elsewhere(
      "esphome", "esp32-ble", "esp32-ble-server", "esp32-ble-tracker", "ble-server", "bluetooth", "bluetooth-proxy",
      "ble-client", "sensor", "sensors",
      "binary-sensor", "switch", "button", in: ["profile"],
      "an accessory consists of services with characteristics: `understudy new heart-rate` writes a profile to start from"
    ),
  ]

  // MARK: Services

  static let service: [FamiliarKey] = [
    .named(
      "name", "label", "service-id", in: ["service"], means: "id", "The name of a service in the control API is its id"),
    .named(
      "service-uuid", "service", "uuid16", "uuid128", "uuid-16", "uuid-128", in: ["service"], means: "uuid",
      "It is a UUID or an assigned name: uuid: 180D, or uuid: heart-rate"),
    .named(
      "chars", "chrs", "attributes", "gatt-characteristics", in: ["service"], means: "characteristics",
      "It is a list, as in characteristics: [ { uuid: 2A19, properties: [read], value: 90 } ]"),
    .named(
      "is-primary", "secondary", "type", "service-type", in: ["service"], means: "primary",
      "A service is a primary one, unless primary: false makes it a secondary one"),
    .named(
      "included-services", "include-services", in: ["service"], means: "includes", "It is a list of ids of services"),
    .named("start-handle", "attribute-handle", in: ["service"], means: "handle", "It is the handle of the declaration"),
    .elsewhere(
      "advertise", "advertised", in: ["service"],
      "the default advertising data contain the services; others are chosen with advertising: [ { id: main, data: { services: [180D] } } ]"
    ),
    .elsewhere(
      "permissions", "permission", "security", in: ["service"],
      "security is a matter of each characteristic: permissions: { read: encrypted }"),
  ]

  // MARK: Characteristics

  static let characteristic: [FamiliarKey] = [
    .named(
      "name", "label", "characteristic-id", "key", in: ["characteristic"], means: "id",
      "The name of a characteristic in rules and the control API is its id; a text for centrals is 'description'"),
    .named(
      "type", "data-type", "datatype", "value-type", "encoding", "dtype", in: ["characteristic"], means: "format",
      "It says what the octets mean, as in format: u16"),
    .named(
      "characteristic-uuid", "char-uuid", "characteristic", "uuid16", "uuid128", "uuid-16", "uuid-128",
      in: ["characteristic"], means: "uuid", "It is a UUID or an assigned name: uuid: 2A19, or uuid: battery-level"),
    .named(
      "props", "flags", "access", "capabilities", in: ["characteristic"], means: "properties",
      "It is a list, as in properties: [read, notify]"),
    .named(
      "initial", "default", "initial-value", "default-value", "init", "data", "bytes", "payload", "static-value",
      "content",
      in: ["characteristic"], means: "value", "It is the value at the start, or a generator"),
    .named(
      "label-text", "user-description", "cud", "char-user-desc", "user-desc", in: ["characteristic"],
      means: "description",
      "It is the text of a Characteristic User Description"),
    .named(
      "cpf", "cpfd", "presentation", "unit", "units", "unit-of-measurement", in: ["characteristic"],
      means: "presentation-format",
      "It tells centrals the unit, as in presentation-format: { format: i16, exponent: -2, unit: celsius }"),
    .named(
      "display", "widget", "dashboard", "ui", "hidden", "visible", in: ["characteristic"], means: "show",
      "It says how the dashboard shows the value: show: { as: gauge, from: 0, to: 100 }, or show: hidden"),
    .named(
      "max-len", "length", "size", "max-size", "maximum-length", in: ["characteristic"], means: "max-length",
      "It is the largest number of octets that can be written"),
    .named(
      "range", "min-max", in: ["characteristic"], means: "valid-range",
      "It is a mapping: valid-range: { low: 0, high: 100 }"),
    .named(
      "save", "store", "restore-value", "restore", "retain", "persist", in: ["characteristic"], means: "persistent",
      "With persistent: true, a value that was written or set is kept for the next start"),
    .named(
      "write-callback", "write-handler", "on-receive", "onwrite", "write-cb", in: ["characteristic"], means: "on-write",
      "It is a list of rules, as in on-write: [ { when: hex:01, do: { notify: state } } ]; a library's own code is Accessory.onWrite"
    ),
    .named(
      "read-callback", "read-handler", "onread", "read-cb", in: ["characteristic"], means: "on-read",
      "It delays or refuses reads; a value that is computed is value: { compute: EXPRESSION }"),
    .named(
      "response", "reply", "ack", in: ["characteristic"], means: "control-point",
      "It answers commands; on-write answers other writes"),
    .elsewhere(
      "interval", "period", "interval-ms", "period-ms", "notify-interval", "update-interval", "rate", "every",
      "frequency",
      "notification-interval", in: ["characteristic"],
      "how often subscribers are notified is a part of 'notify', as in notify: { every: 1 s }"),
    .elsewhere(
      "read", "readable", "write", "writable", "writeable", "notifiable", "notifies", "indicatable", "indicates",
      "write-no-response",
      "write-without-response", "can-read", "can-write", "can-notify", in: ["characteristic"],
      "what clients may do is a list of words: properties: [read, write, notify]"),
    .elsewhere(
      "security", "secure", "encrypted", "encryption", "encrypt", "authenticated", "authentication", "auth", "mitm",
      "access-level",
      "security-level", in: ["characteristic"],
      "the security that clients need is a part of 'permissions', as in permissions: { read: encrypted, write: authenticated }"
    ),
    .elsewhere(
      "min", "max", "minimum", "maximum", "min-value", "max-value", "step", in: ["characteristic"],
      "a generated number has its limits in 'value', as in value: { random: { low: 0, high: 100 } }; a range for centrals is valid-range: { low: 0, high: 100 }"
    ),
    .elsewhere(
      "cccd", "ccc", "ccc-managed", "client-characteristic-configuration", in: ["characteristic"],
      "remove it: 'notify' or 'indicate' among the properties adds this descriptor"),
    .elsewhere(
      "generator", "random", "wave", "sine", "ramp", "counter", "sequence", "compute", "lambda", "simulate",
      in: ["characteristic"],
      "a generated value is a mapping in 'value', as in value: { wave: sine, low: 60, high: 90, period: 1 min }"),
    .elsewhere(
      "value-handle", "cccd-handle", "declaration-handle", "end-handle", in: ["characteristic"],
      "'handle' is the handle of the declaration; that of the value is the next one, and descriptors follow"),
  ]

  // MARK: Values

  static let value: [FamiliarKey] = [
    .named(
      "interval", "period", "ms", "seconds", "rate", "interval-ms", in: ["sending"], means: "every",
      "It is a duration: notify: { every: 1 s }"),
    .named(
      "threshold", "delta", "min-change", in: ["sending"], means: "change",
      "It is the difference from the number that was sent last"),
    .named(
      "min", "minimum", "from", in: ["wave", "random-range", "valid-range"], means: "low", "It is the smallest number"),
    .named(
      "max", "maximum", "to", in: ["wave", "random-range", "valid-range"], means: "high", "It is the largest number"),
    .named("min", "start", "low", in: ["counter-range", "ramp-range"], means: "from", "It is the first number"),
    .named("max", "end", "high", in: ["counter-range", "ramp-range"], means: "to", "It is the last number"),
    .named("min", "minimum", "low", "off", in: ["show"], means: "from", "It is the least number of a gauge"),
    .named("max", "maximum", "high", "on", in: ["show"], means: "to", "It is the greatest number of a gauge"),
    .named("type", "kind", "widget", "style", in: ["show"], means: "as", "It says what the value is shown as"),
    .named("name", "title", "text", in: ["show"], means: "label", "It is what the value is called in the dashboard"),
    .named("increment", "by", in: ["counter-range"], means: "step", "It is the difference between two numbers"),
    .named(
      "interval", "period", in: ["random-range", "counter-range", "sequence"], means: "every",
      "It is the duration of each value: every: 1 s"),
    .named(
      "frequency", "every", "cycle", in: ["wave"], means: "period", "It is the duration of a whole wave: period: 1 min"),
    .named("loop", "cycle", "circular", in: ["sequence", "replay"], means: "repeat", "It is true or false"),
    .elsewhere(
      "sine", "sin", "triangle", "square", "random-walk", in: ["generator"],
      "the shape is the value of 'wave': { wave: sine, low: 60, high: 90, period: 1 min }"),
    .elsewhere(
      "min", "max", "low", "high", "range", "between", "uniform", in: ["generator"],
      "random numbers are { random: { low: 0, high: 100 } }"),
    .elsewhere(
      "values", "list", "cycle", "choices", in: ["generator"],
      "values one after another are { sequence: [1, 2, 3], every: 1 s }"),
    .elsewhere(
      "increment", "count", "count-up", in: ["generator"],
      "numbers in order are { counter: { from: 0, to: 9, every: 1 s } }"),
    .elsewhere(
      "expression", "formula", "lambda", "template", "eval", in: ["generator"],
      "a computed value is { compute: EXPRESSION }"),
    .elsewhere("file", "csv", "recording", "playback", in: ["generator"], "recorded values are { replay: values.csv }"),
    .elsewhere("time", "now", "date", in: ["generator"], "the time of day is { clock: local }"),
    .named(
      "type", "descriptor-uuid", "descriptor", in: ["descriptor"], means: "uuid",
      "It is a UUID or an assigned name: uuid: 2901"),
    .named("data", "initial", "bytes", in: ["descriptor"], means: "value", "It is octets or text: value: hex:0102"),
    .named(
      "cols", "fields", "schema", in: ["table"], means: "columns",
      "They are names and formats: columns: { id: u8, title: utf8 }"),
    .named(
      "records", "entries", "data", "values", in: ["table"], means: "rows",
      "It is a list of records: rows: [ { id: 1, title: First } ]"),
  ]
}
