import AccessoryProfile
import BLECore
import BLEGATT

/// The parts of a shipped service that an imported one must match.
struct ShippedService: Hashable, Sendable {
  /// Its name for `include`.
  var name: String
  /// Its characteristics in order.
  var members: [Member]

  /// A characteristic of a shipped service.
  struct Member: Hashable, Sendable {
    /// The key with which a profile overrides it.
    var key: String
    /// The id.
    var id: String
    /// The type.
    var uuid: BluetoothUUID
    /// Whether it exists only if it has a value.
    var isOptional: Bool
  }

  /// The shipped services by UUID, without those that need other parts of a profile.
  static let byUUID: [BluetoothUUID: ShippedService] = {
    let folder = "Profiles/services/"
    var known: [BluetoothUUID: ShippedService] = [:]
    for path in EmbeddedFiles.shipped.paths where path.hasPrefix(folder) && path.hasSuffix(".yaml") {
      let name = String(path.dropFirst(folder.count).dropLast(5))
      guard let text = EmbeddedFiles.shipped.text(at: path), !text.contains("announces:"),
        let value = try? ProfileValue(yaml: text), let (uuid, members) = parts(of: value)
      else { continue }
      known[uuid] = ShippedService(name: name, members: members)
    }
    return known
  }()

  private static func parts(of value: ProfileValue) -> (BluetoothUUID, [Member])? {
    guard case .object(let fields) = value, let uuid = uuid(fields["uuid"], .service),
      case .array(let list) = fields["characteristics"]
    else { return nil }
    var members: [Member] = []
    for case .object(let member) in list {
      guard case .string(let key) = member["key"], let uuid = self.uuid(member["uuid"], .characteristic) else {
        return nil
      }
      var id = key
      if case .string(let given) = member["id"] { id = given }
      members.append(Member(key: key, id: id, uuid: uuid, isOptional: member["optional"] == .bool(true)))
    }
    return (uuid, members)
  }

  private static func uuid(_ value: ProfileValue?, _ kind: AssignedName.Kind) -> BluetoothUUID? {
    switch value {
    case .string(let text): AssignedName.uuid(named: text, kind: kind) ?? BluetoothUUID(text)
    // Digits alone are a number in YAML.
    case .int(let number): BluetoothUUID(String(number))
    default: nil
    }
  }
}
