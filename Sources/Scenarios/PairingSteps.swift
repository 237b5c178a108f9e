import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import BLESMP
import CentralHost
import Simulation
import UnderstudyTesting

/// The steps that pair.
extension CaseRunner {
  func pair(_ phone: CasePhone, _ isAnew: Bool, _ passkey: ScenarioPasskey?, _ outcome: ScenarioOutcome) throws {
    let link = try link(of: phone)
    // Nobody must answer a pairing that is to fail: the case may test just that.
    let mustSucceed = outcome == .succeeds
    switch passkey {
    case .digits(let digits): phone.central.user = .accepts(passkey: digits)
    case .displayed:
      guard stage.accessoryEvents != nil else {
        throw StepError("a test cannot see what a device displays: write the digits, as in passkey: 123456")
      }
      phone.central.user = .acceptsExceptPasskeys
    case nil: if mustSucceed, phone.central.user == .nobody { phone.central.user = .acceptsExceptPasskeys }
    }
    try check(outcome) {
      let isAsked = passkey == .displayed || mustSucceed && phone.central.user == .acceptsExceptPasskeys
      switch isAsked ? try pairing(phone, link, isAnew, passkey) : try phone.central.pair(link, anew: isAnew) {
      case .paired, .encrypted: return nil
      case .timedOut: throw GATTFailure.timedOut
      case .cut: throw GATTFailure.closed
      case let other: throw StepRefusal("\(other)")
      }
    }
  }

  /// Pairs. If the step says so, it enters the passkey that the accessory displays. Otherwise a question for the passkey is an error, because
  /// nobody would answer it.
  private func pairing(
    _ phone: CasePhone, _ link: ConnectionHandle, _ isAnew: Bool, _ passkey: ScenarioPasskey?
  ) throws -> PairingOutcome {
    let central = phone.central
    let (first, shown) = (central.events.count, stage.accessoryEvents?.count ?? 0)
    try central.perform(isAnew ? .pairAnew(link) : .pair(link))
    var (isAsked, hasEnded, displayed) = (false, false, UInt32?.none)
    var next = first
    _ = stage.advance(
      until: {
        while next < central.events.count {
          isAsked = isAsked || central.events[next].asksForPasskey(on: link)
          hasEnded = hasEnded || central.events[next].endsPairing(on: link)
          next += 1
        }
        if isAsked, passkey == .displayed { displayed = displayedPasskey(after: shown) }
        return hasEnded || isAsked && (passkey == nil || displayed != nil)
      }, within: central.limit)
    if isAsked, !hasEnded {
      guard passkey == .displayed else {
        throw StepError("the accessory displays a passkey; write `passkey: displayed` or its digits")
      }
      guard let displayed else { throw StepRefusal("the accessory displayed no passkey within \(central.limit)") }
      try central.perform(.answerPairing(link, .passkey(displayed)))
    }
    return try central.pairingOutcome(of: link, from: first)
  }

  /// Returns the last passkey that the accessory has displayed after its first `count` events.
  private func displayedPasskey(after count: Int) -> UInt32? {
    let question = stage.accessoryEvents?.dropFirst(count).last {
      $0.name == "pairing-question" && $0["kind"]?.string == "display"
    }
    return question?["digits"]?.string.flatMap { UInt32($0) }
  }
}

extension HostEvent {
  fileprivate func asksForPasskey(on link: ConnectionHandle) -> Bool {
    if case .security(link, .asked(.passkey)) = self { true } else { false }
  }

  /// Whether the link is encrypted, or the attempt has failed.
  fileprivate func endsPairing(on link: ConnectionHandle) -> Bool {
    switch self {
    case .security(link, .paired), .security(link, .failed), .security(link, .timedOut), .security(link, .cut),
      .security(link, .securityChanged), .disconnected(link, _), .encryptionFailed(link, _):
      true
    default: false
    }
  }
}
