import BLECore
import BLEGATT

/// Reads attribute tables of ESP-IDF's Bluedroid in C source: arrays of `esp_gatts_attr_db_t`, with one attribute per entry.
struct ESPSource: CSourceReader {
  static let missing = "this file defines no table of the type esp_gatts_attr_db_t with a service"

  let code: CSource
  private let evaluator: CEvaluator
  var context: ImportContext
  var database = ImportedDatabase()
  /// The properties of the characteristic whose value comes next, and where it is declared.
  private var declared: (properties: CharacteristicProperties, offset: Int)?

  static func recognizes(_ source: ImportSource) -> Bool { source.contains("esp_gatts_attr_db_t") }

  init(_ code: CSource, _ evaluator: CEvaluator, _ context: ImportContext) {
    (self.code, self.evaluator, self.context) = (code, evaluator, context)
  }

  /// The names of `esp_gatt_defs.h`.
  static let constants: [String: Int] = [
    "ESP_GATT_CHAR_PROP_BIT_BROADCAST": 0x01, "ESP_GATT_CHAR_PROP_BIT_READ": 0x02,
    "ESP_GATT_CHAR_PROP_BIT_WRITE_NR": 0x04, "ESP_GATT_CHAR_PROP_BIT_WRITE": 0x08,
    "ESP_GATT_CHAR_PROP_BIT_NOTIFY": 0x10, "ESP_GATT_CHAR_PROP_BIT_INDICATE": 0x20,
    "ESP_GATT_CHAR_PROP_BIT_AUTH": 0x40, "ESP_GATT_CHAR_PROP_BIT_EXT_PROP": 0x80, "ESP_GATT_PERM_READ": 0x01,
    "ESP_GATT_PERM_READ_ENCRYPTED": 0x02, "ESP_GATT_PERM_READ_ENC_MITM": 0x04, "ESP_GATT_PERM_WRITE": 0x10,
    "ESP_GATT_PERM_WRITE_ENCRYPTED": 0x20, "ESP_GATT_PERM_WRITE_ENC_MITM": 0x40, "ESP_GATT_PERM_WRITE_SIGNED": 0x80,
    "ESP_GATT_PERM_WRITE_SIGNED_MITM": 0x100, "ESP_GATT_PERM_READ_AUTHORIZATION": 0x200,
    "ESP_GATT_PERM_WRITE_AUTHORIZATION": 0x400, "ESP_UUID_LEN_16": 2, "ESP_UUID_LEN_32": 4, "ESP_UUID_LEN_128": 16,
    "ESP_GATT_UUID_PRI_SERVICE": 0x2800, "ESP_GATT_UUID_SEC_SERVICE": 0x2801, "ESP_GATT_UUID_INCLUDE_SERVICE": 0x2802,
    "ESP_GATT_UUID_CHAR_DECLARE": 0x2803, "ESP_GATT_UUID_CHAR_EXT_PROP": 0x2900,
    "ESP_GATT_UUID_CHAR_DESCRIPTION": 0x2901, "ESP_GATT_UUID_CHAR_CLIENT_CONFIG": 0x2902,
    "ESP_GATT_UUID_CHAR_SRVR_CONFIG": 0x2903, "ESP_GATT_UUID_CHAR_PRESENT_FORMAT": 0x2904,
    "ESP_GATT_UUID_CHAR_AGG_FORMAT": 0x2905,
  ]

  mutating func read() {
    let places = code.tokens.indices.filter { code.tokens[$0].text == "esp_gatts_attr_db_t" }
    for index in places.prefix(Self.tableLimit) {
      // The braces of the table follow its name, before the statement ends.
      let rest = code.tokens[index...]
      guard let equals = rest.firstIndex(where: { $0.isSign("=") || $0.isSign(";") || $0.isSign(")") }),
        code.tokens[equals].isSign("="), let table = CInitializer(code.tokens[(equals + 1)...])
      else { continue }
      declared = nil
      for entry in table.members { attribute(entry.value) }
    }
  }

  /// Reads an attribute, whose fields are the length and place of its type, its permissions, and the lengths and place of its value.
  private mutating func attribute(_ entry: CInitializer) {
    guard case .group(let parts, let offset) = entry, let fields = parts.last?.value.members, fields.count >= 6 else {
      return
    }
    let expressions = fields.map(\.value.tokens)
    guard let type = evaluator.uuid(expressions[1], .characteristic) else {
      declared = nil
      return warn(
        offset,
        "the UUID '\(CSource.text(expressions[1]))' is not defined in this file, so the attribute is left out")
    }
    switch type {
    case .primaryService, .secondaryService: service(expressions, isPrimary: type == .primaryService, offset)
    case .include: warn(offset, "an include is left out, because the table has no handles")
    case .characteristic: declaration(expressions, offset)
    default:
      if declared == nil { descriptor(type, expressions, offset) } else { value(type, expressions, offset) }
    }
  }

