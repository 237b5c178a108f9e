import BLECore
import BLEHCI

// Connecting, and what is read of peers (Core 5.4 Vol 4 Part E 7.1.5-7.1.9, 7.1.21-7.1.24).
extension CommandTable {
  static let classicConnecting: [CommandEntry] = [
    classicBegun(HCICreateConnection.self) { classic, command throws(Refusal) in
      try classic.require(command.repetitionMode.rawValue <= 2)
      try classic.require(command.address != classic.address)
      let found = classic.link(with: command.address)
      try classic.require(found == nil, found?.end.isOpen == true ? .connectionAlreadyExists : .commandDisallowed)
      let pages = classic.pages.filter { $0.purpose == .connection }
      try classic.require(!pages.contains { $0.address == command.address }, .commandDisallowed)
      let links = classic.links.count { $0.link.purpose == .connection } + pages.count
      try classic.require(links < classic.configuration.maximumLinks, .connectionLimitExceeded)
      var page = Page(address: command.address, purpose: .connection)
      page.allowsRoleSwitch = command.allowsRoleSwitch
      page.packetTypes = command.packetTypes
      page.repetitionMode = command.repetitionMode
      classic.beginPage(page)
    },
    classic(HCICreateConnectionCancel.self, addressFirst: true) { classic, command throws(Refusal) in
      try classic.cancelConnection(to: command.address)
      return AddressReturn { $0.address = command.address }
    },
    classicBegun(HCIAcceptConnectionRequest.self) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.address)
      try classic.require(end.question == .connection, .unknownConnectionIdentifier)
      try classic.require(command.role.rawValue <= 1)
      classic.air.accept(link, as: command.role)
    },
    classicBegun(HCIRejectConnectionRequest.self) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.address)
      try classic.require(end.question == .connection, .unknownConnectionIdentifier)
      let reasons: [ErrorCode] = [
        .connectionRejectedLimitedResources, .connectionRejectedSecurityReasons,
        .connectionRejectedUnacceptableAddress,
      ]
      try classic.require(reasons.contains(command.reason))
      classic.reportConnection(link, at: .second, status: command.reason)
      classic.air.refuse(link, command.reason)
    },
    classicBegun(HCIChangeConnectionPacketType.self) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.connectionHandle)
      let agreed = BasebandPacket.agreed(command.packetTypes, link.commonFeatures)
      end.packetTypes = agreed
      classic.send(
        HCIConnectionPacketTypeChanged {
          $0.connectionHandle = end.connectionHandle
          $0.packetTypes = agreed
        })
    },
  ]

  static let remoteInformation: [CommandEntry] = [
    classicBegun(HCIReadRemoteSupportedFeatures.self) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.connectionHandle)
      try classic.air.begin(.features, .featuresRequest(page: 0), at: end, over: link)
    },
    classicBegun(HCIReadRemoteExtendedFeatures.self) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.connectionHandle)
      guard link.commonFeatures.contains(.extendedFeatures) else {
        return classic.send(
          HCIReadRemoteExtendedFeaturesComplete {
            $0.status = .unsupportedRemoteFeature
            $0.connectionHandle = end.connectionHandle
            $0.page = command.page
          })
      }
      try classic.air.begin(.extendedFeatures(command.page), .featuresRequest(page: command.page), at: end, over: link)
    },
    classicBegun(HCIReadClockOffset.self) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.connectionHandle)
      try classic.air.begin(.clockOffset, .clockOffsetRequest, at: end, over: link)
    },
  ]
}

extension ClassicController {
  fileprivate func cancelConnection(to peer: DeviceAddress) throws(Refusal) {
    if let page = cancelPage(of: peer, .connection) { return fail(page, .unknownConnectionIdentifier) }
    let (link, end) = try existing(peer)
    try require(!end.isOpen, .connectionAlreadyExists)
    try require(end.place == .first && !end.isTerminating, .unknownConnectionIdentifier)
    air.detach(link, at: end, .remoteUserTerminatedConnection, own: .unknownConnectionIdentifier)
  }
}
