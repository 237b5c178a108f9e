import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

/// What the user and the host of one side do in pairing.
struct PairingSide: Sendable {
  var capability = SimplePairingIOCapability.displayYesNo
  var requirements = AuthenticationRequirements.dedicatedBondingMITM
  var outOfBand = OOBDataPresence.none
  /// Whether the user agrees, and enters what is shown.
  var agrees = true
  var pin: [UInt8]? = Array("0000".utf8)
}

/// A host that answers everything about pairing.
final class PairingHost {
  let host: ScriptedHost
  let peer: DeviceAddress
  var side: PairingSide
  var key: [UInt8]?
  /// What the user of the other side sees.
  var shown: () -> UInt32? = { nil }
  /// The data that the peer has handed over.
  var data: HCIReadLocalOOBExtendedData.ReturnParameters?
  private var seen = 0

  init(_ host: ScriptedHost, peer: DeviceAddress, _ side: PairingSide) {
    self.host = host
    self.peer = peer
    self.side = side
  }

  var shownPasskey: UInt32? { host.all(HCIUserPasskeyNotification.self).last?.passkey.rawValue }
  var number: UInt32? { host.all(HCIUserConfirmationRequest.self).last?.number.rawValue }

  /// Answers what its controller has asked since the last call.
  func answer() throws {
    if seen > host.events.count { seen = 0 }
    while seen < host.events.count {
      let (event, before) = (host.events[seen], seen)
      seen += 1
      try answer(event.code)
      if seen == before { return }
    }
  }

  private func answer(_ code: EventCode) throws {
    let (peer, side) = (peer, side)
    switch code {
    case .linkKeyRequest:
      if let key {
        try host.status(
          HCILinkKeyRequestReply {
            $0.address = peer
            $0.linkKey = key
          })
      } else {
        try host.status(HCILinkKeyRequestNegativeReply { $0.address = peer })
      }
    case .ioCapabilityRequest:
      try host.status(
        HCIIOCapabilityRequestReply {
          $0.address = peer
          $0.ioCapability = side.capability
          $0.oobData = side.outOfBand
          $0.requirements = side.requirements
        })
    case .userConfirmationRequest where side.agrees:
      try host.status(HCIUserConfirmationRequestReply { $0.address = peer })
    case .userConfirmationRequest: try host.status(HCIUserConfirmationRequestNegativeReply { $0.address = peer })
    case .userPasskeyRequest:
      // The user waits for the passkey.
      guard let passkey = shown() else { return seen -= 1 }
      try host.status(
        HCIUserPasskeyRequestReply {
          $0.address = peer
          $0.passkey.rawValue = side.agrees ? passkey : (passkey + 1) % 1_000_000
        })
    case .remoteOOBDataRequest: try answerOutOfBand()
    case .pinCodeRequest:
      if let pin = side.pin {
        try host.status(
          HCIPINCodeRequestReply {
            $0.address = peer
            $0.length = UInt8(pin.count)
            $0.pinCode = pin + Array(repeating: 0, count: 16 - pin.count)
          })
      } else {
        try host.status(HCIPINCodeRequestNegativeReply { $0.address = peer })
      }
    case .linkKeyNotification: key = try host.last(HCILinkKeyNotification.self).linkKey
    default: break
    }
  }

  private func answerOutOfBand() throws {
    let peer = peer
    guard let data else {
      try host.status(HCIRemoteOOBDataRequestNegativeReply { $0.address = peer })
      return
    }
    let agrees = side.agrees
    try host.status(
      HCIRemoteOOBExtendedDataRequestReply {
        $0.address = peer
        $0.commitment192 = data.commitment192
        $0.random192 = data.random192
        $0.commitment256 = agrees ? data.commitment256 : data.random256
        $0.random256 = data.random256
      })
  }
}

/// Two connected hosts that pair.
struct PairingScene {
  let stage: Stage
  let pair: ClassicPair
  let first: PairingHost
  let second: PairingHost

  init(
    _ firstSide: PairingSide = PairingSide(), _ secondSide: PairingSide = PairingSide(), secure: Bool = true,
    simplePairing: Bool = true, _ configuration: ControllerConfiguration = .dual, seed: UInt64 = 1
  ) throws {
    stage = Stage(seed: seed)
    pair = try stage.classicPair(.dual, configuration, simplePairing: simplePairing, secure: secure)
    first = PairingHost(pair.first, peer: pair.secondAddress, firstSide)
    second = PairingHost(pair.second, peer: pair.firstAddress, secondSide)
    // Two users who only enter agree on a passkey.
    let agreed: UInt32? = firstSide.capability == .keyboardOnly && secondSide.capability == .keyboardOnly ? 4711 : nil
    first.shown = { [second] in second.shownPasskey ?? agreed }
    second.shown = { [first] in first.shownPasskey ?? agreed }
  }

