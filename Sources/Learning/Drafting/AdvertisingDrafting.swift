import AccessoryProfile
import BLECore
import BLEGAP
import BLEHCI

/// Writes what was seen of advertising sets.
struct AdvertisingDrafting {
  /// The name of the profile.
  var name: String
  /// The appearance of the profile.
  var appearance: UInt16?

  private typealias Entry = ProfileDraft.Entry

  /// Returns a set with an id.
  func draft(_ set: ObservedSet, id: String) -> ProfileDraft.AdvertisingSet {
    var entries = [Entry("id", id)]
    let isLegacy = set.key.isLegacy
    if !isLegacy { entries.append(Entry("kind", "extended")) }
    let isConnectable = set.kind.contains(.connectable)
    if !isConnectable { entries.append(Entry("connectable", "false")) }
    if isLegacy, isConnectable != set.kind.contains(.scannable) || (!isConnectable && !set.responses.isEmpty) {
      entries.append(Entry("scannable", set.kind.contains(.scannable) ? "true" : "false"))
    }
    if !isLegacy, set.secondaryPHY == .le1M { entries.append(Entry("secondary-phy", "1M")) }
    if !isLegacy, set.secondaryPHY == .leCoded { entries.append(Entry("secondary-phy", "coded")) }
    if set.txPower != 127 { entries.append(Entry("tx-power", "\(set.txPower)")) }
    // Scannable extended advertisements have no data of their own.
    if let data = set.data.first, !data.isEmpty || set.responses.isEmpty {
      let comment =
        set.changes > 0 ? "the first of \(set.data.count) that were seen; it changed \(set.changes) times" : nil
      entries.append(Entry("data", text(data), comment))
    }
    if let response = set.responses.first { entries.append(Entry("scan-response", text(response))) }
    entries += intervals(set)
    return ProfileDraft.AdvertisingSet(entries: entries)
  }

  private func intervals(_ set: ObservedSet) -> [Entry] {
    let phases = set.phases
    guard let last = phases.last else {
      return [Entry("interval", "100 ms", "assumed: too few advertisements were received to tell")]
    }
    func text(_ duration: Duration) -> String { ValueText.duration(duration.seconds, exact: true) }
    if phases.count == 2, phases[0].interval < last.interval {
      return [
        Entry(
          "schedule",
          "[ { interval: \(text(phases[0].interval)), for: \(ValueText.duration(phases[0].length.seconds)) }, "
            + "{ interval: \(text(last.interval)) } ]", "from \(set.times.count) advertisements")
      ]
    }
    return [Entry("interval", text(last.interval), "from \(set.times.count) advertisements")]
  }

  // MARK: Data

  /// Returns advertising data as keys, or as octets where the keys would not give exactly the same.
  func text(_ octets: [UInt8]) -> String {
    let structures = AdvertisingData(parsing: octets).structures
    guard let keys = keys(structures), (try? AdvertisingData(structures).encoded(limit: 1650)) == octets else {
      return "hex:\(octets.hexadecimal)"
    }
    return "{ \(keys.joined(separator: ", ")) }"
  }

  /// Returns a key for each structure; nil if the language would need one of them twice.
  private func keys(_ structures: [AdvertisingStructure]) -> [String]? {
    var names: Set<String> = []
    var keys: [String] = []
    for structure in structures {
      guard let (name, text) = key(structure), names.insert(name).inserted else { return nil }
      keys.append("\(name): \(text)")
    }
    return keys
  }

  /// The usual flags as the language writes them; "BR/EDR not supported" is added unless `br-edr` is there.
  private static let flagWords: [UInt8: String] = [
    0x06: "[general]", 0x05: "[limited]", 0x04: "[]", 0x02: "[general, br-edr]", 0x01: "[limited, br-edr]",
  ]

  private func key(_ structure: AdvertisingStructure) -> (String, String)? {
    func list(_ uuids: [BluetoothUUID]) -> String {
      "[\(uuids.map { DraftNames.name($0, .service) }.joined(separator: ", "))]"
    }
    switch structure {
    case .flags(let flags): return ("flags", Self.flagWords[flags.rawValue] ?? "0x\([flags.rawValue].hexadecimal)")
    case .localName(let text, let isComplete):
      if isComplete { return ("name", text == name ? "complete" : "{ complete: \(ValueText.text(text)) }") }
      return ("name", "{ shortened: \(ValueText.text(text)) }")
    case .services(let uuids, _, let isComplete): return (isComplete ? "services" : "incomplete-services", list(uuids))
    case .transmitPower(let power): return ("tx-power", "\(power)")
    case .appearance(let value):
      return (
        "appearance",
        value.rawValue == appearance
          ? "true" : "0x\([UInt8(value.rawValue >> 8), UInt8(value.rawValue & 0xFF)].hexadecimal)"
      )
    case .manufacturerData(let company, let data):
      let number = "0x\([UInt8(company >> 8), UInt8(company & 0xFF)].hexadecimal)"
      return ("manufacturer-data", "{ company: \(number), data: \(data.isEmpty ? "\"\"" : "hex:\(data.hexadecimal)") }")
    case .serviceData(let uuid, _, let data):
      return (
        "service-data",
        "{ service: \(DraftNames.name(uuid, .service)), data: \(data.isEmpty ? "\"\"" : "hex:\(data.hexadecimal)") }"
      )
    case .solicitation(let uuids, _): return ("solicitation", list(uuids))
    case .connectionIntervals, .raw: return nil
    }
  }
}

extension Duration {
  /// The duration in seconds.
  var seconds: Double { Double(self / .nanoseconds(1)) / 1e9 }
}
