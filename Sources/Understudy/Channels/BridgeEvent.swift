import AccessoryProfile
import BLECore
import BLEHCI
import BLEL2CAP

/// What happened between a channel and the line behind it.
public enum BridgeEvent: Sendable {
  /// There is a line: `tcp:HOST:PORT`, `unix:PATH`, `file:PATH`, or the path of a pseudo-terminal.
  case bridged(BridgedChannel, place: String)
  /// There is none, or it has failed: why. The channel is closed.
  case failed(BridgedChannel, place: String, reason: String)
}

/// Which channel a line stands behind.
public struct BridgedChannel: Hashable, Sendable {
  /// Its connection.
  public var handle: ConnectionHandle
  /// Its end on this side.
  public var channel: ChannelID
  /// The id of what it was opened to.
  public var id: String
}

extension BridgeEvent {
  /// The event's name and fields.
  var described: (name: String, fields: [String: ProfileValue]) {
    switch self {
    case .bridged(let channel, let place): ("channel-bridged", channel.fields(["place": .string(place)]))
    case .failed(let channel, let place, let reason):
      (
        "fault",
        channel.fields(["fault": .string("bridge-failed"), "place": .string(place), "reason": .string(reason)])
      )
    }
  }
}

extension BridgedChannel {
  fileprivate func fields(_ fields: [String: ProfileValue]) -> [String: ProfileValue] {
    var fields = handle.fields(fields)
    fields["channel"] = .int(Int64(channel.rawValue))
    fields["id"] = .string(id)
    return fields
  }
}
