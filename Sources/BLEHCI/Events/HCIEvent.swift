import BLECore

/// The parameters of an HCI event (Core 5.4 Vol 4 Part E 5.4.4, 7.7). For LE Meta events they follow the subevent code.
package protocol HCIEvent: OctetLayout, Equatable {
  /// The event code.
  static var code: EventCode { get }

  /// Appends the whole packet: H4 type, event code, length, subevent code for LE Meta events, parameters. Truncates the parameters to 255
  /// octets, so that the stream stays in sync.
  func encodeH4(into buffer: inout OctetBuffer)
}

/// An LE event. All LE events share one event code and are distinguished by a subevent code (Core 5.4 Vol 4 Part E 7.7.65).
package protocol LEMetaEvent: HCIEvent {
  /// The subevent code.
  static var subevent: LESubevent { get }
}

extension LEMetaEvent {
  package static var code: EventCode { .leMeta }
}

extension HCIEvent {
  /// Creates the event with the fields that `configure` sets. The others keep their defaults.
  package init(_ configure: (inout Self) -> Void) {
    self.init()
    configure(&self)
  }

  /// Decodes the event from received parameters. Octets after them are ignored, because newer controllers may send more.
  @inlinable
  package static func received(_ parameters: Span<UInt8>) throws(LayoutFault) -> Self {
    try decodePrefix(of: parameters).value
  }

  package func encodeH4(into buffer: inout OctetBuffer) {
    buffer.append(H4PacketType.event.rawValue)
    buffer.append(Self.code.rawValue)
    buffer.appendWithLength { parameters in encode(into: &parameters) }
  }

  /// The whole packet: H4 type, event code, length, parameters.
  package var h4: [UInt8] {
    var buffer = OctetBuffer(minimumCapacity: 64)
    encodeH4(into: &buffer)
    return buffer.copy()
  }
}

extension LEMetaEvent {
  package func encodeH4(into buffer: inout OctetBuffer) {
    buffer.append(H4PacketType.event.rawValue)
    buffer.append(EventCode.leMeta.rawValue)
    buffer.appendWithLength { parameters in
      parameters.append(Self.subevent.rawValue)
      encode(into: &parameters)
    }
  }
}

/// The parts of an event packet without its H4 type (Core 5.4 Vol 4 Part E 5.4.4).
public struct EventPacket: Hashable, Sendable {
  /// The event code.
  public var code: EventCode
  /// The subevent code; nil if it is not an LE Meta event.
  public var subevent: LESubevent?
  /// The position of the parameters in the packet, after the subevent code of LE Meta events.
  public var parameters: Range<Int>

  /// Reads the header of `packet`, which is exactly one event packet without its H4 type.
  @inlinable
  public init(_ packet: Span<UInt8>) throws(LayoutFault) {
    guard packet.count >= 2 else { throw .truncated(offset: 0, needed: 2, available: packet.count) }
    let end = 2 + Int(packet[1])
    guard packet.count >= end else { throw .truncated(offset: 2, needed: end - 2, available: packet.count - 2) }
    guard packet.count == end else { throw .trailing(offset: end, extra: packet.count - end) }
    code = EventCode(rawValue: packet[0])
    parameters = 2..<end
    guard code == .leMeta else { return }
    guard end > 2 else { throw .truncated(offset: 2, needed: 1, available: 0) }
    subevent = LESubevent(rawValue: packet[2])
    parameters = 3..<end
  }
}
