import BLECore
import BLEGAP

extension ProfileWriter {
  func item(of set: ImportedAdvertisingSet) -> YAMLItem {
    var entries = [YAMLEntry("id", set.id, isRequired: true)]
    if set.isExtended { entries.append(YAMLEntry("kind", "extended")) }
    if !set.isConnectable { entries.append(YAMLEntry("connectable", "false")) }
    if let isScannable = set.isScannable { entries.append(YAMLEntry("scannable", isScannable ? "true" : "false")) }
    entries.append(YAMLEntry("data", content(of: set.data)))
    if let response = set.scanResponse { entries.append(YAMLEntry("scan-response", content(of: response))) }
    if set.schedule.count == 1, set.schedule[0].duration == nil {
      entries.append(YAMLEntry("interval", YAMLScalar.duration(set.schedule[0].interval)))
    } else if !set.schedule.isEmpty {
      let phases = set.schedule.map { phase in
        let limit = phase.duration.map { ", for: \(YAMLScalar.duration($0))" } ?? ""
        return "{ interval: \(YAMLScalar.duration(phase.interval))\(limit) }"
      }
      entries.append(YAMLEntry("schedule", "[ \(phases.joined(separator: ", ")) ]"))
    }
    entries += set.keys.map { YAMLEntry($0) }
    return YAMLItem(entries: entries, comments: set.comments, title: "advertising set \(set.id)")
  }

  private func content(of data: ImportedAdvertisingData) -> YAMLContent {
    switch data {
    case .keys(let keys): .shortMapping(keys.map { YAMLEntry($0) })
    case .octets(let octets): content(of: octets)
    }
  }

  /// Returns AD structures as keys, or as octets if they are damaged or the keys cannot express this order.
  private func content(of octets: [UInt8]) -> YAMLContent {
    let data = AdvertisingData(parsing: octets)
    guard data.octetCount == octets.count, !octets.isEmpty else { return .ready(YAMLScalar.octets(octets)) }
    var entries: [YAMLEntry] = []
    var listed: [String: [String]] = [:]
    for structure in data.structures {
      let (key, value) = keyAndValue(of: structure)
      // A list collects neighbouring structures. A key cannot come again later.
      if let last = entries.last, last.key == key, var members = listed[key] {
        members.append(contentsOf: Self.isList(key) ? [value] : [])
        listed[key] = members
        entries[entries.count - 1].value = .ready(Self.list(members))
      } else if entries.contains(where: { $0.key == key }) {
        return .ready(YAMLScalar.octets(octets))
      } else {
        listed[key] = [value]
        let isMapping = ["manufacturer-data", "service-data"].contains(key)
        entries.append(YAMLEntry(key, isMapping || !Self.isList(key) ? value : Self.list([value])))
      }
    }
    return .shortMapping(entries)
  }

  private static func isList(_ key: String) -> Bool {
    ["services", "incomplete-services", "manufacturer-data", "service-data", "solicitation", "raw"].contains(key)
  }

  private static func list(_ members: [String]) -> String { "[\(members.joined(separator: ", "))]" }

  private func keyAndValue(of structure: AdvertisingStructure) -> (key: String, value: String) {
    switch structure {
    case .flags(let flags): return ("flags", Self.text(of: flags))
    case .services(let uuids, _, let isComplete):
      return (isComplete ? "services" : "incomplete-services", Self.members(uuids))
    case .localName(let name, let isComplete):
      if isComplete, name == database.name { return ("name", "complete") }
      return ("name", "{ \(isComplete ? "complete" : "shortened"): \(YAMLScalar.text(name)) }")
    case .transmitPower(let power): return ("tx-power", "\(power)")
    case .connectionIntervals(let minimum, let maximum):
      let bounds = [minimum, maximum].map { YAMLScalar.duration(.microseconds(1250 * Int($0))) }
      return ("connection-intervals", "[\(bounds[0]), \(bounds[1])]")
    case .solicitation(let uuids, _): return ("solicitation", Self.members(uuids))
    case .serviceData(let uuid, _, let data):
      let service = YAMLScalar.uuid(uuid, .service)
      return ("service-data", "{ service: \(service), data: \(YAMLScalar.octets(data)) }")
    case .appearance(let appearance):
      return ("appearance", appearance == database.appearance ? "true" : Self.text(of: appearance))
    case .manufacturerData(let company, let data):
      let name = CompanyIdentifier.names.first { $0.company.rawValue == company }?.name
      let number = company.hexadecimalText
      return ("manufacturer-data", "{ company: \(name ?? number), data: \(YAMLScalar.octets(data)) }")
    case .raw(let type, let data):
      return ("raw", "{ type: 0x\([type.rawValue].uppercaseHexadecimal), data: \(YAMLScalar.octets(data)) }")
    }
  }

  private static func members(_ uuids: [BluetoothUUID]) -> String {
    uuids.map { YAMLScalar.uuid($0, .service) }.joined(separator: ", ")
  }

  private static func text(of flags: AdvertisingFlags) -> String {
    switch flags {
    case [.generalDiscoverable, .bredrNotSupported]: "[general]"
    case [.limitedDiscoverable, .bredrNotSupported]: "[limited]"
    case .bredrNotSupported: "[]"
    default: "0x\([flags.rawValue].uppercaseHexadecimal)"
    }
  }
}
