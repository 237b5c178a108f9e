import AccessoryProfile
import BLECore
import BLECryptography
import BLEGAP
import BLELink
import PeripheralHost
import Transport

/// The identity of an accessory after a rotation.
public struct RotatedIdentity: Hashable, Sendable {
  /// The address that the accessory is known by now.
  public var address: DeviceAddress?
  /// The new names of the files with the former bonds; empty if nothing is stored.
  public var aside: [String]

  /// The identity for JSON.
  package var json: ProfileValue {
    .object([
      "address": address.map { .string("\($0)") } ?? .null, "aside": .array(aside.map { .string($0) }),
    ])
  }
}

/// Changing the identity of a running accessory.
extension Accessory {
  /// Makes the accessory a different device: a new address, a new Identity Resolving Key, and no bonds. The store is updated
  /// before the controller. Connections stay as they are. Throws if the profile fixes the address or uses the controller's own.
  @discardableResult
  public func rotateIdentity() throws(ControlError) -> RotatedIdentity {
    if let reason = profile.identity.reasonToStay { throw .unsuitableValue(reason) }
    guard stack.isReady else { throw .refused(.notReady) }
    var aside: [String] = []
    var fresh = StoredIdentity(of: profile, seed: options.seed, random: &random)
    if store == nil {
      fresh.rotate(profile.identity, random: &random)
    } else {
      do throws(StateFailure) { aside = try store?.rotateIdentity(profile, random: &random) ?? [] } catch {
        throw .notKept("\(error)")
      }
      fresh = store?.identity ?? fresh
    }
    for bond in stack.bonds { try perform(.removeBond(bond.peer)) }
    guard let key = IdentityResolvingKey(fresh.identityResolvingKey) else {
      throw .unsuitableValue("the new Identity Resolving Key is all zeros, which means no key: rotate again")
    }
    try perform(.become(fresh.address, key))
    return RotatedIdentity(address: address, aside: aside)
  }
}
