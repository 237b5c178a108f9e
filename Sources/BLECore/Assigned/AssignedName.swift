/// The name of an assigned UUID (Bluetooth Assigned Numbers 3), or of one that Apple documents: for people as the specification writes
/// it, and for profiles in kebab case.
public struct AssignedName: Hashable, Sendable {
  /// What a UUID stands for. A service and a characteristic may share a name, such as Current Time.
  public enum Kind: String, Hashable, Sendable, CaseIterable { case service, characteristic, descriptor }

  /// What the UUID stands for.
  public let kind: Kind
  /// The UUID; of an assigned number one with a 16-bit form.
  public let uuid: BluetoothUUID
  /// The name in the specification, such as `Heart Rate Measurement`.
  public let displayName: String
  /// The name as profiles spell it, such as `heart-rate-measurement`.
  public let name: String

  /// The UUID with that name, of that kind or, without one, of the first kind that knows it. A characteristic's name
  /// may be given without a final `-string`, a descriptor's without a leading `characteristic-`.
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

  /// Every name of a kind, in the order of the UUIDs.
  public static func all(_ kind: Kind) -> [AssignedName] { registry.byKind[kind] ?? [] }

  /// What an assigned UUID stands for.
  static func named(_ uuid: BluetoothUUID) -> AssignedName? { registry.byUUID[uuid] }

  /// Words of a name in lower case with hyphens between them.
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

  /// The tables, read once when the first name is asked for.
  private struct Registry: Sendable {
    /// Assigned numbers; what Apple names is known by its UUID only.
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

  /// The lines of a table: four hexadecimal digits, a space, and the name.
  static func numberedNames(in table: String) -> [(UInt16, String)] {
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
}
