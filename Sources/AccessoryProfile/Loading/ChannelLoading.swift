import BLECore
import BLEL2CAP

extension ProfileLoader {
  /// Loads the channels. Returns them with the services, to which the characteristics for their PSMs are added.
  mutating func channels(
    _ node: SyntaxNode?, services: SyntaxNode?
  ) -> (channels: [ChannelDefinition], services: SyntaxNode?) {
    guard let node else { return ([], services) }
    var result: [ChannelDefinition] = []
    var services = services
    var ids: [String: SyntaxNode] = [:]
    var fixed: [UInt16: SyntaxNode] = [:]
    for element in list(node) ?? [] {
      guard let keys = keys(element, Language.channel) else { continue }
      guard var channel = channelDefinition(keys) else { continue }
      if let place = keys["id"], let first = ids.updateValue(place, forKey: channel.id) {
        error(place, "the id '\(channel.id)' is already taken in line \(first.line)")
      }
      if case .fixed(let psm) = channel.psm, let place = keys["psm"], let first = fixed.updateValue(place, forKey: psm)
      {
        error(place, "the PSM 0x\(String(psm, radix: 16, uppercase: true)) is already taken in line \(first.line)")
      }
      if let place = keys["psm-characteristic"] {
        channel.psmCharacteristic = addPSMCharacteristic(place, of: channel, to: &services)
      }
      result.append(channel)
    }
    if result.count > SPSM.dynamicRange.count { error(node, "all 128 PSMs for 'auto' and 'new' are in use") }
    return (result, services)
  }

  /// Loads a single channel for a running accessory. The characteristic for its PSM must already exist.
  mutating func channel(_ node: SyntaxNode) -> ChannelDefinition? {
    guard let keys = keys(node, Language.channel) else { return nil }
    var channel = channelDefinition(keys)
    if let place = keys["psm-characteristic"] {
      if let id = place.text {
        channel?.psmCharacteristic = id
      } else {
        error(place, "expected the id of a characteristic; add a service with a new one by POST /v1/services")
      }
    }
    return channel
  }

  private mutating func channelDefinition(_ keys: Keys) -> ChannelDefinition? {
    let id = keys["id"].flatMap { channelID($0) }
    let psm = keys["psm"].map { psmChoice($0) } ?? .automatic
    let handler = keys["handler"].flatMap { channelHandler($0, of: id ?? "") }
    let mtu = integer(keys, "mtu")
    let mps = integer(keys, "mps")
    let credits = integer(keys, "credits")
    let maximum = integer(keys, "max-channels")
    let (protection, keySize) = channelProtection(keys)
    let authorization = keys["authorization"].flatMap { oneOf($0, ChannelAuthorization.words) }
    guard let id, let psm, let handler else { return nil }
    var channel = ChannelDefinition(id: id, psm: psm, handler: handler)
    if let mtu { channel.mtu = Int(mtu) }
    if let mps { channel.mps = Int(mps) }
    channel.credits = credits.map { Int($0) }
    if let maximum { channel.maximumChannels = Int(maximum) }
    channel.protection = protection
    channel.minimumKeySize = keySize
    channel.transports = transports(of: keys)
    channel.authorization = authorization.flatMap { ChannelAuthorization(word: $0) }
    return channel
  }

  private mutating func channelID(_ node: SyntaxNode) -> String? {
    guard let text = text(node) else { return nil }
    guard Self.isIdentifier(text) else {
      error(node, "an id consists of letters, digits, '-' and '_', not '\(text)'")
      return nil
    }
    return text
  }

  private mutating func psmChoice(_ node: SyntaxNode) -> PSMChoice? {
    switch node.text {
    case "auto": return .automatic
    case "new": return .drawn
    default: return integer(node, Language.channel, "psm").map { .fixed(UInt16(truncatingIfNeeded: $0)) }
    }
  }

  private mutating func channelProtection(_ keys: Keys) -> (protection: LinkProtection, keySize: Int) {
    var protection = LinkProtection.none
    var size = 0
    if let node = keys["security"], let word = oneOf(node, Language.channel.words(of: "security")) {
      protection = LinkProtection(word: word) ?? .none
      size = minimumKeySize(keys["key-size"], protection, node, who: "central")
    }
    checkKeySize(keys, of: [AccessRequirement(protection: protection)])
    return (protection, size)
  }

  // MARK: Handlers

  private mutating func channelHandler(_ node: SyntaxNode, of id: String) -> ChannelHandler? {
    if node.pairs != nil { return handlerWithOptions(node) }
    guard let text = text(node) else { return nil }
    switch text {
    case "echo": return .echo
    case "sink": return .sink(octetsPerSecond: nil, hashes: false)
    case "source": return .source(ChannelSource())
    case "pty": return .pty(link: nil)
    case "rules": return .rules(channel: id)
    default: break
    }
    if let path = text.dropping(prefix: "file:"), !path.isEmpty { return .file(path: String(path)) }
    if let path = text.dropping(prefix: "unix:"), !path.isEmpty { return .unix(path: String(path)) }
    if let link = text.dropping(prefix: "pty:"), !link.isEmpty { return .pty(link: String(link)) }
    if let place = text.dropping(prefix: "tcp:"), let colon = place.lastIndex(of: ":"), colon != place.startIndex,
      let port = UInt16(place[place.index(after: colon)...]), port > 0
    {
      return .tcp(host: String(place[..<colon]), port: port)
    }
    let known = Language.plainHandlers.joined(separator: ", ")
    error(node, "unknown handler '\(text)' (known: \(known), \(Language.placedHandlers))")
    return nil
  }

