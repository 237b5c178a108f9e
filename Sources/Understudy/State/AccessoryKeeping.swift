import AccessoryProfile
import BLECore
import BLELink
import BLESMP
import PeripheralHost
import Transport

/// What an accessory keeps of what happens.
extension Accessory {
  /// Keeps what events say of bonds. What is urgent is on the disk before anybody hears of it.
  func keepBonds(of events: [HostEvent], at now: Instant) {
    guard store != nil else { return }
    for event in events {
      switch event {
      case .bondChanged(let record): store?.keep(record, at: now)
      case .bondRemoved(let peer): store?.forget(peer, at: now)
      default: break
      }
    }
    saveState(at: now)
  }

  /// Keeps what has become of what can change at run time.
  func keepRuntime(at now: Instant, _ change: (inout RuntimeState) -> Void) {
    guard var runtime = store?.runtime else { return }
    change(&runtime)
    store?.keep(runtime, at: now)
  }

  /// Keeps the values that outlive the run.
  func keepValues(at now: Instant) {
    guard store != nil, stack.application.hasPersistentValues else { return }
    keepRuntime(at: now) { $0.values = stack.application.persistentValues }
  }

  /// Writes what is due.
  func saveState(at now: Instant) {
    do throws(StateFailure) {
      try store?.save(at: now)
      hasStateFailed = false
    } catch {
      if !hasStateFailed { emit(.stateFailed("\(error)")) }
      hasStateFailed = true
    }
  }

  /// Writes everything that waits, and lets others have the folder.
  func closeState() {
    do throws(StateFailure) { try store?.saveAll() } catch { emit(.stateFailed("\(error)")) }
    store = nil
  }

  /// Tells what is there again, before the controller is looked at.
  func reportRestoration() {
    guard let store, let restored else { return }
    keepRuntime(at: loop.now()) { $0.psms = restored.psms }
    for damage in store.damages { emit(.stateDamaged(damage)) }
    emit(.restored(restored))
  }
}

/// What somebody outside can do with the bonds of a running accessory. What is done on this side alone the peer does not hear of.
extension Accessory {
  /// With whom the accessory has bonded, keys included.
  public var bonds: [BondRecord] { stack.bonds }

  /// The address that it is known under; nil before its controller is up.
  public var address: DeviceAddress? { stack.address }

  /// Forgets a bond on this side.
  public func removeBond(_ peer: PeerIdentity) throws(ControlError) { try perform(.removeBond(peer)) }

  /// Keeps a bond as if the accessory had made it, in place of what there is of that peer.
  public func importBond(_ record: BondRecord) throws(ControlError) { try perform(.setBond(record)) }

  /// Changes a bond on this side alone, and returns it as it is then.
  package func alterBond(_ peer: PeerIdentity, _ alteration: BondAlteration) throws(ControlError) -> BondRecord {
    guard let record = bonds.first(where: { $0.peer == peer }) else { throw .refused(.unknownBond(peer)) }
    let altered: BondRecord
    do throws(ProfileValueError) { altered = try record.altered(alteration) } catch {
      throw .unsuitableValue(error.message)
    }
    try importBond(altered)
    return altered
  }
}
