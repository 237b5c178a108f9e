import BLECore
import BLEHCI

// A controller's advertising sets while they run (Core 5.4 Vol 4 Part E 7.8.9, 7.8.56; Vol 6 Part B 4.4.2).
extension VirtualController {
  private func ownAddress(of set: AdvertisingSet, random: DeviceAddress?) -> OwnAddress? {
    ownAddress(
      set.parameters.ownAddressType, random: set.key == .legacy ? state.randomAddress : random,
      towards: set.parameters.peer)
  }

  func requireAddress(of key: SetKey) throws(Refusal) {
    guard let set = state.sets.first(where: { $0.key == key }),
      let own = ownAddress(of: set, random: set.randomAddress),
      own.address != .zero || !configuration.has(.refusesZeroAddress)
    else { throw Refusal(.invalidHCICommandParameters) }
  }

  func runningSet(_ key: SetKey, epoch: UInt32) -> AdvertisingSet? {
    state.sets.first { $0.key == key && $0.isEnabled && $0.epoch == epoch }
  }

  func epoch(of key: SetKey) -> UInt32? { state.sets.first { $0.key == key }?.epoch }

  private func change(_ key: SetKey, _ change: (inout AdvertisingSet) -> Void) {
    guard let index = state.sets.firstIndex(where: { $0.key == key }) else { return }
    change(&state.sets[index])
  }

  func setProgress(_ progress: AdvertisingProgress?, of key: SetKey) {
    change(key) { set in
      if set.progress != nil && progress == nil { radioFreeFrom = max(radioFreeFrom, air.now) }
      set.progress = progress
    }
  }

  /// Sets the start of the next advertising event.
  func setNextEvent(_ instant: Instant, of key: SetKey) { change(key) { $0.nextEvent = instant } }

  /// Returns whether the set gets the radio for the advertising event that begins now. Counts the events that it misses.
  func takesRadio(_ set: AdvertisingSet, until end: Instant) -> Bool {
    let isFree = mayAdvertise(until: end, missed: set.missedEvents)
    change(set.key) { $0.missedEvents = isFree ? 0 : $0.missedEvents + 1 }
    return isFree
  }

  /// Returns what the set sends in its next event.
  func advertisement(of set: AdvertisingSet) -> Advertisement? {
    let parameters = set.parameters
    let isAnonymous = parameters.properties.contains(.anonymous)
    guard let own = isAnonymous ? .anonymous : ownAddress(of: set, random: set.addressOnAir) else {
      return nil
    }
    let target = target(of: parameters)
    let showsPower = parameters.properties.contains(.includeTxPower)
    return Advertisement(
      advertiser: id, key: set.key, properties: parameters.properties, own: own, targetType: target.type,
      target: target.address, data: set.data, scanResponse: set.scanResponse, primaryPHY: parameters.primaryPHY,
      secondaryPHY: parameters.secondaryPHY,
      sid: parameters.sid, dataIdentifier: set.dataIdentifier,
      transmitPower: showsPower ? set.transmitPower : 127, gain: configuration.gain(of: set.transmitPower))
  }

  // MARK: Starting and stopping

  /// Starts or restarts a set. From then on it uses the random address that was set last (7.8.56).
  func startAdvertising(_ key: SetKey, duration: Duration?, maximumEvents: UInt8) {
    if configuration.has(.keepsEnabledSet), state.sets.contains(where: { $0.key == key && $0.isEnabled }) {
      return change(key) { ($0.maximumEvents, $0.completedEvents) = (maximumEvents, 0) }
    }
    let epoch = nextEpoch()
    var limit = duration
    let now = air.now
    change(key) { set in
      set.isEnabled = true
      set.addressOnAir = set.randomAddress
      set.epoch = epoch
      set.maximumEvents = maximumEvents
      set.completedEvents = 0
      set.missedEvents = 0
      set.nextEvent = now
      set.progress = nil
      if key == .legacy && set.parameters.properties.contains(.highDutyDirected) {
        limit = AdvertisingParameters.highDutyDuration
      }
    }
    air.timeline.schedule(.advertisingEvent(id, key, epoch: epoch), at: air.now)
    if let limit { air.timeline.schedule(.advertisingTimeout(id, key, epoch: epoch), at: air.now + limit) }
  }

