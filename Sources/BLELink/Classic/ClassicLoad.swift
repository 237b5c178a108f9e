import BLECore
import BLEHCI
import BLEL2CAP

/// What a peer over BR/EDR has made its link hold at one moment, to find leaks.
package struct ClassicLoad: Hashable, Sendable {
  /// The number of channels, also of those that open or close.
  package var channels: Int
  /// The number of sessions of the Service Discovery Server.
  package var sessions: Int
  /// The number of channels that wait for encryption.
  package var waiting: Int
  /// Whether the link has the channel of the ATT bearer.
  package var hasBearer: Bool
}

extension HostEngine {
  /// Returns what a link over BR/EDR holds; nil for a link over LE, or without such a link.
  package func classicLoad(of handle: ConnectionHandle) -> ClassicLoad? {
    guard let id = links.id(of: handle), let classic = links[id].classic else { return nil }
    return ClassicLoad(
      channels: classic.channels.all.count, sessions: classic.discoveries.count, waiting: classic.waiting.count,
      hasBearer: classic.attributeChannel != nil)
  }
}
