import BLECore
import BLEGATT

/// Reads GATT server configurations of nRF Connect for Android: services with their characteristics. Properties and permissions are elements
/// with a name; values are hexadecimal digits or text.
struct NRFConnectXML {
  private let source: ImportSource
  private var context: ImportContext

  /// Whether a root element is one of these.
  static func isRoot(_ name: String) -> Bool { ["server-configuration", "server-configurations"].contains(name) }

  static func read(_ source: ImportSource, _ context: inout ImportContext) throws(ImportError) -> ImportedDatabase {
    let root = try XMLReader.read(source)
    var reader = NRFConnectXML(source: source, context: context)
    defer { context = reader.context }
    return try reader.database(root)
  }

  private init(source: ImportSource, context: ImportContext) { (self.source, self.context) = (source, context) }

  private mutating func warn(_ element: XMLElement, _ message: String) {
    context.log.warn(source, element.offset, message)
  }

  private mutating func warnOfUnknown(_ element: XMLElement, in parent: String) {
    warn(element, "the element '\(element.name)' in '\(parent)' is not known, and left out")
  }

  private mutating func database(_ root: XMLElement) throws(ImportError) -> ImportedDatabase {
    guard Self.isRoot(root.name) else {
      throw source.error(root.offset, "the root element is '\(root.name)', not 'server-configuration'")
    }
    var configuration = root
    if root.name == "server-configurations", root.children.contains(where: { $0.name == "server-configuration" }) {
      let all = root.children.filter { $0.name == "server-configuration" }
      configuration = all[0]
      if all.count > 1 { warn(all[1], "only the first configuration is imported; split the file for the others") }
    }
    var database = ImportedDatabase(name: configuration["name"])
    database.gatt.keepsOrder = true
    for element in configuration.children {
      guard element.name == "service" else {
        warnOfUnknown(element, in: configuration.name)
        continue
      }
      if let service = service(element) { database.services.append(service) }
    }
    return database
  }

  private func isEnabled(_ element: XMLElement) -> Bool { element["enabled"] != "false" }

  // MARK: Services

  /// The UUIDs of the services that nRF Connect knows by a word.
  private static let configured: [String: UInt16] = [
    "LINK_LOSS": 0x1803, "IMMEDIATE_ALERT": 0x1802, "CURRENT_TIME": 0x1805, "HEART_RATE": 0x180D,
  ]

  private mutating func service(_ element: XMLElement) -> ImportedService? {
    guard isEnabled(element) else {
      warn(element, "a disabled service is left out")
      return nil
    }
    if let word = element["configure"] { return configuredService(word, element) }
    guard let uuid = context.uuid(element["uuid"], of: "service", .service, in: source, at: element.offset) else {
      return nil
    }
    var service = ImportedService(name: element["name"], uuid: uuid, place: source.place(of: element.offset))
    service.isPrimary = element["type"]?.lowercased() != "secondary"
    for child in element.children {
      if child.name == "characteristic" {
        if let characteristic = characteristic(child) { service.characteristics.append(characteristic) }
      } else {
        warnOfUnknown(child, in: "service")
      }
    }
    return service
  }

  /// Returns the shipped service for one that the app fills in by itself.
  private mutating func configuredService(_ word: String, _ element: XMLElement) -> ImportedService? {
    guard let number = Self.configured[word], let shipped = ShippedService.byUUID[BluetoothUUID(number)] else {
      warn(element, "the configured service '\(word)' is not known, and left out")
      return nil
    }
    var service = ImportedService(uuid: BluetoothUUID(number), place: source.place(of: element.offset))
    service.shippedName = shipped.name
    service.comments = ["nRF Connect fills in this service by itself (\(word))."]
    return service
  }

  private mutating func characteristic(_ element: XMLElement) -> ImportedCharacteristic? {
    guard isEnabled(element) else {
      warn(element, "a disabled characteristic is left out")
      return nil
    }
    guard
      let uuid = context.uuid(element["uuid"], of: "characteristic", .characteristic, in: source, at: element.offset)
    else { return nil }
    var characteristic = ImportedCharacteristic(
      name: element["name"], uuid: uuid, properties: [], place: source.place(of: element.offset))
    var permissions = NRFPermissions()
    for child in element.children {
      switch child.name {
      case "property", "properties": property(child, &characteristic)
      case "permission", "permissions": permission(child, &permissions)
      case "descriptor":
        if let descriptor = descriptor(child) { characteristic.descriptors.append(descriptor) }
      case "initial-value": break
      default: warnOfUnknown(child, in: "characteristic")
      }
    }
    if characteristic.properties.isEmpty {
      warn(element, "the characteristic has no property, so clients cannot use it")
    }
    characteristic.permissions = permissions.attributePermissions
    if let (octets, isText) = value(of: element) {
      characteristic.value = .octets(octets)
      if isText, uuid.assignedName == nil { characteristic.format = "utf8" }
    }
    return characteristic
  }

