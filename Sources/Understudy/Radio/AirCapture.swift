import BLECore
import Capture
import VirtualRadio

extension CapturedAirPacket {
  /// Creates a packet for capture files from one of the virtual radio. If no listening controller received it, its comment says so.
  ///
  /// - Parameters:
  ///   - wallClock: The wall clock time at zero of the air's clock, in nanoseconds since 1970-01-01 00:00 UTC.
  public init(_ packet: AirPacket, wallClock: Int64) {
    self.init(
      Kind(packet), nanoseconds: wallClock &+ packet.start.nanoseconds, rfChannel: packet.rfChannel,
      phy: PHY(packet.phy),
      signalStrength: packet.strength, accessAddress: packet.accessAddress, pdu: packet.pdu, crc: packet.crc)
    isCodedWithS2 = packet.phy == .leCodedS2
    isDecrypted = packet.isEncrypted
    if packet.receivers == 0, packet.strength != nil { comment = "not received" }
  }
}

extension CapturedAirPacket.Kind {
  init(_ packet: AirPacket) {
    self =
      switch (packet.direction, packet.auxiliary) {
      case (.toPeripheral, _): .toPeripheral
      case (.toCentral, _): .toCentral
      case (.advertising, nil): .advertising
      case (.advertising, .advertisement), (.advertising, .exchange): .auxiliaryAdvertising
      case (.advertising, .chain): .auxiliaryChain
      case (.advertising, .scanResponse): .auxiliaryScanResponse
      }
  }
}
