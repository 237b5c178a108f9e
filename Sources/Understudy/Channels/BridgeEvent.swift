import AccessoryProfile
import BLECore
import BLEHCI
import BLEL2CAP

/// An event of a channel and the line that it is bridged to.
public enum BridgeEvent: Sendable {
  /// The line is open: `tcp:HOST:PORT`, `unix:PATH`, `file:PATH`, or the path of a pseudo-terminal.
  case bridged(BridgedChannel, place: String)
  /// The line could not be opened, or failed, for `reason`. The channel is closed.
  case failed(BridgedChannel, place: String, reason: String)
}

/// A channel that is bridged to a line.
public struct BridgedChannel: Hashable, Sendable {
  /// The channel's connection.
  public var handle: ConnectionHandle
  /// The channel's identity on this side.
  public var channel: ChannelID
  /// The id of the publication that the channel was opened to.
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
