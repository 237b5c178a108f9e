import BLECore
import BLEGAP

extension ProfileLoader {
  /// Loads the AD structures of a mapping, in the order of its keys, or of octets. `power` is the set's transmit power. If it is nil and
  /// the data must contain it, it becomes 0 dBm.
  mutating func advertisingData(
    _ node: SyntaxNode, _ context: AdvertisingContext, power: inout Int8?
  ) -> LoadedData? {
    guard let pairs = node.pairs else {
      return octets(node).flatMap { rawData($0.octets, node) }.map { LoadedData(node: node, data: $0) }
    }
    guard let known = keys(node, Language.advertisingData) else { return nil }
    var loaded = LoadedData(node: node)
    for pair in pairs where known[pair.name] != nil {
      if pair.name == "tx-power" {
        if let level = transmitPower(pair.value, &power) { loaded.data.structures.append(.transmitPower(level)) }
      } else {
        append(pair.name, pair.value, context, to: &loaded)
      }
    }
    return loaded
  }

  private mutating func append(
    _ key: String, _ node: SyntaxNode, _ context: AdvertisingContext, to loaded: inout LoadedData
  ) {
    switch key {
    case "flags": if let flags = flags(node) { loaded.data.structures.append(.flags(flags)) }
    case "name": loaded.data.structures += localName(node, context)
    case "services": loaded.data.appendServices(uuids(node))
    case "incomplete-services": loaded.data.appendServices(uuids(node), isComplete: false)
    case "appearance":
      if let appearance = advertisedAppearance(node, context) { loaded.data.structures.append(.appearance(appearance)) }
    case "manufacturer-data":
      for element in node.elements ?? [node] { if let part = manufacturerData(element) { loaded.append(part) } }
    case "service-data":
      for element in node.elements ?? [node] { if let part = serviceData(element) { loaded.append(part) } }
    case "solicitation":
      let list = uuids(node)
      for width in AdvertisingStructure.UUIDWidth.allCases {
        let members = list.filter { $0.advertisingWidth == width }
        if !members.isEmpty { loaded.data.structures.append(.solicitation(members, width: width)) }
      }
    case "connection-intervals": if let range = connectionIntervals(node) { loaded.data.structures.append(range) }
    case "raw": loaded.data.structures += rawStructures(node)
    default: break
    }
  }

  private mutating func uuids(_ node: SyntaxNode) -> [BluetoothUUID] {
    let elements = list(node) ?? []
    if elements.isEmpty, node.elements != nil { error(node, "expected at least one UUID") }
    return elements.compactMap { uuid($0, .service) }
  }

  private mutating func flags(_ node: SyntaxNode) -> AdvertisingFlags? {
    guard let elements = node.elements else {
      return integer(node, Language.advertisingData, "flags").map {
        AdvertisingFlags(rawValue: UInt8(truncatingIfNeeded: $0))
      }
    }
    var flags: AdvertisingFlags = usesClassic ? [] : .bredrNotSupported
    for element in elements {
      switch oneOf(element, Language.advertisingData.words(of: "flags")) {
      case "general": flags.insert(.generalDiscoverable)
      case "limited": flags.insert(.limitedDiscoverable)
      case "br-edr": flags.remove(.bredrNotSupported)
      default: break
      }
    }
    if flags.isSuperset(of: [.generalDiscoverable, .limitedDiscoverable]) {
      error(node, "'general' and 'limited' cannot be combined")
    }
    return flags
  }

