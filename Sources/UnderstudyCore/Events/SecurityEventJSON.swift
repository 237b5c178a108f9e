import AccessoryProfile
import BLECore
import BLEHCI
import BLESMP

extension SecurityEvent {
  /// Returns the event's name and fields, without keys. Requests of a pairing are reported as questions.
  package func described(on handle: ConnectionHandle) -> (name: String, fields: [String: ProfileValue]) {
    switch self {
    case .requested(let requirements): ("security-requested", handle.fields(requirements.json))
    case .pairing(let model, let isSecureConnections):
      (
        "pairing",
        handle.fields(model.json.merging(["secure_connections": .bool(isSecureConnections)]) { $1 })
      )
    case .asked(let question):
      (
        "pairing-question",
        handle.fields(
          ["kind": .string(question.word)].merging(question.digits.map { ["digits": .string($0)] } ?? [:]) { $1 })
      )
    case .questionEnded: ("pairing-question-ended", handle.fields([:]))
    case .keypress(let key): ("keypress", handle.fields(["key": .string(PairingWords.word(for: key))]))
    case .securityChanged(let security): ("security", handle.fields(security.json))
    case .paired(let bond, let isBonded):
      ("paired", handle.fields(bond.json.merging(["bonded": .bool(isBonded)]) { $1 }))
    case .failed(let reason, let byPeer):
      (
        "pairing-failed",
        handle.fields([
          "reason": .string(PairingWords.word(for: reason)), "code": .int(Int64(reason.rawValue)),
          "by_peer": .bool(byPeer),
        ])
      )
    case .timedOut: ("pairing-failed", handle.fields(["reason": .string("timed-out"), "by_peer": .bool(false)]))
    case .keyMissing: ("key-missing", handle.fields([:]))
    case .cut: ("pairing-failed", handle.fields(["reason": .string("disconnected"), "by_peer": .bool(false)]))
    }
  }
}

extension LinkSecurity {
  /// `protection`, `key_size`, and `bonded`: whether there is a key of the peer.
  package var json: [String: ProfileValue] {
    [
      "protection": .string(protection.word), "key_size": .int(Int64(keySize)), "bonded": .bool(isBonded),
    ]
  }
}

extension Bond {
  /// The peer and how the keys were established, without the keys.
  fileprivate var json: [String: ProfileValue] {
    [
      "peer": .string(peer.address.description), "peer_type": .string(peer.isRandom ? "random" : "public"),
      "authenticated": .bool(strength.isAuthenticated), "secure_connections": .bool(strength.isSecureConnections),
      "key_size": .int(Int64(strength.keySize)),
    ]
  }
}

extension PairingRequirements {
  fileprivate var json: [String: ProfileValue] {
    [
      "bonding": .bool(contains(.bonding)), "mitm": .bool(contains(.authentication)),
      "secure_connections": .bool(contains(.secureConnections)), "keypress": .bool(contains(.keypress)),
    ]
  }
}

extension AssociationModel {
  fileprivate var json: [String: ProfileValue] {
    switch self {
    case .justWorks: ["model": .string("just-works")]
    case .numericComparison: ["model": .string("numeric-comparison")]
    case .outOfBand: ["model": .string("out-of-band")]
    case .passkeyEntry(let typist):
      ["model": .string("passkey-entry"), "typist": .string(typist.word)]
    }
  }
}

extension AssociationModel.Typist {
  fileprivate var word: String {
    switch self {
    case .own: "accessory"
    case .peer: "central"
    case .both: "both"
    }
  }
}
