import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Authentication and encryption of BR/EDR")
struct ClassicSecurityTests {
  @Test("a PIN, where one side lacks Secure Simple Pairing", arguments: [true, false])
  func pins(agrees: Bool) throws {
    let scene = try PairingScene(
      PairingSide(), PairingSide(pin: Array((agrees ? "0000" : "0001").utf8)), simplePairing: false)
    try scene.authenticate()
    #expect(scene.authentication == [agrees ? .success : .authenticationFailure])
    #expect(scene.keyTypes == (agrees ? [[.combination], [.combination]] : [[], []]))
    #expect(scene.first.key == scene.second.key)
    for host in [scene.pair.first, scene.pair.second] {
      #expect(host.all(HCIPINCodeRequest.self).count == 1)
      // Different keys end the link.
      #expect(host.all(HCIDisconnectionComplete.self).map(\.reason) == (agrees ? [] : [.authenticationFailure]))
    }
  }

  @Test("a host without a PIN: 0x06 for its own request, 0x18 for the peer's", arguments: [true, false])
  func missingPIN(atFirst: Bool) throws {
    let scene = try PairingScene(
      PairingSide(pin: atFirst ? nil : [1]), PairingSide(pin: atFirst ? [1] : nil), simplePairing: false)
    try scene.authenticate()
    #expect(scene.authentication == [atFirst ? .pinOrKeyMissing : .pairingNotAllowed])
    #expect(scene.stage.air.classicLinks.count == 1)
  }

  @Test("a PIN has 1 to 16 octets", arguments: [0, 17] as [UInt8])
  func pinLength(length: UInt8) throws {
    let scene = try PairingScene(simplePairing: false)
    let host = scene.pair.first
    try host.begin(HCIAuthenticationRequested { $0.connectionHandle = scene.pair.atFirst })
    try host.status(HCILinkKeyRequestNegativeReply { $0.address = scene.pair.secondAddress })
    let reply = HCIPINCodeRequestReply {
      $0.address = scene.pair.secondAddress
      $0.length = length
    }
    #expect(try host.status(reply) == .invalidHCICommandParameters)
  }

  @Test("a reply without its request is disallowed, and one for a stranger unknown")
  func unasked() throws {
    let pair = try Stage().classicPair()
    let replies: [any HCICommand.Type] = [
      HCILinkKeyRequestReply.self, HCILinkKeyRequestNegativeReply.self, HCIPINCodeRequestReply.self,
      HCIPINCodeRequestNegativeReply.self, HCIIOCapabilityRequestReply.self, HCIIOCapabilityRequestNegativeReply.self,
      HCIUserConfirmationRequestReply.self, HCIUserConfirmationRequestNegativeReply.self,
      HCIUserPasskeyRequestReply.self, HCIUserPasskeyRequestNegativeReply.self, HCIRemoteOOBDataRequestReply.self,
      HCIRemoteOOBExtendedDataRequestReply.self, HCIRemoteOOBDataRequestNegativeReply.self,
      HCISendKeypressNotification.self,
    ]
    for type in replies {
      for (address, status) in [
        (pair.secondAddress, ErrorCode.commandDisallowed), (.zero, .unknownConnectionIdentifier),
      ] {
        var octets = CommandConformanceTests.defaults(type)
        octets.replaceSubrange(0..<6, with: (0..<6).map { UInt8(truncatingIfNeeded: address.bits >> (8 * $0)) })
        pair.first.forget()
        pair.first.send(
          [1, UInt8(truncatingIfNeeded: type.opcode.rawValue), UInt8(type.opcode.rawValue >> 8), UInt8(octets.count)]
            + octets)
        let answer = try pair.first.last(HCICommandComplete.self)
        #expect(answer.returnParameters == [status.rawValue] + octets.prefix(6), "\(type.opcode)")
      }
    }
  }

