import BLECore
import BLEGAP
import BLEGATT
import BLESMP

/// The version of the specification that an accessory imitates, and the restrictions that follow from it.
extension ProfileLoader {
  /// Reads the version, and removes later features from the policies.
  mutating func actAs(
    _ keys: Keys, _ connection: inout ConnectionPolicy, _ gatt: GATTPolicy, _ channels: [ChannelDefinition],
    _ sets: [AdvertisingSetDefinition]
  ) {
    guard let node = keys["acts-as"],
      let version = oneOf(node, ActedVersion.allCases.map(\.rawValue)).flatMap({ ActedVersion(rawValue: $0) })
    else { return }
    connection.actsAs = version
    let given = keys["connection"]
    if version < .v4_1, !channels.isEmpty, let place = keys["l2cap"] {
      refuse("credit-based channels", since: "4.1", version, place)
    }
    if version < .v4_2 {
      if connection.dataLength > 27, let place = given?.value(of: "data-length") {
        refuse("data length extension", since: "4.2", version, place)
      }
      connection.dataLength = 27
      // Devices of these versions did not support larger MTUs.
      if given?.value(of: "mtu") == nil { connection.mtu = 23 }
      if security.pairing.secureConnections == .only, let place = keys["security"]?.value(of: "secure-connections") {
        refuse("LE Secure Connections", since: "4.2", version, place)
      }
      security.pairing.secureConnections = .none
    }
    if version < .v5_0 {
      if let place = given?.value(of: "phy"), ["2M", "coded"].contains(place.text) {
        refuse("PHYs other than 1M", since: "5.0", version, place)
      }
      connection.preferredPHY = nil
      if sets.contains(where: { $0.kind == .extended }), let place = keys["advertising"] {
        refuse("extended advertising", since: "5.0", version, place)
      }
    }
    if version < .v5_1, gatt.hasRobustCaching, let place = keys["gatt"]?.value(of: "robust-caching") {
      refuse("Robust Caching", since: "5.1", version, place)
    }
    if gatt.enhancedBearers > 0, let place = keys["gatt"]?.value(of: "eatt") {
      refuse("Enhanced ATT bearers", since: "5.2", version, place)
    }
    warn(
      node,
      "the version and the features of its link layer are the controller's own: \(version.rawValue) on the "
        + "virtual radio, but whatever it has on a board"
    )
  }

  private mutating func refuse(_ what: String, since: String, _ version: ActedVersion, _ place: SyntaxNode) {
    error(place, "\(what) came with \(since), and the accessory acts as \(version.rawValue)")
  }
}
