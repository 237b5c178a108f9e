import BLECore
import BLEHCI

/// What one side says of itself before Secure Simple Pairing (Core 5.4 Vol 4 Part E 7.1.29).
struct PairingCapabilities: Hashable {
  var ioCapability: SimplePairingIOCapability
  var outOfBandData: OOBDataPresence
  var requirements: AuthenticationRequirements
}

/// How the users take part in Secure Simple Pairing (Core 5.4 Vol 3 Part C 5.2.2.6).
enum AssociationModel: Hashable {
  /// Nothing protects against an attacker in the middle.
  case justWorks
  case numericComparison
  /// The passkey is shown at this end and entered at the other; nil: entered at both.
  case passkey(shownAt: ClassicPlace?)
  case outOfBand

  var isAuthenticated: Bool { self != .justWorks }

  /// Returns the model of an initiator and a responder.
  init(_ initiator: PairingCapabilities, _ responder: PairingCapabilities, initiatorPlace: ClassicPlace) {
    guard initiator.outOfBandData == .none && responder.outOfBandData == .none else {
      self = .outOfBand
      return
    }
    guard initiator.requirements.requiresMITM || responder.requirements.requiresMITM else {
      self = .justWorks
      return
    }
    self =
      switch (initiator.ioCapability, responder.ioCapability) {
      case (.noInputNoOutput, _), (_, .noInputNoOutput): .justWorks
      case (.displayYesNo, .displayYesNo): .numericComparison
      case (.keyboardOnly, .keyboardOnly): .passkey(shownAt: nil)
      case (.keyboardOnly, _): .passkey(shownAt: initiatorPlace.other)
      case (_, .keyboardOnly): .passkey(shownAt: initiatorPlace)
      // A side that only displays cannot confirm.
      default: .justWorks
      }
  }
}

/// A pairing in progress, which both ends share.
struct Pairing {
  let initiator: ClassicPlace
  /// What the ends have said; nil before.
  var capabilities: [ClassicPlace: PairingCapabilities] = [:]
  var model: AssociationModel?
  /// The number to compare, or the passkey that is shown.
  var number: UInt32 = 0
  /// The passkeys that the users have entered.
  var passkeys: [ClassicPlace: UInt32] = [:]
  /// What the hosts have of their peers' data.
  var outOfBand: [ClassicPlace: OutOfBandMaterial] = [:]
  var pins: [ClassicPlace: [UInt8]] = [:]
  /// The ends whose users or data agree, and those that have heard so of the peer.
  var agreed: Set<ClassicPlace> = []
  var heardAgreement: Set<ClassicPlace> = []
  var isChecking = false

  init(initiator: ClassicPlace) { self.initiator = initiator }

  /// Whether an end has begun Secure Simple Pairing, so that its host waits for the end.
  func hasBegun(at place: ClassicPlace) -> Bool { capabilities[place] != nil }

  /// Whether what the users and hosts have given agrees. `peerData` is what the end's peer has told its own host.
  func isCorrect(_ peerData: (ClassicPlace) -> OutOfBandMaterial) -> Bool {
    switch model {
    case .passkey(let shown):
      let first = shown == .first ? number : passkeys[.first]
      let second = shown == .second ? number : passkeys[.second]
      return first == second
    case .outOfBand: return outOfBand.allSatisfy { peerData($0.key).matches($0.value) }
    default: return true
    }
  }
}

/// The data for pairing out of band for both curves; nil for none.
struct OutOfBandMaterial: Hashable {
  var p192: OutOfBandData?
  var p256: OutOfBandData?

  /// Returns whether what a host has received is this device's data. Data for one curve is enough.
  func matches(_ received: OutOfBandMaterial) -> Bool {
    func agree(_ own: OutOfBandData?, _ received: OutOfBandData?) -> Bool { received == nil || own == received }
    return agree(p192, received.p192) && agree(p256, received.p256)
      && (received.p192 != nil || received.p256 != nil)
  }
}
