import BLECore
import BLEGAP
import BLESDP

/// The transports of an accessory, and how it presents itself over BR/EDR.
struct LoadedTransports {
  var usesLE = true
  /// Nil for LE alone.
  var classic: ClassicSettings?
  /// The service records besides those of its GATT services.
  var records: [ServiceRecord] = []
  /// The Extended Inquiry Response in the profile, which can be loaded once its services are known.
  var inquiryResponse: SyntaxNode?
}

extension Set<LinkTransport> {
  init(usesLE: Bool, usesClassic: Bool) { self = LinkTransport.all.filter { $0 == .le ? usesLE : usesClassic } }
}

extension ProfileLoader {
  /// Loads the transports, and the settings for BR/EDR.
  mutating func transports(_ profile: Keys, name: String) -> LoadedTransports {
    var loaded = LoadedTransports()
    let words = profile["transports"].flatMap { transportWords($0) } ?? ["le"]
    loaded.usesLE = words.contains("le")
    guard words.contains(where: { $0 != "le" }) else {
      if let key = profile.key("classic") { error(key, "this needs BR/EDR: 'transports: [le, br-edr]'") }
      return loaded
    }
    if !loaded.usesLE, let key = profile.key("advertising") { error(key, "this needs LE: 'transports: [le, br-edr]'") }
    var settings = ClassicSettings(name: name, isOptional: words.contains("br-edr?"))
    if let node = profile["classic"] { classic(node, into: &settings, &loaded) }
    loaded.classic = settings
    return loaded
  }

  private mutating func transportWords(_ node: SyntaxNode) -> [String]? {
    guard let elements = list(node) else { return nil }
    let words = elements.compactMap { oneOf($0, Language.profile.words(of: "transports")) }
    if elements.isEmpty { error(node, "expected at least one transport, such as [le]") }
    if words.contains("br-edr?"), !words.contains("le") {
      error(node, "without LE, BR/EDR cannot be optional: 'transports: [br-edr]'")
    }
    return words
  }

  /// Loads the transports of a service or a channel, which are some of the accessory's; by default all.
  mutating func transports(of part: Keys) -> Set<LinkTransport> {
    guard let node = part["transports"], let elements = list(node) else { return LinkTransport.all }
    if elements.isEmpty { error(node, "expected at least one transport, such as [le]") }
    var transports: Set<LinkTransport> = []
    for element in elements {
      guard let word = oneOf(element, Language.service.words(of: "transports")),
        let transport = LinkTransport(rawValue: word)
      else { continue }
      if !ownTransports.isEmpty, !ownTransports.contains(transport) {
        error(element, "the accessory does not use this transport: give it 'transports: [le, br-edr]'")
      }
      transports.insert(transport)
    }
    return transports
  }

  private mutating func classic(
    _ node: SyntaxNode, into settings: inout ClassicSettings, _ loaded: inout LoadedTransports
  ) {
    guard let keys = keys(node, Language.classic) else { return }
    if let node = keys["name"], let name = deviceName(node) { settings.name = name }
    if let number = integer(keys, "class") { settings.classOfDevice = UInt32(number) }
    if let node = keys["discoverable"] { settings.discoverability = discoverability(node) }
    if let node = keys["connectable"], let isConnectable = boolean(node) { settings.isConnectable = isConnectable }
    if let node = keys["role-switch"], let isAllowed = boolean(node) { settings.allowsRoleSwitch = isAllowed }
    if let node = keys["sniff"], let isAllowed = boolean(node) { settings.allowsSniff = isAllowed }
    if let node = keys["device-id"], let identification = deviceIdentification(node) {
      loaded.records.append(.deviceIdentification(identification))
    }
    loaded.inquiryResponse = keys["eir"]
    if let node = keys["sdp"] { loaded.records += serviceRecords(node) }
  }

  /// Loads the Extended Inquiry Response (Core 5.4 Vol 3 Part C 8).
  mutating func inquiryResponse(_ node: SyntaxNode?, _ context: AdvertisingContext) -> AdvertisingData? {
    var power: Int8?
    guard let node, let loaded = advertisingData(node, context, power: &power) else { return nil }
    if !loaded.live.isEmpty { error(node, "values that change are possible only in advertising data") }
    let limit = ClassicSettings.inquiryResponseLength
    if loaded.data.octetCount > limit {
      error(node, "these are \(loaded.data.octetCount) octets; an Extended Inquiry Response has at most \(limit)")
    }
    return loaded.data
  }

  mutating func discoverability(_ node: SyntaxNode) -> ClassicSettings.Discoverability {
    switch node.plainText {
    case "general": return .general
    case "no", "false": return .none
    default: return duration(node, Language.classic, "discoverable").map { .limited($0) } ?? .general
    }
  }

  private mutating func deviceIdentification(_ node: SyntaxNode) -> DeviceIdentification? {
    guard let keys = keys(node, Language.deviceIdentification), let vendor = integer(keys, "vendor") else { return nil }
    let source = keys["source"].flatMap { oneOf($0, Language.deviceIdentification.words(of: "source")) }
    return DeviceIdentification(
      source: source == "usb" ? .usb : .bluetoothSIG, vendor: UInt16(vendor),
      product: UInt16(integer(keys, "product") ?? 0), version: UInt16(integer(keys, "version") ?? 0x0100))
  }
}
