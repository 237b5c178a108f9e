import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

/// The time of one input of a host, and its output: a run of H4 packets to send, and events. It is reused for the next input.
public struct HostOutput: ~Copyable {
  /// The time of the input.
  public package(set) var now = Instant.zero
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
  /// The events of the channels of a link over BR/EDR.
  var classicChannels: [ClassicChannelEvent] = []
  /// The channel events that concern enhanced bearers.
  var bearerEvents: [ChannelEvent] = []
  /// The buffer for a PDU on a dynamic channel.
  var bearer = OctetBuffer()
  /// The buffer for a PDU that faults may alter.
  var faulty = OctetBuffer()

  /// Creates an empty output.
  public init() { octets = OctetBuffer(minimumCapacity: 16 * 1024) }

  /// Removes the data packets for a link that has ended, as far as they have not been sent. The controller may use its handle for another
  /// link by now, which would get them, and they would take buffers that the scheduler already gives to others (Core 5.4 Vol 4 Part E
  /// 4.1.1).
  mutating func withdrawData(of handle: ConnectionHandle) {
    var place = 0
    while place + 5 <= octets.count {
      let isData = octets[place] == H4PacketType.acl.rawValue
      let length = isData ? 5 + Int(octets[place + 3]) + Int(octets[place + 4]) << 8 : 4 + Int(octets[place + 3])
      guard place + length <= octets.count else { return }
      if isData, UInt16(octets[place + 1]) | UInt16(octets[place + 2] & 0x0F) << 8 == handle.rawValue {
        octets.remove(place..<place + length)
      } else {
        place += length
      }
    }
  }

  /// Removes everything, but keeps the capacity.
  public mutating func removeAll() {
    octets.removeAll()
    events.removeAll(keepingCapacity: true)
    signalStrengths.removeAll(keepingCapacity: true)
  }
}
