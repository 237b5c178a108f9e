import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLELink
import PeripheralHost

/// A page that describes an accessory with all its services and characteristics to a person.
package struct ProfileDescription: Sendable {
  let profile: Profile
  private let configuration: HostConfiguration
  /// The attributes with their handles.
  package let database: AttributeDatabase

  /// Describes a profile as it would run with that seed.
  package init(_ profile: Profile, seed: UInt64 = 0) throws(AttributeDatabase.DefinitionError) {
    self.profile = profile.assigningAutomaticPSMs()
    configuration = self.profile.hostConfiguration(seed: seed)
    database = try configuration.makeDatabase()
  }

  /// The page as JSON: identity, advertising, published channels and the whole database. The `behavior` of
  /// each characteristic is what it does automatically.
  package var json: ProfileValue {
    var fields: [String: ProfileValue] = [:]
    fields["services"] = .array(
      database.services.map { service in
        database.json(of: service, decode: profile.decode) { record in
          let behavior = profile.describedBehavior(of: record.definition.id)
          return behavior.map { ["behavior": .object(Dictionary($0.map { ($0.key, $0.value) }) { first, _ in first })] }
            ?? [:]
        }
      })
    fields["name"] = .string(profile.name)
    fields["about"] = .string(profile.about)
    fields["instructions"] = .string(profile.instructions)
    fields["address"] = address.map { .string($0.description) } ?? .null
    fields["advertising"] = .array(
      configuration.advertising.map { set in
        .object([
          "id": .string(set.id), "kind": .string(set.kind.rawValue), "connectable": .bool(set.isConnectable),
          "data": .string(set.data.hexadecimal), "scan_response": .string(set.scanResponse.hexadecimal),
        ])
      })
    fields["security"] = profile.security.json
    fields["l2cap"] = .array(profile.channels.map(\.describedJSON))
    fields["programs"] = .object(
      Dictionary(profile.programs.map { ($0.id, .array($0.command.map { .string($0) })) }) { first, _ in first })
    return .object(fields)
  }

  /// The page as text, in lines of at most about 100 columns.
  package var text: String {
    var lines = [profile.name, String(repeating: "=", count: profile.name.count)]
    if !profile.about.isEmpty { lines += ["", profile.about] }
    if !profile.instructions.isEmpty { lines += ["", "How to use it", profile.instructions] }
    lines += ["", "Address     " + (address.map { "\($0) (random static)" } ?? "the controller's public address")]
    lines += ["Appearance  \(profile.appearance.displayName ?? "unknown")"]
    lines += ["", "Advertising"]
    for set in configuration.advertising { lines += advertisingLines(set) }
    lines += ["", "Connection"]
    lines += [
      "  up to \(profile.connection.maximumConnections) at once, MTU \(profile.connection.mtu), "
        + "data length \(profile.connection.dataLength)"
    ]
    if let request = profile.connection.parameterRequest {
      lines += [
        "  requests an interval of \(request.intervals.lowerBound.shortText) to "
          + "\(request.intervals.upperBound.shortText) \(request.delay.shortText) after connecting"
      ]
    }
    lines += profile.security.describedLines
    if !profile.channels.isEmpty { lines += ["", "L2CAP channels"] }
    for channel in profile.channels { lines += channelLines(channel) }
    if !profile.programs.isEmpty { lines += ["", "Programs"] }
    for program in profile.programs { lines.append("  \(program.id): \(program.command.joined(separator: " "))") }
    for service in database.services { lines += serviceLines(service) }
    return lines.joined(separator: "\n")
  }

  private var address: DeviceAddress? { configuration.identity.randomAddress(seed: configuration.seed) }

  private func advertisingLines(_ set: AdvertisingSetDefinition) -> [String] {
    var kind = set.kind == .legacy ? "legacy" : "extended"
    switch set.target {
    case .latest: kind = "directed \(kind) to the bonded central that connected last"
    case .peer(let address): kind = "directed \(kind) to \(address), once it has bonded"
    case nil: break
    }
    var use = set.isConnectable ? "connectable" : set.isScannable ? "scannable" : "broadcast only"
    if set.connectsTo == .bonded { use += " by bonded centrals" }
    if set.answersScansOf == .bonded { use += ", scanned by bonded centrals" }
    if set.address == .nonResolvable { use += ", with non-resolvable private addresses" }
    let isHighDuty = set.target != nil && set.isHighDuty
    let phases =
      isHighDuty
      ? ["continuously for 1.28 s"]
      : set.schedule.map { phase in
        "every \(phase.interval.shortText)" + (phase.duration.map { " for \($0.shortText)" } ?? "")
      }
    return [
      "  \(set.id): \(kind), \(use), \(set.data.count) octets"
        + (set.scanResponse.isEmpty ? "" : " and a scan response of \(set.scanResponse.count)"),
      "    \(phases.joined(separator: ", then "))",
    ]
  }

  private func channelLines(_ channel: ChannelDefinition) -> [String] {
    let psm =
      switch channel.psm {
      case .fixed(let number): "PSM 0x" + String(number, radix: 16, uppercase: true)
      case .automatic: "no PSM, because none is free"
      case .drawn: "a new PSM at every start"
      }
    let security = channel.protection == .none ? [] : [channel.protection.word]
    let keySize = channel.minimumKeySize == 0 ? [] : ["a key of \(channel.minimumKeySize) octets"]
    let place = channel.psmCharacteristic.map { ["PSM in \($0)"] } ?? []
    return [
      "  \(channel.id): \(psm), \(channel.handler.text)",
      "    "
        + (["MTU \(channel.mtu)", "MPS \(channel.mps)", "up to \(channel.maximumChannels) per link"] + security
        + keySize + channel.transports.restriction + place)
        .joined(separator: ", "),
    ]
  }

  private func serviceLines(_ service: ServiceRecord) -> [String] {
    let kind = service.isPrimary ? "Service" : "Secondary service"
    let (first, last) = (service.handles.lowerBound.hexadecimalText, service.handles.upperBound.hexadecimalText)
    let head = ["\(kind) \(service.uuid.displayText)  [\(first)-\(last)]"] + service.transports.restriction
    var lines = ["", head.joined(separator: ", ")]
    for record in database.characteristics(of: service) {
      let properties = record.definition.propertyNames.joined(separator: ", ")
      lines.append(
        "  \(record.value.hexadecimalText)  \(record.definition.uuid.displayText)  (\(record.definition.id))")
      lines.append("          \(properties)")
      let declared = record.definition.properties.openPermissions
      if let needs = record.definition.permissions.requirementText(declared: declared) {
        lines.append("          \(needs)")
      }
      lines += behaviorLines(record.definition.id)
      for descriptor in database.descriptors(of: record) {
        let needs = descriptor.permissions.requirementText(declared: descriptor.usualPermissions)
        lines.append(
          "    \(descriptor.handle.hexadecimalText)  \(descriptor.type.displayText)" + (needs.map { "  (\($0))" } ?? "")
        )
      }
    }
    return lines
  }
}

