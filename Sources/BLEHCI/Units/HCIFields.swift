import BLECore

extension FieldVisitor where Self: ~Copyable {
  /// Visits an advertising interval of two octets. A value that is too long becomes the longest that fits.
  @inlinable
  public mutating func interval16(_ name: String, _ value: inout AdvertisingInterval) throws(LayoutFault) {
    var raw = UInt16(clamping: value.rawValue)
    try integer(name, &raw)
    value.rawValue = UInt32(raw)
  }

  /// Visits an advertising interval of three octets. A value that is too long becomes the longest that fits.
  @inlinable
  public mutating func interval24(_ name: String, _ value: inout AdvertisingInterval) throws(LayoutFault) {
    var raw = min(value.rawValue, 0xFF_FFFF)
    try integer24(name, &raw)
    value.rawValue = raw
  }

  /// Visits a one-octet count and that many entries. Entries beyond 255 are omitted.
  @inlinable
  public mutating func countedList<Entry: OctetLayout>(
    _ name: String, _ entries: inout [Entry]
  ) throws(LayoutFault) {
    var count = UInt8(clamping: entries.count)
    try integer(name, &count)
    try list(name, &entries, count: Int(count))
  }
}
