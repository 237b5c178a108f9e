import AccessoryProfile
import BLEHCI
import BLELink

/// The numbers of connections since the accessory began to run.
public struct ConnectionCounts: Hashable, Sendable {
  /// Connections that the controller has reported, whether or not they were then established.
  public internal(set) var made = 0
  /// Connections that have ended, whether or not they had been established.
  public internal(set) var ended = 0
  /// Connections that failed to be established (0x3E). The controller either reports the connection with that
  /// status, or reports it as made and then as ended with that reason, because the central did not answer the
  /// first packets (Core 5.4 Vol 1 Part F 2.58, Vol 6 Part B 4.5.2).
  public internal(set) var failed = 0

  mutating func count(_ event: HostEvent) {
    switch event {
    case .connected: made += 1
    case .connectionFailed(.connectionFailedToBeEstablished): failed += 1
    case .disconnected(_, let reason):
      ended += 1
      if reason == .connectionFailedToBeEstablished { failed += 1 }
    default: break
    }
  }

  var json: ProfileValue {
    .object(["made": .int(Int64(made)), "ended": .int(Int64(ended)), "failed": .int(Int64(failed))])
  }
}
