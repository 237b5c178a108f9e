import BLECore
import BLEGATT

/// Writes a description for BTstack's compiler of GATT databases.
enum BTstackExport {
  static func write(_ database: ImportedDatabase) -> ExportedFile {
    var file = ExportedFile(text: "", remarks: [])
    var lines = ["// \(commentText(database.name ?? "Imported Accessory"))", ""]
    lines += hostServices(database)
    let services = database.services.enumerated().filter { !$0.element.belongsToHost }
    let ordered =
      database.gatt.keepsOrder
      ? services
      : services.filter { $0.element.uuid.octetCount == 2 } + services.filter { $0.element.uuid.octetCount != 2 }
    var written: Set<Int> = []
    for (position, service) in ordered {
      lines.append("")
      lines += declaration(of: service, in: database, written, &file.remarks)
      written.insert(position)
      for characteristic in service.characteristics { lines += declaration(of: characteristic, &file.remarks) }
    }
    if services.contains(where: { $0.element.handle != nil }) { file.remarks.append("fixed handles are left out") }
    file.remarks.append("BTstack's program sets up advertising and pairing")
    file.text = lines.joined(separator: "\n") + "\n"
    return file
  }

  private static func hostServices(_ database: ImportedDatabase) -> [String] {
    var lines = [
      "PRIMARY_SERVICE, GAP_SERVICE",
      "CHARACTERISTIC, GAP_DEVICE_NAME, READ, \(value(Array((database.name ?? "").utf8)))",
    ]
    if let appearance = database.appearance {
      let octets = [UInt8(appearance.rawValue & 0xFF), UInt8(appearance.rawValue >> 8)]
      lines.append("CHARACTERISTIC, GAP_APPEARANCE, READ, \(digits(octets))")
    }
    if let request = database.connection.request {
      lines.append(
        "CHARACTERISTIC, GAP_PERIPHERAL_PREFERRED_CONNECTION_PARAMETERS, READ, \(digits(request.preferredParameters))")
    }
    lines += ["", "PRIMARY_SERVICE, GATT_SERVICE"]
    if database.gatt.hasServiceChanged == true {
      lines.append("CHARACTERISTIC, GATT_SERVICE_CHANGED, INDICATE,")
    }
    if database.gatt.hasRobustCaching { lines.append("CHARACTERISTIC, GATT_DATABASE_HASH, READ,") }
    return lines
  }

  private static func declaration(
    of service: ImportedService, in database: ImportedDatabase, _ written: Set<Int>, _ remarks: inout [String]
  ) -> [String] {
    var lines = ["\(service.isPrimary ? "PRIMARY" : "SECONDARY")_SERVICE, \(service.uuid)"]
    for include in service.includes where database.services.indices.contains(include) {
      if written.contains(include) {
        lines.append("INCLUDE_SERVICE, \(database.services[include].uuid)")
      } else {
        lines.append("// It includes \(database.services[include].uuid), which BTstack needs before it.")
        remarks.append(
          "'\(service.id ?? "\(service.uuid)")' includes a service that follows it, which BTstack cannot express")
      }
    }
    return lines
  }

  private static func declaration(
    of characteristic: ImportedCharacteristic, _ remarks: inout [String]
  ) -> [String] {
    let name = characteristic.id ?? "\(characteristic.uuid)"
    let octets: [UInt8]
    if case .octets(let known) = characteristic.value { octets = known } else { octets = [] }
    // The program supplies a value that clients write, or that is not in the table.
    let isDynamic =
      octets.isEmpty || !characteristic.properties.isDisjoint(with: .anyWrite.union([.notify, .indicate]))
    var words = words(for: characteristic)
    if isDynamic { words.append("DYNAMIC") }
    var lines = [
      "CHARACTERISTIC, \(characteristic.uuid), \(words.joined(separator: " | ")), \(value(octets))"
    ]
    for descriptor in characteristic.automaticOwnDescriptors {
      if let line = declaration(of: descriptor, named: name, &remarks) { lines.append(line) }
    }
    return lines
  }

