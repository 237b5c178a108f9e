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
  /// What the accessory is made as.
  enum Goal {
    /// As its profile says.
    case beginning(forgetsBonds: Bool)
    case snapshot(AccessorySnapshot)
  }

  var goal: Goal
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

  /// Keeps these bonds, and no longer others that there were.
  private func keep(_ bonds: [BondRecord], inPlaceOf former: [BondRecord], at now: Instant) {
    for old in former where !bonds.contains(where: { $0.peer == old.peer }) { store?.forget(old.peer, at: now) }
    for record in bonds where !former.contains(record) { store?.keep(record, at: now) }
  }

  /// The accessory is on the air again, or will not be soon.
  func endReset() {
    guard let reset = pendingReset else { return }
    pendingReset = nil
    if let limit = reset.limit { loop.removeTimer(limit) }
    for continuation in reset.waiting { continuation.resume() }
  }
}