  /// Runs for a while in which both hosts answer.
  func play(_ duration: Duration = .seconds(2)) throws {
    let end = stage.air.now + duration
    for host in [first, second] { try host.answer() }
    while let deadline = stage.air.nextDeadline, deadline <= end {
      stage.air.advance(to: deadline)
      stage.collect()
      for host in [first, second] { try host.answer() }
    }
  }

  /// Lets the first host authenticate the second.
  func authenticate() throws {
    try #require(
      try pair.first.begin(HCIAuthenticationRequested { $0.connectionHandle = pair.atFirst }) == .success)
    try play()
  }

  func encrypt(_ isEnabled: Bool = true) throws -> ErrorCode {
    let status = try pair.first.begin(
      HCISetConnectionEncryption {
        $0.connectionHandle = pair.atFirst
        $0.isEnabled = isEnabled
      })
    try play(.milliseconds(200))
    return status
  }

  var authentication: [ErrorCode] { pair.first.all(HCIAuthenticationComplete.self).map(\.status) }
  var pairings: [[ErrorCode]] {
    [pair.first, pair.second].map { $0.all(HCISimplePairingComplete.self).map(\.status) }
  }
  var keyTypes: [[LinkKeyType]] { [pair.first, pair.second].map { $0.all(HCILinkKeyNotification.self).map(\.type) } }
}

/// A pair of capabilities with the model that follows.
struct ModelRow: CustomTestStringConvertible, Sendable {
  var first: SimplePairingIOCapability
  var second: SimplePairingIOCapability
  var model: AssociationModel

  var testDescription: String { "\(first) and \(second)" }

  init(_ first: SimplePairingIOCapability, _ second: SimplePairingIOCapability, _ model: AssociationModel) {
    (self.first, self.second, self.model) = (first, second, model)
  }

  /// Core 5.4 Vol 3 Part C Table 5.7.
  static let all: [ModelRow] = [
    ModelRow(.displayOnly, .displayOnly, .justWorks),
    ModelRow(.displayOnly, .displayYesNo, .justWorks),
    ModelRow(.displayOnly, .keyboardOnly, .passkey(shownAt: .first)),
    ModelRow(.displayOnly, .noInputNoOutput, .justWorks),
    ModelRow(.displayYesNo, .displayOnly, .justWorks),
    ModelRow(.displayYesNo, .displayYesNo, .numericComparison),
    ModelRow(.displayYesNo, .keyboardOnly, .passkey(shownAt: .first)),
    ModelRow(.displayYesNo, .noInputNoOutput, .justWorks),
    ModelRow(.keyboardOnly, .displayOnly, .passkey(shownAt: .second)),
    ModelRow(.keyboardOnly, .displayYesNo, .passkey(shownAt: .second)),
    ModelRow(.keyboardOnly, .keyboardOnly, .passkey(shownAt: nil)),
    ModelRow(.keyboardOnly, .noInputNoOutput, .justWorks),
    ModelRow(.noInputNoOutput, .displayOnly, .justWorks),
    ModelRow(.noInputNoOutput, .displayYesNo, .justWorks),
    ModelRow(.noInputNoOutput, .keyboardOnly, .justWorks),
    ModelRow(.noInputNoOutput, .noInputNoOutput, .justWorks),
  ]
}

@Suite("Secure Simple Pairing")
struct PairingTests {
  private func scene(_ row: ModelRow, secure: Bool) throws -> PairingScene {
    try PairingScene(PairingSide(capability: row.first), PairingSide(capability: row.second), secure: secure)
  }

  @Test("the model follows from the capabilities, and the type of the key from the model", arguments: ModelRow.all)
  func models(row: ModelRow) throws {
    for secure in [true, false] {
      let scene = try scene(row, secure: secure)
      try scene.authenticate()
      #expect(scene.authentication == [.success])
      #expect(scene.pairings == [[.success], [.success]])
      let type: LinkKeyType =
        switch (secure, row.model.isAuthenticated) {
        case (true, true): .authenticatedP256
        case (true, false): .unauthenticatedP256
        case (false, true): .authenticatedP192
        case (false, false): .unauthenticatedP192
        }
      #expect(scene.keyTypes == [[type], [type]])
      #expect(scene.first.key == scene.second.key && scene.first.key != nil)
      checkQuestions(row.model, scene)
    }
  }