  private static func words(for characteristic: ImportedCharacteristic) -> [String] {
    var words = BTstackProperties.words.filter { characteristic.properties.contains($0.property) }.map(\.word)
    if characteristic.extendedProperties.contains(.reliableWrite) {
      words.removeAll { $0 == "EXTENDED_PROPERTIES" }
      words.append("RELIABLE_WRITE")
    }
    let permissions = characteristic.permissions ?? characteristic.properties.openPermissions
    if let need = need(permissions.read) { words.append("READ_\(need)") }
    let writing = permissions.write ?? (characteristic.canBeSubscribed ? characteristic.subscribing : nil)
    if let need = need(writing) { words.append("WRITE_\(need)") }
    let size = [permissions.read, permissions.write].compactMap { $0?.minimumKeySize }.max() ?? 0
    if size > 0 { words.append("ENCRYPTION_KEY_SIZE_\(size)") }
    return words
  }

  private static func need(_ requirement: AccessRequirement?) -> String? {
    guard let requirement else { return nil }
    if requirement.needsAuthorization { return "AUTHORIZED" }
    switch requirement.protection {
    case .none: return nil
    case .encrypted: return "ENCRYPTED"
    case .authenticated: return "AUTHENTICATED"
    case .secureConnections: return "AUTHENTICATED_SC"
    }
  }

  private static func declaration(
    of descriptor: ImportedDescriptor, named name: String, _ remarks: inout [String]
  ) -> String? {
    let octets = descriptor.value
    switch descriptor.uuid {
    // RELIABLE_WRITE implies it.
    case .extendedProperties where octets == [1, 0]: return nil
    case .userDescription:
      return "CHARACTERISTIC_USER_DESCRIPTION, READ\(descriptor.permissions.write == nil ? "" : " | WRITE"), "
        + value(octets)
    case .serverCharacteristicConfiguration: return "SERVER_CHARACTERISTIC_CONFIGURATION, READ | WRITE"
    case .presentationFormat where octets.count == 7:
      return "CHARACTERISTIC_FORMAT, \(name), \(digits(octets[0..<1])), \(digits(octets[1..<2])), "
        + "\(digits([octets[3], octets[2]], "")), \(digits(octets[4..<5])), \(digits([octets[6], octets[5]], ""))"
    case .aggregateFormat where !descriptor.aggregates.isEmpty:
      return "CHARACTERISTIC_AGGREGATE_FORMAT, \(descriptor.aggregates.joined(separator: ", "))"
    case .reportReference where octets.count == 2:
      return "REPORT_REFERENCE, READ, \(digits(octets[0..<1])), \(digits(octets[1..<2]))"
    case BluetoothUUID(0x2909): return "NUMBER_OF_DIGITALS, \(digits(octets))"
    default:
      remarks.append("the descriptor \(descriptor.uuid) of '\(name)' is left out, because BTstack has no word for it")
      return "// BTstack has no word for the descriptor \(descriptor.uuid): \(digits(octets))"
    }
  }

  // MARK: Values

  /// Returns a value as text in quotes if BTstack reads it as text, otherwise as octets.
  private static func value(_ octets: [UInt8]) -> String {
    let isPlain = octets.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }
    guard !octets.isEmpty, isPlain, !octets.isMistakenForDigits, octets.count > 1, octets.first != 0x20,
      octets.last != 0x20
    else { return digits(octets) }
    return "\"\(String(decoding: octets, as: UTF8.self))\""
  }

  private static func digits(_ octets: some Sequence<UInt8>, _ separator: String = " ") -> String {
    octets.map { [$0].uppercaseHexadecimal }.joined(separator: separator)
  }

  private static func commentText(_ text: String) -> String {
    YAMLScalar.commentLines([text], width: 100).joined(separator: " ")
  }
}

extension [UInt8] {
  /// Whether BTstack would read this text as octets: it consists only of hexadecimal digits and spaces.
  fileprivate var isMistakenForDigits: Bool {
    !isEmpty
      && allSatisfy { octet in
        octet == 0x20 || Character(Unicode.Scalar(octet)).isHexDigit
      }
  }
}
