import BLECore
import BLEGAP
import BLEHCI
import BLESMP

/// The identity of a host: its address, and the key with which peers resolve its private addresses (Core 5.4 Vol 3 Part C 10.7, 10.8).
package struct HostIdentity: Sendable {
  /// The random static address; nil if the controller's public address is used.
  package private(set) var randomAddress: DeviceAddress?
  /// The Identity Resolving Key that has come with a new identity, 16 octets, least significant first.
  package private(set) var newResolvingKey: [UInt8]?
  /// The address that is in use; nil until the controller is up.
  package private(set) var current: TypedAddress?

  init(randomAddress: DeviceAddress?) { self.randomAddress = randomAddress }

  /// Takes up the identity on a controller with that public address; returns nil if there is no address.
  mutating func takeUp(publicAddress: DeviceAddress) -> TypedAddress? {
    let own = randomAddress ?? publicAddress
    guard own != .zero else { return nil }
    let identity = TypedAddress(address: own, isRandom: randomAddress != nil)
    current = identity
    return identity
  }

  /// Replaces the key, and the address if a random static one is given. Returns the new identity; nil if the controller is not up.
  mutating func change(to address: DeviceAddress?, resolvingKey: [UInt8]) -> TypedAddress? {
    guard let old = current else { return nil }
    newResolvingKey = resolvingKey
    guard let address else { return old }
    randomAddress = address
    let identity = TypedAddress(address: address, isRandom: true)
    current = identity
    return identity
  }

  /// Returns the address with which a link was made: a private address, or the identity address.
  func address(onAir: DeviceAddress?) -> TypedAddress {
    let own = current ?? TypedAddress(address: .zero, isRandom: true)
    guard let onAir, onAir != own.address else { return own }
    return TypedAddress(address: onAir, isRandom: true)
  }
}

extension HostEngine {
  /// Replaces the identity, on this controller and after each restart of it. Returns the new one; nil if the controller is not up.
  package mutating func changeIdentity(to address: DeviceAddress?, resolvingKey: [UInt8]) -> TypedAddress? {
    let fresh = identity.change(to: address, resolvingKey: resolvingKey)
    if let address, fresh != nil { hci.commands.setRandomAddress(address) }
    return fresh
  }
}
