import BLECore
import BLEGAP
import BLEGATT

/// The short keys for iBeacon and Eddystone. The layouts of the data are in Profiles/formats/beacons.yaml.
extension ProfileLoader {
  /// Returns whether a set is a beacon defined by one of the short keys.
  static func isBeacon(_ keys: Keys) -> Bool { keys["ibeacon"] != nil || keys["eddystone"] != nil }

  /// The default schedule of a beacon, with the interval of Apple's specification.
  static let beaconSchedule = [AdvertisingPhase(interval: .milliseconds(100))]

  private static let eddystoneService = BluetoothUUID(0xFEAA)

  /// Loads the data of a beacon; nil if the set is not a beacon, or is invalid.
  mutating func beacon(_ keys: Keys) -> LoadedData? {
    guard let node = keys["ibeacon"] ?? keys["eddystone"] else { return nil }
    let name = keys["ibeacon"] != nil ? "ibeacon" : "eddystone"
    for other in ["data", "eddystone"] where other != name {
      if let key = keys.key(other) { error(key, "'\(name)' already defines the data") }
    }
    var loaded = LoadedData(node: node)
    loaded.data.structures.append(.flags([.generalDiscoverable, .bredrNotSupported]))
    if name == "ibeacon" {
      guard let content = iBeacon(node) else { return nil }
      loaded.append(LoadedStructure(content) { .manufacturerData(company: 0x004C, data: $0) })
    } else {
      guard let content = eddystone(node) else { return nil }
      let service = Self.eddystoneService
      loaded.data.appendServices([service])
      loaded.append(LoadedStructure(content) { .serviceData(service, width: .bits16, data: $0) })
    }
    return loaded
  }

  private mutating func iBeacon(_ node: SyntaxNode) -> LoadedDatum? {
    guard let keys = keys(node, Language.iBeacon), let uuidNode = keys["uuid"], let uuid = fullUUID(uuidNode) else {
      return nil
    }
    return frame(
      "ibeacon", keys, ["major", "minor", "measured-power"], besides: [.init("uuid", .constant(.octets(uuid)))])
  }

  /// Reads a 128-bit UUID, with the most significant octet first.
  private mutating func fullUUID(_ node: SyntaxNode) -> [UInt8]? {
    guard let text = text(node) else { return nil }
    guard text.count == 36, let uuid = BluetoothUUID(text) else {
      error(node, "expected a UUID of 36 characters, such as E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, not '\(text)'")
      return nil
    }
    return uuid.fullLittleEndianOctets.reversed()
  }

  // MARK: Eddystone

  private mutating func eddystone(_ node: SyntaxNode) -> LoadedDatum? {
    guard let keys = keys(node, Language.eddystone) else { return nil }
    let frames = Language.eddystoneFrames.filter { keys[$0] != nil }
    guard frames.count == 1, let kind = frames.first, let value = keys[kind] else {
      error(
        node,
        "expected exactly one of \(Language.eddystoneFrames.joined(separator: ", ")); each needs its own set")
      return nil
    }
    if kind == "tlm", let power = keys.key("measured-power") { error(power, "telemetry frames contain no power") }
    switch kind {
    case "url":
      guard let url = text(value), let octets = compressedURL(url, value) else { return nil }
      return frame("eddystone-url", keys, ["measured-power"], besides: [.init("url", .constant(.octets(octets)))])
    case "uid":
      guard let uid = self.keys(value, Language.eddystoneUID), let namespace = uid["namespace"],
        let instance = uid["instance"], let first = octets(namespace, count: 10),
        let second = octets(instance, count: 6)
      else { return nil }
      return frame(
        "eddystone-uid", keys, ["measured-power"],
        besides: [.init("namespace", .constant(.octets(first))), .init("instance", .constant(.octets(second)))])
    case "eid":
      guard let identifier = ephemeralIdentifier(value) else { return nil }
      return frame("eddystone-eid", keys, ["measured-power"], besides: [.init("identifier", .computed(identifier))])
    default:
      guard let telemetry = self.keys(value, Language.eddystoneTLM) else { return nil }
      return frame(
        "eddystone-tlm", telemetry, ["battery", "temperature"],
        besides: ["advertisements": "advertisements", "tenths": "time * 10"].compactMap { field, text in
          Expression.ofLanguage(text).map { .init(field, .computed($0)) }
        })
    }
  }

