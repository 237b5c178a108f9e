/// A word that people know from other tools, where this language has a word of its own. The words of this language are a vocabulary, so a row
/// applies wherever the word that is meant is known; each row has an example in `FamiliarWordTests`.
struct FamiliarValue: Sendable {
  /// What they write, in kebab case.
  let words: [String]
  /// The word that is meant; with advice, only a word of the vocabulary.
  let meant: String
  /// What to write instead, if that is not a word of the vocabulary.
  let advice: String?

  private init(_ words: [String], _ meant: String, _ advice: String?) {
    (self.words, self.meant, self.advice) = (words, meant, advice)
  }

  /// Other words for a word.
  private static func named(_ words: String..., means meant: String) -> FamiliarValue {
    FamiliarValue(words, meant, nil)
  }

  /// Words for something that no word beside this one says.
  private static func elsewhere(_ words: String..., beside known: String, _ advice: String) -> FamiliarValue {
    FamiliarValue(words, known, advice)
  }

  /// Returns the end of a message about an unknown word; nil if no row is about it.
  static func hint(for word: String, among known: [String]) -> String? {
    let word = Spelling.kebab(word)
    guard let row = all.first(where: { $0.words.contains(word) && known.contains($0.meant) }) else { return nil }
    return row.advice.map { ": \($0)" } ?? ", did you mean '\(row.meant)'?"
  }

  /// Returns the word that is meant; nil if no row is about the word.
  static func meaning(of word: String, among known: [String]) -> String? {
    let word = Spelling.kebab(word)
    return all.first { $0.advice == nil && $0.words.contains(word) && known.contains($0.meant) }?.meant
  }