  @Test("after a new connection the stored keys are enough")
  func reconnects() throws {
    let scene = try PairingScene()
    try scene.authenticate()
    try scene.pair.first.begin(HCIDisconnect { $0.connectionHandle = scene.pair.atFirst })
    scene.stage.run(.seconds(1))
    for host in [scene.pair.first, scene.pair.second] { host.forget() }
    let again = try scene.stage.connectClassic(scene.pair.first, scene.pair.second)
    try scene.pair.first.begin(HCIAuthenticationRequested { $0.connectionHandle = again.atFirst })
    try scene.play()
    #expect(scene.authentication == [.success])
    #expect(scene.keyTypes == [[], []])
    for host in [scene.pair.first, scene.pair.second] { #expect(host.all(HCILinkKeyRequest.self).count == 1) }
  }

  @Test("different keys: 0x05 and the end of the link at both ends; a lost key: 0x06 and no end")
  func differentKeys() throws {
    for isLost in [false, true] {
      let scene = try PairingScene()
      scene.first.key = Array(repeating: 1, count: 16)
      scene.second.key = isLost ? nil : Array(repeating: 2, count: 16)
      try scene.authenticate()
      #expect(scene.authentication == [isLost ? .pinOrKeyMissing : .authenticationFailure])
      for host in [scene.pair.first, scene.pair.second] {
        #expect(host.all(HCIDisconnectionComplete.self).map(\.reason) == (isLost ? [] : [.authenticationFailure]))
      }
    }
  }

  @Test("encryption needs authentication", arguments: [true, false])
  func encrypts(secure: Bool) throws {
    let scene = try PairingScene(secure: secure)
    let size = HCIReadEncryptionKeySize { $0.connectionHandle = scene.pair.atFirst }
    #expect(try scene.encrypt() == .commandDisallowed)
    #expect(try scene.pair.first.status(size) == .insufficientSecurity)
    try scene.authenticate()
    #expect(try scene.encrypt() == .success)
    let state: EncryptionState = secure ? .onWithAESCCM : .on
    for host in [scene.pair.first, scene.pair.second] {
      #expect(host.all(HCIEncryptionChange.self).map(\.encryption) == [state])
    }
    #expect(try scene.pair.first.call(size).keySize == 16)
    let refresh = HCIRefreshEncryptionKey { $0.connectionHandle = scene.pair.atFirst }
    #expect(try scene.pair.first.begin(refresh) == .success)
    try scene.play()
    for host in [scene.pair.first, scene.pair.second] {
      #expect(host.all(HCIEncryptionKeyRefreshComplete.self).count == 1)
    }
    // AES-CCM cannot be switched off.
    #expect(try scene.encrypt(false) == (secure ? .encryptionModeNotAcceptable : .success))
    #expect(try scene.pair.second.last(HCIEncryptionChange.self).encryption == (secure ? state : .off))
    #expect(try scene.pair.first.begin(refresh) == (secure ? .success : .commandDisallowed))
  }

  @Test("a new link key for the same link")
  func changesKey() throws {
    let scene = try PairingScene()
    let change = HCIChangeConnectionLinkKey { $0.connectionHandle = scene.pair.atFirst }
    #expect(try scene.pair.first.begin(change) == .commandDisallowed)
    try scene.authenticate()
    let key = scene.first.key
    #expect(try scene.pair.first.begin(change) == .success)
    try scene.play()
    #expect(scene.keyTypes.map(\.last) == [.changedCombination, .changedCombination])
    #expect(scene.first.key == scene.second.key && scene.first.key != key)
    #expect(scene.pair.first.all(HCIChangeConnectionLinkKeyComplete.self).map(\.status) == [.success])
  }

  @Test(
    "the shorter of both controllers' keys is used, unless a host wants a longer one", arguments: [7, 10] as [UInt8])
  func keySizes(size: UInt8) throws {
    var short = ControllerConfiguration.dual
    short.classic?.encryptionKeySize = size
    let scene = try PairingScene(PairingSide(), PairingSide(), short)
    try scene.authenticate()
    try scene.pair.first.status(HCISetMinEncryptionKeySize { $0.keySize = 11 })
    #expect(try scene.encrypt() == .success)
    #expect(try scene.pair.first.last(HCIEncryptionChange.self).status == .encryptionModeNotAcceptable)
    #expect(scene.pair.second.all(HCIEncryptionChange.self).isEmpty)
    try scene.pair.first.status(HCISetMinEncryptionKeySize { $0.keySize = 7 })
    #expect(try scene.encrypt() == .success)
    let read = HCIReadEncryptionKeySize { $0.connectionHandle = scene.pair.atFirst }
    #expect(try scene.pair.first.call(read).keySize == size)
  }

  @Test("the second version of Encryption Change has the size")
  func secondVersion() throws {
    let scene = try PairingScene()
    try scene.pair.second.status(HCISetEventMaskPage2 { $0.eventMask = .encryptionChangeV2 })
    try scene.authenticate()
    #expect(try scene.encrypt() == .success)
    let change = try scene.pair.second.last(HCIEncryptionChangeV2.self)
    #expect(change.encryption == .onWithAESCCM && change.keySize == 16)
    #expect(scene.pair.second.all(HCIEncryptionChange.self).isEmpty)
  }

  @Test("both hosts authenticate at once: one after the other")
  func bothAuthenticate() throws {
    let scene = try PairingScene()
    try scene.pair.first.begin(HCIAuthenticationRequested { $0.connectionHandle = scene.pair.atFirst })
    try scene.pair.second.begin(HCIAuthenticationRequested { $0.connectionHandle = scene.pair.atSecond })
    let again = HCIAuthenticationRequested { $0.connectionHandle = scene.pair.atSecond }
    #expect(try scene.pair.second.begin(again) == .commandDisallowed)
    try scene.play()
    for host in [scene.pair.first, scene.pair.second] {
      #expect(host.all(HCIAuthenticationComplete.self).map(\.status) == [.success])
      #expect(host.all(HCISimplePairingComplete.self).count == 1)
    }
  }

  @Test("a host that authenticates every connection: the link opens only after that", arguments: [true, false])
  func authenticatesAlways(succeeds: Bool) throws {
    let stage = Stage()
    let (first, second) = try stage.classicHosts()
    try second.status(HCIWriteAuthenticationEnable { $0.isEnabled = true })
    let (firstAddress, secondAddress) = (try first.address, try second.address)
    try first.begin(HCICreateConnection { $0.address = secondAddress })
    #expect(stage.run { !second.all(HCIConnectionRequest.self).isEmpty })
    try second.begin(HCIAcceptConnectionRequest { $0.address = firstAddress })
    #expect(stage.run { !first.all(HCILinkKeyRequest.self).isEmpty })
    #expect(first.all(HCIConnectionComplete.self).isEmpty && second.all(HCIConnectionComplete.self).isEmpty)
    for (host, peer) in [(first, secondAddress), (second, firstAddress)] {
      #expect(stage.run { !host.all(HCILinkKeyRequest.self).isEmpty })
      try host.status(
        HCILinkKeyRequestReply {
          $0.address = peer
          $0.linkKey[0] = host === second && !succeeds ? 1 : 0
        })
    }
    stage.run(.seconds(1))
    for host in [first, second] {
      #expect(host.all(HCIConnectionComplete.self).map(\.status) == [succeeds ? .success : .authenticationFailure])
      #expect(host.all(HCIAuthenticationComplete.self).isEmpty)
    }
    #expect(stage.air.classicLinks.count == (succeeds ? 1 : 0))
  }

  @Test("a host that has masked the questions counts as refusing")
  func masked() throws {
    let stage = Stage()
    let (first, second) = try stage.classicHosts()
    try second.status(HCISetEventMask { $0.eventMask = .specificationDefault })
    let pair = try stage.connectClassic(first, second)
    try first.begin(HCIAuthenticationRequested { $0.connectionHandle = pair.atFirst })
    try first.status(HCILinkKeyRequestNegativeReply { $0.address = pair.secondAddress })
    try first.status(HCIIOCapabilityRequestReply { $0.address = pair.secondAddress })
    stage.run(.seconds(1))
    #expect(first.all(HCIAuthenticationComplete.self).map(\.status) == [.pairingNotAllowed])
  }
}