  private mutating func localName(_ node: SyntaxNode, _ context: AdvertisingContext) -> [AdvertisingStructure] {
    guard node.pairs != nil else {
      if let name = node.text, name != "complete", Spelling.nearest(to: name, among: ["complete"]) == nil {
        error(
          node,
          "expected 'complete' for the accessory's name, not \(node.kindName); another name is { complete: \(name) }")
        return []
      }
      return oneOf(node, ["complete"]) == nil ? [] : [.localName(context.name, isComplete: true)]
    }
    guard let keys = keys(node, Language.localName) else { return [] }
    if keys["complete"] != nil, let other = keys.key("shortened") {
      error(other, "'complete' and 'shortened' cannot be combined")
    }
    if let complete = keys["complete"] { return text(complete).map { [.localName($0, isComplete: true)] } ?? [] }
    guard let node = keys["shortened"], let shortened = text(node) else { return [] }
    if !context.name.hasPrefix(shortened) { warn(node, "'\(shortened)' is not the beginning of '\(context.name)'") }
    return [.localName(shortened, isComplete: false)]
  }

  private mutating func transmitPower(_ node: SyntaxNode, _ power: inout Int8?) -> Int8? {
    switch node.plainText {
    case "false": return nil
    case "true":
      // A set without a power of its own requests 0 dBm, so that the power in the data is correct.
      let level = power ?? 0
      power = level
      return level
    default: return integer(node, Language.advertisingData, "tx-power").map { Int8(truncatingIfNeeded: $0) }
    }
  }

  private mutating func advertisedAppearance(_ node: SyntaxNode, _ context: AdvertisingContext) -> Appearance? {
    switch node.plainText {
    case "false": return nil
    case "true": return context.appearance
    default: return appearance(node)
    }
  }

  private mutating func manufacturerData(_ node: SyntaxNode) -> LoadedStructure? {
    guard let keys = keys(node, Language.manufacturerData), let companyNode = keys["company"],
      let company = company(companyNode), let content = datum(keys)
    else { return nil }
    return LoadedStructure(content) { .manufacturerData(company: company, data: $0) }
  }

  private mutating func company(_ node: SyntaxNode) -> UInt16? {
    if let text = node.text, let company = CompanyIdentifier(named: text) { return company.rawValue }
    if let text = node.plainText, Numbers.integer(text) == nil {
      error(
        node,
        "unknown company '\(text)'\(hint(for: text, among: CompanyIdentifier.names.map(\.name))), or a number")
      return nil
    }
    return integer(node, Language.manufacturerData, "company").map { UInt16(truncatingIfNeeded: $0) }
  }

  private mutating func serviceData(_ node: SyntaxNode) -> LoadedStructure? {
    guard let keys = keys(node, Language.serviceData), let serviceNode = keys["service"],
      let service = uuid(serviceNode, .service), let content = datum(keys)
    else { return nil }
    return LoadedStructure(content) { .serviceData(service, width: service.advertisingWidth, data: $0) }
  }

  private mutating func connectionIntervals(_ node: SyntaxNode) -> AdvertisingStructure? {
    guard let range = durationRange(node, Language.advertisingData, "connection-intervals") else { return nil }
    func units(_ duration: Duration) -> UInt16 { UInt16(clamping: duration.inNanoseconds / 1_250_000) }
    return .connectionIntervals(minimum: units(range.lowerBound), maximum: units(range.upperBound))
  }

  private mutating func rawStructures(_ node: SyntaxNode) -> [AdvertisingStructure] {
    guard let elements = node.elements else {
      return octets(node).flatMap { rawData($0.octets, node) }?.structures ?? []
    }
    return elements.compactMap { element -> AdvertisingStructure? in
      guard let keys = keys(element, Language.rawStructure), let typeNode = keys["type"], let dataNode = keys["data"],
        let type = integer(typeNode, keys.table, "type"), let data = octets(dataNode)
      else { return nil }
      return .raw(AdvertisingStructureType(rawValue: UInt8(truncatingIfNeeded: type)), data.octets)
    }
  }

  /// Parses octets, which must be complete AD structures.
  private mutating func rawData(_ octets: [UInt8], _ node: SyntaxNode) -> AdvertisingData? {
    let data = AdvertisingData(parsing: octets)
    guard data.octetCount == octets.count else {
      error(node, "these octets are not complete AD structures: the length at octet \(data.octetCount) is wrong")
      return nil
    }
    return data
  }
}
