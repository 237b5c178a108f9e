import BLECore
import BLEGAP
import BLEGATT

/// Reads GATT configurations of Silicon Labs (`gatt_configuration.btconf`, UG118 and UG365) and of Bluegiga (`gatt.xml`): services with their
/// characteristics. Properties are attributes, or elements with their requirements.
struct SiliconLabsXML {
  private let source: ImportSource
  private var context: ImportContext
  /// The positions of services, by id.
  private var ids: [String: Int] = [:]
  /// The includes, which refer to services by id.
  private var includes: [(service: Int, id: String, offset: Int)] = []
  /// The services marked for advertising.
  private var advertised: [BluetoothUUID] = []

  /// Whether a root element is one of these. Bluegiga's is `configuration`.
  static func isRoot(_ name: String) -> Bool { ["gatt", "configuration"].contains(name) }

  static func read(_ source: ImportSource, _ context: inout ImportContext) throws(ImportError) -> ImportedDatabase {
    let root = try XMLReader.read(source)
    guard isRoot(root.name) else {
      throw source.error(root.offset, "the root element is '\(root.name)', not 'gatt' or 'configuration'")
    }
    var reader = SiliconLabsXML(source: source, context: context)
    defer { context = reader.context }
    return reader.database(root.children.first { root.name == "configuration" && $0.name == "gatt" } ?? root)
  }

  private init(source: ImportSource, context: ImportContext) { (self.source, self.context) = (source, context) }

  private mutating func warn(_ element: XMLElement, _ message: String) {
    context.log.warn(source, element.offset, message)
  }

  private mutating func database(_ root: XMLElement) -> ImportedDatabase {
    var database = ImportedDatabase()
    database.gatt.keepsOrder = true
    if root["generic_attribute_service"] == "true" { database.gatt.hasServiceChanged = true }
    if root["gatt_caching"] == "true" { database.gatt.hasRobustCaching = true }
    for element in root.children {
      switch element.name {
      case "service":
        if let service = service(element, at: database.services.count) { database.services.append(service) }
      case "capabilities_declare": warn(element, "capabilities are left out; all services are present")
      default: warn(element, "the element '\(element.name)' in '\(root.name)' is not known, and left out")
      }
    }
    for include in includes {
      if let target = ids[include.id] {
        database.services[include.service].includes.append(target)
      } else {
        context.log.warn(source, include.offset, "there is no service '\(include.id)' to include")
      }
    }
    if !advertised.isEmpty { database.advertising = [advertisement()] }
    return database
  }

  /// Returns a set with the services marked for advertising, as far as they fit: five with short UUIDs, and one with a long UUID.
  private func advertisement() -> ImportedAdvertisingSet {
    let short = advertised.filter { $0.octetCount == 2 }.prefix(5)
    let members = short + advertised.filter { $0.octetCount != 2 }.prefix(1)
    let words = members.map { YAMLScalar.uuid($0, .service) }.joined(separator: ", ")
    var set = ImportedAdvertisingSet(
      data: .keys([ImportedKey("flags", "[general]"), ImportedKey("services", "[\(words)]")]))
    set.scanResponse = .keys([ImportedKey("name", "complete")])
    if members.count < advertised.count { set.comments = ["Not all services marked for advertising fit."] }
    return set
  }

  // MARK: Services

  private mutating func service(_ element: XMLElement, at position: Int) -> ImportedService? {
    guard let uuid = context.uuid(element["uuid"], of: "service", .service, in: source, at: element.offset) else {
      return nil
    }
    var service = ImportedService(
      name: element["id"] ?? element["name"], uuid: uuid, place: source.place(of: element.offset))
    service.isPrimary = element["type"] != "secondary"
    if let id = element["id"] { ids[id] = position }
    if element["advertise"] == "true", !service.belongsToHost { advertised.append(uuid) }
    for child in element.children {
      switch child.name {
      case "characteristic":
        if let characteristic = characteristic(child) { service.characteristics.append(characteristic) }
      case "include": includes.append((position, child["id"] ?? child["sourceId"] ?? "", child.offset))
      case "informativeText", "description", "uri":
        if uuid.assignedName == nil { service.comments += Self.comment(child) }
      case "capabilities": break
      default: warn(child, "the element '\(child.name)' in 'service' is not known, and left out")
      }
    }
    return service
  }

  /// Returns the beginning of an informative text as a comment.
  private static func comment(_ element: XMLElement) -> [String] {
    let text = element.trimmedText
    guard !text.isEmpty else { return [] }
    return [text.count > 200 ? "\(text.prefix(200).split(separator: "\n").joined(separator: " ")) …" : text]
  }

  private mutating func characteristic(_ element: XMLElement) -> ImportedCharacteristic? {
    guard
      let uuid = context.uuid(element["uuid"], of: "characteristic", .characteristic, in: source, at: element.offset)
    else { return nil }
    var characteristic = ImportedCharacteristic(
      name: element["id"] ?? element["name"], uuid: uuid, properties: [], place: source.place(of: element.offset))
    var access = SiliconLabsAccess()
    for child in element.children {
      switch child.name {
      case "properties": properties(child, &access)
      case "value": value(child, &characteristic)
      case "descriptor": if let descriptor = descriptor(child) { characteristic.descriptors.append(descriptor) }
      case "informativeText", "description", "uri":
        if uuid.assignedName == nil { characteristic.comments += Self.comment(child) }
      case "capabilities": break
      case "aggregate": warn(child, "an aggregate is left out; write 'aggregate-format' in the profile")
      default: warn(child, "the element '\(child.name)' in 'characteristic' is not known, and left out")
      }
    }
    characteristic.properties = access.properties
    characteristic.extendedProperties = access.extended
    characteristic.permissions = access.permissions
    characteristic.subscribing = AccessRequirement(protection: access.subscribing)
    if access.properties.isEmpty { warn(element, "the characteristic has no property, so clients cannot use it") }
    return characteristic
  }

