import BLECore
import BLEHCI

extension CommandTable {
  static let initiatingCommands: [CommandEntry] = [
    begun(LECreateConnection.self) { controller, command throws(Refusal) in
      try controller.latch(.legacy)
      let timing = LinkTimingRange(
        minimumIntervalUnits: command.intervalMinimum.rawValue, maximumIntervalUnits: command.intervalMaximum.rawValue,
        latency: command.maximumLatency, timeoutUnits: command.supervisionTimeout.rawValue)
      try controller.require(timing.isValid && command.minimumEventLength <= command.maximumEventLength)
      let track = try controller.track(
        .le1M, .passive, command.scanInterval, command.scanWindow, isExtended: false)
      try controller.initiate(
        isExtended: false, command.initiatorFilterPolicy, (command.peerAddressType, command.peerAddress),
        command.ownAddressType, tracks: [track], timings: [.le1M: timing.chosen],
        eventLengths: [.le1M: command.maximumEventLength])
    },
    begun(LEExtendedCreateConnection.self) { controller, command throws(Refusal) in
      try controller.latch(.extended)
      try controller.initiateExtended(command)
    },
    plain(LECreateConnectionCancel.self) { controller, _ throws(Refusal) in
      try controller.require(controller.state.initiator != nil, .commandDisallowed)
      controller.state.initiator = nil
      controller.reportConnectionFailure(.unknownConnectionIdentifier, role: .central)
    },
  ]
}

extension VirtualController {
  func initiate(
    isExtended: Bool, _ policy: InitiatorFilterPolicy, _ peer: (type: AddressType, address: DeviceAddress),
    _ ownType: OwnAddressType, tracks: [ListeningTrack], timings: [RadioPHY: LinkTiming],
    eventLengths: [RadioPHY: ConnectionEventLength]
  ) throws(Refusal) {
    try require(state.initiator == nil, .commandDisallowed)
    try require(policy.rawValue <= 1 && ownType.rawValue <= 3 && peer.type.rawValue <= 3)
    let device = ListedDevice(type: peer.type, address: peer.address)
    // It is not known in advance which peers on the filter accept list have an entry in the resolving list.
    let target = policy == .peerAddress ? device : nil
    try require(ownAddress(ownType, random: state.randomAddress, towards: target) != nil)
    try require(connections.count < configuration.maximumConnections, .connectionLimitExceeded)
    let isConnected = connections.contains { link, side in
      let onTheAir = link[side.other].own
      return link[side].peer.listed == device || ListedDevice(type: onTheAir.type, address: onTheAir.address) == device
    }
    try require(policy == .filterAcceptList || !isConnected, .connectionAlreadyExists)
    state.initiator = Initiator(
      epoch: nextEpoch(), startedAt: air.now, tracks: tracks, isExtended: isExtended,
      peer: target, ownAddressType: ownType, timings: timings, eventLengths: eventLengths)
  }

  /// Starts initiating on several PHYs (Core 5.4 Vol 4 Part E 7.8.66).
  func initiateExtended(_ command: LEExtendedCreateConnection) throws(Refusal) {
    let mask = command.phys.rawValue
    // At least one PHY must be usable as the primary advertising PHY.
    try require(mask & (RadioPHY.le1M.bit | RadioPHY.leCoded.bit) != 0 && mask < 8)
    try require(mask & ~configuration.supportedPHYs == 0, .unsupportedFeatureOrParameterValue)
    let phys = [RadioPHY.le1M, .le2M, .leCoded].filter { mask & $0.bit != 0 }
    var tracks: [ListeningTrack] = []
    var timings: [RadioPHY: LinkTiming] = [:]
    var eventLengths: [RadioPHY: ConnectionEventLength] = [:]
    for (phy, entry) in zip(phys, command.parameters) {
      let timing = LinkTimingRange(
        minimumIntervalUnits: entry.intervalMinimum.rawValue, maximumIntervalUnits: entry.intervalMaximum.rawValue,
        latency: entry.maximumLatency, timeoutUnits: entry.supervisionTimeout.rawValue)
      try require(timing.isValid && entry.minimumEventLength <= entry.maximumEventLength)
      timings[phy] = timing.chosen
      eventLengths[phy] = entry.maximumEventLength
      guard phy != .le2M else { continue }
      tracks.append(try track(phy, .passive, entry.scanInterval, entry.scanWindow, isExtended: true))
    }
    try initiate(
      isExtended: true, command.initiatorFilterPolicy, (command.peerAddressType, command.peerAddress),
      command.ownAddressType, tracks: tracks, timings: timings, eventLengths: eventLengths)
  }
}