  private func checkQuestions(_ model: AssociationModel, _ scene: PairingScene) {
    let hosts = [scene.pair.first, scene.pair.second]
    let confirmations = hosts.map { $0.all(HCIUserConfirmationRequest.self).count }
    let requests = hosts.map { $0.all(HCIUserPasskeyRequest.self).count }
    let notifications = hosts.map { $0.all(HCIUserPasskeyNotification.self).count }
    switch model {
    case .justWorks, .numericComparison:
      #expect(confirmations == [1, 1] && requests == [0, 0] && notifications == [0, 0])
      #expect(scene.first.number == scene.second.number)
      #expect(scene.first.number ?? .max <= 999_999)
    case .passkey(let shown):
      #expect(confirmations == [0, 0])
      #expect(notifications == [shown == .first ? 1 : 0, shown == .second ? 1 : 0])
      #expect(requests == [shown == .first ? 0 : 1, shown == .second ? 0 : 1])
    case .outOfBand: Issue.record("there is no such data")
    }
  }

  @Test("without the wish for protection, capabilities do not matter", arguments: ModelRow.all)
  func withoutProtection(row: ModelRow) throws {
    let sides = [row.first, row.second].map { PairingSide(capability: $0, requirements: .generalBonding) }
    let scene = try PairingScene(sides[0], sides[1])
    try scene.authenticate()
    #expect(scene.keyTypes == [[.unauthenticatedP256], [.unauthenticatedP256]])
    checkQuestions(.justWorks, scene)
  }

  @Test("capabilities reach the other host before it is asked for its own")
  func capabilities() throws {
    let scene = try PairingScene(
      PairingSide(capability: .displayOnly, requirements: .generalBondingMITM), PairingSide(capability: .keyboardOnly))
    try scene.authenticate()
    let atSecond = try scene.pair.second.last(HCIIOCapabilityResponse.self)
    #expect(atSecond.ioCapability == .displayOnly && atSecond.requirements == .generalBondingMITM)
    #expect(try scene.pair.first.last(HCIIOCapabilityResponse.self).ioCapability == .keyboardOnly)
    let codes = scene.pair.second.events.map(\.code)
    let response = try #require(codes.firstIndex(of: .ioCapabilityResponse))
    #expect(response < (try #require(codes.firstIndex(of: .ioCapabilityRequest))))
    let first = scene.pair.first.events.map(\.code).filter {
      [.simplePairingComplete, .linkKeyNotification, .authenticationComplete].contains($0)
    }
    #expect(first == [.simplePairingComplete, .linkKeyNotification, .authenticationComplete])
  }

  @Test("a user who does not agree: 0x05 at both ends, and the link stays", arguments: ModelRow.all, [true, false])
  func disagreement(row: ModelRow, atFirst: Bool) throws {
    let scene = try PairingScene(
      PairingSide(capability: row.first, agrees: !atFirst), PairingSide(capability: row.second, agrees: atFirst))
    let shown: ClassicPlace? = if case .passkey(let place) = row.model { place } else { nil }
    // The user of the side that shows a passkey is not asked.
    if shown == (atFirst ? .first : .second) { return }
    try scene.authenticate()
    #expect(scene.authentication == [.authenticationFailure])
    #expect(scene.pairings == [[.authenticationFailure], [.authenticationFailure]])
    #expect(scene.keyTypes == [[], []])
    #expect(scene.stage.air.classicLinks.count == 1)
    // The next attempt succeeds.
    scene.first.side.agrees = true
    scene.second.side.agrees = true
    for host in [scene.pair.first, scene.pair.second] { host.forget() }
    try scene.authenticate()
    #expect(scene.authentication == [.success])
  }

  @Test("data out of band, known to one side or both; wrong data fails", arguments: [true, false], [true, false])
  func outOfBand(both: Bool, isCorrect: Bool) throws {
    let side = PairingSide(capability: .noInputNoOutput, outOfBand: .p256, agrees: isCorrect)
    var other = side
    if !both { other.outOfBand = .none }
    let scene = try PairingScene(side, other)
    scene.first.data = try scene.pair.second.call(HCIReadLocalOOBExtendedData())
    scene.second.data = try scene.pair.first.call(HCIReadLocalOOBExtendedData())
    try scene.authenticate()
    #expect(scene.pair.first.all(HCIRemoteOOBDataRequest.self).count == 1)
    #expect(scene.pair.second.all(HCIRemoteOOBDataRequest.self).count == (both ? 1 : 0))
    #expect(scene.authentication == [isCorrect ? .success : .authenticationFailure])
    #expect(scene.keyTypes == (isCorrect ? [[.authenticatedP256], [.authenticatedP256]] : [[], []]))
  }

