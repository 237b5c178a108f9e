import AccessoryProfile
import BLECore
import BLELink
import BLESMP
import PeripheralHost
import Understudy

/// Stores bonds in a state store on a simulated disk, like the accessory of `understudy run`.
final class StoreKeeper {
  let disk = SimulatedDisk()
  private let profile: Profile
  private let seed: UInt64
  private var store: StateStore
  /// The bonds whose keys a kill has lost, until a judge takes them.
  private(set) var losses: [String] = []

  init(_ profile: Profile, seed: UInt64) throws {
    (self.profile, self.seed) = (profile, seed)
    store = try Self.open(profile, seed, on: disk)
  }

  private static func open(_ profile: Profile, _ seed: UInt64, on disk: SimulatedDisk) throws -> StateStore {
    var random = SplitMix64(seed: seed).generator(for: "store")
    return try StateStore(of: profile, seed: seed, in: disk, random: &random)
  }

  /// Stores changes of bonds in the turn in which they happen.
  func take(_ events: [HostEvent], at now: Instant) {
    for event in events {
      switch event {
      case .bondChanged(let record): store.keep(record, at: now)
      case .bondRemoved(let peer): store.forget(peer, at: now)
      default: break
      }
    }
    try? store.save(at: now)
  }

  /// The time of its next write.
  var nextDeadline: Instant? { store.due }

  /// Stores exactly these bonds.
  func adopt(_ bonds: [BondRecord], at now: Instant) {
    for record in store.bonds where !bonds.contains(where: { $0.peer == record.peer }) {
      store.forget(record.peer, at: now)
    }
    for record in bonds { store.keep(record, at: now) }
    try? store.save(at: now)
  }

  /// Returns the bonds on the disk, which remain if the process is killed now. `bonds` are the bonds of its host. They must be on the disk
  /// with their keys and counters, unless the disk has been full.
  func bondsAfterKill(with bonds: [BondRecord]) throws -> [BondRecord] {
    store = try Self.open(profile, seed, on: disk)
    let left = Dictionary(store.bonds.map { ($0.peer, $0.bond) }) { first, _ in first }
    if !disk.hasBeenFull {
      losses += bonds.filter { left[$0.peer] != $0.bond }.map { "\($0.peer.address)" }
    }
    return store.bonds
  }

  /// Returns the bonds that kills have lost since the last call.
  func takeLosses() -> [String] {
    defer { losses = [] }
    return losses
  }
}
