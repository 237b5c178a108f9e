import BLECore
import BLEHCI
import BLELink
import BLESMP
import CentralHost
import Simulation
import UnderstudyCore

/// Pairing of a central.
extension TestCentral {
  /// Encrypts the link with the key of the bond, or pairs if there is none, and enters the passkey if one is required. `anew` pairs in any
  /// case. Throws if the link is not encrypted afterwards.
  public func pair(passkey: UInt32? = nil, anew: Bool = false) throws {
    let (link, accessory) = try connected()
    host.user = .accepts(passkey: passkey ?? accessory.profile.security.pairing.fixedPasskey)
    let outcome = try act("no pairing") { try host.pair(link, anew: anew) }
    switch outcome {
    case .paired, .encrypted: return
    case .failed(let reason, let byPeer):
      throw failure("\(name): pairing failed with \(reason)\(byPeer ? ", reported by the accessory" : "")")
    case .notEncrypted(let status): throw failure("\(name): the link was not encrypted: \(status)")
    case .timedOut: throw failure("\(name): pairing timed out after 30 s of silence")
    case .cut: throw failure("\(name): the link ended during pairing")
    }
  }

  /// The security of the link.
  public var security: LinkSecurity { current.map { host.security(of: $0.link) } ?? .open }

  /// Deletes its bonds, like a phone whose user forgets the accessory.
  public func forgetBonds() throws {
    for bond in host.stack.bonds { try host.perform(.removeBond(bond.peer)) }
  }
}
