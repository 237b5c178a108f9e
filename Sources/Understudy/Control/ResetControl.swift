import AccessoryProfile
import BLECore
import BLELink
import PeripheralHost
import Transport

/// What a reset has made of an accessory.
public struct ResetReport: Hashable, Sendable {
  /// How many connections were ended.
  public var links: Int
  /// How many bonds it has still.
  public var bonds: Int

  var json: [String: ProfileValue] { ["links": .int(Int64(links)), "bonds": .int(Int64(bonds))] }
}

/// A reset that has begun.
struct PendingReset {
  var forgetsBonds: Bool
  var links: Int
  /// When the controller does not answer, it is not waited for.
  var limit: TimerID?
  /// Whether the links have ended and the accessory has begun anew, and only its being on the air is waited for.
  var hasBegun = false
  var waiting: [CheckedContinuation<Void, Never>] = []
}

/// Being as just started.
extension Accessory {
  /// How long a controller may take for the end of the links, and again to bring the accessory back on the air.
  private static let resetLimit = Duration.seconds(5)

  /// Ends all links and makes the accessory as its profile says: values, services, channels, rules, how it pairs, the armed faults.
  /// What it has kept of these is forgotten too; its identity stays, and its bonds unless they are to go. Returns when it is on the
  /// air again, or once the controller has had its time for that.
  @discardableResult
  public func reset(forgettingBonds forgetsBonds: Bool = false) async throws(ControlError) -> ResetReport {
    guard !hasEnded, pendingReset == nil else { throw .refused(.notReady) }
    let links = stack.linkStates.count
    let now = loop.now()
    pendingReset = PendingReset(forgetsBonds: forgetsBonds, links: links)
    limitReset { $0.beginAnew() }
    stack.shutDown(at: now, into: &out)
    flush(at: now)
    if pendingReset != nil {
      await withCheckedContinuation { continuation in
        if pendingReset == nil { return continuation.resume() }
        pendingReset?.waiting.append(continuation)
      }
    }
    guard !hasEnded else { throw .refused(.notReady) }
    return ResetReport(links: links, bonds: stack.bonds.count)
  }

  /// Does something when the controller has had its time.
  private func limitReset(_ body: @escaping @Sendable (isolated Accessory) -> Void) {
    if let old = pendingReset?.limit { loop.removeTimer(old) }
    let limit = loop.addTimer { [weak self] in self?.assumeIsolated { body($0) } }
    pendingReset?.limit = limit
    loop.setTimer(limit, loop.now() + Self.resetLimit)
  }

  /// The links have ended: everything begins anew, with the same controller.
  func beginAnew() {
    guard let reset = pendingReset, !reset.hasBegun else { return }
    pendingReset?.hasBegun = true
    let now = loop.now()
    let bonds = stack.bonds
    endBridges()
    remoteOperations.endAll()
    (subscriptions, isRestarting) = ([:], false)
    (channels, security) = (profile.channels, profile.security)
    keepRuntime(at: now) { runtime in
      var fresh = RuntimeState()
      fresh.psms = runtime.psms
      runtime = fresh
    }
    if reset.forgetsBonds { for bond in bonds { store?.forget(bond.peer, at: now) } }
    do throws(AccessoryFailure) {
      var fresh = try Self.host(of: profile, options, store?.identity, at: now)
      fresh.bonds = reset.forgetsBonds ? [] : bonds
      fresh.reportsAccess = stack.reportsAccess
      stack = fresh
    } catch {
      return finish(.failed(error))
    }
    out.removeAll()
    saveState(at: now)
    emit(.reset(ResetReport(links: reset.links, bonds: stack.bonds.count)))
    switch transport {
    case .none, .awaiting: endReset()
    case .line, .radio, .shared:
      limitReset { $0.endReset() }
      begin()
    }
  }

  /// The accessory is on the air again, or will not be soon.
  func endReset() {
    guard let reset = pendingReset else { return }
    pendingReset = nil
    if let limit = reset.limit { loop.removeTimer(limit) }
    for continuation in reset.waiting { continuation.resume() }
  }
}
