import AccessoryProfile
import BLECore
import BLEGAP
import BLELink
import BLESMP
import PeripheralHost
import Transport

/// Who an accessory has become.
public struct RotatedIdentity: Hashable, Sendable {
  /// The address that it is known under now.
  public var address: DeviceAddress?
  /// The names that the files of its bonds have now; none where nothing is kept.
  public var aside: [String]

  /// The same as JSON.
  package var json: ProfileValue {
    .object([
      "address": address.map { .string("\($0)") } ?? .null, "aside": .array(aside.map { .string($0) }),
    ])
  }
}

/// Being another device while it runs.
extension Accessory {
  /// Makes the accessory another device: another address, another Identity Resolving Key, and no bonds. The store has that before the
  /// controller hears of it. Connections stay as they are. An accessory whose profile fixes the address, or takes the controller's
  /// own, cannot.
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
