import BLECore
import BLEHCI

// A controller's advertising sets while they run (Core 5.4 Vol 4 Part E 7.8.9, 7.8.56; Vol 6 Part B 4.4.2).
extension VirtualController {
  /// The address of that type that this controller would use; nil for a random one that was never set. Without a
  /// resolving list the types with resolvable addresses fall back to the other two.
  func ownAddress(_ type: OwnAddressType, random: DeviceAddress?) -> (type: AddressType, address: DeviceAddress)? {
    switch type {
    case .publicDevice, .resolvableOrPublic: (.publicDevice, publicAddress)
    default: random.map { (.random, $0) }
    }
  }

  private func ownAddress(of set: AdvertisingSet) -> (type: AddressType, address: DeviceAddress)? {
    ownAddress(set.parameters.ownAddressType, random: set.key == .legacy ? state.randomAddress : set.randomAddress)
  }

  func requireAddress(of key: SetKey) throws(Refusal) {
    guard let set = state.sets.first(where: { $0.key == key }), ownAddress(of: set) != nil else {
      throw Refusal(.invalidHCICommandParameters)
    }
  }

  func runningSet(_ key: SetKey, epoch: UInt32) -> AdvertisingSet? {
    state.sets.first { $0.key == key && $0.isEnabled && $0.epoch == epoch }
  }

  func epoch(of key: SetKey) -> UInt32? { state.sets.first { $0.key == key }?.epoch }

  private func change(_ key: SetKey, _ change: (inout AdvertisingSet) -> Void) {
    guard let index = state.sets.firstIndex(where: { $0.key == key }) else { return }
    change(&state.sets[index])
  }

  func setProgress(_ progress: AdvertisingProgress?, of key: SetKey) { change(key) { $0.progress = progress } }

  /// What the set sends in its next event.
  func advertisement(of set: AdvertisingSet) -> Advertisement? {
    let parameters = set.parameters
    let isAnonymous = parameters.properties.contains(.anonymous)
    guard let own = isAnonymous ? (.anonymous, .zero) : ownAddress(of: set) else { return nil }
    let showsPower = parameters.properties.contains(.includeTxPower)
    return Advertisement(
      advertiser: id, key: set.key, properties: parameters.properties, addressType: own.type, address: own.address,
      targetType: parameters.peerAddressType, target: parameters.peerAddress, data: set.data,
      scanResponse: set.scanResponse, primaryPHY: parameters.primaryPHY, secondaryPHY: parameters.secondaryPHY,
      sid: parameters.sid, dataIdentifier: set.dataIdentifier,
      transmitPower: showsPower ? parameters.transmitPower : 127)
  }

  // MARK: Starting and stopping

  /// Starts a set, or starts it anew.
  func startAdvertising(_ key: SetKey, duration: Duration?, maximumEvents: UInt8) {
    let epoch = nextEpoch()
    var limit = duration
    change(key) { set in
      set.isEnabled = true
      set.epoch = epoch
      set.maximumEvents = maximumEvents
      set.completedEvents = 0
      set.progress = nil
      if key == .legacy && set.parameters.properties.contains(.highDutyDirected) {
        limit = AdvertisingParameters.highDutyDuration
      }
    }
    air.timeline.schedule(.advertisingEvent(id, key, epoch: epoch), at: air.now)
    if let limit { air.timeline.schedule(.advertisingTimeout(id, key, epoch: epoch), at: air.now + limit) }
  }

  func stopAdvertising(_ key: SetKey) {
    change(key) { set in
      set.isEnabled = false
      set.progress = nil
    }
  }

  /// An advertising event is over without a connection.
  func advertisingEventEnded(_ key: SetKey) {
    change(key) { set in
      set.progress = nil
      set.completedEvents += 1
    }
    guard let set = state.sets.first(where: { $0.key == key }), set.maximumEvents > 0,
      set.completedEvents >= Int(set.maximumEvents)
    else { return }
    terminate(set, status: .limitReached, handle: .zero)
  }

  func advertisingTimedOut(_ key: SetKey, epoch: UInt32) {
    guard let set = runningSet(key, epoch: epoch) else { return }
    terminate(set, status: .advertisingTimeout, handle: .zero)
  }

  /// A connection came from the set.
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
      // High duty cycle directed advertising that nobody answered ends as a failed connection (7.7.65.1).
      if status == .advertisingTimeout { reportConnectionFailure(status, role: .peripheral) }
    }
  }

  // MARK: Requests from others

  private func filter(_ key: SetKey) -> AdvertisingFilterPolicy {
    state.sets.first { $0.key == key }?.parameters.filterPolicy ?? .all
  }

  func answersScanRequest(from scanner: VirtualController, _ advertisement: Advertisement) -> Bool {
    let policy = filter(advertisement.key)
    guard policy == .listedScanners || policy == .listedBoth else { return true }
    guard let own = scanner.scannerAddress else { return false }
    return isListed(own.type, own.address)
  }

  func acceptsConnection(from initiator: VirtualController, _ advertisement: Advertisement) -> Bool {
    guard let own = initiator.state.initiator, connections.count < configuration.maximumConnections else {
      return false
    }
    if advertisement.isDirected {
      return own.addressType == advertisement.targetType && own.address == advertisement.target
    }
    let policy = filter(advertisement.key)
    return policy == .all || policy == .listedScanners || isListed(own.addressType, own.address)
  }

  func isListed(_ type: AddressType, _ address: DeviceAddress) -> Bool {
    state.filterAcceptList.contains(ListedDevice(type: type, address: address))
  }
}
