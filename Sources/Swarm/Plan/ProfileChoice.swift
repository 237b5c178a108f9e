import AccessoryProfile
import BLECore

/// Draws the profile of a plan: a shipped one, one from the language's tables, or one composed of random parts.
struct ProfileChoice {
  private var random: SplitMix64

  init(random: SplitMix64) { self.random = random }

  /// Returns the name of a shipped profile, or the text of another one.
  mutating func draw() -> String {
    switch random.upTo(3) {
    case 0: return overBothTransports(pick(ShippedProfiles.list.map(\.name)))
    // Any keys of the language, in any valid combination.
    case 1:
      var drawing = ProfileDrawing(random.generator(for: "language"), shippedShare: 0)
      return drawing.draw()?.text ?? "heart-rate"
    default: return composed()
    }
  }

  /// Returns the name of a shipped profile, or sometimes its text with BR/EDR.
  private func overBothTransports(_ name: String) -> String {
    var random = random.generator(for: "transports")
    guard random.upTo(2) == 0, let entry = ShippedProfiles.entry(named: name),
      let text = ShippedProfiles.text(of: entry), !text.contains("\ntransports:")
    else { return name }
    let whole = text + "\n" + Self.classicLines(&random).joined(separator: "\n") + "\n"
    // Profiles that need files beside them have only their names.
    return (try? Profile.load(text: whole, file: "swarm.yaml")) == nil ? name : whole
  }

  /// Returns the lines of a profile that make it reachable over BR/EDR.
  private static func classicLines(_ random: inout SplitMix64) -> [String] {
    func pick(_ parts: [String]) -> String { parts[Int(random.upTo(UInt64(parts.count - 1)))] }
    return ["transports: \(pick(ProfileParts.transports))", "classic: \(pick(ProfileParts.classic))"]
  }

  /// Returns a line of a profile, in which a service or a channel sometimes has only one transport.
  private static func restricted(_ line: String, _ random: inout SplitMix64) -> String {
    guard let start = ["    id: main", "  - include: battery", "  - { id: l"].first(where: { line.hasPrefix($0) }),
      random.upTo(3) == 0
    else { return line }
    let transports = "transports: [\(random.upTo(1) == 0 ? "le" : "br-edr")]"
    return start.contains("{") ? line.replacing("{ id:", with: "{ \(transports), id:") : "\(line)\n    \(transports)"
  }

  /// Returns a profile of parts that affect connections, pairing and channels. Chance decides which parts.
  private mutating func composed() -> String {
    var lines = ["understudy: 1", "name: Swarm"]
    lines.append("security: \(pick(ProfileParts.security))")
    let isRich = isThere()
    if isThere() { lines.append("identity: { address: private, rotation: \(5 + random.upTo(40)) s }") }
    if isThere() {
      lines += ["advertising:"] + (0...random.upTo(2)).map { advertisingSet($0) }
      if isRich { lines += some(of: ProfileParts.sets).map { "  - \($0)" } + ["  - { id: more, start: manual }"] }
    }
    if isThere() {
      lines.append("gatt: { eatt: \(random.upTo(3)), service-changed: present, robust-caching: \(isThere()) }")
    }
    if isThere() { lines.append("connection: { max-connections: \(2 + random.upTo(2)) }") }
    lines += ["services:", "  - uuid: FFF0", "    id: main", "    characteristics:"]
    for number in 0...random.upTo(6) { lines.append("      - \(characteristic(number))") }
    if isRich {
      lines += some(of: ProfileParts.characteristics).map { "      - \($0)" }
      lines.append("      - { id: shaped, uuid: FFDD, properties: [read, write], format: shape0 }")
      lines += [
        "  - { uuid: FFC0, id: extra, characteristics: [ { uuid: FFC1, properties: [read], format: u8, value: 1 } ] }"
      ]
    }
    lines.append("  - include: battery")
    if isThere() {
      lines.append("l2cap:")
      for number in 0...random.upTo(1) { lines.append("  - \(channel(number))") }
      if isRich, !lines.contains(where: { $0.contains("id: l1,") }) {
        lines += ProfileParts.channels.map { "  - \($0)" }
      }
    }
    if isRich {
      lines.append("formats: { \(shapes().joined(separator: ", ")) }")
      // A section may occur only once.
      lines += some(of: ProfileParts.sections).filter { section in
        !lines.contains { $0.hasPrefix(section.prefix { $0 != " " }) }
      }
      lines += ["rules:"] + some(of: ProfileParts.rules).map { "  - \($0)" }
    }
    var classic = random.generator(for: "classic")
    if classic.upTo(1) == 0 {
      lines = lines.map { Self.restricted($0, &classic) }
      lines += Self.classicLines(&classic)
      let security = ProfileParts.classicSecurity
      if classic.upTo(1) == 0 { lines[2] = "security: \(security[Int(classic.upTo(UInt64(security.count - 1)))])" }
    }
    // Signatures need keys that most profiles do not distribute.
    if lines.contains(where: { $0.contains("signed-write") }), isThere() {
      lines[2] = "security: \(ProfileParts.signing)"
    }
    let text = lines.joined(separator: "\n") + "\n"
    // Remove the parts that the loader refuses in this combination.
    if (try? Profile.load(text: text, file: "swarm.yaml")) != nil { return text }
    return ProfileTree(yaml: text).flatMap { ProfileDrawing.repaired($0)?.text } ?? "heart-rate"
  }

