import BLECore
import BLEHCI
import BLELink
import BLESMP
import CentralHost
import Simulation
import UnderstudyCore

/// Pairing of a central.
extension TestCentral {
  /// Encrypts the link with the key of the bond, or pairs if there is no bond. `anew` pairs even if there is one. Enters the passkey if
  /// pairing requires one. Throws if the link is not encrypted afterwards.
  public func pair(passkey: UInt32? = nil, anew: Bool = false) throws {
    let (link, accessory) = try connected()
    host.user = .accepts(passkey: passkey ?? accessory.profile.security.pairing.fixedPasskey)
    let outcome = try act("no pairing") { try host.pair(link, anew: anew) }
    switch outcome {
    case .paired, .encrypted: return
    default: throw failure("\(name): \(outcome)")
    }
  }

  /// The security of the link.
  public var security: LinkSecurity { current.map { host.security(of: $0.link) } ?? .open }

  /// Deletes all bonds, as when the user of a phone forgets the accessory.
  public func forgetBonds() throws {
    for bond in host.stack.bonds { try host.perform(.removeBond(bond.peer)) }
  }
}