  /// Returns the content of a beacon's format, from the values of the keys in `given` and from other fields.
  private mutating func frame(
    _ name: String, _ keys: Keys, _ given: [String], besides others: [ValueSource.Field]
  ) -> LoadedDatum? {
    guard let format = ShippedFormats.format(named: name) else { return nil }
    var sources = others
    for key in given {
      guard let node = keys[key], let field = format.fields?.first(where: { $0.name == key }) else { continue }
      guard let source = liveSource(node, field.format) else { return nil }
      sources.append(.init(key, source))
    }
    // Sorted in the order of the format.
    let record = ValueSource.record(
      (format.fields ?? []).compactMap { field in sources.first { $0.name == field.name } })
    if let octets = ValueEvaluator.constant(record, format) { return .octets(octets) }
    return format.longestSize.map { .live(LiveDatum(source: record, format: format, longest: $0)) }
  }

  private mutating func octets(_ node: SyntaxNode, count: Int) -> [UInt8]? {
    guard let octets = octets(node)?.octets else { return nil }
    guard octets.count == count else {
      error(node, "expected \(count) octets, not \(octets.count)")
      return nil
    }
    return octets
  }

  private static let urlSchemes = ["http://www.", "https://www.", "http://", "https://"]
  private static let urlEndings = [".com", ".org", ".edu", ".net", ".info", ".biz", ".gov"]
  private static let longestURL = 17

  /// Compresses a URL for Eddystone: one octet for its scheme, and one for each common ending of a host name.
  private mutating func compressedURL(_ url: String, _ node: SyntaxNode) -> [UInt8]? {
    guard let scheme = Self.urlSchemes.firstIndex(where: { url.hasPrefix($0) }) else {
      error(node, "expected a URL that begins with http:// or https://, not '\(url)'")
      return nil
    }
    var rest = url.dropFirst(Self.urlSchemes[scheme].count)
    var octets: [UInt8] = []
    while let character = rest.first {
      if let code = Self.urlEndings.firstIndex(where: { rest.hasPrefix($0) }) {
        rest = rest.dropFirst(Self.urlEndings[code].count)
        let hasPath = rest.first == "/"
        octets.append(UInt8(hasPath ? code : code + Self.urlEndings.count))
        if hasPath { rest = rest.dropFirst() }
        continue
      }
      guard let octet = character.asciiValue, (0x21...0x7E).contains(octet) else {
        error(node, "'\(character)' is not allowed in a URL; write it with %")
        return nil
      }
      octets.append(octet)
      rest = rest.dropFirst()
    }
    guard (1...Self.longestURL).contains(octets.count) else {
      error(
        node,
        "the URL takes \(octets.count) octets after its scheme; it must have 1 to \(Self.longestURL)"
      )
      return nil
    }
    return [UInt8(scheme)] + octets
  }

  /// Returns the ephemeral identifier, as the resolver with the same key computes it: the time encrypted by AES-128 with a temporary key,
  /// which is the upper half of the time encrypted with the identity key.
  private mutating func ephemeralIdentifier(_ node: SyntaxNode) -> Expression? {
    guard let keys = keys(node, Language.eddystoneEID), let keyNode = keys["key"], let key = octets(keyNode, count: 16)
    else { return nil }
    let exponent = keys["rotation"].map { integer($0, keys.table, "rotation") } ?? 10
    let begin = keys["clock"].map { integer($0, keys.table, "clock") } ?? 0
    guard let exponent, let begin else { return nil }
    let clock = "(floor(time) + \(begin))"
    let temporary =
      "aes-ecb(hex:\(key.hexadecimal), hex:\(String(repeating: "00", count: 11))ff0000 ++ u16-be(\(clock) >> 16))"
    let text =
      "aes-ecb(\(temporary), hex:\(String(repeating: "00", count: 11)) ++ u8(\(exponent)) ++ u32-be(\(clock) >> \(exponent) << \(exponent)))[0..8]"
    return .ofLanguage(text)
  }
}

extension Expression {
  /// Parses an expression that contains only predefined names.
  fileprivate static func ofLanguage(_ text: String) -> Expression? {
    try? ExpressionParser.parse(text).resolved { name in Known(rawValue: name).map { .known($0) } }
  }
}
