import AccessoryProfile
import BLECore
import BLELink
import PeripheralHost
import Transport

/// The outcome of a reset.
public struct ResetReport: Hashable, Sendable {
  /// The number of connections that were ended.
  public var links: Int
  /// The number of bonds that remain.
  public var bonds: Int

  var json: [String: ProfileValue] { ["links": .int(Int64(links)), "bonds": .int(Int64(bonds))] }
}

/// A reset in progress.
struct PendingReset {
  /// The state to reset to.
  enum Goal {
    /// The state that the profile defines.
    case beginning(forgetsBonds: Bool)
    case snapshot(AccessorySnapshot)
  }

  var goal: Goal
  var links: Int
  /// The timer that continues the reset if the controller does not answer in time.
  var limit: TimerID?
  /// Whether the links have ended and the accessory has started again, so that only advertising is awaited.
  var hasBegun = false
  var waiting: [CheckedContinuation<Void, Never>] = []
}

/// Resetting the accessory.
extension Accessory {
  /// How long the controller may take to end the links, and then again to bring the accessory back on the air.
  private static let resetLimit = Duration.seconds(5)

  /// Ends all links and resets the accessory to its profile: values, services, channels, rules, pairing settings, armed
  /// faults. The stored changes to these are forgotten too. The identity stays, and so do the bonds unless
  /// `forgetsBonds` is set. Returns when the accessory is on the air again, or when the time limit for that has passed.
  @discardableResult
  public func reset(forgettingBonds forgetsBonds: Bool = false) async throws(ControlError) -> ResetReport {
    try await reset(to: .beginning(forgetsBonds: forgetsBonds))
  }

  func reset(to goal: PendingReset.Goal) async throws(ControlError) -> ResetReport {
    guard !hasEnded, pendingReset == nil else { throw .refused(.notReady) }
    let links = stack.linkStates.count
    let now = loop.now()
    pendingReset = PendingReset(goal: goal, links: links)
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

  /// Calls `body` when the controller's time limit has passed.
  private func limitReset(_ body: @escaping @Sendable (isolated Accessory) -> Void) {
    if let old = pendingReset?.limit { loop.removeTimer(old) }
    let limit = loop.addTimer { [weak self] in self?.assumeIsolated { body($0) } }
    pendingReset?.limit = limit
    loop.setTimer(limit, loop.now() + Self.resetLimit)
  }

  /// Starts the accessory again with the same controller, after the links have ended.
  func beginAnew() {
    guard let reset = pendingReset, !reset.hasBegun else { return }
    pendingReset?.hasBegun = true
    let now = loop.now()
    let bonds = stack.bonds
    endBridges()
    remoteOperations.endAll()
    signalStrengths.endAll()
    (subscriptions, isRestarting) = ([:], false)
    do throws(AccessoryFailure) {
      var fresh = try Self.host(of: profile, options, store?.identity, at: now)
      fresh.reportsAccess = stack.reportsAccess
      switch reset.goal {
      case .beginning(let forgetsBonds):
        (channels, security) = (profile.channels, profile.security)
        if !forgetsBonds { fresh.bonds = bonds }
        keepRuntime(at: now) { $0 = RuntimeState(psms: $0.psms) }
      case .snapshot(let snapshot):
        (channels, security) = (snapshot.channels, snapshot.security)
        fresh.resume(
          snapshot, of: profile.hostConfiguration(seed: options.seed), present: bonds, at: now)
        keepRuntime(at: now) { $0 = snapshot.kept }
      }
      fresh.application.reportsChanges = stack.reportsAccess
      stack = fresh
    } catch {
      return finish(.failed(error))
    }
    keep(stack.bonds, inPlaceOf: bonds, at: now)
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

  /// Stores these bonds, and removes the former bonds that are not among them.
  private func keep(_ bonds: [BondRecord], inPlaceOf former: [BondRecord], at now: Instant) {
    for old in former where !bonds.contains(where: { $0.peer == old.peer }) { store?.forget(old.peer, at: now) }
    for record in bonds where !former.contains(record) { store?.keep(record, at: now) }
  }

  /// Ends the reset: the accessory is on the air again, or the time limit has passed.
  func endReset() {
    guard let reset = pendingReset else { return }
    pendingReset = nil
    if let limit = reset.limit { loop.removeTimer(limit) }
    for continuation in reset.waiting { continuation.resume() }
  }
}
