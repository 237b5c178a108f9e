import BLECore
import BLEGAP
import BLEGATT

/// Reads a device configuration of Bumble: a JSON object with the name, the address, advertising data, and `gatt_services`. It has no values,
/// because Bumble's programs set them.
struct BumbleJSON {
  private let source: ImportSource
  private var context: ImportContext

  /// The keys by which the format is recognized.
  private static let marks = ["gatt_services", "advertising_data", "advertising_interval", "keystore", "irk"]

  static func recognizes(_ source: ImportSource) -> Bool {
    guard source.octets.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{"),
      let root = try? PlacedJSONReader.read(source)
    else { return false }
    return marks.contains { root[$0] != nil }
  }

  static func read(_ source: ImportSource, _ context: inout ImportContext) throws(ImportError) -> ImportedDatabase {
    let root = try PlacedJSONReader.read(source)
    guard root.pairs != nil else { throw source.error(root.offset, "a device configuration is an object") }
    var reader = BumbleJSON(source: source, context: context)
    defer { context = reader.context }
    return reader.database(root)
  }

  private init(source: ImportSource, context: ImportContext) { (self.source, self.context) = (source, context) }

  private mutating func warn(_ value: PlacedJSON, _ message: String) { context.log.warn(source, value.offset, message) }

  /// The keys that the reader reads, or that mean nothing to a profile.
  private static let known: Set<String> = [
    "name", "address", "advertising_data", "scan_response_data", "advertising_interval", "advertising_interval_min",
    "advertising_interval_max", "gatt_services", "io_capability", "irk", "keystore", "le_enabled", "connectable",
    "discoverable", "gap_service_enabled", "gatt_service_enabled", "eatt_enabled", "class_of_device",
  ]

  private mutating func database(_ root: PlacedJSON) -> ImportedDatabase {
    var database = ImportedDatabase(name: root["name"]?.string)
    database.gatt.keepsOrder = true
    readAddress(root, &database)
    readAdvertising(root, &database)
    for element in root["gatt_services"]?.elements ?? [] {
      if let service = service(element) { database.services.append(service) }
    }
    readSecurity(root, &database)
    if root["eatt_enabled"]?.boolean == true { database.gatt.keys.append(ImportedKey("eatt", "5")) }
    for (key, value) in root.pairs ?? [] where !Self.known.contains(key) && !key.hasPrefix("classic_") {
      warn(value, "the key '\(key)' has no counterpart in a profile, so it is left out")
    }
    if !database.services.isEmpty {
      database.comments.append("Bumble's configuration has no values; its programs set them.")
    }
    return database
  }

  private mutating func readAddress(_ root: PlacedJSON, _ database: inout ImportedDatabase) {
    guard let value = root["address"], let text = value.string else { return }
    // Bumble marks a public address with /P.
    if text.hasSuffix("/P") {
      database.hasPublicAddress = true
    } else if let address = DeviceAddress(text.split(separator: "/").first ?? ""), address.isValidRandomStatic {
      database.address = address
    } else {
      warn(value, "'\(text)' is not a random static address, so the address follows from the name")
    }
  }

  private mutating func readAdvertising(_ root: PlacedJSON, _ database: inout ImportedDatabase) {
    let intervals = ["advertising_interval", "advertising_interval_min"].compactMap { root[$0] }
    guard root["advertising_data"] != nil || root["scan_response_data"] != nil || !intervals.isEmpty else { return }
    // Without data of its own, Bumble advertises its name.
    let given = root["advertising_data"].flatMap { octets($0) }
    var set = ImportedAdvertisingSet(data: given.map { .octets($0) } ?? .keys([ImportedKey("name", "complete")]))
    if let response = root["scan_response_data"].flatMap({ octets($0) }), !response.isEmpty {
      set.scanResponse = .octets(response)
    }
    if let milliseconds = intervals.first?.number, (20...10_240).contains(milliseconds) {
      set.schedule = [AdvertisingPhase(interval: .microseconds(Int(milliseconds * 1000)))]
    }
    database.advertising = [set]
  }

  private mutating func octets(_ value: PlacedJSON) -> [UInt8]? {
    guard let text = value.string, let octets = [UInt8](hexadecimal: text) else {
      warn(value, "these are not hexadecimal digits, so the data is left out")
      return nil
    }
    return octets
  }

  private mutating func readSecurity(_ root: PlacedJSON, _ database: inout ImportedDatabase) {
    if let capability = root["io_capability"]?.integer, BumbleWords.capabilities.indices.contains(capability) {
      database.security = ImportedSecurity(pairing: BumbleWords.capabilities[capability])
    }
  }

  // MARK: Services

  private mutating func service(_ element: PlacedJSON) -> ImportedService? {
    guard
      let uuid = context.uuid(element["uuid"]?.string, of: "service", .service, in: source, at: element.offset)
    else { return nil }
    var service = ImportedService(uuid: uuid, place: source.place(of: element.offset))
    for member in element["characteristics"]?.elements ?? [] {
      if let characteristic = characteristic(member) { service.characteristics.append(characteristic) }
    }
    return service
  }

  private mutating func characteristic(_ element: PlacedJSON) -> ImportedCharacteristic? {
    guard
      let uuid = context.uuid(
        element["uuid"]?.string, of: "characteristic", .characteristic, in: source, at: element.offset)
    else { return nil }
    var characteristic = ImportedCharacteristic(
      uuid: uuid, properties: properties(element["properties"]), place: source.place(of: element.offset))
    characteristic.permissions = element["permissions"].map { permissions($0) }
    for member in element["descriptors"]?.elements ?? [] {
      guard
        let uuid = context.uuid(
          member["descriptor_type"]?.string, of: "descriptor", .descriptor, in: source, at: member.offset)
      else { continue }
      characteristic.descriptors.append(
        ImportedDescriptor(uuid: uuid, permissions: member["permissions"].map { permissions($0) } ?? .readable))
    }
    return characteristic
  }

  private static func words(_ value: PlacedJSON) -> [String] {
    (value.string ?? "").split { $0 == "," || $0 == "|" }.map { String($0).trimmingWhitespace }
  }

  private mutating func properties(_ value: PlacedJSON?) -> CharacteristicProperties {
    guard let value else { return [] }
    if let bits = value.integer, let octet = UInt8(exactly: bits) { return CharacteristicProperties(rawValue: octet) }
    var properties: CharacteristicProperties = []
    for word in Self.words(value) {
      if let property = BumbleWords.properties.first(where: { $0.word == word })?.property {
        properties.insert(property)
      } else {
        warn(value, "the property '\(word)' is not known, and left out")
      }
    }
    return properties
  }

  /// Returns the permissions of words, or of a number.
  private mutating func permissions(_ value: PlacedJSON) -> AttributePermissions {
    var bits = value.integer ?? 0
    for word in Self.words(value) {
      if let bit = BumbleWords.permissions.first(where: { $0.word == word })?.bit {
        bits |= bit
      } else {
        warn(value, "the permission '\(word)' is not known, and left out")
      }
    }
    return BumbleWords.permissions(bits)
  }
}

/// The words of Bumble's configuration.
enum BumbleWords {
  /// The words of profiles for the IO capabilities of the Security Manager (Core 5.4 Vol 3 Part H 3.5.1), by their numbers.
  static let capabilities = ["display", "compare", "keyboard", "just-works", "keyboard-display"]

