import BLECore
import BLECryptography
import BLEHCI
import BLELink
import BLESMP
import PeripheralHost
import Simulation
import UnderstudyTesting

/// Only a bond that is at least as strong replaces a bond, and only an authenticated one replaces an
/// authenticated one (Core 5.4 Vol 3 Part C 14.1, Part H 2.4.4), so that nobody can take over an
/// authenticated bond. Signature counters never decrease (Part H 2.4.5), and a kill loses no key. The accessory
/// recognizes a bonded peer by its identity address, or by a private address that the bond's key resolves (Part C 10.8.2.3).
struct BondJudge: Judge {
  /// Whether the owner alters bonds on purpose.
  private let isAltered: Bool
  /// Whether a restored snapshot may add bonds while a link exists.
  private let isRestored: Bool
  private var known: [TypedAddress: Bond] = [:]
  /// The bond of each link's peer when it connected, found by its address.
  private var visitors: [ConnectionHandle: Bond] = [:]

  init(_ plan: SwarmPlan) {
    isAltered = plan.owner.contains {
      switch $0.act {
      case .alterBond, .importBond: true
      default: false
      }
    }
    isRestored = plan.owner.contains { $0.act == .restore }
  }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    for event in events {
      switch event {
      case .bondChanged(let record):
        if isAltered { continue }
        if let old = known[record.peer], old.key != record.bond.key, record.bond.strength.isWeaker(than: old.strength) {
          findings.append(
            Finding(
              "bond",
              "the bond of \(record.peer.address) was replaced by a weaker one: \(old.strength) by "
                + "\(record.bond.strength)", at: stage.simulation.now))
        }
        // The same over BR/EDR (Core 5.4 Vol 3 Part C 14.1).
        if let old = known[record.peer], let key = old.linkKey, let new = record.bond.linkKey, key != new,
          record.bond.linkStrength.isWeaker(than: old.linkStrength)
        {
          findings.append(
            Finding(
              "bond",
              "the link key of \(record.peer.address) was replaced by a weaker one: \(old.linkStrength) by "
                + "\(record.bond.linkStrength)", at: stage.simulation.now))
        }
        // A disk that has been full may have lost a counter, which the program has reported.
        if let old = known[record.peer]?.peerSigning, let new = record.bond.peerSigning, old.key == new.key,
          new.counter < old.counter, !stage.store.disk.hasBeenFull
        {
          findings.append(
            Finding(
              "bond",
              "the signature counter of \(record.peer.address) went back from \(old.counter) to \(new.counter)",
              at: stage.simulation.now))
        }
        known[record.peer] = record.bond
      case .bondRemoved(let peer): known[peer] = nil
      case .encryptionFailed(let handle, .pinOrKeyMissing):
        if isAltered || isRestored { continue }
        let stack = stage.accessory.simulated.stack
        // Another link's pairing may have replaced the bond since.
        guard let link = stack.linkStates.first(where: { $0.handle == handle }), link.details.transport == .le,
          link.bond == nil,
          let bond = visitors[handle], stack.bonds.contains(where: { $0.peer == bond.peer && $0.bond.key == bond.key })
        else { continue }
        findings.append(
          Finding(
            "bond",
            "\(link.details.peer) is \(bond.peer.address), with which there is a bond, and was refused as a stranger",
            at: stage.simulation.now))
      case .connected(let handle, let details):
        let peer = details.peerIdentity
        visitors[handle] =
          stage.accessory.simulated.stack.bonds.first { $0.peer == peer || $0.bond.resolves(peer) }?.bond
      case .controllerReady: visitors = [:]
      default: break
      }
    }
    for peer in stage.store.takeLosses() {
      findings.append(Finding("bond", "a kill has lost the bond of \(peer)", at: stage.simulation.now))
    }
    // Forget bonds that a fault or a snapshot has removed without an event.
    known = known.filter { peer, _ in stage.accessory.simulated.stack.bonds.contains { $0.peer == peer } }
  }
}

extension Bond {
  fileprivate var linkStrength: KeyStrength { linkKeyStrength ?? strength }

  fileprivate var key: [UInt8]? { (keyAsPeripheral ?? keyAsCentral)?.key }

  /// Returns whether the bond's key resolves an address (Core 5.4 Vol 6 Part B 1.3.2.3).
  fileprivate func resolves(_ address: TypedAddress) -> Bool {
    guard address.isRandom, let key = identityResolvingKey.flatMap({ IdentityResolvingKey($0) }) else { return false }
    return key.resolves(address.address)
  }
}

extension KeyStrength {
  fileprivate func isWeaker(than other: KeyStrength) -> Bool {
    (other.isAuthenticated && !isAuthenticated) || keySize < other.keySize
      || (other.isSecureConnections && !isSecureConnections)
  }
}
