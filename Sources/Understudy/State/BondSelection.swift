import AccessoryProfile
import BLECore
import BLELink
import BLESMP

/// Why a name does not identify a bond.
package enum BondSelectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No bond has that name.
  case unknown(String)
  /// There are bonds with both a public and a random address of these digits.
  case ambiguous(String)

  /// What failed, and what to do about it.
  package var description: String {
    switch self {
    case .unknown(let name): "there is no bond with \(name): bonds are named by the peer's address, as in the list"
    case .ambiguous(let name): "there are two bonds with \(name): write \(name)-public or \(name)-random"
    }
  }
}

extension [BondRecord] {
  /// Returns the bond with that name: an address, optionally followed by `-public` or `-random`.
  package func named(_ name: String) throws(BondSelectionError) -> BondRecord {
    let found = filter { $0.peer.bondID == name || DeviceAddress(name) == $0.peer.address }
    guard let record = found.first else { throw .unknown(name) }
    guard found.count == 1 else { throw .ambiguous(name) }
    return record
  }

  /// Returns the bonds for JSON. Keys are included only if requested.
  package func report(withKeys: Bool) -> ProfileValue {
    .array(map { .object($0.report(withKeys: withKeys)) })
  }
}

extension BondRecord {
  /// Returns the bond for JSON, with its `id`. Keys are included only if requested.
  package func report(withKeys: Bool) -> [String: ProfileValue] {
    withKeys ? json.merging(["id": .string(peer.bondID)]) { $1 } : publicJSON
  }
}
