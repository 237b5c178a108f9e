import AccessoryProfile
import BLECore
import BLELink
import BLESMP

/// Why no bond is meant by a name.
package enum BondSelectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no bond of that name.
  case unknown(String)
  /// Both a public and a random address are known with these digits.
  case ambiguous(String)

  /// What and what to do.
  package var description: String {
    switch self {
    case .unknown(let name): "there is no bond with \(name): bonds are named by the peer's address, as in the list"
    case .ambiguous(let name): "there are two bonds with \(name): write \(name)-public or \(name)-random"
    }
  }
}

extension [BondRecord] {
  /// The bond of that name: an address, which may have `-public` or `-random` behind it.
  package func named(_ name: String) throws(BondSelectionError) -> BondRecord {
    let found = filter { $0.peer.bondID == name || DeviceAddress(name) == $0.peer.address }
    guard let record = found.first else { throw .unknown(name) }
    guard found.count == 1 else { throw .ambiguous(name) }
    return record
  }

  /// The bonds as JSON: all that is known of them, with the keys only where they are wanted.
  package func report(withKeys: Bool) -> ProfileValue {
    .array(map { .object($0.report(withKeys: withKeys)) })
  }
}

extension BondRecord {
  /// The bond as JSON, with its `id`, and with the keys only where they are wanted.
  package func report(withKeys: Bool) -> [String: ProfileValue] {
    withKeys ? json.merging(["id": .string(peer.bondID)]) { $1 } : publicJSON
  }
}
