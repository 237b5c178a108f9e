import BLECore
import BLEGAP

/// The parts of a profile that advertising data may refer to.
struct AdvertisingContext {
  var name: String
  var appearance: Appearance
  /// The UUIDs of the primary services.
  var services: [BluetoothUUID]
}

extension ProfileLoader {
  /// The limit for extended advertising data on Apple devices. They do not accept more.
  private static let appleLimit = 124

  static let defaultSchedule: [AdvertisingPhase] = [
    .init(interval: .milliseconds(20), duration: .seconds(30)), .init(interval: .microseconds(152_500)),
  ]

  mutating func advertisingSets(
    _ node: SyntaxNode?, _ context: AdvertisingContext, nameNode: SyntaxNode
  ) -> [AdvertisingSetDefinition] {
    guard let node else { return defaultSet(context, nameNode) }
    var ids: [String: Int] = [:]
    var sets: [AdvertisingSetDefinition] = []
    for element in list(node) ?? [] {
      guard let keys = keys(element, Language.advertisingSet) else { continue }
      if let idNode = keys["id"], let id = text(idNode) {
        if let line = ids.updateValue(idNode.line, forKey: id) {
          error(idNode, "the id '\(id)' is already taken in line \(line)")
        }
      }
      if let set = advertisingSet(element, keys, context) { sets.append(set) }
    }
    checkAudiences(sets, node)
    return sets
  }

  private mutating func advertisingSet(
    _ node: SyntaxNode, _ keys: Keys, _ context: AdvertisingContext
  ) -> AdvertisingSetDefinition? {
    let kindName = keys["kind"].flatMap { oneOf($0, Language.advertisingSet.words(of: "kind")) } ?? "legacy"
    let kind = AdvertisingSetDefinition.Kind(rawValue: kindName) ?? .legacy
    let target = target(keys, kind: kindName)
    let isDirected = kindName == "directed"
    let isConnectable = keys["connectable"].flatMap { boolean($0) } ?? !Self.isBeacon(keys)
    let isScannable =
      keys["scannable"].flatMap { boolean($0) }
      ?? (kind == .legacy && !isDirected && (isConnectable || keys["scan-response"] != nil))
    if !isDirected { checkModes(keys, node, kind, isConnectable, isScannable) }
    var power = integer(keys, "tx-power").map { Int8(truncatingIfNeeded: $0) }
    let faults = diagnosticCount
    let data = beacon(keys) ?? keys["data"].flatMap { advertisingData($0, context, power: &power) }
    let response = keys["scan-response"].flatMap { advertisingData($0, context, power: &power) }
    // Skipped after an error, because the data that could not be read may contain the services.
    if diagnosticCount == faults, target == nil { checkServices(data, response, node, context, isConnectable) }
    var secondary = PHY.le2M
    if let phy = keys["secondary-phy"], let name = oneOf(phy, Language.advertisingSet.words(of: "secondary-phy")) {
      secondary = Self.phy(named: name) ?? .le2M
      if kind == .legacy { error(phy, "only extended sets have a secondary PHY") }
    }
    let start = keys["start"].flatMap { oneOf($0, Language.advertisingSet.words(of: "start")) }
    var set = AdvertisingSetDefinition(
      id: keys["id"]?.text ?? "", kind: kind, isConnectable: isConnectable, isScannable: isScannable,
      data: encodedData(data, kind, isConnectable: isConnectable, isDirected: target != nil),
      scanResponse: encoded(response, limit: Self.limit(of: kind), advice: Self.advice(for: kind)),
      schedule: schedule(keys, isConnectable: isConnectable), secondaryPHY: secondary, transmitPower: power,
      startsAutomatically: start != "manual")
    set.target = target
    let duty = keys["duty"].flatMap { oneOf($0, Language.advertisingSet.words(of: "duty")) }
    set.isHighDuty = isDirected && duty != "low"
    if set.isHighDuty { set.schedule = [AdvertisingPhase(interval: .milliseconds(20))] }
    readMaximumEvents(keys, into: &set)
    readAudience(keys, into: &set)
    readAddress(keys, into: &set)
    checkDirected(keys, set)
    noteLive(data, response, of: set, keys)
    return set
  }

