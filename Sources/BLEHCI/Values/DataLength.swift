/// Payloads of data PDUs on the air (Core 5.4 Vol 6 Part B 2.4, 4.5.10).
package enum DataLength {
  /// What every link layer takes, in octets.
  package static var minimum: Int { 27 }
  /// The longest there is, in octets.
  package static var maximum: Int { 251 }

  /// How long a packet with that payload takes on LE 1M, in microseconds: preamble, access address, header, payload, MIC and
  /// CRC, at 8 µs per octet.
  package static func transmitTime(octets: Int) -> UInt16 { UInt16(clamping: (octets + 14) * 8) }
}

extension LESetDataLength {
  /// Offers so many octets a packet on that connection.
  package init(_ handle: ConnectionHandle, octets: Int) {
    connectionHandle = handle
    txOctets = UInt16(clamping: octets)
    txTime = DataLength.transmitTime(octets: octets)
  }
}

extension LEWriteSuggestedDefaultDataLength {
  /// Suggests so many octets a packet.
  package init(octets: Int) {
    maximumTxOctets = UInt16(clamping: octets)
    maximumTxTime = DataLength.transmitTime(octets: octets)
  }
}
