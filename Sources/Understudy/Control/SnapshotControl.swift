import AccessoryProfile
import BLECore
import BLELink
import PeripheralHost

/// Taking and restoring snapshots.
extension Accessory {
  /// The maximum number of named snapshots.
  package static let snapshotLimit = 32

  /// Returns the current state, for `restore`.
  public func snapshot() -> AccessorySnapshot {
    AccessorySnapshot(
      of: stack, profile, security: security, channels: channels, kept: store?.runtime ?? RuntimeState(),
      at: loop.now())
  }

  /// Ends all links and restores the state of the snapshot: generators, timelines and delays continue from there. The
  /// identity stays. Returns when the accessory is on the air again, or when the time limit for that has passed.
  @discardableResult
  public func restore(_ snapshot: AccessorySnapshot) async throws(ControlError) -> ResetReport {
    try await reset(to: .snapshot(snapshot))
  }

  // MARK: - Named snapshots

  /// Takes a snapshot with that name, or with a free one, and returns its contents.
  package func keepSnapshot(named name: String?) throws(ControlError) -> ProfileValue {
    let id = name ?? (1...(snapshots.count + 1)).lazy.map { "snapshot-\($0)" }.first { snapshots[$0] == nil } ?? ""
    guard snapshots[id] != nil || snapshots.count < Self.snapshotLimit else {
      throw .tooManySnapshots(limit: Self.snapshotLimit)
    }
    let snapshot = snapshot()
    snapshots[id] = snapshot
    return snapshot.json(id: id)
  }

  /// Returns the contents of the named snapshots, in the order of their names.
  package func snapshotReport() -> ProfileValue {
    .array(snapshots.sorted { $0.key < $1.key }.map { $0.value.json(id: $0.key) })
  }

  /// Returns the contents of the snapshot with that name.
  package func snapshotReport(_ id: String) throws(ControlError) -> ProfileValue { try named(id).json(id: id) }

  /// Forgets the snapshot with that name.
  package func forgetSnapshot(_ id: String) throws(ControlError) {
    _ = try named(id)
    snapshots[id] = nil
  }

  /// Restores the snapshot with that name.
  package func restore(_ id: String) async throws(ControlError) -> ResetReport { try await restore(try named(id)) }

  private func named(_ id: String) throws(ControlError) -> AccessorySnapshot {
    guard let snapshot = snapshots[id] else { throw .unknownSnapshot(id) }
    return snapshot
  }
}
