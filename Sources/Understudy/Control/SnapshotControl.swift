import AccessoryProfile
import BLECore
import BLELink
import PeripheralHost

/// Going back to how it was.
extension Accessory {
  /// How many named snapshots there may be.
  package static let snapshotLimit = 32

  /// The accessory as it is now, for `restore`.
  public func snapshot() -> AccessorySnapshot {
    AccessorySnapshot(
      of: stack, profile, security: security, channels: channels, kept: store?.runtime ?? RuntimeState(),
      at: loop.now())
  }

  /// Ends all links and makes the accessory as it was when the snapshot was taken of it: generators, timelines and delays go on from
  /// there. Its identity stays. Returns when it is on the air again, or once the controller has had its time for that.
  @discardableResult
  public func restore(_ snapshot: AccessorySnapshot) async throws(ControlError) -> ResetReport {
    try await reset(to: .snapshot(snapshot))
  }

  // MARK: - By names

  /// Takes a snapshot under that name, or one that is free, and tells what it has.
  package func keepSnapshot(named name: String?) throws(ControlError) -> ProfileValue {
    let id = name ?? (1...(snapshots.count + 1)).lazy.map { "snapshot-\($0)" }.first { snapshots[$0] == nil } ?? ""
    guard snapshots[id] != nil || snapshots.count < Self.snapshotLimit else {
      throw .tooManySnapshots(limit: Self.snapshotLimit)
    }
    let snapshot = snapshot()
    snapshots[id] = snapshot
    return snapshot.json(id: id)
  }

  /// What the named snapshots have, in the order of their names.
  package func snapshotReport() -> ProfileValue {
    .array(snapshots.sorted { $0.key < $1.key }.map { $0.value.json(id: $0.key) })
  }

  /// What the snapshot with that name has.
  package func snapshotReport(_ id: String) throws(ControlError) -> ProfileValue { try named(id).json(id: id) }

  /// Forgets the snapshot with that name.
  package func forgetSnapshot(_ id: String) throws(ControlError) {
    _ = try named(id)
    snapshots[id] = nil
  }

  /// Goes back to the snapshot with that name.
  package func restore(_ id: String) async throws(ControlError) -> ResetReport { try await restore(try named(id)) }

  private func named(_ id: String) throws(ControlError) -> AccessorySnapshot {
    guard let snapshot = snapshots[id] else { throw .unknownSnapshot(id) }
    return snapshot
  }
}
