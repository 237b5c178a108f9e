import BLECore
import BLEGATT

/// Values that outlive the run: those that were written or set of characteristics that the profile calls persistent.
extension ProfileRuntime {
  /// Whether there is any characteristic whose value outlives the run.
  package var hasPersistentValues: Bool { mutating get { !persistentPositions.isEmpty } }

  /// The values that were written or set, by the ids of their characteristics. What follows its generator is not among them.
  package var persistentValues: [String: [UInt8]] {
    var values: [String: [UInt8]] = [:]
    for position in persistentPositions where states[position].isOverridden {
      values[behaviors[position].id] = states[position].octets
    }
    return values
  }

  /// Gives a persistent characteristic the value that it had in an earlier run. Returns what the host must do; nil where no persistent
  /// characteristic has that id.
  package mutating func restore(_ octets: [UInt8], of id: String, at now: Instant) -> [ApplicationAction]? {
    guard let position = persistentPositions.first(where: { behaviors[$0].id == id }) else { return nil }
    return try? set(CharacteristicIndex(position), toOctets: octets, at: now)
  }

  /// Finds the persistent characteristics after services have changed.
  mutating func updatePersistentPositions() {
    persistentPositions = behaviors.indices.filter { behaviors[$0].isPersistent }
  }
}
