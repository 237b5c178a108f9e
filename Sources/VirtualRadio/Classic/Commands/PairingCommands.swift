import BLECore
import BLEHCI

// Replies of hosts about keys and pairing (Core 5.4 Vol 4 Part E 7.1.10-7.1.13, 7.1.29-7.1.36, 7.1.53).
extension CommandTable {
  static let linkKeys: [CommandEntry] = [
    reply(HCILinkKeyRequestReply.self, \.address, to: .linkKey) { air, command, end, link in
      air.hostHasKey(command.linkKey, at: end, over: link)
    },
    reply(HCILinkKeyRequestNegativeReply.self, \.address, to: .linkKey) { air, _, end, link in
      air.hostHasKey(nil, at: end, over: link)
    },
    reply(HCIPINCodeRequestReply.self, \.address, to: .pin, { (1...16).contains($0.length) }) {
      air, command, end, link in
      air.hostHasPIN(Array(command.pinCode.prefix(Int(command.length))), at: end, over: link)
    },
    reply(HCIPINCodeRequestNegativeReply.self, \.address, to: .pin) { air, _, end, link in
      air.hostHasPIN(nil, at: end, over: link)
    },
  ]

  static let simplePairingReplies: [CommandEntry] = [
    reply(
      HCIIOCapabilityRequestReply.self, \.address, to: .capabilities,
      { $0.ioCapability.rawValue <= 3 && $0.oobData.rawValue <= 3 && $0.requirements.rawValue <= 5 }
    ) { air, command, end, link in
      let capabilities = PairingCapabilities(
        ioCapability: command.ioCapability, outOfBandData: command.oobData, requirements: command.requirements)
      air.hostHasCapabilities(capabilities, at: end, over: link)
    },
    reply(HCIIOCapabilityRequestNegativeReply.self, \.address, to: .capabilities) { air, command, end, link in
      air.hostRefusesPairing(command.reason, at: end, over: link)
    },
    reply(HCIUserConfirmationRequestReply.self, \.address, to: .confirmation) { air, _, end, link in
      air.hostAgrees(at: end, over: link)
    },
    reply(HCIUserConfirmationRequestNegativeReply.self, \.address, to: .confirmation) { air, _, end, link in
      air.hostDisagrees(at: end, over: link)
    },
    reply(HCIUserPasskeyRequestReply.self, \.address, to: .passkey, { $0.passkey.rawValue <= 999_999 }) {
      air, command, end, link in
      link.security.pairing?.passkeys[end.place] = command.passkey.rawValue
      air.hostAgrees(at: end, over: link)
    },
    reply(HCIUserPasskeyRequestNegativeReply.self, \.address, to: .passkey) { air, _, end, link in
      air.hostDisagrees(at: end, over: link)
    },
    reply(HCIRemoteOOBDataRequestReply.self, \.address, to: .outOfBandData) { air, command, end, link in
      let data = OutOfBandData(commitment: command.commitment, random: command.random)
      link.security.pairing?.outOfBand[end.place] = OutOfBandMaterial(p192: data, p256: nil)
      air.hostAgrees(at: end, over: link)
    },
    reply(HCIRemoteOOBExtendedDataRequestReply.self, \.address, to: .outOfBandData) { air, command, end, link in
      link.security.pairing?.outOfBand[end.place] = OutOfBandMaterial(
        p192: OutOfBandData(given: command.commitment192, command.random192),
        p256: OutOfBandData(given: command.commitment256, command.random256))
      air.hostAgrees(at: end, over: link)
    },
    reply(HCIRemoteOOBDataRequestNegativeReply.self, \.address, to: .outOfBandData) { air, _, end, link in
      air.hostDisagrees(at: end, over: link)
    },
    classic(HCISendKeypressNotification.self, addressFirst: true) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.address)
      try classic.require(command.type.rawValue <= 4)
      try classic.require(end.question == .passkey, .commandDisallowed)
      classic.air.send(.keypress(command.type), from: end, over: link)
      return AddressReturn { $0.address = command.address }
    },
  ]

  /// Makes a host's reply to a question about a peer: refused without that question.
  private static func reply<Command: HCISyncCommand>(
    _ type: Command.Type, _ address: @escaping @Sendable (Command) -> DeviceAddress, to question: ClassicEnd.Question,
    _ isValid: @escaping @Sendable (Command) -> Bool = { _ in true },
    _ body: @escaping @Sendable (Air, Command, ClassicEnd, ClassicLink) -> Void
  ) -> CommandEntry where Command.ReturnParameters == AddressReturn {
    classic(type, addressFirst: true) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(address(command))
      try classic.require(isValid(command))
      try classic.require(end.question == question, .commandDisallowed)
      body(classic.air, command, end, link)
      return AddressReturn { $0.address = address(command) }
    }
  }
}

extension OutOfBandData {
  /// Creates the data for one curve; nil if it is all zeros, which hosts give for a curve that they have no data for.
  fileprivate init?(given commitment: [UInt8], _ random: [UInt8]) {
    guard (commitment + random).contains(where: { $0 != 0 }) else { return nil }
    self.init(commitment: commitment, random: random)
  }
}