  private mutating func handlerWithOptions(_ node: SyntaxNode) -> ChannelHandler? {
    if node.value(of: "source") != nil {
      guard let options = keys(node, Language.sourceHandler)?["source"],
        let keys = keys(options, Language.sourceOptions)
      else { return nil }
      let word = keys["pattern"].flatMap { oneOf($0, Language.sourceOptions.words(of: "pattern")) }
      return .source(
        ChannelSource(
          pattern: word.flatMap { ChannelSource.Pattern(rawValue: $0) } ?? .counter,
          sduLength: integer(keys, "sdu").map { Int($0) },
          length: integer(keys, "length").map { Int($0) },
          octetsPerSecond: integer(keys, "rate").map { Int($0) }))
    }
    guard node.value(of: "sink") != nil else {
      let name = node.pairs?.first?.name ?? ""
      error(node, "unknown handler '\(name)'\(hint(for: name, among: ["sink", "source"]))")
      return nil
    }
    guard let options = keys(node, Language.sinkHandler)?["sink"], let keys = keys(options, Language.sinkOptions)
    else { return nil }
    return .sink(
      octetsPerSecond: integer(keys, "rate").map { Int($0) },
      hashes: keys["hash"].flatMap { boolean($0) } ?? false)
  }

  // MARK: The characteristic with the PSM

  /// The UUID that Apple defines for this characteristic.
  private static let psmUUID = "ABDD3056-28FA-441D-A470-55A75A52553A"

  /// Adds the characteristic to the named service, or to a new one. Returns its id.
  private mutating func addPSMCharacteristic(
    _ place: SyntaxNode, of channel: ChannelDefinition, to services: inout SyntaxNode?
  ) -> String? {
    guard let keys = keys(place, Language.psmCharacteristic), let serviceNode = keys["service"],
      let service = text(serviceNode)
    else { return nil }
    let id = keys["id"].flatMap { text($0) } ?? "\(channel.id)-psm"
    let indicates = keys["indicate"].flatMap { boolean($0) } ?? false
    let node = characteristicNode(place, id: id, channel, keys, indicates: indicates)
    var members = services?.elements ?? []
    if let index = members.firstIndex(where: { Self.isMeant($0, by: service) }) {
      members[index] = members[index].appending(node, to: "characteristics")
    } else {
      guard BluetoothUUID(service) != nil else {
        error(serviceNode, "there is no service '\(service)', and it is not a UUID for a new one")
        return nil
      }
      let list = serviceNode.with(.sequence([node]))
      members.append(
        serviceNode.with(
          .mapping([serviceNode.pair("uuid", serviceNode), serviceNode.pair("characteristics", list)])))
    }
    services = (services ?? place).with(.sequence(members))
    return id
  }

  private func characteristicNode(
    _ place: SyntaxNode, id: String, _ channel: ChannelDefinition, _ keys: Keys, indicates: Bool
  ) -> SyntaxNode {
    let word = { (text: String) in place.with(.scalar(text, isQuoted: false)) }
    // Until the PSM is assigned, the value is one that no channel has.
    let psm: UInt16 = if case .fixed(let psm) = channel.psm { psm } else { 0 }
    var pairs = [
      place.pair("id", word(id)), place.pair("uuid", keys["uuid"] ?? word(Self.psmUUID)),
      place.pair("properties", place.with(.sequence((indicates ? ["read", "indicate"] : ["read"]).map(word)))),
      place.pair("format", word("u16")), place.pair("value", word(String(psm))),
    ]
    if let security = keys["security"] {
      pairs.append(place.pair("permissions", place.with(.mapping([place.pair("read", security)]))))
    }
    return place.with(.mapping(pairs))
  }

  private static func isMeant(_ service: SyntaxNode, by name: String) -> Bool {
    if let id = service.value(of: "id")?.text { return id == name }
    guard let uuid = (service.value(of: "uuid") ?? service.value(of: "include"))?.text else { return false }
    return uuid == name || (BluetoothUUID(uuid) != nil && BluetoothUUID(uuid) == BluetoothUUID(name))
  }
}

extension SyntaxNode {
  /// Returns a pair whose key is at the position of this node.
  fileprivate func pair(_ name: String, _ value: SyntaxNode) -> SyntaxPair {
    SyntaxPair(key: with(.scalar(name, isQuoted: false)), value: value)
  }

  /// Returns the mapping with one more member in the list of a key, which is added if necessary.
  fileprivate func appending(_ member: SyntaxNode, to key: String) -> SyntaxNode {
    var pairs = self.pairs ?? []
    if let index = pairs.firstIndex(where: { $0.name == key }) {
      let list = pairs[index].value
      pairs[index].value = list.with(.sequence((list.elements ?? []) + [member]))
    } else {
      pairs.append(member.pair(key, member.with(.sequence([member]))))
    }
    return with(.mapping(pairs))
  }
}
