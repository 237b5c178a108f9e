extension FixedWidthInteger {
  /// The octets of the number, least significant first.
  @inlinable
  package var littleEndianOctets: [UInt8] { Swift.withUnsafeBytes(of: littleEndian) { Array($0) } }
}