  /// Reads the limit of advertising events. The controller starts counting each time that an extended set is enabled, and therefore in each
  /// phase (Core 5.4 Vol 4 Part E 7.8.56).
  private mutating func readMaximumEvents(_ keys: Keys, into set: inout AdvertisingSetDefinition) {
    guard let key = keys.key("max-events"), let maximum = integer(keys, "max-events") else { return }
    if set.kind != .extended { return error(key, "only the events of extended sets are counted: use kind: extended") }
    guard set.schedule.count == 1 else {
      return error(key, "'max-events' needs one interval, because the controller counts each phase separately")
    }
    set.maximumEvents = UInt8(truncatingIfNeeded: maximum)
  }

  /// Checks that there are PDUs for the combination of modes (Core 5.4 Vol 6 Part B 2.3.1 and 4.4.2.2).
  private mutating func checkModes(
    _ keys: Keys, _ node: SyntaxNode, _ kind: AdvertisingSetDefinition.Kind, _ isConnectable: Bool, _ isScannable: Bool
  ) {
    let place = keys["scannable"] ?? keys["kind"] ?? node
    switch kind {
    case .extended:
      if isConnectable, isScannable {
        error(place, "a connectable extended set is never scannable; a scan response needs a legacy set")
      } else if isScannable, let data = keys["data"] {
        error(data, "a scannable extended set carries its data in the scan response only")
      }
    case .legacy:
      if isConnectable, !isScannable {
        error(place, "a connectable legacy set is always scannable")
      }
    }
    if !isScannable, let response = keys.key("scan-response") {
      error(response, "only scannable sets have a scan response")
    }
  }

  /// Warns if the service UUIDs are missing. Centrals look for them, in the background for nothing else, and not primarily in scan
  /// responses.
  private mutating func checkServices(
    _ data: LoadedData?, _ response: LoadedData?, _ node: SyntaxNode, _ context: AdvertisingContext,
    _ isConnectable: Bool
  ) {
    guard isConnectable, !context.services.isEmpty else { return }
    let place = data?.node ?? node
    let advertised = data?.data.services ?? []
    if !advertised.contains(where: { context.services.contains($0) }) {
      let isInResponse = response?.data.services.contains { context.services.contains($0) } ?? false
      warn(
        place,
        isInResponse
          ? "the services are only in the scan response; centrals that scan passively do not find them"
          : "the advertising data contains no service of the accessory; centrals that look for one do not find it")
    }
    for uuid in advertised where !context.services.contains(uuid) {
      warn(
        place,
        "the advertising data contains the service \(uuid.profileName), which the "
          + "accessory does not have"
      )
    }
  }

  private static func limit(of kind: AdvertisingSetDefinition.Kind) -> Int {
    kind == .legacy ? AdvertisingData.legacyLimit : AdvertisingData.extendedLimit
  }

  private static func advice(for kind: AdvertisingSetDefinition.Kind) -> String {
    kind == .legacy ? "; move something to the scan response, or use an extended set" : ""
  }

  private mutating func encodedData(
    _ loaded: LoadedData?, _ kind: AdvertisingSetDefinition.Kind, isConnectable: Bool, isDirected: Bool = false
  ) -> [UInt8] {
    guard kind == .extended, isConnectable else {
      return encoded(loaded, limit: Self.limit(of: kind), advice: Self.advice(for: kind))
    }
    return encoded(
      // The address of the target takes six octets (Core 5.4 Vol 6 Part B 2.3.4.3).
      loaded, limit: AdvertisingData.connectableExtendedLimit - (isDirected ? 6 : 0),
      advice:
        "; the data of a connectable extended set must fit into one packet: shorten it, or move something to "
        + "another set with `connectable: false`")
  }

