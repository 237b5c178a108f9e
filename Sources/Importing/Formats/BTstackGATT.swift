import BLECore
import BLEGATT

/// Reads BTstack's descriptions of a GATT server (`.gatt`): one service, characteristic or descriptor per line, with fields between commas.
struct BTstackGATT {
  private var context: ImportContext
  private var database = ImportedDatabase()
  /// The positions of the latest services, by the UUIDs with which includes name them.
  private var services: [BluetoothUUID: Int] = [:]
  /// The ids of the characteristics with presentation formats, by the format's identifier.
  private var formats: [String: String] = [:]
  /// The comment lines before the next declaration.
  private var pending: [String] = []

  static func recognizes(_ source: ImportSource) -> Bool {
    String(decoding: source.octets.prefix(65_536), as: UTF8.self).split(whereSeparator: \.isNewline).contains { line in
      let word = line.drop { $0 == " " || $0 == "\t" }.prefix { $0.isLetter || $0 == "_" }
      return ["PRIMARY_SERVICE", "SECONDARY_SERVICE"].contains(word) && line.contains(",")
    }
  }

  static func read(_ source: ImportSource, _ context: inout ImportContext) throws(ImportError) -> ImportedDatabase {
    var reader = BTstackGATT(context: context)
    defer { context = reader.context }
    reader.database.gatt.keepsOrder = true
    try reader.read(source)
    return reader.database
  }

  private init(context: ImportContext) { self.context = context }

  // MARK: Lines

