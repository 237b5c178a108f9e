import BLECore
import BLEHCI

// Authentication, encryption, and the settings for both (Core 5.4 Vol 4 Part E 7.1.15-7.1.17, 7.3).
extension CommandTable {
  static let securityChanges: [CommandEntry] = [
    classicBegun(HCIAuthenticationRequested.self) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.connectionHandle)
      try classic.begin(.authenticate, at: end, over: link)
    },
    classicBegun(HCISetConnectionEncryption.self) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.connectionHandle)
      // Encryption needs a key, and with AES-CCM cannot be switched off (Core 5.4 Vol 2 Part C 4.2.5).
      try classic.require(link.security.isAuthenticated, .commandDisallowed)
      let canChange = command.isEnabled || link.security.encryption != .onWithAESCCM
      try classic.require(canChange, .encryptionModeNotAcceptable)
      try classic.begin(.encrypt(command.isEnabled), at: end, over: link)
    },
    classicBegun(HCIRefreshEncryptionKey.self) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.connectionHandle)
      try classic.require(link.security.encryption != .off, .commandDisallowed)
      try classic.begin(.refreshKey, at: end, over: link)
    },
    classicBegun(HCIChangeConnectionLinkKey.self) { classic, command throws(Refusal) in
      let (link, end) = try classic.existing(command.connectionHandle)
      try classic.require(link.security.isAuthenticated, .commandDisallowed)
      try classic.begin(.changeLinkKey, at: end, over: link)
    },
  ]

  static let securitySettings: [CommandEntry] = [
    classic(HCIReadAuthenticationEnable.self) { classic, _ in
      HCIReadAuthenticationEnable.ReturnParameters { $0.isEnabled = classic.settings.authenticates }
    },
    classicPlain(HCIWriteAuthenticationEnable.self) { classic, command in
      classic.settings.authenticates = command.isEnabled
    },
    classic(HCIReadSimplePairingMode.self) { classic, _ in
      HCIReadSimplePairingMode.ReturnParameters { $0.isEnabled = classic.settings.simplePairing }
    },
    classicPlain(HCIWriteSimplePairingMode.self) { classic, command in
      classic.settings.simplePairing = command.isEnabled
    },
    classic(HCIReadSecureConnectionsHostSupport.self) { classic, _ in
      HCIReadSecureConnectionsHostSupport.ReturnParameters { $0.isEnabled = classic.settings.secureConnections }
    },
    classicPlain(HCIWriteSecureConnectionsHostSupport.self) { classic, command throws(Refusal) in
      try classic.require(classic.configuration.supportsSecureConnections, .unsupportedFeatureOrParameterValue)
      try classic.require(classic.openLinks.isEmpty, .commandDisallowed)
      classic.settings.secureConnections = command.isEnabled
    },
    classic(HCIReadLocalOOBData.self) { classic, _ in
      let data = classic.makeOutOfBandData()
      classic.settings.outOfBand192 = data
      return HCIReadLocalOOBData.ReturnParameters {
        $0.commitment = data.commitment
        $0.random = data.random
      }
    },
    classic(HCIReadLocalOOBExtendedData.self) { classic, _ in
      let (first, second) = (classic.makeOutOfBandData(), classic.makeOutOfBandData())
      classic.settings.outOfBand192 = first
      classic.settings.outOfBand256 = second
      return HCIReadLocalOOBExtendedData.ReturnParameters {
        $0.commitment192 = first.commitment
        $0.random192 = first.random
        $0.commitment256 = second.commitment
        $0.random256 = second.random
      }
    },
    classicPlain(HCISetMinEncryptionKeySize.self) { classic, command throws(Refusal) in
      try classic.require((1...16).contains(command.keySize))
      classic.settings.minimumKeySize = command.keySize
    },
  ]
}

extension ClassicController {
  fileprivate func begin(
    _ task: LinkSecurity.Task, at end: ClassicEnd, over link: ClassicLink
  ) throws(Refusal) {
    try require(!end.isTerminating && !link.security.has(task, by: end.place), .commandDisallowed)
    air.ask(task, at: end, over: link)
  }

  fileprivate func makeOutOfBandData() -> OutOfBandData {
    OutOfBandData(commitment: random.octets(16), random: random.octets(16))
  }
}