  static let all: [FamiliarValue] = [
    // Properties: Bumble, BlueZ, Zephyr, nRF Connect, Android.
    .named("readable", "rd", "gatt-prop-read", "property-read", "bt-gatt-chrc-read", "chrc-read", means: "read"),
    .named(
      "writable", "writeable", "wr", "property-write", "bt-gatt-chrc-write", "write-with-response", "write-request",
      means: "write"),
    .named(
      "write-no-response", "write-nr", "write-no-rsp", "write-wo-response", "write-without-resp", "write-command",
      "wwr",
      "property-write-no-response", "bt-gatt-chrc-write-without-resp", means: "write-without-response"),
    .named("notification", "notifications", "notifiable", "property-notify", "bt-gatt-chrc-notify", means: "notify"),
    .named("indication", "indications", "indicatable", "property-indicate", "bt-gatt-chrc-indicate", means: "indicate"),
    .named(
      "authenticated-signed-writes", "signed-writes", "authenticated-signed-write", "bt-gatt-chrc-auth",
      means: "signed-write"),
    .named("extended-properties", "extended-props", means: "extended"),
    .elsewhere(
      "encrypt-read", "encrypt-write", "encrypt-notify", "encrypt-authenticated-read", "encrypt-authenticated-write",
      "secure-read",
      "secure-write", "authorize", "notify-encryption-required", "indicate-encryption-required", beside: "signed-write",
      "security is no property; beside the properties, write permissions: { read: encrypted }"),
    // When subscribers are notified.
    .elsewhere(
      "true", "yes", "on", "enabled", beside: "on-demand",
      "leave this key out: with the property, subscribers are notified of every change"),
    .elsewhere("false", "no", "off", "disabled", beside: "on-demand", "leave this key out, and remove the property"),
    // Security of clients: Zephyr, ESP-IDF, Android.
    .named("encrypt", "encryption", "enc", "encrypted-mitm-free", "paired", "bonded", "level-2", means: "encrypted"),
    .named(
      "authentication", "authenticate", "auth", "authen", "mitm", "encrypted-mitm", "level-3", means: "authenticated"),
    .named("lesc", "sc", "le-sc", "level-4", means: "secure-connections"),
    .named("open", "public", "anyone", "allowed", "yes", "true", "level-1", means: "none"),
    .named("denied", "no", "false", "never", means: "forbidden"),
    // Pairing: the names of the IO capabilities (Core 5.4 Vol 3 Part H 2.3.2).
    .named("no-input-no-output", "noinputnooutput", "no-io", "no-input", "just-work", means: "just-works"),
    .named("display-only", "displayonly", "passkey-display", "passkey", means: "display"),
    .named("display-yes-no", "displayyesno", "numeric-comparison", "yes-no", means: "compare"),
    .named("keyboard-only", "keyboardonly", "passkey-entry", "passkey-input", means: "keyboard"),
    .named("keyboarddisplay", means: "keyboard-display"),
    // Formats: C, ESPHome, Bumble, Python.
    .named("uint8", "uint8-t", "uchar", "byte", "char", means: "u8"),
    .named("uint16", "uint16-t", "ushort", "word", means: "u16"),
    .named("uint24", means: "u24"),
    .named("uint32", "uint32-t", "uint", "ulong", "dword", means: "u32"),
    .named("uint64", "uint64-t", means: "u64"),
    .named("int8", "int8-t", "sint8", "s8", means: "i8"),
    .named("int16", "int16-t", "sint16", "s16", "short", means: "i16"),
    .named("int24", "sint24", "s24", means: "i24"),
    .named("int32", "int32-t", "sint32", "s32", "int", "integer", "long", means: "i32"),
    .named("int64", "int64-t", "sint64", "s64", means: "i64"),
    .named("f32", "single", "ieee754", "real", means: "float32"),
    .named("f64", "double", means: "float64"),
    .named("medfloat16", "ieee11073-sfloat", "ieee-11073-sfloat", means: "sfloat"),
    .named("medfloat32", "ieee11073-float", "ieee-11073-float", means: "float"),
    .named("str", "utf-8", "utf8s", "ascii", "char-array", means: "utf8"),
    .named("bytes", "raw", "binary", "buffer", "octet", "blob", "bytearray", means: "hex"),
    .named("boolean", "flag", means: "bool"),
    .named("guid", means: "uuid"),
    .named("datetime", "timestamp", means: "date-time"),
    .elsewhere(
      "array", "json", "object", "record", "map", "dict", beside: "utf8",
      "several parts are a mapping: format: { struct: { level: u8, time: u16 } }, or { list: u16 }"),
    // Advertising.
    .named(
      "general-discoverable", "le-general-discoverable", "le-general-discoverable-mode", "le-general",
      "bt-le-ad-general", means: "general"),
    .named(
      "limited-discoverable", "le-limited-discoverable", "le-limited-discoverable-mode", "le-limited",
      "bt-le-ad-limited", means: "limited"),
    .elsewhere(
      "no-br-edr", "no-bredr", "br-edr-not-supported", "bredr-not-supported", "bt-le-ad-no-bredr", "le-only",
      beside: "br-edr", "leave it out: this flag is set, unless the list contains br-edr"),
    .named("adv-ind", "connectable", "undirected", "normal", means: "legacy"),
    .named("ext", "extended-advertising", "long-range", means: "extended"),
    .named("adv-direct-ind", "direct", means: "directed"),
    .elsewhere(
      "adv-nonconn-ind", "non-connectable", "nonconnectable", "nonconn", "broadcast", "broadcaster", "beacon",
      "adv-scan-ind", "scannable", beside: "directed",
      "a set without connections is a legacy set with connectable: false, and scannable: false without a scan response"),
    .named("random", "random-static", "static-random", "le-random", means: "static"),
    .named("rpa", "resolvable", "resolvable-private", "random-private", "nrpa", means: "private"),
    .named("le-public", "public-device-address", means: "public"),
    .named("le-1m", "1mbps", means: "1M"),
    .named("le-2m", "2mbps", means: "2M"),
    .named("le-coded", "s8-coded", "long", means: "coded"),
    // Waves.
    .named("sin", "sinus", "sinusoid", "cosine", means: "sine"),
    .named("tri", "sawtooth", "zigzag", means: "triangle"),
    .named("rect", "rectangle", "pulse", means: "square"),
    .named("random", "walk", "noise", "drift", "brownian", means: "random-walk"),
    // Triggers and actions: ESPHome, Home Assistant, Bumble.
    .named("boot", "on-boot", "startup", "init", "power-on", "started", means: "start"),
    .named("connect", "on-connect", "connection", means: "connected"),
    .named("disconnect", "on-disconnect", "disconnection", means: "disconnected"),
    .named("pair", "on-pair", "pairing", "bond", "bonded", "pairing-complete", means: "paired"),
    .named("write", "on-write", "on-receive", "changed", means: "written"),
    .named("on-read", "reading", means: "read"),
    .named("subscribe", "on-subscribe", "notify-enabled", "cccd-written", means: "subscribed"),
    .named("unsubscribe", "on-unsubscribe", "notify-disabled", means: "unsubscribed"),
    .named("print", "logger", "trace", "console", means: "log"),
    .named("reboot", "reset", "power-cycle", means: "restart"),
    .named("hang-up", "terminate", "close", "drop", means: "disconnect"),
    .named("deep-sleep", "off", "power-off", means: "sleep"),
    .named("wakeup", "wake-up", "on", means: "wake"),
    // Events.
    .named("notification", "notification-received", "notify", means: "notified"),
    // Errors of ATT.
    .named("invalid-length", "invalid-attribute-length", "wrong-length", means: "invalid-attribute-value-length"),
    .named("read-only", "not-writable", means: "write-not-permitted"),
    .named("write-only", "not-readable", means: "read-not-permitted"),
    .named("not-authorized", "unauthorized", "access-denied", means: "insufficient-authorization"),
    .named("not-authenticated", "unauthenticated", means: "insufficient-authentication"),
    .named("not-encrypted", "unencrypted", means: "insufficient-encryption"),
    .named("not-supported", "unsupported", "not-implemented", means: "request-not-supported"),
    .named("invalid-value", "value-out-of-range", "bad-value", means: "value-not-allowed"),
    .named("failed", "failure", "error", "unlikely", "internal-error", means: "unlikely-error"),
    .elsewhere(
      "application-error", "app-error", "custom", "user-error", beside: "unlikely-error",
      "an application's error is a number from 0x80 to 0x9F"),
    // Zephyr's names of UUIDs.
    .named("hrs", "hr", means: "heart-rate"),
    .named("bas", "battery-level-service", means: "battery"),
    .named("dis", "device-info", means: "device-information"),
    .named("cts", means: "current-time"),
    .named("hids", "hid", "hogp", means: "human-interface-device"),
    .named("ess", means: "environmental-sensing"),
    .named("ias", means: "immediate-alert"),
    .named("lls", means: "link-loss"),
    .named("tps", means: "tx-power"),
    .named("htp", "hts", "thermometer", means: "health-thermometer"),
    .named("hrs-measurement", "heart-rate-value", "bpm", means: "heart-rate-measurement"),
    .named("hrs-body-sensor", "body-location", means: "body-sensor-location"),
    .named("bas-battery-level", "battery-percentage", means: "battery-level"),
    .named("dis-model-number", "model", means: "model-number-string"),
    .named("dis-manufacturer-name", "manufacturer", means: "manufacturer-name-string"),
    .named("gatt-cud", "cud", "user-description", means: "characteristic-user-description"),
    .named("gatt-cpf", "cpf", means: "characteristic-presentation-format"),
    .named("gatt-ccc", "ccc", "cccd", means: "client-characteristic-configuration"),
  ]
}
