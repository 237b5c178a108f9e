import BLECore
import BLECryptography
import BLEHCI

extension CommandTable {
  static let resolvingListCommands: [CommandEntry] = [
    plain(LEAddDeviceToResolvingList.self) { controller, command throws(Refusal) in
      try controller.requireUnusedResolvingList()
      let peer = try identity(command.peerIdentityAddressType, command.peerIdentityAddress, controller)
      let entry = ResolvingList.Entry(
        peer: peer, peerKey: IdentityResolvingKey(command.peerIRK),
        localKey: IdentityResolvingKey(command.localIRK))
      try controller.require(controller.state.resolvingList.accepts(entry))
      let room = Int(controller.configuration.resolvingListSize)
      try controller.require(controller.state.resolvingList.entries.count < room, .memoryCapacityExceeded)
      controller.state.resolvingList.append(entry)
    },
    plain(LERemoveDeviceFromResolvingList.self) { controller, command throws(Refusal) in
      try controller.requireUnusedResolvingList()
      let peer = try identity(command.peerIdentityAddressType, command.peerIdentityAddress, controller)
      controller.state.resolvingList.remove(at: try controller.indexInResolvingList(peer))
    },
    plain(LEClearResolvingList.self) { controller, _ throws(Refusal) in
      try controller.requireUnusedResolvingList()
      controller.state.resolvingList.removeAll()
    },
    complete(LEReadResolvingListSize.self) { controller, _ in
      LEReadResolvingListSize.ReturnParameters { $0.size = controller.configuration.resolvingListSize }
    },
    plain(LESetPrivacyMode.self) { controller, command throws(Refusal) in
      try controller.requireUnusedResolvingList()
      let peer = try identity(command.peerIdentityAddressType, command.peerIdentityAddress, controller)
      try controller.require([.network, .device].contains(command.privacyMode))
      controller.state.resolvingList.setMode(command.privacyMode, at: try controller.indexInResolvingList(peer))
    },
  ]

  static let addressResolutionCommands: [CommandEntry] = [
    complete(LEReadPeerResolvableAddress.self) { controller, command throws(Refusal) in
      let peer = try identity(command.peerIdentityAddressType, command.peerIdentityAddress, controller)
      let index = try controller.indexInResolvingList(peer)
      guard let address = controller.state.resolvingList.entries[index].heard else {
        throw Refusal(.unknownConnectionIdentifier)
      }
      return LEReadPeerResolvableAddress.ReturnParameters { $0.address = address }
    },
    complete(LEReadLocalResolvableAddress.self) { controller, command throws(Refusal) in
      let peer = try identity(command.peerIdentityAddressType, command.peerIdentityAddress, controller)
      guard let address = controller.resolvableAddress(towards: try controller.indexInResolvingList(peer)) else {
        throw Refusal(.unknownConnectionIdentifier)
      }
      return LEReadLocalResolvableAddress.ReturnParameters { $0.address = address }
    },
    plain(LESetAddressResolutionEnable.self) { controller, command throws(Refusal) in
      try controller.require(!controller.isOnTheAir, .commandDisallowed)
      controller.state.resolvingList.isResolving = command.enable
    },
    plain(LESetResolvablePrivateAddressTimeout.self) { controller, command throws(Refusal) in
      try controller.require((1...0x0E10).contains(command.timeout.rawValue))
      controller.state.resolvingList.rotation.setTimeout(command.timeout.duration, at: controller.air.now)
    },
  ]

  private static func identity(
    _ type: AddressType, _ address: DeviceAddress, _ controller: VirtualController
  ) throws(Refusal) -> ListedDevice {
    try controller.require([.publicDevice, .random].contains(type))
    return ListedDevice(type: type, address: address)
  }
}

extension VirtualController {
  /// Whether it advertises, scans or initiates.
  var isOnTheAir: Bool {
    state.sets.contains(where: \.isEnabled) || state.scanner != nil || state.initiator != nil
  }

  /// Checks that nothing on the air uses the list, which therefore may be changed (Core 5.4 Vol 4 Part E 7.8.38 ... 7.8.40, 7.8.77).
  func requireUnusedResolvingList() throws(Refusal) {
    try require(!state.resolvingList.isResolving || !isOnTheAir, .commandDisallowed)
  }

  func indexInResolvingList(_ device: ListedDevice) throws(Refusal) -> Int {
    guard let index = state.resolvingList.index(of: device) else { throw Refusal(.unknownConnectionIdentifier) }
    return index
  }
}
