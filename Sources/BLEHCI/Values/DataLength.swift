/// Payload lengths of data PDUs on the air (Core 5.4 Vol 6 Part B 2.4, 4.5.10).
package enum DataLength {
  /// The length that every link layer supports, in octets.
  package static var minimum: Int { 27 }
  /// The maximum length, in octets.
  package static var maximum: Int { 251 }

  /// Returns the air time of a packet with this payload on LE 1M, in microseconds: preamble, access address, header, payload, MIC and CRC,
  /// at 8 µs per octet.
  package static func transmitTime(octets: Int) -> UInt16 { UInt16(clamping: (octets + 14) * 8) }
}

extension LESetDataLength {
  /// Creates the command that offers this many octets per packet on a connection.
  package init(_ handle: ConnectionHandle, octets: Int) {
    connectionHandle = handle
    txOctets = UInt16(clamping: octets)
    txTime = DataLength.transmitTime(octets: octets)
  }
}

extension LEWriteSuggestedDefaultDataLength {
  /// Creates the command that suggests this many octets per packet.
  package init(octets: Int) {
    maximumTxOctets = UInt16(clamping: octets)
    maximumTxTime = DataLength.transmitTime(octets: octets)
  }
}
