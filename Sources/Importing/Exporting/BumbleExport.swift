import BLECore
import BLEGAP
import BLEGATT

/// Writes a device configuration of Bumble.
enum BumbleExport {
  static func write(_ database: ImportedDatabase) -> ExportedFile {
    var remarks: [String] = []
    var lines = ["  \"name\": \(quoted(database.name ?? "Imported Accessory"))"]
    if let address = database.address { lines.append("  \"address\": \"\(address)\"") }
    if let capability = database.security.flatMap({ BumbleWords.capabilities.firstIndex(of: $0.pairing) }) {
      lines.append("  \"io_capability\": \(capability)")
      remarks.append("only the IO capability of the security is carried over")
    }
    lines += advertising(database.advertising ?? [], &remarks)
    let services = database.services.filter { !$0.belongsToHost }.orderedAsInDatabase(database)
    if services.contains(where: { !$0.isPrimary }) { remarks.append("secondary services become primary ones") }
    if services.contains(where: { !$0.includes.isEmpty }) { remarks.append("included services are left out") }
    if services.contains(where: { $0.handle != nil || $0.characteristics.contains { $0.handle != nil } }) {
      remarks.append("fixed handles are left out")
    }
    let characteristics = services.flatMap(\.characteristics)
    if characteristics.contains(where: { $0.declaredProperties.isEmpty }) {
      remarks.append("characteristics without properties are left out, because Bumble's configuration cannot have them")
    }
    if characteristics.contains(where: { $0.value != nil && $0.value != .octets([]) })
      || characteristics.contains(where: { !$0.descriptors.isEmpty })
    {
      remarks.append("Bumble's configuration has no values; a program must set them")
    }
    if characteristics.contains(where: { !$0.automaticOwnDescriptors.isEmpty && $0.automaticDescriptors > 0 }) {
      remarks.append("Bumble puts the Client Characteristic Configuration after the other descriptors")
    }
    lines.append(
      "  \"gatt_services\": [\(services.isEmpty ? "" : "\n")"
        + services.map { text(of: $0) }
        .joined(separator: ",\n") + (services.isEmpty ? "]" : "\n  ]"))
    return ExportedFile(text: "{\n" + lines.joined(separator: ",\n") + "\n}\n", remarks: remarks)
  }

  private static func advertising(_ sets: [ImportedAdvertisingSet], _ remarks: inout [String]) -> [String] {
    guard let set = sets.first(where: { !$0.isExtended && $0.isConnectable }) ?? sets.first else { return [] }
    if sets.count > 1 { remarks.append("only the advertising set '\(set.id)' is carried over") }
    var lines: [String] = []
    if case .octets(let octets) = set.data, !octets.isEmpty {
      lines.append("  \"advertising_data\": \"\(octets.hexadecimal)\"")
    }
    if case .octets(let octets) = set.scanResponse, !octets.isEmpty {
      lines.append("  \"scan_response_data\": \"\(octets.hexadecimal)\"")
    }
    if let phase = set.schedule.last {
      lines.append("  \"advertising_interval\": \(Double(phase.interval.inMicroseconds) / 1000)")
      if set.schedule.count > 1 { remarks.append("only the last interval of '\(set.id)' is carried over") }
    }
    return lines
  }

  private static func text(of service: ImportedService) -> String {
    let members = service.characteristics.filter { !$0.declaredProperties.isEmpty }.map { text(of: $0) }
    let list = members.isEmpty ? "[]" : "[\n\(members.joined(separator: ",\n"))\n      ]"
    return "    {\n      \"uuid\": \"\(service.uuid)\",\n      \"characteristics\": \(list)\n    }"
  }

  private static func text(of characteristic: ImportedCharacteristic) -> String {
    let bits = characteristic.declaredProperties
    let properties = BumbleWords.properties.filter { bits.contains($0.property) }.map(\.word).joined(separator: ",")
    let permissions = BumbleWords.words(
      for: characteristic.permissions ?? characteristic.properties.openPermissions)
    var lines = [
      "          \"uuid\": \"\(characteristic.uuid)\"", "          \"properties\": \"\(properties)\"",
      "          \"permissions\": \(permissions)",
    ]
    let descriptors = characteristic.automaticOwnDescriptors.map { descriptor in
      "            { \"descriptor_type\": \"\(descriptor.uuid)\", "
        + "\"permissions\": \(BumbleWords.words(for: descriptor.permissions)) }"
    }
    if !descriptors.isEmpty {
      lines.append("          \"descriptors\": [\n\(descriptors.joined(separator: ",\n"))\n          ]")
    }
    return "        {\n\(lines.joined(separator: ",\n"))\n        }"
  }

  /// Returns a text as a JSON string.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      default:
        if scalar.value < 0x20 {
          let digits = String(scalar.value, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }
}

extension ImportedCharacteristic {
  /// The descriptors for an export format that adds only the Client Characteristic Configuration by itself.
  var automaticOwnDescriptors: [ImportedDescriptor] {
    var own = ownDescriptors
    if !extendedProperties.isEmpty {
      own.insert(
        ImportedDescriptor(
          uuid: .extendedProperties,
          value: [UInt8(extendedProperties.rawValue & 0xFF), UInt8(extendedProperties.rawValue >> 8)]), at: 0)
    }
    if properties.contains(.broadcast) {
      own.insert(
        ImportedDescriptor(
          uuid: .serverCharacteristicConfiguration, value: [0, 0], permissions: .readableAndWritable), at: 0)
    }
    return own
  }
}

extension [ImportedService] {
  /// Returns the services in the order of their handles.
  func orderedAsInDatabase(_ database: ImportedDatabase) -> [ImportedService] {
    guard !database.gatt.keepsOrder else { return self }
    return filter { $0.uuid.octetCount == 2 } + filter { $0.uuid.octetCount != 2 }
  }
}