  @Test("a host that has no such data after all: 0x05")
  func missingOutOfBand() throws {
    let scene = try PairingScene(PairingSide(outOfBand: .p192), PairingSide())
    try scene.authenticate()
    #expect(scene.authentication == [.authenticationFailure])
    #expect(scene.pairings == [[.authenticationFailure], [.authenticationFailure]])
  }

  @Test("data for P-192 is enough, and old data is not accepted")
  func basicOutOfBand() throws {
    let scene = try PairingScene(PairingSide(outOfBand: .p192), PairingSide(), secure: false)
    let old = try scene.pair.second.call(HCIReadLocalOOBData())
    let new = try scene.pair.second.call(HCIReadLocalOOBData())
    #expect(old != new)
    for (data, status) in [(old, ErrorCode.authenticationFailure), (new, .success)] {
      var given = HCIReadLocalOOBExtendedData.ReturnParameters()
      given.commitment192 = data.commitment
      given.random192 = data.random
      scene.first.data = given
      try scene.authenticate()
      #expect(scene.authentication.last == status)
    }
  }

  @Test("a host that refuses to pair passes its reason on", arguments: [true, false])
  func refusal(byFirst: Bool) throws {
    let scene = try PairingScene()
    let refuser = byFirst ? scene.pair.first : scene.pair.second
    let other = byFirst ? scene.second : scene.first
    let peer = byFirst ? scene.pair.secondAddress : scene.pair.firstAddress
    try scene.pair.first.begin(HCIAuthenticationRequested { $0.connectionHandle = scene.pair.atFirst })
    try scene.pair.first.status(HCILinkKeyRequestNegativeReply { $0.address = scene.pair.secondAddress })
    if !byFirst { try other.answer() }
    #expect(scene.stage.run { !refuser.all(HCIIOCapabilityRequest.self).isEmpty })
    #expect(
      try refuser.status(
        HCIIOCapabilityRequestNegativeReply {
          $0.address = peer
          $0.reason = .pairingNotAllowed
        }) == .success)
    scene.stage.run(.seconds(1))
    #expect(scene.authentication == [.pairingNotAllowed])
    #expect(scene.pairings[0] == [.pairingNotAllowed])
    #expect(scene.pairings[1] == (byFirst ? [] : [.pairingNotAllowed]))
  }

  @Test("keypresses reach the other host while a passkey is entered, and not otherwise")
  func keypresses() throws {
    let scene = try PairingScene(PairingSide(capability: .displayOnly), PairingSide(capability: .keyboardOnly))
    let notification = HCISendKeypressNotification {
      $0.address = scene.pair.firstAddress
      $0.type = .entered
    }
    #expect(try scene.pair.second.status(notification) == .commandDisallowed)
    try scene.pair.first.begin(HCIAuthenticationRequested { $0.connectionHandle = scene.pair.atFirst })
    try scene.first.answer()
    #expect(
      scene.stage.run {
        try? scene.first.answer()
        if scene.pair.second.all(HCIUserPasskeyRequest.self).isEmpty { try? scene.second.answer() }
        return !scene.pair.second.all(HCIUserPasskeyRequest.self).isEmpty
      })
    #expect(try scene.pair.second.status(notification) == .success)
    scene.stage.run(.milliseconds(100))
    #expect(try scene.pair.first.last(HCIKeypressNotification.self).type == .entered)
  }

  @Test("a host that does not answer: the peer ends the link with LMP Response Timeout")
  func silence() throws {
    let scene = try PairingScene()
    try scene.pair.first.begin(HCIAuthenticationRequested { $0.connectionHandle = scene.pair.atFirst })
    try scene.first.answer()
    #expect(scene.stage.run { !scene.pair.second.all(HCIIOCapabilityRequest.self).isEmpty })
    scene.stage.run(.seconds(29))
    #expect(scene.pair.first.all(HCIDisconnectionComplete.self).isEmpty)
    scene.stage.run(.seconds(2))
    for host in [scene.pair.first, scene.pair.second] {
      #expect(host.all(HCIDisconnectionComplete.self).map(\.reason) == [.linkLayerResponseTimeout])
    }
    #expect(scene.authentication == [.linkLayerResponseTimeout])
  }
}
