import BLECore
import BLEGATT

/// Values that are kept when the run ends: those written to, or set on, characteristics that the profile marks as persistent.
extension ProfileRuntime {
  /// Whether any characteristic has a value that is kept when the run ends.
  package var hasPersistentValues: Bool { mutating get { !persistentPositions.isEmpty } }

  /// The values that were written or set, by characteristic id, without values that follow their generators.
  package var persistentValues: [String: [UInt8]] {
    var values: [String: [UInt8]] = [:]
    for position in persistentPositions where states[position].isOverridden {
      values[behaviors[position].id] = states[position].octets
    }
    return values
  }

  /// Restores a persistent characteristic's value from an earlier run. Returns the actions for the host, or nil if no persistent
  /// characteristic has that id.
  package mutating func restore(_ octets: [UInt8], of id: String, at now: Instant) -> [ApplicationAction]? {
    guard let position = persistentPositions.first(where: { behaviors[$0].id == id }) else { return nil }
    return try? set(CharacteristicIndex(position), toOctets: octets, at: now)
  }

  /// Finds the persistent characteristics again, after services have changed.
  mutating func updatePersistentPositions() {
    persistentPositions = behaviors.indices.filter { behaviors[$0].isPersistent }
  }
}