  /// Returns the octets of a value, and whether they are text.
  private mutating func value(of element: XMLElement) -> (octets: [UInt8], isText: Bool)? {
    if let child = element.children.first(where: { $0.name == "initial-value" }) {
      let type = child["type"]?.lowercased() ?? "hex"
      let text = child["value"] ?? child.trimmedText
      if ["string", "text", "utf-8", "utf8"].contains(type) {
        return (context.value(Array(text.utf8), in: source, at: child.offset), true)
      }
      return digits(text, child).map { ($0, false) }
    }
    if let text = element["value-string"] {
      return (context.value(Array(text.utf8), in: source, at: element.offset), true)
    }
    guard let text = element["value"], !text.isEmpty else { return nil }
    return digits(text, element).map { ($0, false) }
  }

  private mutating func digits(_ text: String, _ element: XMLElement) -> [UInt8]? {
    guard let octets = ValueReading.octets(text) else {
      warn(element, "the value '\(text.prefix(40))' is not hexadecimal, so it is left out")
      return nil
    }
    return context.value(octets, in: source, at: element.offset)
  }

  // MARK: Properties and permissions

  private static let properties: [String: CharacteristicProperties] = [
    "BROADCAST": .broadcast, "READ": .read, "WRITE": .write, "WRITE_WITHOUT_RESPONSE": .writeWithoutResponse,
    "WRITE_NO_RESPONSE": .writeWithoutResponse, "NOTIFY": .notify, "INDICATE": .indicate,
    "SIGNED_WRITE": .authenticatedSignedWrites, "EXTENDED_PROPERTIES": .extendedProperties,
  ]

  private static let extended: [String: ExtendedProperties] = [
    "RELIABLE_WRITE": .reliableWrite, "WRITE_AUXILIARY": .writableAuxiliaries,
  ]

  private mutating func property(_ element: XMLElement, _ characteristic: inout ImportedCharacteristic) {
    let word = (element["name"] ?? element.trimmedText).uppercased()
    if let property = Self.properties[word] {
      characteristic.properties.insert(property)
    } else if let property = Self.extended[word] {
      characteristic.extendedProperties.insert(property)
    } else {
      warn(element, "the property '\(word)' is not known, and left out")
    }
  }

  private mutating func permission(_ element: XMLElement, _ permissions: inout NRFPermissions) {
    let word = (element["name"] ?? element.trimmedText).uppercased()
    if !permissions.add(word) { warn(element, "the permission '\(word)' is not known, and left out") }
  }

  // MARK: Descriptors

  private mutating func descriptor(_ element: XMLElement) -> ImportedDescriptor? {
    guard isEnabled(element) else { return nil }
    switch element["configure"] {
    case "CCCD": return ImportedDescriptor(uuid: .clientCharacteristicConfiguration)
    // The extended properties add it by themselves.
    case "CEPD": return nil
    case let word?:
      warn(element, "the configured descriptor '\(word)' is not known, and left out")
      return nil
    case nil: break
    }
    guard let uuid = context.uuid(element["uuid"], of: "descriptor", .descriptor, in: source, at: element.offset) else {
      return nil
    }
    var permissions = NRFPermissions()
    for child in element.children {
      switch child.name {
      case "permission", "permissions": permission(child, &permissions)
      case "initial-value": break
      default: warnOfUnknown(child, in: "descriptor")
      }
    }
    return ImportedDescriptor(
      uuid: uuid, value: value(of: element)?.octets ?? [], permissions: permissions.attributePermissions ?? .readable)
  }
}

/// The permissions of nRF Connect, which are Android's: each names an access and its requirement.
private struct NRFPermissions {
  private var read: LinkProtection?
  private var write: LinkProtection?
  private var signed: LinkProtection?
  private var isGiven = false

  private static let words:
    [String: (access: any (WritableKeyPath<NRFPermissions, LinkProtection?> & Sendable), protection: LinkProtection)] =
      [
        "READ": (\.read, .none), "READ_ENCRYPTED": (\.read, .encrypted),
        "READ_ENCRYPTED_MITM": (\.read, .authenticated),
        "WRITE": (\.write, .none), "WRITE_ENCRYPTED": (\.write, .encrypted),
        "WRITE_ENCRYPTED_MITM": (\.write, .authenticated), "WRITE_SIGNED": (\.signed, .none),
        "WRITE_SIGNED_MITM": (\.signed, .authenticated),
      ]

  /// Adds a permission. Returns false if no permission has that name.
  mutating func add(_ word: String) -> Bool {
    guard let (access, protection) = Self.words[word] else { return false }
    isGiven = true
    // Android allows an access if any of the permissions allows it.
    self[keyPath: access] = min(self[keyPath: access] ?? protection, protection)
    return true
  }

  /// The permissions; nil if none is given.
  var attributePermissions: AttributePermissions? {
    guard isGiven else { return nil }
    return AttributePermissions(
      read: read.map { AccessRequirement(protection: $0) }, write: write.map { AccessRequirement(protection: $0) },
      signedWrite: AccessRequirement(protection: signed ?? .none))
  }
}