extension ProfileDescription {
  /// Returns what a characteristic does automatically, with one line for each key and each rule. Lines that are too long to read are cut.
  private func behaviorLines(_ id: String) -> [String] {
    (profile.describedBehavior(of: id) ?? []).flatMap { key, value -> [String] in
      let parts = if case .array(let elements) = value, key != "value" { elements } else { [value] }
      return parts.map { part in
        let line = "          \(key) \(part.profileText)"
        return line.count <= 100 ? line : line.prefix(99) + "…"
      }
    }
  }
}

extension Set<LinkTransport> {
  /// What to say of a service or channel with these transports; nothing if it has both.
  fileprivate var restriction: [String] {
    switch words {
    case ["le"]: ["over LE only"]
    case ["br-edr"]: ["over BR/EDR only"]
    default: []
    }
  }
}

extension ChannelDefinition {
  /// The keys of a profile's channel, with the id of the characteristic that holds its PSM.
  var describedJSON: ProfileValue {
    guard case .object(var fields) = json else { return .null }
    fields["psm-characteristic"] = psmCharacteristic.map { .string($0) } ?? .null
    return .object(fields)
  }
}

extension ChannelHandler {
  /// The handler as text: `echo`, `sink (hash, 1000 octets/s)`.
  var text: String {
    func words(_ name: String, _ parts: [String?]) -> String {
      let parts = parts.compactMap { $0 }
      return parts.isEmpty ? name : "\(name) (\(parts.joined(separator: ", ")))"
    }
    switch self {
    case .sink(let rate, let hashes): return words("sink", [hashes ? "SHA-256" : nil, rate.map { "\($0) octets/s" }])
    case .source(let source):
      return words(
        "source",
        [
          source.pattern.rawValue, source.length.map { "\($0) octets" }, source.sduLength.map { "SDUs of \($0)" },
          source.octetsPerSecond.map { "\($0) octets/s" },
        ])
    default:
      guard case .string(let text) = json else { return "" }
      return text
    }
  }
}

extension BluetoothUUID {
  /// The assigned name with the short form, such as `Heart Rate (180D)`; the UUID itself if it has no assigned name.
  var displayText: String { assignedName.map { "\($0.displayName) (\(self))" } ?? description }
}

extension Duration {
  /// The duration in the most readable unit: `152.5 ms`, `30 s`, `8 h`.
  package var shortText: String {
    let milliseconds = Double(inNanoseconds) / 1e6
    func text(_ value: Double, _ unit: String) -> String {
      value == value.rounded() ? "\(Int(value)) \(unit)" : "\(value) \(unit)"
    }
    switch milliseconds {
    case ..<1000: return text(milliseconds, "ms")
    case ..<60_000: return text(milliseconds / 1000, "s")
    case ..<3_600_000: return text(milliseconds / 60_000, "min")
    default: return text(milliseconds / 3_600_000, "h")
    }
  }
}

extension Profile {
  /// Decodes octets of a characteristic. Those of the host itself have no format.
  fileprivate func decode(_ octets: [UInt8], of characteristic: CharacteristicIndex) -> ProfileValue {
    let position = characteristic.position
    return behaviors.indices.contains(position) ? behaviors[position].format.decode(octets) : .octets(octets)
  }
}