  private mutating func read(_ source: ImportSource) throws(ImportError) {
    var offset = 0
    for line in source.octets.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let text = String(decoding: line, as: UTF8.self).trimmingWhitespace
      let start = offset + (line.firstIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 - line.startIndex } ?? 0)
      offset += line.count + 1
      if text.hasPrefix("//") {
        pending.append(String(text.drop { $0 == "/" }).trimmingWhitespace)
      } else if text.hasPrefix("#import") {
        try include(text, source, start)
        pending = []
      } else if text.isEmpty {
        pending = []
      } else if text.hasPrefix("#") {
        context.log.warn(source, start, "this directive is not known, and left out")
      } else {
        declaration(Self.fields(text), source, start)
        pending = []
      }
    }
  }

  /// Splits a line at its commas, but not between quotes.
  private static func fields(_ line: String) -> [Field] {
    var fields: [Field] = []
    var field = ""
    var isOpen = false
    for character in line {
      switch character {
      case "\"": isOpen.toggle()
      case "," where !isOpen:
        fields.append(Field(text: field.trimmingWhitespace))
        field = ""
      default: field.append(character)
      }
    }
    fields.append(Field(text: field.trimmingWhitespace))
    return fields
  }

  private struct Field {
    var text: String

    /// The octets. As in BTstack, a text of hexadecimal digits and spaces stands for octets, even in quotes.
    var octets: [UInt8]? {
      guard !text.isEmpty else { return nil }
      let parts = text.split(separator: " ")
      guard parts.allSatisfy({ $0.allSatisfy(\.isHexDigit) }) else { return Array(text.utf8) }
      return ValueReading.octets(text)
    }

    var isText: Bool { !text.split(separator: " ").allSatisfy { $0.allSatisfy(\.isHexDigit) } }
  }

  // MARK: Imports

  /// The UUIDs of the services that come with BTstack, by the names of their files.
  private static let shipped: [String: UInt16] = [
    "battery_service": 0x180F, "device_information_service": 0x180A, "heart_rate_service": 0x180D,
    "hids": 0x1812, "tx_power_service": 0x1804, "immediate_alert_service": 0x1802, "link_loss_service": 0x1803,
    "scan_parameters_service": 0x1813, "bond_management_service": 0x181E, "cycling_power_service": 0x1818,
    "cycling_speed_and_cadence_service": 0x1816,
  ]

  private mutating func include(_ line: String, _ source: ImportSource, _ offset: Int) throws(ImportError) {
    let rest = line.dropFirst("#import".count).drop { $0 == " " || $0 == "\t" }
    let pairs: [Character: Character] = ["<": ">", "\"": "\""]
    guard let first = rest.first, let last = pairs[first], let end = rest.dropFirst().firstIndex(of: last) else {
      return context.log.warn(source, offset, "an import is written as #import <name.gatt> or #import \"name.gatt\"")
    }
    let name = String(rest[rest.index(after: rest.startIndex)..<end])
    context.included += 1
    guard context.included <= ImportContext.includeLimit else {
      throw source.error(
        offset, "this imports more than \(ImportContext.includeLimit) files; check whether they import each other")
    }
    switch context.include(name) {
    case .success(let text): try read(ImportSource(name: name, text: text))
    case .failure(let failure):
      let word = name.split(separator: "/").last.map { String($0) } ?? name
      let base = word.hasSuffix(".gatt") ? String(word.dropLast(5)) : word
      guard let number = Self.shipped[base], let service = ShippedService.byUUID[BluetoothUUID(number)] else {
        return context.log.warn(
          source, offset, "'\(name)' is left out: \(failure.reason); put the file beside the one that imports it")
      }
      var imported = ImportedService(uuid: BluetoothUUID(number), place: source.place(of: offset))
      imported.shippedName = service.name
      imported.comments = ["The source imports BTstack's \(name), which was not found; this is the shipped service."]
      services[imported.uuid] = database.services.count
      database.services.append(imported)
    }
  }

  // MARK: Declarations

  private mutating func declaration(_ fields: [Field], _ source: ImportSource, _ offset: Int) {
    switch fields[0].text {
    case "PRIMARY_SERVICE", "SECONDARY_SERVICE": service(fields, source, offset)
    case "INCLUDE_SERVICE": included(fields, source, offset)
    case "CHARACTERISTIC": characteristic(fields, source, offset)
    // The writer adds it by itself.
    case "CLIENT_CHARACTERISTIC_CONFIGURATION": break
    default: descriptor(fields, source, offset)
    }
  }

  private func uuid(_ text: String, _ kind: AssignedName.Kind) -> BluetoothUUID? {
    let own: [String: UInt16] = [
      "GAP_SERVICE": 0x1800, "GATT_SERVICE": 0x1801, "GAP_DEVICE_NAME": 0x2A00, "GAP_APPEARANCE": 0x2A01,
      "GAP_PERIPHERAL_PRIVACY_FLAG": 0x2A02, "GAP_RECONNECTION_ADDRESS": 0x2A03,
      "GAP_PERIPHERAL_PREFERRED_CONNECTION_PARAMETERS": 0x2A04, "GATT_SERVICE_CHANGED": 0x2A05,
      "GATT_DATABASE_HASH": 0x2B2A,
    ]
    if let number = own[text] { return BluetoothUUID(number) }
    return ValueReading.uuid(text) ?? SIGNames.uuid(of: text, kind)
  }

  private mutating func service(_ fields: [Field], _ source: ImportSource, _ offset: Int) {
    let text = fields.count > 1 ? fields[1].text : ""
    guard let uuid = uuid(text, .service) else {
      // The following characteristics are left out, too.
      isOutside = true
      return context.log.warn(source, offset, "'\(text)' is not a UUID, so the service is left out")
    }
    isOutside = false
    var service = ImportedService(uuid: uuid, place: source.place(of: offset))
    service.isPrimary = fields[0].text == "PRIMARY_SERVICE"
    service.comments = pending
    services[uuid] = database.services.count
    database.services.append(service)
  }

  /// Whether there is no current service, or it was left out.
  private var isOutside = true

  private mutating func included(_ fields: [Field], _ source: ImportSource, _ offset: Int) {
    guard !isOutside, fields.count > 1, let uuid = uuid(fields[1].text, .service), let target = services[uuid] else {
      return context.log.warn(source, offset, "the included service is not declared before this, so it is left out")
    }
    database.services[database.services.count - 1].includes.append(target)
  }

  private mutating func characteristic(_ fields: [Field], _ source: ImportSource, _ offset: Int) {
    let text = fields.count > 1 ? fields[1].text : ""
    guard !isOutside else {
      return context.log.warn(source, offset, "the characteristic is in no service, so it is left out")
    }
    guard let uuid = uuid(text, .characteristic) else {
      return context.log.warn(source, offset, "'\(text)' is not a UUID, so the characteristic is left out")
    }
    var words = BTstackProperties()
    for word in (fields.count > 2 ? fields[2].text : "").split(separator: "|") where !words.add(String(word)) {
      context.log.warn(
        source, offset, "the property '\(String(word).trimmingWhitespace)' is not known, and left out")
    }
    var characteristic = ImportedCharacteristic(
      name: fields.count > 4 ? fields[4].text : nil, uuid: uuid, properties: words.properties,
      place: source.place(of: offset))
    characteristic.extendedProperties = words.extended
    characteristic.permissions = words.permissions
    characteristic.subscribing = words.subscribing
    characteristic.comments = pending
    if fields.count > 3, let octets = fields[3].octets {
      characteristic.value = .octets(context.value(octets, in: source, at: offset))
      if fields[3].isText, uuid.assignedName == nil { characteristic.format = "utf8" }
    } else if words.isDynamic, uuid.assignedName == nil {
      characteristic.comments.append("The program supplies this value (DYNAMIC).")
    }
    database.services[database.services.count - 1].characteristics.append(characteristic)
  }

  // MARK: Descriptors

  private mutating func descriptor(_ fields: [Field], _ source: ImportSource, _ offset: Int) {
    let last = database.services.count - 1
    guard !isOutside, let place = database.services[last].characteristics.indices.last else {
      return context.log.warn(source, offset, "'\(fields[0].text)' follows no characteristic, so it is left out")
    }
    func octets(_ index: Int) -> [UInt8] { index < fields.count ? fields[index].octets ?? [] : [] }
    func word(_ index: Int) -> [UInt8] {
      let text = index < fields.count ? fields[index].text : ""
      return uuid(text, .descriptor).map { $0.littleEndianOctets } ?? [0, 0]
    }
    var descriptor: ImportedDescriptor
    switch fields[0].text {
    case "CHARACTERISTIC_USER_DESCRIPTION":
      descriptor = ImportedDescriptor(uuid: .userDescription, value: octets(2))
      var words = BTstackProperties()
      for word in (fields.count > 1 ? fields[1].text : "").split(separator: "|") { _ = words.add(String(word)) }
      if words.properties.contains(.write) { descriptor.permissions.write = words.permissions.write }
    case "SERVER_CHARACTERISTIC_CONFIGURATION":
      descriptor = ImportedDescriptor(uuid: .serverCharacteristicConfiguration)
    case "CHARACTERISTIC_FORMAT":
      descriptor = ImportedDescriptor(
        uuid: .presentationFormat, value: octets(2) + octets(3) + word(4) + octets(5) + word(6))
      nameFormat(fields.count > 1 ? fields[1].text : "", last, place)
    case "CHARACTERISTIC_AGGREGATE_FORMAT":
      descriptor = ImportedDescriptor(uuid: .aggregateFormat)
      descriptor.aggregates = fields.dropFirst().compactMap { formats[$0.text] }
    case "REPORT_REFERENCE": descriptor = ImportedDescriptor(uuid: .reportReference, value: octets(2) + octets(3))
    case "NUMBER_OF_DIGITALS": descriptor = ImportedDescriptor(uuid: BluetoothUUID(0x2909), value: octets(1))
    default: return context.log.warn(source, offset, "'\(fields[0].text)' is not known, and left out")
    }
    database.services[last].characteristics[place].descriptors.append(descriptor)
  }

  /// Gives the characteristic with a format an id, so that an aggregate format can refer to it.
  private mutating func nameFormat(_ identifier: String, _ service: Int, _ characteristic: Int) {
    let known = database.services[service].characteristics[characteristic]
    let id = known.id ?? Naming.identifier(from: identifier) ?? known.uuid.profileName
    database.services[service].characteristics[characteristic].id = id
    formats[identifier] = id
  }
}