  private mutating func service(_ fields: [ArraySlice<CToken>], isPrimary: Bool, _ offset: Int) {
    declared = nil
    guard let uuid = evaluator.uuid(fields[5], .service) else {
      return warn(
        offset, "the UUID '\(CSource.text(fields[5]))' is not defined in this file, so the service is left out")
    }
    var service = ImportedService(uuid: uuid, place: code.source.place(of: offset))
    service.isPrimary = isPrimary
    database.services.append(service)
  }

  private mutating func declaration(_ fields: [ArraySlice<CToken>], _ offset: Int) {
    guard let bits = evaluator.number(fields[5]), let octet = UInt8(exactly: bits) else {
      warn(offset, "the properties '\(CSource.text(fields[5]))' are not known; 'read' is assumed")
      declared = (.read, offset)
      return
    }
    declared = (CharacteristicProperties(rawValue: octet), offset)
  }

  private mutating func value(_ uuid: BluetoothUUID, _ fields: [ArraySlice<CToken>], _ offset: Int) {
    guard let (properties, place) = declared else { return }
    declared = nil
    guard !database.services.isEmpty else {
      return warn(offset, "the characteristic is in no service, so it is left out")
    }
    var characteristic = ImportedCharacteristic(
      name: Self.name(in: fields[1]), uuid: uuid, properties: properties, place: code.source.place(of: place))
    characteristic.permissions = permissions(fields[2], &characteristic.comments)
    characteristic.maximumLength = evaluator.number(fields[3]).flatMap { (1...512).contains($0) ? $0 : nil }
    if let (octets, isText) = evaluator.octets(fields[5]), octets.count <= ValueReading.longest {
      characteristic.value = .octets(octets)
      if isText, uuid.assignedName == nil { characteristic.format = "utf8" }
    } else if !["NULL", ""].contains(CSource.text(fields[5])) {
      characteristic.comments.append("The value is `\(CSource.text(fields[5]))` in the source.")
    }
    database.services[database.services.count - 1].characteristics.append(characteristic)
  }

  private mutating func descriptor(_ uuid: BluetoothUUID, _ fields: [ArraySlice<CToken>], _ offset: Int) {
    let last = database.services.count - 1
    guard last >= 0, let place = database.services[last].characteristics.indices.last else {
      return warn(offset, "the descriptor follows no characteristic, so it is left out")
    }
    var descriptor = ImportedDescriptor(uuid: uuid, value: evaluator.octets(fields[5])?.octets ?? [])
    if let permissions = permissions(fields[2], &descriptor.comments) { descriptor.permissions = permissions }
    if uuid == .clientCharacteristicConfiguration {
      database.services[last].characteristics[place].subscribing = descriptor.permissions.write ?? .open
    }
    database.services[last].characteristics[place].descriptors.append(descriptor)
  }

  /// Returns the name of the variable that holds a UUID, without words such as `uuid` or `char`.
  static func name(in tokens: ArraySlice<CToken>) -> String? {
    guard let name = tokens.last(where: { $0.kind == .identifier })?.text, !name.hasSuffix("_DECLARE") else {
      return nil
    }
    var words = name.lowercased().split(separator: "_").map { String($0) }
    words.removeAll { ["uuid", "gatts", "gatt", "char", "chr", "u"].contains($0) }
    return words.isEmpty ? nil : words.joined(separator: "-")
  }

  private mutating func permissions(
    _ tokens: ArraySlice<CToken>, _ comments: inout [String]
  ) -> AttributePermissions? {
    guard let bits = evaluator.number(tokens) else {
      comments.append("The permissions are `\(CSource.text(tokens))` in the source.")
      return nil
    }
    func requirement(_ allowed: Int, _ encrypted: Int, _ authenticated: Int, _ authorized: Int) -> AccessRequirement? {
      guard bits & (allowed | encrypted | authenticated | authorized) != 0 else { return nil }
      let protection: LinkProtection =
        bits & authenticated != 0 ? .authenticated : bits & encrypted != 0 ? .encrypted : .none
      return AccessRequirement(protection: protection, needsAuthorization: bits & authorized != 0)
    }
    return AttributePermissions(
      read: requirement(0x01, 0x02, 0x04, 0x200), write: requirement(0x10, 0x20, 0x40, 0x400),
      signedWrite: bits & 0x180 == 0 ? .open : AccessRequirement(protection: bits & 0x100 != 0 ? .authenticated : .none)
    )
  }
}
