import AccessoryProfile
import BLECore
import BLELink
import PeripheralHost
import Transport

/// Storing the state of an accessory.
extension Accessory {
  /// Stores the changes of bonds in these events. Urgent changes are on the disk before anything is informed of them.
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

  /// Stores a change of the run-time state.
  func keepRuntime(at now: Instant, _ change: (inout RuntimeState) -> Void) {
    guard var runtime = store?.runtime else { return }
    change(&runtime)
    store?.keep(runtime, at: now)
  }

  /// Stores the values of persistent characteristics.
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

  /// Writes everything that is pending, and releases the folder.
  func closeState() {
    do throws(StateFailure) { try store?.saveAll() } catch { emit(.stateFailed("\(error)")) }
    store = nil
  }

  /// Reports what was restored, before the controller is opened.
  func reportRestoration() {
    guard let store, let restored else { return }
    keepRuntime(at: loop.now()) { $0.psms = restored.psms }
    for damage in store.damages { emit(.stateDamaged(damage)) }
    emit(.restored(restored))
  }
}

/// Control of the bonds of a running accessory. The peer does not notice changes made on this side alone.
extension Accessory {
  /// The bonds of the accessory, including keys.
  public var bonds: [BondRecord] { stack.bonds }

  /// The address that it is known by; nil until a controller is initialized.
  public var address: DeviceAddress? { stack.address }

  /// Removes a bond on this side.
  public func removeBond(_ peer: TypedAddress) throws(ControlError) { try perform(.removeBond(peer)) }

  /// Stores a bond as if the accessory had made it. It replaces a bond with that peer.
  public func importBond(_ record: BondRecord) throws(ControlError) { try perform(.setBond(record)) }

  /// Alters a bond on this side alone, and returns the result.
  package func alterBond(_ peer: TypedAddress, _ alteration: BondAlteration) throws(ControlError) -> BondRecord {
    guard let record = bonds.first(where: { $0.peer == peer }) else { throw .refused(.unknownBond(peer)) }
    let altered: BondRecord
    do throws(ProfileValueError) { altered = try record.altered(alteration) } catch {
      throw .unsuitableValue(error.message)
    }
    try importBond(altered)
    return altered
  }
}
