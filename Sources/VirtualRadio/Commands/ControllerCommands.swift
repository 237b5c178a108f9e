import BLECore
import BLEHCI

extension CommandTable {
  static let controllerCommands: [CommandEntry] = [
    plain(LESetEventMask.self) { controller, command in controller.state.leEventMask = command.eventMask },
    complete(LEReadBufferSize.self) { controller, _ in
      LEReadBufferSize.ReturnParameters {
        $0.aclDataPacketLength = controller.configuration.aclDataLength
        $0.totalACLDataPackets = controller.configuration.aclPacketCount
      }
    },
    complete(LEReadBufferSizeV2.self) { controller, _ in
      LEReadBufferSizeV2.ReturnParameters {
        $0.aclDataPacketLength = controller.configuration.aclDataLength
        $0.totalACLDataPackets = controller.configuration.aclPacketCount
      }
    },
    complete(LEReadLocalSupportedFeatures.self) { controller, _ in
      LEReadLocalSupportedFeatures.ReturnParameters { $0.features = controller.configuration.features }
    },
    plain(LESetRandomAddress.self) { controller, command throws(Refusal) in
      // The address cannot change while in use (7.8.4). Extended sets have their own addresses.
      let isAdvertising = controller.state.sets.contains { $0.key == .legacy && $0.isEnabled }
      let isScanning = controller.state.scanner.map { !controller.takesAddress(during: $0) } ?? false
      let isInitiating = controller.state.initiator != nil
      try controller.require(!isAdvertising && !isScanning && !isInitiating, .commandDisallowed)
      controller.state.randomAddress = command.address
    },
    complete(LERand.self) { controller, _ in LERand.ReturnParameters { $0.random = controller.random.next() } },
    complete(LEReadSupportedStates.self) { controller, _ in
      LEReadSupportedStates.ReturnParameters { $0.states = controller.configuration.supportedStates }
    },
    complete(LEReadTransmitPower.self) { controller, _ in
      LEReadTransmitPower.ReturnParameters {
        $0.minimumTxPower = controller.configuration.minimumTransmitPower
        $0.maximumTxPower = controller.configuration.maximumTransmitPower
      }
    },
    complete(LEReadRFPathCompensation.self) { controller, _ in
      LEReadRFPathCompensation.ReturnParameters {
        $0.txCompensation = controller.state.transmitPathCompensation
        $0.rxCompensation = controller.state.receivePathCompensation
      }
    },
    plain(LEWriteRFPathCompensation.self) { controller, command throws(Refusal) in
      let range: ClosedRange<Int16> = -1280...1280
      try controller.require(range.contains(command.txCompensation) && range.contains(command.rxCompensation))
      controller.state.transmitPathCompensation = command.txCompensation
      controller.state.receivePathCompensation = command.rxCompensation
    },
    plain(LESetHostChannelClassification.self) { controller, command throws(Refusal) in
      try controller.setChannelMap(command.channelMap)
    },
  ]

  static let filterAcceptListCommands: [CommandEntry] = [
    complete(LEReadFilterAcceptListSize.self) { controller, _ in
      LEReadFilterAcceptListSize.ReturnParameters { $0.size = controller.configuration.filterAcceptListSize }
    },
    plain(LEClearFilterAcceptList.self) { controller, _ throws(Refusal) in
      try controller.requireUnusedFilterAcceptList()
      controller.state.filterAcceptList.removeAll()
    },
    plain(LEAddDeviceToFilterAcceptList.self) { controller, command throws(Refusal) in
      try controller.requireUnusedFilterAcceptList()
      let device = try listed(command.addressType, command.address, controller)
      guard !controller.state.filterAcceptList.contains(device) else { return }
      let room = Int(controller.configuration.filterAcceptListSize)
      try controller.require(controller.state.filterAcceptList.count < room, .memoryCapacityExceeded)
      controller.state.filterAcceptList.append(device)
    },
    plain(LERemoveDeviceFromFilterAcceptList.self) { controller, command throws(Refusal) in
      try controller.requireUnusedFilterAcceptList()
      let device = try listed(command.addressType, command.address, controller)
      let isListed = controller.state.filterAcceptList.contains(device)
      try controller.require(
        isListed || !controller.configuration.has(.refusesUnlistedDevice), .unknownConnectionIdentifier)
      controller.state.filterAcceptList.removeAll { $0 == device }
    },
  ]

  private static func listed(
    _ type: AddressType, _ address: DeviceAddress, _ controller: VirtualController
  ) throws(Refusal) -> ListedDevice {
    let isKnown = [.publicDevice, .random, .anonymous].contains(type)
    try controller.require(isKnown || controller.configuration.has(.takesAnyListedAddressType))
    return ListedDevice(type: type, address: type == .anonymous ? .zero : address)
  }
}

extension VirtualController {
  /// Returns whether the random address may be set during this scan.
  fileprivate func takesAddress(during scanner: Scanner) -> Bool {
    configuration.has(.takesAddressDuringPassiveScanning) && !scanner.settings.tracks.contains(where: \.isActive)
  }

  /// Checks that nothing on the air uses the list, which therefore may be changed (Core 5.4 Vol 4 Part E 7.8.15 ... 7.8.17).
  func requireUnusedFilterAcceptList() throws(Refusal) {
    let advertises = state.sets.contains { $0.isEnabled && $0.parameters.filterPolicy != .all }
    let scans = state.scanner.map { $0.usesFilterAcceptList } ?? false
    let initiates = state.initiator.map { $0.peer == nil } ?? false
    let isUsed =
      configuration.has(.changesUsedAcceptList) ? advertises && (scans || initiates) : advertises || scans || initiates
    try require(!isUsed, .commandDisallowed)
  }

  /// Sets the channel map of new links and of the links on which this controller is the central (Core 5.4 Vol 4 Part E 7.8.19).
  func setChannelMap(_ map: ChannelMap) throws(Refusal) {
    let bits = map.bits & ChannelMap().bits
    try require(bits.nonzeroBitCount >= 1 && bits == map.bits)
    state.channelMap = bits
    for (link, side) in connections where side == .central {
      air.start(.channelMap(bits), at: link.central, over: link)
    }
  }
}
