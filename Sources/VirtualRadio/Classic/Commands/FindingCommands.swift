import BLECore
import BLEHCI

// Inquiries, names, and what inquiring devices see (Core 5.4 Vol 4 Part E 7.1.1, 7.1.19, 7.3).
extension CommandTable {
  /// Makes a command of the BR/EDR side that is answered with Command Complete.
  static func classic<Command: HCISyncCommand>(
    _ type: Command.Type, handleFirst: Bool = false, addressFirst: Bool = false,
    _ body: @escaping @Sendable (ClassicController, Command) throws(Refusal) -> Command.ReturnParameters
  ) -> CommandEntry {
    complete(type, handleFirst: handleFirst, addressFirst: addressFirst) { controller, command throws(Refusal) in
      try body(try controller.classicSide(), command)
    }
  }

  /// Makes a command of the BR/EDR side that is answered with Command Complete and only a status.
  static func classicPlain<Command: HCISyncCommand>(
    _ type: Command.Type, _ body: @escaping @Sendable (ClassicController, Command) throws(Refusal) -> Void
  ) -> CommandEntry where Command.ReturnParameters == StatusReturn {
    plain(type) { controller, command throws(Refusal) in try body(try controller.classicSide(), command) }
  }

  /// Makes a command of the BR/EDR side that is answered with Command Status.
  static func classicBegun<Command: HCIAsyncCommand>(
    _ type: Command.Type, _ body: @escaping @Sendable (ClassicController, Command) throws(Refusal) -> Void
  ) -> CommandEntry {
    begun(type) { controller, command throws(Refusal) in try body(try controller.classicSide(), command) }
  }

  static let finding: [CommandEntry] = [
    classicBegun(HCIInquiry.self) { classic, command throws(Refusal) in
      try classic.require(command.accessCode.isReserved)
      try classic.require((1...0x30).contains(command.length.rawValue))
      try classic.require(classic.inquiry == nil, .commandDisallowed)
      classic.beginInquiry(command)
    },
    classicPlain(HCIInquiryCancel.self) { classic, _ throws(Refusal) in
      try classic.require(classic.inquiry != nil, .commandDisallowed)
      classic.inquiry = nil
    },
    classicBegun(HCIRemoteNameRequest.self) { classic, command throws(Refusal) in
      try classic.require(command.repetitionMode.rawValue <= 2)
      if let (link, end) = classic.link(with: command.address), end.isOpen {
        return try classic.air.begin(.name, .nameRequest, at: end, over: link)
      }
      let isAsking = classic.pages.contains { $0.address == command.address && $0.purpose == .name }
      try classic.require(!isAsking && classic.nameLink(with: command.address) == nil, .commandDisallowed)
      var page = Page(address: command.address, purpose: .name)
      page.repetitionMode = command.repetitionMode
      classic.beginPage(page)
    },
    classic(HCIRemoteNameRequestCancel.self, addressFirst: true) { classic, command throws(Refusal) in
      try classic.cancelNameRequest(of: command.address)
      return AddressReturn { $0.address = command.address }
    },
    classic(HCIReadInquiryMode.self) { classic, _ in
      HCIReadInquiryMode.ReturnParameters { $0.mode = classic.settings.inquiryMode }
    },
    classicPlain(HCIWriteInquiryMode.self) { classic, command throws(Refusal) in
      try classic.require(command.mode.rawValue <= 2)
      classic.settings.inquiryMode = command.mode
    },
    classicPlain(HCISetEventFilter.self) { classic, command throws(Refusal) in
      try classic.settings.filters.apply(command, to: classic.controller)
    },
  ]

  static let identitySettings: [CommandEntry] = [
    classic(HCIReadClassOfDevice.self) { classic, _ in
      HCIReadClassOfDevice.ReturnParameters { $0.classOfDevice = classic.settings.classOfDevice }
    },
    classicPlain(HCIWriteClassOfDevice.self) { classic, command in
      classic.settings.classOfDevice = command.classOfDevice
    },
    classic(HCIReadLocalName.self) { classic, _ in
      HCIReadLocalName.ReturnParameters { $0.localName = classic.settings.name }
    },
    classicPlain(HCIWriteLocalName.self) { classic, command in classic.settings.name = command.localName },
    classic(HCIReadExtendedInquiryResponse.self) { classic, _ in
      HCIReadExtendedInquiryResponse.ReturnParameters {
        $0.needsFEC = classic.settings.responseNeedsFEC
        $0.response = classic.settings.extendedResponse
      }
    },
    classicPlain(HCIWriteExtendedInquiryResponse.self) { classic, command in
      classic.settings.responseNeedsFEC = command.needsFEC
      classic.settings.extendedResponse = command.response
    },
    classic(HCIReadNumberOfSupportedIAC.self) { classic, _ in
      HCIReadNumberOfSupportedIAC.ReturnParameters { $0.count = classic.configuration.accessCodeCount }
    },
    classic(HCIReadCurrentIACLAP.self) { classic, _ in
      HCIReadCurrentIACLAP.ReturnParameters { $0.accessCodes = classic.settings.accessCodes }
    },
    classicPlain(HCIWriteCurrentIACLAP.self) { classic, command throws(Refusal) in
      try classic.require(!command.accessCodes.isEmpty && command.accessCodes.allSatisfy(\.isReserved))
      // A controller that scans for fewer uses the first ones (7.3.45).
      classic.settings.accessCodes = Array(command.accessCodes.prefix(Int(classic.configuration.accessCodeCount)))
      classic.air.classicScansChanged()
    },
    classic(HCIReadInquiryResponseTransmitPowerLevel.self) { classic, _ in
      HCIReadInquiryResponseTransmitPowerLevel.ReturnParameters {
        $0.txPower = classic.controller.configuration.maximumTransmitPower
      }
    },
    classicPlain(HCIWriteInquiryTransmitPowerLevel.self) { classic, command throws(Refusal) in
      try classic.require((-70...20).contains(command.txPower))
      classic.settings.inquiryPower = command.txPower
    },
  ]
}

extension VirtualController {
  fileprivate func classicSide() throws(Refusal) -> ClassicController {
    guard let classic else { throw Refusal(.unknownHCICommand) }
    return classic
  }
}

extension ClassicController {
  func require(_ condition: Bool, _ status: ErrorCode = .invalidHCICommandParameters) throws(Refusal) {
    guard condition else { throw Refusal(status) }
  }

  /// Returns the link that is only there to ask a device its name.
  func nameLink(with peer: DeviceAddress) -> ClassicLink? {
    links.first { $0.place == .first && $0.link.purpose == .name && $0.link.first.peerAddress == peer }?.link
  }

  fileprivate func cancelNameRequest(of peer: DeviceAddress) throws(Refusal) {
    if let page = cancelPage(of: peer, .name) { return fail(page, .unknownConnectionIdentifier) }
    guard let link = nameLink(with: peer), !link.first.isTerminating else {
      throw Refusal(.invalidHCICommandParameters)
    }
    reportName(of: link.first, status: .unknownConnectionIdentifier)
    air.detach(link, at: link.first, .remoteUserTerminatedConnection, own: .success)
  }
}

extension InquiryAccessCode {
  /// Whether it is one of the 64 codes for inquiries (Assigned Numbers 2.2).
  fileprivate var isReserved: Bool { (0x9E_8B00...0x9E_8B3F).contains(rawValue) }
}
