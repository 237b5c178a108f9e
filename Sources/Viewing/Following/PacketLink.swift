import Decoding

extension PacketSummary {
  /// Identifies the packet's link in a capture: its source, and its access address or connection handle.
  var link: UInt64 { UInt64(source) << 32 | UInt64(accessAddress ?? UInt32(handle ?? 0)) }
}
