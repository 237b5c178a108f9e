import BLECore
import BLESMP

/// Requirements for links.
extension ProfileLoader {
  /// Reads the requirement for an access; nil if the access is forbidden. `keySize` is the minimum key size of an encrypted link.
  mutating func requirement(_ node: SyntaxNode, keySize: SyntaxNode?) -> AccessRequirement? {
    guard let word = oneOf(node, Language.accessNames), let protection = LinkProtection(word: word) else { return nil }
    return AccessRequirement(
      protection: protection, minimumKeySize: minimumKeySize(keySize, protection, node, who: "client"))
  }

  /// Reads the minimum key size on a link with that protection; 0 without encryption. Warns if no link of this accessory can meet the
  /// requirement.
  mutating func minimumKeySize(
    _ node: SyntaxNode?, _ protection: LinkProtection, _ place: SyntaxNode, who: String
  ) -> Int {
    if protection > security.bestProtection {
      let reason =
        security.pairing.isPairable
        ? "pairing with this accessory is never '\(protection.word)'" : "this accessory does not pair"
      warn(place, "\(reason), so no \(who) can ever be allowed to do this")
    }
    guard protection > .none, let node, let size = integer(node, Language.permissions, "key-size") else { return 0 }
    if security.pairing.isPairable, size > security.pairing.keySizes.upperBound {
      warn(node, "this accessory accepts no key of \(size) octets, so no \(who) can ever be allowed to do this")
    }
    return Int(size)
  }

  /// Rejects a key size if nothing needs encryption.
  mutating func checkKeySize(_ keys: Keys, of requirements: [AccessRequirement?]) {
    guard let key = keys.key("key-size"), !requirements.contains(where: { ($0?.protection ?? .none) > .none }) else {
      return
    }
    error(key, "a key size needs 'encrypted', 'authenticated' or 'secure-connections'")
  }
}
