import BLECore

/// Names of assigned UUIDs in other tools' spellings.
enum SIGNames {
  /// Returns the UUID of an identifier such as `org.bluetooth.service.heart_rate` or `ORG_BLUETOOTH_SERVICE_HEART_RATE`.
  static func uuid(of identifier: String, _ kind: AssignedName.Kind) -> BluetoothUUID? {
    let words = identifier.lowercased().split { $0 == "." || $0 == "_" || $0 == " " || $0 == "-" }.map { String($0) }
    guard words.starts(with: ["org", "bluetooth"]), words.count > 3, words[2] == kind.rawValue else { return nil }
    return uuid(named: words.dropFirst(3).joined(separator: "-"), kind)
  }

  /// Returns the UUID with a name in kebab case. The name may have a prefix or suffix that only some lists of names use.
  static func uuid(named name: String, _ kind: AssignedName.Kind) -> BluetoothUUID? {
    if let uuid = AssignedName.uuid(named: name, kind: kind) { return uuid }
    for prefix in ["gap-", "gatt-"] where name.hasPrefix(prefix) {
      return uuid(named: String(name.dropFirst(prefix.count)), kind)
    }
    for suffix in ["-service", "-string"] where name.hasSuffix(suffix) {
      return uuid(named: String(name.dropLast(suffix.count)), kind)
    }
    return nil
  }
}