  /// Returns an advertising set. Several may be on the air at the same time, and change their addresses one after the other.
  private mutating func advertisingSet(_ number: UInt64) -> String {
    "  - { id: s\(number), interval: \(pick([20, 100, 500])) ms, data: { name: complete } }"
  }

  /// Returns formats with several fields, by name.
  private mutating func shapes() -> [String] {
    var drawing = TableDrawing(random.generator(for: "shapes"), density: 0.5)
    return (0...3).map { "shape\($0): \(ProfileTreeText.line(.mapping([.init("struct", drawing.structFields())])))" }
  }

  /// Returns some of the parts, each with a probability of one half.
  private mutating func some(of parts: [String]) -> [String] { parts.filter { _ in isThere() } }

  private mutating func characteristic(_ number: UInt64) -> String {
    let properties = pick([
      "[read, write]", "[read, write, notify]", "[read, notify]", "[read, indicate]", "[read, write, notify, indicate]",
      "[write, write-without-response]", "[read, signed-write]", "[read, write, signed-write]",
    ])
    var keys = ["id: c\(number)", "uuid: FF\(String(0xE0 + number, radix: 16))", "properties: \(properties)"]
    let octets = "format: hex, value: hex:00, max-length: 300"
    keys.append(
      properties.contains("signed") ? octets : pick(["format: u8, value: 5", octets, "format: u32, value: 7"]))
    let isSent = properties.contains("notify")
    if isSent, isThere() { keys.append("notify: { every: \(pick([200, 1000, 5000])) ms }") }
    if isThere() {
      let level = pick(["encrypted", "authenticated", "secure-connections"])
      let access = properties.contains("read") ? pick(["read", "read"]) : "write"
      var permissions = ["\(properties.contains("write") && isThere() ? "write" : access): \(level)"]
      if isSent, isThere() { permissions.append("subscribe: \(pick(["none", "encrypted", "authenticated"]))") }
      keys.append("permissions: { \(permissions.joined(separator: ", ")) }")
    }
    return "{ \(keys.joined(separator: ", ")) }"
  }

  private mutating func channel(_ number: UInt64) -> String {
    // The handler `source` would fill the whole run with its frames.
    let handler = pick(["echo", "echo", "sink"])
    return
      "{ id: l\(number), psm: 0x8\(number), handler: \(handler), mtu: \(pick([23, 200, 2000])), mps: \(pick([23, 60, 247])) }"
  }

  private mutating func isThere() -> Bool { random.upTo(1) == 0 }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int(random.upTo(UInt64(elements.count - 1)))]
  }
}