  static let properties: [(word: String, property: CharacteristicProperties)] = [
    ("BROADCAST", .broadcast), ("READ", .read), ("WRITE_WITHOUT_RESPONSE", .writeWithoutResponse), ("WRITE", .write),
    ("NOTIFY", .notify), ("INDICATE", .indicate), ("AUTHENTICATED_SIGNED_WRITES", .authenticatedSignedWrites),
    ("EXTENDED_PROPERTIES", .extendedProperties),
  ]

  static let permissions: [(word: String, bit: Int)] = [
    ("READABLE", 0x01), ("WRITEABLE", 0x02), ("READ_REQUIRES_ENCRYPTION", 0x04), ("WRITE_REQUIRES_ENCRYPTION", 0x08),
    ("READ_REQUIRES_AUTHENTICATION", 0x10), ("WRITE_REQUIRES_AUTHENTICATION", 0x20),
    ("READ_REQUIRES_AUTHORIZATION", 0x40), ("WRITE_REQUIRES_AUTHORIZATION", 0x80),
  ]

  /// Returns the permissions of bits.
  static func permissions(_ bits: Int) -> AttributePermissions {
    func requirement(_ allowed: Int, _ encrypted: Int, _ authenticated: Int, _ authorized: Int) -> AccessRequirement? {
      guard bits & (allowed | encrypted | authenticated | authorized) != 0 else { return nil }
      let protection: LinkProtection =
        bits & authenticated != 0 ? .authenticated : bits & encrypted != 0 ? .encrypted : .none
      return AccessRequirement(protection: protection, needsAuthorization: bits & authorized != 0)
    }
    return AttributePermissions(
      read: requirement(0x01, 0x04, 0x10, 0x40), write: requirement(0x02, 0x08, 0x20, 0x80))
  }

  /// Returns the words for permissions as JSON; the number 0 for none, because Bumble does not accept an empty text.
  static func words(for permissions: AttributePermissions) -> String {
    var bits = 0
    for (requirement, allowed) in [(permissions.read, 0x01), (permissions.write, 0x02)] {
      guard let requirement else { continue }
      bits |= allowed
      if requirement.protection == .encrypted { bits |= allowed << 2 }
      if requirement.protection >= .authenticated { bits |= allowed << 4 }
      if requirement.needsAuthorization { bits |= allowed << 6 }
    }
    guard bits != 0 else { return "0" }
    return "\"\(self.permissions.filter { bits & $0.bit != 0 }.map(\.word).joined(separator: ","))\""
  }
}
