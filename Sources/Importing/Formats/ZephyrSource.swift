import BLECore
import BLEGATT

/// Reads services that Zephyr's macros define in C source: `BT_GATT_SERVICE_DEFINE`, or tables with `BT_GATT_PRIMARY_SERVICE`.
struct ZephyrSource: CSourceReader {
  static let missing = "this file defines no service with BT_GATT_PRIMARY_SERVICE"

  let code: CSource
  private let evaluator: CEvaluator
  var context: ImportContext
  var database = ImportedDatabase()
  /// The positions of services by the names of their variables, for includes.
  private var variables: [String: Int] = [:]
  /// The variable of the next service.
  private var variable: String?

  static func recognizes(_ source: ImportSource) -> Bool {
    source.contains("BT_GATT_SERVICE_DEFINE") || source.contains("BT_GATT_PRIMARY_SERVICE")
  }

  init(_ code: CSource, _ evaluator: CEvaluator, _ context: ImportContext) {
    (self.code, self.evaluator, self.context) = (code, evaluator, context)
  }

  /// The bits of properties (`gatt.h`), and of permissions.
  static let constants: [String: Int] = [
    "BT_GATT_CHRC_BROADCAST": 0x01, "BT_GATT_CHRC_READ": 0x02, "BT_GATT_CHRC_WRITE_WITHOUT_RESP": 0x04,
    "BT_GATT_CHRC_WRITE": 0x08, "BT_GATT_CHRC_NOTIFY": 0x10, "BT_GATT_CHRC_INDICATE": 0x20, "BT_GATT_CHRC_AUTH": 0x40,
    "BT_GATT_CHRC_EXT_PROP": 0x80, "BT_GATT_PERM_NONE": 0, "BT_GATT_PERM_READ": 0x01, "BT_GATT_PERM_WRITE": 0x02,
    "BT_GATT_PERM_READ_ENCRYPT": 0x04, "BT_GATT_PERM_WRITE_ENCRYPT": 0x08, "BT_GATT_PERM_READ_AUTHEN": 0x10,
    "BT_GATT_PERM_WRITE_AUTHEN": 0x20, "BT_GATT_PERM_PREPARE_WRITE": 0x40, "BT_GATT_PERM_READ_LESC": 0x80,
    "BT_GATT_PERM_WRITE_LESC": 0x100, "BT_GATT_CEP_RELIABLE_WRITE": 0x01, "BT_GATT_CEP_WRITABLE_AUX": 0x02,
  ]

  mutating func read() {
    var index = 0
    while index < code.tokens.count {
      defer { index += 1 }
      let token = code.tokens[index]
      guard token.kind == .identifier, token.text.hasPrefix("BT_GATT_") else { continue }
      if token.text == "BT_GATT_SERVICE_DEFINE" {
        variable = index + 2 < code.tokens.count ? code.tokens[index + 2].text : nil
      } else if let (arguments, _) = code.arguments(at: index) {
        call(token, arguments)
      }
    }
  }

  private mutating func call(_ token: CToken, _ arguments: [ArraySlice<CToken>]) {
    switch token.text {
    case "BT_GATT_PRIMARY_SERVICE", "BT_GATT_SECONDARY_SERVICE": service(token, arguments)
    case "BT_GATT_CHARACTERISTIC": characteristic(token, arguments)
    case "BT_GATT_INCLUDE_SERVICE": include(token, arguments)
    case "BT_GATT_CCC", "BT_GATT_CCC_MANAGED", "BT_GATT_CCC_WITH_WRITE_CB": configuration(token, arguments)
    case "BT_GATT_CUD", "BT_GATT_CPF", "BT_GATT_CEP", "BT_GATT_DESCRIPTOR": descriptor(token, arguments)
    default: break
    }
  }

  // MARK: Services