  private mutating func value(_ element: XMLElement, _ characteristic: inout ImportedCharacteristic) {
    if element["type"] == "user" {
      characteristic.comments.append("The firmware supplies this value (type user).")
    } else if let (octets, isText) = octets(of: element) {
      characteristic.value = .octets(octets)
      if isText, characteristic.uuid.assignedName == nil { characteristic.format = "utf8" }
    }
    guard let length = element["length"].flatMap({ Int($0) }), (1...512).contains(length) else { return }
    characteristic.maximumLength = length
    characteristic.hasFixedLength = element["variable_length"] != "true"
  }

  /// Returns the octets of a value, and whether they are text; nil for none.
  private mutating func octets(of element: XMLElement) -> (octets: [UInt8], isText: Bool)? {
    let text = element.trimmedText
    guard !text.isEmpty else { return nil }
    // The toolkit's default is text.
    guard ["hex"].contains(element["type"] ?? "utf-8") else {
      return (context.value(Array(text.utf8), in: source, at: element.offset), true)
    }
    guard let octets = ValueReading.octets(text) else {
      warn(element, "the value '\(text.prefix(40))' is not hexadecimal, so it is left out")
      return nil
    }
    return (context.value(octets, in: source, at: element.offset), false)
  }

  private mutating func properties(_ element: XMLElement, _ access: inout SiliconLabsAccess) {
    for attribute in element.attributes where attribute.value == "true" && !access.add(attribute.name) {
      context.log.warn(
        source, attribute.offset, "the property '\(attribute.name)' is not known, and left out")
    }
    for child in element.children {
      guard access.add(child.name) else {
        warn(child, "the property '\(child.name)' is not known, and left out")
        continue
      }
      for attribute in child.attributes where attribute.value == "true" {
        _ = access.add("\(attribute.name)_\(child.name)")
      }
    }
  }

  private mutating func descriptor(_ element: XMLElement) -> ImportedDescriptor? {
    guard let uuid = context.uuid(element["uuid"], of: "descriptor", .descriptor, in: source, at: element.offset) else {
      return nil
    }
    var access = SiliconLabsAccess()
    var descriptor = ImportedDescriptor(uuid: uuid)
    for child in element.children {
      switch child.name {
      case "properties": properties(child, &access)
      case "value":
        descriptor.value = octets(of: child)?.octets ?? []
        descriptor.maximumLength = child["length"].flatMap { Int($0) }
      case "informativeText", "description": break
      default: warn(child, "the element '\(child.name)' in 'descriptor' is not known, and left out")
      }
    }
    descriptor.permissions = access.permissions
    if access.properties.isEmpty { descriptor.permissions = .readable }
    return descriptor
  }
}

/// The properties and permissions of an attribute.
private struct SiliconLabsAccess {
  var properties: CharacteristicProperties = []
  var extended: ExtendedProperties = []
  private var reading = LinkProtection.none
  private var writing = LinkProtection.none
  private(set) var subscribing = LinkProtection.none

  private static let words: [String: CharacteristicProperties] = [
    "read": .read, "write": .write, "write_no_response": .writeWithoutResponse, "notify": .notify,
    "indicate": .indicate, "broadcast": .broadcast, "signed_write": .authenticatedSignedWrites,
  ]

  /// The access that the second part of a requirement names, such as `read` in `encrypted_read`.
  private static let targets: [String: any (WritableKeyPath<SiliconLabsAccess, LinkProtection> & Sendable)] = [
    "read": \.reading, "write": \.writing, "write_no_response": \.writing, "reliable_write": \.writing,
    "notify": \.subscribing, "indicate": \.subscribing,
  ]

  private static let protections: [String: LinkProtection] = [
    "encrypted": .encrypted, "bonded": .encrypted, "authenticated": .authenticated,
  ]

  /// Adds a property or a requirement. Returns false for other words.
  mutating func add(_ word: String) -> Bool {
    if let property = Self.words[word] {
      properties.insert(property)
      return true
    }
    if word == "reliable_write" {
      properties.insert(.write)
      extended.insert(.reliableWrite)
      return true
    }
    // Other parts of the file say the same as these words.
    if ["const", "discoverable", "variable_length"].contains(word) { return true }
    let parts = word.split(separator: "_", maxSplits: 1).map { String($0) }
    guard parts.count == 2, let protection = Self.protections[parts[0]], let target = Self.targets[parts[1]] else {
      return false
    }
    self[keyPath: target] = max(self[keyPath: target], protection)
    return true
  }

  var permissions: AttributePermissions {
    AttributePermissions(
      read: properties.contains(.read) ? AccessRequirement(protection: reading) : nil,
      write: properties.isDisjoint(with: [.write, .writeWithoutResponse])
        ? nil : AccessRequirement(protection: writing),
      signedWrite: AccessRequirement(protection: writing))
  }
}