  private mutating func encoded(_ loaded: LoadedData?, limit: Int, advice: String) -> [UInt8] {
    guard let loaded else { return [] }
    do throws(AdvertisingDataError) {
      let octets = try loaded.data.encoded(limit: limit)
      if octets.count > Self.appleLimit {
        warn(loaded.node, "the data has \(octets.count) octets; Apple devices accept up to \(Self.appleLimit)")
      }
      return octets
    } catch {
      self.error(loaded.node, "\(error)\(advice)")
      return []
    }
  }

  // MARK: Schedule

  private mutating func schedule(_ keys: Keys, isConnectable: Bool) -> [AdvertisingPhase] {
    if let node = keys["interval"] {
      if let both = keys.key("schedule") { error(both, "'interval' and 'schedule' cannot be combined") }
      guard let interval = advertisingInterval(node) else { return Self.defaultSchedule }
      recommend(interval, node, isConnectable)
      return [AdvertisingPhase(interval: interval)]
    }
    guard let node = keys["schedule"] else { return Self.isBeacon(keys) ? Self.beaconSchedule : Self.defaultSchedule }
    var phases: [AdvertisingPhase] = []
    let elements = list(node) ?? []
    if elements.isEmpty, node.elements != nil { error(node, "a schedule needs at least one phase") }
    for (index, element) in elements.enumerated() {
      guard let keys = self.keys(element, Language.phase), let intervalNode = keys["interval"],
        let interval = advertisingInterval(intervalNode)
      else { continue }
      let length = duration(keys, "for")
      if index < elements.count - 1, keys["for"] == nil {
        error(element, "only the last phase may be unlimited; 'for' is missing")
      }
      if index == elements.count - 1 { recommend(interval, intervalNode, isConnectable) }
      phases.append(AdvertisingPhase(interval: interval, duration: length))
    }
    return phases
  }

  private mutating func advertisingInterval(_ node: SyntaxNode) -> Duration? {
    duration(node, Language.phase, "interval")
  }

  private mutating func recommend(_ interval: Duration, _ node: SyntaxNode, _ isConnectable: Bool) {
    guard isConnectable, !AdvertisingPhase.appleIntervals.contains(interval) else { return }
    let list = AdvertisingPhase.appleIntervals.map { Durations.text($0) }.joined(separator: ", ")
    warn(node, "Apple devices find an accessory soonest at one of \(list)")
  }

  // MARK: Default set

  /// The number of 16-bit UUIDs that fit in a legacy set whose data start with flags.
  private static let shortServicesBesideFlags = 13

  /// Returns one legacy set with flags, services and name. Data that do not fit are moved to the scan response.
  private mutating func defaultSet(
    _ context: AdvertisingContext, _ nameNode: SyntaxNode
  ) -> [AdvertisingSetDefinition] {
    var data = AdvertisingData([
      .flags(usesClassic ? .generalDiscoverable : [.generalDiscoverable, .bredrNotSupported])
    ])
    let short = context.services.filter { $0.short != nil }
    data.appendServices(
      Array(short.prefix(Self.shortServicesBesideFlags)), isComplete: short.count <= Self.shortServicesBesideFlags)
    if short.isEmpty, let wide = context.services.first {
      data.structures.append(
        .services([wide], width: wide.advertisingWidth, isComplete: context.services.count == 1))
    }
    var response = AdvertisingData()
    let name = AdvertisingStructure.localName(context.name, isComplete: true)
    if data.octetCount + name.octetCount <= AdvertisingData.legacyLimit {
      data.structures.append(name)
    } else if name.octetCount <= AdvertisingData.legacyLimit {
      response.structures.append(name)
    } else {
      response.structures.append(.localName(Self.prefix(of: context.name, octets: 29), isComplete: false))
    }
    return [
      AdvertisingSetDefinition(
        id: "main", data: encodedData(LoadedData(node: nameNode, data: data), .legacy, isConnectable: true),
        scanResponse: encoded(
          LoadedData(node: nameNode, data: response), limit: AdvertisingData.legacyLimit,
          advice: Self.advice(for: .legacy)), schedule: Self.defaultSchedule)
    ]
  }

  /// Returns as many whole characters as fit.
  private static func prefix(of text: String, octets: Int) -> String {
    var result = text
    while result.utf8.count > octets { result.removeLast() }
    return result
  }
}
