/// The name of an assigned UUID (Bluetooth Assigned Numbers 3), or of one that Apple documents: as in the specification for display, and in
/// kebab case for profiles.
public struct AssignedName: Hashable, Sendable {
  /// The kind of item that a UUID identifies. A service and a characteristic may have the same name, for example Current Time.
  public enum Kind: String, Hashable, Sendable, CaseIterable { case service, characteristic, descriptor }

  /// The kind of item.
  public let kind: Kind
  /// The UUID. An assigned number has a 16-bit form.
  public let uuid: BluetoothUUID
  /// The name in the specification, for example `Heart Rate Measurement`.
  public let displayName: String
  /// The name in profiles, for example `heart-rate-measurement`.
  public let name: String

  /// Returns the UUID with this name, of this kind or of the first kind that has the name. A final `-string` of a characteristic's name may
  /// be omitted, as may a leading `characteristic-` of a descriptor's.
  public static func uuid(named name: String, kind: Kind? = nil) -> BluetoothUUID? {
    let kinds = kind.map { [$0] } ?? Kind.allCases
    for kind in kinds {
      let names = registry.byName[kind] ?? [:]
      for spelling in [name, name + "-string", "characteristic-" + name] {
        if let found = names[spelling] { return found.uuid }
      }
    }
    return nil
  }

  /// Returns all names of a kind, in the order of the UUIDs.
  public static func all(_ kind: Kind) -> [AssignedName] { registry.byKind[kind] ?? [] }

  /// Returns the name of an assigned UUID.
  static func named(_ uuid: BluetoothUUID) -> AssignedName? { registry.byUUID[uuid] }

  /// Converts a name to lower case, with hyphens between words.
  static func kebabCase(_ text: some StringProtocol) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      let isWord =
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
      if isWord {
        result.unicodeScalars.append(scalar)
      } else if !result.isEmpty, result.last != "-" {
        result.append("-")
      }
    }
    if result.last == "-" { result.removeLast() }
    return result.lowercased()
  }

  /// The tables, parsed at the first use of a name.
  private struct Registry: Sendable {
    /// The assigned numbers. Apple's names are in `byUUID` only.
    var byKind: [Kind: [AssignedName]] = [:]
    var byName: [Kind: [String: AssignedName]] = [:]
    var byUUID: [BluetoothUUID: AssignedName] = [:]

    mutating func add(_ table: String, _ kind: Kind) {
      for (number, displayName) in numberedNames(in: table) {
        let entry = AssignedName(
          kind: kind, uuid: BluetoothUUID(number), displayName: displayName, name: kebabCase(displayName))
        byKind[kind, default: []].append(entry)
        byName[kind, default: [:]][entry.name] = entry
        byUUID[entry.uuid] = entry
      }
    }

    mutating func addApple(_ table: String, _ kind: Kind) {
      for line in table.split(separator: "\n") {
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let uuid = BluetoothUUID(String(parts[0])) else { continue }
        byUUID[uuid] = AssignedName(
          kind: kind, uuid: uuid, displayName: String(parts[1]), name: kebabCase(parts[1]))
      }
    }
  }

  private static let registry: Registry = {
    var registry = Registry()
    registry.add(servicesTable, .service)
    registry.add(characteristics2ATable, .characteristic)
    registry.add(characteristics2BTable, .characteristic)
    registry.add(descriptorsTable, .descriptor)
    registry.addApple(appleServicesTable, .service)
    registry.addApple(appleCharacteristicsTable, .characteristic)
    return registry
  }()

  /// Returns the lines of a table: four hexadecimal digits, a space, and the name.
  package static func numberedNames(in table: String) -> [(UInt16, String)] {
    table.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let number = UInt16(parts[0], radix: 16) else { return nil }
      return (number, String(parts[1]))
    }
  }
}

extension BluetoothUUID {
  /// The name of an assigned service, characteristic or descriptor, or of one that Apple documents; nil for any other UUID.
  public var assignedName: AssignedName? { AssignedName.named(self) }

  /// The assigned name as in profiles, or the UUID itself if it has none.
  package var profileName: String { assignedName?.name ?? description }
}
