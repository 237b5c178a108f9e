import BLECore
import BLEGATT

/// Reads services in JSON as nRF Connect exports them. Services have characteristics, and these have descriptors, in lists (`services`,
/// `characteristics`, `descriptors`) or in objects by instance (`children`). Properties are a list of names or an object of flags.
struct ServiceJSON {
  private let source: ImportSource
  private var context: ImportContext

  static func recognizes(_ source: ImportSource) -> Bool {
    guard let first = source.octets.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }),
      first == UInt8(ascii: "{") || first == UInt8(ascii: "["), let root = try? PlacedJSONReader.read(source)
    else { return false }
    return (services(of: root)?.first).map { $0["uuid"] != nil } ?? false
  }

  static func read(_ source: ImportSource, _ context: inout ImportContext) throws(ImportError) -> ImportedDatabase {
    let root = try PlacedJSONReader.read(source)
    guard let services = services(of: root) else {
      throw source.error(root.offset, "the file has no list of services, under 'services' or 'children' or as its root")
    }
    var reader = ServiceJSON(source: source, context: context)
    defer { context = reader.context }
    var database = ImportedDatabase(name: root["name"]?.string ?? root["deviceName"]?.string)
    database.gatt.keepsOrder = true
    for element in services { if let service = reader.service(element) { database.services.append(service) } }
    return database
  }

  private init(source: ImportSource, context: ImportContext) { (self.source, self.context) = (source, context) }

  private mutating func warn(_ value: PlacedJSON, _ message: String) { context.log.warn(source, value.offset, message) }

  private static func services(of root: PlacedJSON) -> [PlacedJSON]? {
    root.elements ?? members(of: root, ["services", "children"])
  }

  /// Returns the members of the first key that exists: the elements of a list, or the values of an object.
  private static func members(of value: PlacedJSON, _ keys: [String]) -> [PlacedJSON]? {
    guard let found = keys.lazy.compactMap({ value[$0] }).first else { return nil }
    return found.elements ?? found.pairs?.map(\.value)
  }

  private mutating func service(_ element: PlacedJSON) -> ImportedService? {
    guard let uuid = context.uuid(element["uuid"]?.string, of: "service", .service, in: source, at: element.offset)
    else { return nil }
    var service = ImportedService(name: element["name"]?.string, uuid: uuid, place: source.place(of: element.offset))
    service.isPrimary = element["primary"]?.boolean ?? element["isPrimary"]?.boolean ?? true
    for member in Self.members(of: element, ["characteristics", "children"]) ?? [] {
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
      name: element["name"]?.string, uuid: uuid, properties: [], place: source.place(of: element.offset))
    readProperties(element["properties"], &characteristic)
    characteristic.value = octets(element).map { .octets($0) }
    characteristic.permissions = permissions(element, characteristic.properties)
    if element["maxLengthActive"]?.boolean != false, let length = element["maxLength"]?.integer,
      (1...512).contains(length)
    {
      characteristic.maximumLength = length
      characteristic.hasFixedLength = element["fixedLength"]?.boolean
    }
    for member in Self.members(of: element, ["descriptors", "children"]) ?? [] {
      guard
        let uuid = context.uuid(member["uuid"]?.string, of: "descriptor", .descriptor, in: source, at: member.offset)
      else { continue }
      var descriptor = ImportedDescriptor(uuid: uuid, value: octets(member) ?? [])
      if let permissions = permissions(member, [.read, .write]) { descriptor.permissions = permissions }
      characteristic.descriptors.append(descriptor)
    }
    return characteristic
  }

  // MARK: Properties

  private static let properties: [String: CharacteristicProperties] = [
    "broadcast": .broadcast, "read": .read, "write": .write, "writewithoutresponse": .writeWithoutResponse,
    "writenoresponse": .writeWithoutResponse, "writeworesp": .writeWithoutResponse, "writewo": .writeWithoutResponse,
    "notify": .notify, "indicate": .indicate, "signedwrite": .authenticatedSignedWrites,
    "authsignedwr": .authenticatedSignedWrites, "authenticatedsignedwrites": .authenticatedSignedWrites,
    "extendedproperties": .extendedProperties,
  ]

  private static let extended: [String: ExtendedProperties] = [
    "reliablewrite": .reliableWrite, "reliablewr": .reliableWrite, "wraux": .writableAuxiliaries,
    "writeauxiliary": .writableAuxiliaries, "writableauxiliaries": .writableAuxiliaries,
  ]

  private mutating func readProperties(_ value: PlacedJSON?, _ characteristic: inout ImportedCharacteristic) {
    guard let value else { return }
    if let bits = value.integer, let octet = UInt8(exactly: bits) {
      characteristic.properties = CharacteristicProperties(rawValue: octet)
      return
    }
    let words: [(String, PlacedJSON)]
    if let elements = value.elements {
      words = elements.map { ($0.string ?? "", $0) }
    } else if let pairs = value.pairs {
      words = pairs.filter { $0.value.boolean == true }.map { ($0.key, $0.value) }
    } else {
      words = (value.string ?? "").split { $0 == "," || $0 == "|" }.map { (String($0), value) }
    }
    for (word, place) in words {
      let key = word.lowercased().filter(\.isLetter)
      if let property = Self.properties[key] {
        characteristic.properties.insert(property)
      } else if let property = Self.extended[key] {
        characteristic.extendedProperties.insert(property)
      } else {
        warn(place, "the property '\(word)' is not known, and left out")
      }
    }
  }

  /// The words for the requirement of an access; nil for a forbidden one.
  private static let needs: [String: AccessRequirement?] = [
    "open": .open, "none": .open, "noaccess": nil, "encrypt": AccessRequirement(protection: .encrypted),
    "encrypted": AccessRequirement(protection: .encrypted),
    "encryptmitm": AccessRequirement(protection: .authenticated),
    "encryptedmitm": AccessRequirement(protection: .authenticated), "signed": .open,
    "signedmitm": AccessRequirement(protection: .authenticated),
    "lesc": AccessRequirement(protection: .secureConnections),
  ]

  /// Returns the permissions of `readPerm` and `writePerm`; nil if there are none.
  private mutating func permissions(
    _ element: PlacedJSON, _ properties: CharacteristicProperties
  ) -> AttributePermissions? {
    guard element["readPerm"] != nil || element["writePerm"] != nil else { return nil }
    var permissions = properties.openPermissions
    for (key, access) in [("readPerm", \AttributePermissions.read), ("writePerm", \AttributePermissions.write)] {
      guard let value = element[key], let word = value.string else { continue }
      guard let need = Self.needs[word.lowercased().filter(\.isLetter)] else {
        warn(value, "the permission '\(word)' is not known, and left out")
        continue
      }
      permissions[keyPath: access] = need
    }
    return permissions
  }

  // MARK: Values

  /// Returns the octets of a value: a list of numbers, or hexadecimal digits.
  private mutating func octets(_ element: PlacedJSON) -> [UInt8]? {
    guard let value = element["value"] ?? element["initialValue"] else { return nil }
    if let elements = value.elements {
      let octets = elements.compactMap { $0.integer }.compactMap { UInt8(exactly: $0) }
      guard octets.count == elements.count else {
        warn(value, "the value is not a list of numbers from 0 to 255, so it is left out")
        return nil
      }
      return context.value(octets, in: source, at: value.offset)
    }
    guard let text = value.string, !text.isEmpty else { return nil }
    guard let octets = ValueReading.octets(text) else {
      warn(value, "the value '\(text.prefix(40))' is not hexadecimal, so it is left out")
      return nil
    }
    return context.value(octets, in: source, at: value.offset)
  }
}
