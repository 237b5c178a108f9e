import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

/// What one input of a host produces: one run of H4 packets to send, and what happened. Reused from input to input.
public struct HostOutput: ~Copyable {
  /// H4 packets for the controller, one behind the other.
  public var octets: OctetBuffer
  /// What happened, in order.
  public var events: [HostEvent] = []
  /// How strongly peers are heard, in dBm, of links that were asked about; nil where the controller cannot tell.
  package var signalStrengths: [(link: ConnectionHandle, decibels: Int?)] = []
  /// Where a link's client leaves its PDUs until they are framed.
  var client = GATTClientOutput()
  /// Where a link's channels leave what they report.
  var channels: [ChannelEvent] = []
  /// What of that is about enhanced bearers.
  var bearerEvents: [ChannelEvent] = []
  /// Where a PDU for an enhanced bearer is written.
  var bearer = OctetBuffer()
  /// Where a PDU is written that faults may alter.
  var faulty = OctetBuffer()

  /// Nothing yet.
  public init() { octets = OctetBuffer(minimumCapacity: 16 * 1024) }

  /// Forgets everything; the room stays.
  public mutating func removeAll() {
    octets.removeAll()
    events.removeAll(keepingCapacity: true)
    signalStrengths.removeAll(keepingCapacity: true)
  }
}