  private mutating func service(_ token: CToken, _ arguments: [ArraySlice<CToken>]) {
    guard let first = arguments.first, let uuid = evaluator.uuid(first, .service) else {
      return warn(
        token.offset,
        "the UUID '\(CSource.text(arguments.first ?? []))' is not defined in this file, so the service is left out")
    }
    var service = ImportedService(name: variable, uuid: uuid, place: code.source.place(of: token.offset))
    service.isPrimary = token.text == "BT_GATT_PRIMARY_SERVICE"
    if let variable { variables[variable] = database.services.count }
    variable = nil
    database.services.append(service)
  }

  private mutating func include(_ token: CToken, _ arguments: [ArraySlice<CToken>]) {
    guard !database.services.isEmpty, let name = arguments.first?.first(where: { $0.kind == .identifier })?.text,
      let target = variables[name]
    else { return warn(token.offset, "the included service is not defined before this, so it is left out") }
    database.services[database.services.count - 1].includes.append(target)
  }

  private mutating func characteristic(_ token: CToken, _ arguments: [ArraySlice<CToken>]) {
    guard !database.services.isEmpty else {
      return warn(token.offset, "the characteristic is in no service, so it is left out")
    }
    guard arguments.count >= 3, let uuid = evaluator.uuid(arguments[0], .characteristic) else {
      return warn(
        token.offset,
        "the UUID '\(CSource.text(arguments.first ?? []))' is not defined in this file, so the characteristic is left out"
      )
    }
    var characteristic = ImportedCharacteristic(
      name: Self.name(in: arguments[0]), uuid: uuid, properties: [], place: code.source.place(of: token.offset))
    if let bits = evaluator.number(arguments[1]), let octet = UInt8(exactly: bits) {
      characteristic.properties = CharacteristicProperties(rawValue: octet)
    } else {
      characteristic.comments.append("The properties are `\(CSource.text(arguments[1]))` in the source.")
      warn(token.offset, "the properties '\(CSource.text(arguments[1]))' are not known")
    }
    characteristic.permissions = permissions(arguments[2], &characteristic.comments)
    if arguments.count > 5 { value(arguments[5], &characteristic) }
    database.services[database.services.count - 1].characteristics.append(characteristic)
  }

  /// Returns the name of a variable or macro, without the words that only mark it as a UUID.
  private static func name(in tokens: ArraySlice<CToken>) -> String? {
    let name = tokens.first { $0.kind == .identifier }?.text
    guard let name, !name.hasPrefix("BT_UUID_DECLARE") else { return nil }
    let word = name.hasPrefix("BT_UUID_") ? String(name.dropFirst(8)) : name
    return word.lowercased().hasSuffix("_uuid") ? String(word.dropLast(5)) : word
  }

  private mutating func permissions(
    _ tokens: ArraySlice<CToken>, _ comments: inout [String]
  ) -> AttributePermissions? {
    guard let bits = evaluator.number(tokens) else {
      comments.append("The permissions are `\(CSource.text(tokens))` in the source.")
      return nil
    }
    func requirement(_ allowed: Int, _ encrypted: Int, _ authenticated: Int, _ secure: Int) -> AccessRequirement? {
      guard bits & (allowed | encrypted | authenticated | secure) != 0 else { return nil }
      let protection: LinkProtection =
        bits & secure != 0
        ? .secureConnections : bits & authenticated != 0 ? .authenticated : bits & encrypted != 0 ? .encrypted : .none
      return AccessRequirement(protection: protection)
    }
    return AttributePermissions(
      read: requirement(0x01, 0x04, 0x10, 0x80), write: requirement(0x02, 0x08, 0x20, 0x100))
  }

  /// Reads the value. A callback of the source may replace it at every read.
  private func value(_ tokens: ArraySlice<CToken>, _ characteristic: inout ImportedCharacteristic) {
    let text = CSource.text(tokens)
    guard text != "NULL", !text.isEmpty else { return }
    if let (octets, isText) = evaluator.octets(tokens), octets.count <= ValueReading.longest {
      characteristic.value = .octets(octets)
      if isText, characteristic.uuid.assignedName == nil { characteristic.format = "utf8" }
    } else {
      characteristic.comments.append("The value is `\(text)` in the source.")
    }
  }

  // MARK: Descriptors