  func stopAdvertising(_ key: SetKey) {
    setProgress(nil, of: key)
    change(key) { $0.isEnabled = false }
  }

  /// Ends an advertising event that led to no connection.
  func advertisingEventEnded(_ key: SetKey) {
    setProgress(nil, of: key)
    change(key) { $0.completedEvents += 1 }
    guard let set = state.sets.first(where: { $0.key == key }), set.maximumEvents > 0,
      set.completedEvents >= Int(set.maximumEvents)
    else { return }
    terminate(set, status: .limitReached, handle: .zero)
  }

  func advertisingTimedOut(_ key: SetKey, epoch: UInt32) {
    guard let set = runningSet(key, epoch: epoch) else { return }
    terminate(set, status: .advertisingTimeout, handle: .zero)
  }

  /// Ends the set because it has led to a connection.
  func setConnected(_ key: SetKey, handle: UInt16) {
    guard let set = state.sets.first(where: { $0.key == key }) else { return }
    terminate(set, status: .success, handle: ConnectionHandle(rawValue: handle))
  }

  private func terminate(_ set: AdvertisingSet, status: ErrorCode, handle: ConnectionHandle) {
    stopAdvertising(set.key)
    switch set.key {
    case .set(let advertisingHandle):
      send(
        LEAdvertisingSetTerminated {
          $0.status = status
          $0.advertisingHandle = advertisingHandle
          $0.connectionHandle = handle
          $0.completedEvents = UInt8(clamping: set.maximumEvents > 0 ? set.completedEvents : 0)
        })
    case .legacy:
      // Unanswered high duty cycle directed advertising ends as a failed connection (7.7.65.1).
      if status == .advertisingTimeout { reportConnectionFailure(status, role: .peripheral) }
    }
  }

  /// Checks that a connection is left for a connectable set on a controller that reserves one for each enabled set. A set that is already
  /// enabled has its own.
  func requireConnection(for key: SetKey) throws(Refusal) {
    guard configuration.has(.reservesConnections), let set = state.sets.first(where: { $0.key == key }),
      !set.isEnabled, set.parameters.properties.contains(.connectable)
    else { return }
    let reserved = state.sets.count { $0.isEnabled && $0.parameters.properties.contains(.connectable) }
    let initiating = state.initiator == nil ? 0 : 1
    try require(
      connections.count + reserved + initiating < configuration.maximumConnections, .memoryCapacityExceeded)
  }

  // MARK: Requests from others

  /// Returns whether a scan request is answered. Reports it to the host if the host has asked for that (Core 5.4 Vol 4 Part E 7.7.65.19).
  func receiveScanRequest(from scanner: OwnAddress, _ advertisement: Advertisement) -> Bool {
    guard let peer = identify(scanner.type, scanner.address),
      let parameters = state.sets.first(where: { $0.key == advertisement.key })?.parameters
    else { return false }
    let policy = parameters.filterPolicy
    if advertisement.isDirected {
      guard isTarget(scanner, peer, of: advertisement, parameters) else { return false }
    } else if policy == .listedScanners || policy == .listedBoth {
      guard isListed(peer) else { return false }
    }
    if parameters.notifiesScanRequests, case .set(let handle) = advertisement.key {
      send(
        LEScanRequestReceived {
          $0.advertisingHandle = handle
          $0.scannerAddressType = peer.type
          $0.scannerAddress = peer.address
        })
    }
    return true
  }

  func acceptsConnection(from initiator: OwnAddress, _ advertisement: Advertisement) -> Bool {
    guard connections.count < configuration.maximumConnections,
      let peer = identify(initiator.type, initiator.address),
      let parameters = state.sets.first(where: { $0.key == advertisement.key })?.parameters
    else { return false }
    if advertisement.isDirected { return isTarget(initiator, peer, of: advertisement, parameters) }
    let policy = parameters.filterPolicy
    return policy == .all || policy == .listedScanners || isListed(peer)
  }

  /// Returns whether the advertising is directed to this peer, which may have changed its resolvable address since.
  private func isTarget(
    _ sender: OwnAddress, _ peer: ReportedPeer, of advertisement: Advertisement, _ parameters: AdvertisingParameters
  ) -> Bool {
    peer.listed == parameters.peer
      || sender.type == advertisement.targetType && sender.address == advertisement.target
  }
}
