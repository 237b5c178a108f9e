import AccessoryProfile
import BLECore
import BLEGATT
import BLELink
import BLESMP

/// A deliberate change to a bond on this side alone, to test how the peer reacts.
package enum BondAlteration: Hashable, Sendable {
  /// Changes the Long Term Key: encryption fails (Core 5.4 Vol 4 Part E 7.7.8 with status 0x3D).
  case wrongKey
  /// Removes the Long Term Key: the controller's request for it gets a negative reply (status 0x06 on the other side).
  case withoutKey
  /// Shortens the Long Term Key to this many octets (Core 5.4 Vol 3 Part H 2.3.4).
  case keySize(Int)
  /// Changes the Identity Resolving Key: the peer is no longer recognized by its private addresses.
  case changedIdentityKey
  /// Removes the Client Characteristic Configurations: the peer no longer gets what it has subscribed to.
  case withoutSubscriptions
  /// Adds the same keys under a second identity address.
  case secondIdentity(DeviceAddress)

  /// The names of the alterations on the command line and in the control API.
  package static let names = [
    "wrong-ltk", "without-ltk", "short-key", "changed-irk", "without-subscriptions", "second-identity",
  ]

  /// Creates the alteration with that name; nil if there is none. `keySize` is for `short-key`, by default 7.
  /// `address` is for `second-identity`, by default one derived from the peer's.
  package init?(_ name: String, keySize: Int? = nil, address: DeviceAddress? = nil, of peer: TypedAddress) {
    switch name {
    case "wrong-ltk": self = .wrongKey
    case "without-ltk": self = .withoutKey
    case "short-key": self = .keySize(keySize ?? 7)
    case "changed-irk": self = .changedIdentityKey
    case "without-subscriptions": self = .withoutSubscriptions
    case "second-identity":
      self = .secondIdentity(address ?? .randomStatic(from: SplitMix64.seed(0, for: "second \(peer.address)")))
    default: return nil
    }
  }
}

extension BondRecord {
  /// Returns the altered record. It replaces this one or, for a second identity, is added to it.
  package func altered(_ alteration: BondAlteration) throws(ProfileValueError) -> BondRecord {
    var record = self
    switch alteration {
    case .wrongKey:
      try requireKey()
      record.bond.changeKeys { $0.map { ~$0 } }
    case .withoutKey:
      try requireKey()
      (record.bond.keyAsPeripheral, record.bond.keyAsCentral) = (nil, nil)
    case .keySize(let size):
      try requireKey()
      guard 7...16 ~= size else { throw ProfileValueError("a key has 7 to 16 octets") }
      guard size <= bond.strength.keySize else {
        throw ProfileValueError("the key has \(bond.strength.keySize) octets, and cannot be longer")
      }
      record.bond.strength.keySize = size
      // The most significant octets are 0, and a key travels least significant octet first.
      record.bond.changeKeys { $0.enumerated().map { $0.offset < size ? $0.element : 0 } }
    case .changedIdentityKey:
      guard let key = bond.identityResolvingKey else {
        throw ProfileValueError("the peer has not distributed an Identity Resolving Key")
      }
      record.bond.identityResolvingKey = key.map { ~$0 }
    case .withoutSubscriptions: record.gatt.configurations = [:]
    case .secondIdentity(let address):
      guard address != peer.address else { throw ProfileValueError("that is already the peer's address") }
      guard address.isValidRandomStatic else { throw ProfileValueError("\(address) is not a random static address") }
      record.bond.peer = TypedAddress(address: address, isRandom: true)
    }
    return record
  }

  private func requireKey() throws(ProfileValueError) {
    guard bond.keyAsPeripheral != nil || bond.keyAsCentral != nil else {
      throw ProfileValueError("there is no Long Term Key in this bond")
    }
  }
}

extension Bond {
  fileprivate mutating func changeKeys(_ change: ([UInt8]) -> [UInt8]) {
    if let key = keyAsPeripheral?.key { keyAsPeripheral?.key = change(key) }
    if let key = keyAsCentral?.key { keyAsCentral?.key = change(key) }
  }
}