  private mutating func configuration(_ token: CToken, _ arguments: [ArraySlice<CToken>]) {
    let last = database.services.count - 1
    guard last >= 0, let place = database.services[last].characteristics.indices.last else {
      return warn(token.offset, "this follows no characteristic, so it is left out")
    }
    var comments: [String] = []
    if let permissions = arguments.last.flatMap({ permissions($0, &comments) }) {
      database.services[last].characteristics[place].subscribing = permissions.write
    }
    if token.text == "BT_GATT_CCC",
      database.services[last].characteristics[place].properties.isDisjoint(with: [.notify, .indicate])
    {
      warn(token.offset, "the characteristic has a configuration, but can neither notify nor indicate")
    }
  }

  private mutating func descriptor(_ token: CToken, _ arguments: [ArraySlice<CToken>]) {
    let last = database.services.count - 1
    guard last >= 0, let place = database.services[last].characteristics.indices.last else {
      return warn(token.offset, "this follows no characteristic, so it is left out")
    }
    var comments: [String] = []
    var descriptor: ImportedDescriptor
    var value = arguments.first
    var rights = arguments.count > 1 ? arguments[1] : nil
    switch token.text {
    case "BT_GATT_CUD": descriptor = ImportedDescriptor(uuid: .userDescription)
    case "BT_GATT_CPF": descriptor = ImportedDescriptor(uuid: .presentationFormat)
    case "BT_GATT_CEP": descriptor = ImportedDescriptor(uuid: .extendedProperties)
    default:
      guard let uuid = arguments.first.flatMap({ evaluator.uuid($0, .descriptor) }) else {
        return warn(token.offset, "the UUID of the descriptor is not defined in this file, so it is left out")
      }
      descriptor = ImportedDescriptor(uuid: uuid)
      value = arguments.count > 4 ? arguments[4] : nil
    }
    if token.text == "BT_GATT_CEP" || token.text == "BT_GATT_CPF" { rights = nil }
    if let rights, let permissions = permissions(rights, &comments) { descriptor.permissions = permissions }
    if let value { read(value, into: &descriptor, &comments) }
    if descriptor.value.isEmpty { descriptor.comments = comments }
    database.services[last].characteristics[place].descriptors.append(descriptor)
  }

  private func read(
    _ tokens: ArraySlice<CToken>, into descriptor: inout ImportedDescriptor, _ comments: inout [String]
  ) {
    let resolved = evaluator.resolved(tokens)
    if descriptor.uuid == .presentationFormat, let format = CInitializer(resolved) {
      descriptor.value = presentationFormat(format)
    } else if descriptor.uuid == .extendedProperties, let format = CInitializer(resolved),
      let bits = (format["properties"] ?? format.members.first?.value).flatMap({ evaluator.number($0.tokens) })
    {
      descriptor.value = [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
    } else if let (octets, _) = evaluator.octets(tokens) {
      descriptor.value = octets
    } else if CSource.text(tokens) != "NULL" {
      comments.append("The value is `\(CSource.text(tokens))` in the source.")
    }
  }

  private func presentationFormat(_ format: CInitializer) -> [UInt8] {
    func number(_ name: String, _ place: Int) -> Int {
      let members = format.members
      let value =
        format[name] ?? (members.indices.contains(place) && members[place].name == nil ? members[place].value : nil)
      return value.flatMap { evaluator.number($0.tokens) } ?? 0
    }
    let unit = number("unit", 2)
    let description = number("description", 4)
    return [
      number("format", 0), number("exponent", 1), unit, unit >> 8, number("name_space", 3), description,
      description >> 8,
    ]
    .map { UInt8(truncatingIfNeeded: $0) }
  }
}

extension ImportSource {
  /// Whether the text contains a word.
  func contains(_ word: String) -> Bool {
    let word = Array(word.utf8)
    guard let first = word.first, octets.count >= word.count else { return false }
    var index = 0
    while index <= octets.count - word.count {
      if octets[index] == first, octets[index..<(index + word.count)].elementsEqual(word) { return true }
      index += 1
    }
    return false
  }
}
