import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

/// The output of one input of a host: a run of H4 packets to send, and events. It is reused for the next input.
public struct HostOutput: ~Copyable {
  /// H4 packets for the controller, one after the other.
  public var octets: OctetBuffer
  /// The events, in order.
  public var events: [HostEvent] = []
  /// The requested signal strengths of links, in dBm; nil if the controller has none.
  package var signalStrengths: [(link: ConnectionHandle, decibels: Int?)] = []
  /// The PDUs of a link's client until they are framed.
  var client = GATTClientOutput()
  /// The events of a link's channels.
  var channels: [ChannelEvent] = []
  /// The channel events that concern enhanced bearers.
  var bearerEvents: [ChannelEvent] = []
  /// The buffer for a PDU on an enhanced bearer.
  var bearer = OctetBuffer()
  /// The buffer for a PDU that faults may alter.
  var faulty = OctetBuffer()

  /// Creates an empty output.
  public init() { octets = OctetBuffer(minimumCapacity: 16 * 1024) }

  /// Removes everything, but keeps the capacity.
  public mutating func removeAll() {
    octets.removeAll()
    events.removeAll(keepingCapacity: true)
    signalStrengths.removeAll(keepingCapacity: true)
  }
}
