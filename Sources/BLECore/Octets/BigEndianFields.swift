/// Fields of the protocols that send the most significant octet first (SDP, RFCOMM, AVDTP).
extension FieldVisitor where Self: ~Copyable {
  /// Visits an integer with the width of its type, most significant octet first.
  @inlinable
  public mutating func bigEndian<Value: FixedWidthInteger & Sendable>(
    _ name: String, _ value: inout Value
  ) throws(LayoutFault) {
    var raw = value.byteSwapped
    try integer(name, &raw)
    value = raw.byteSwapped
  }

  /// Visits an assigned number, most significant octet first.
  @inlinable
  public mutating func bigEndianCode<Code: OpenCode>(_ name: String, _ value: inout Code) throws(LayoutFault) {
    var raw = value.rawValue
    try bigEndian(name, &raw)
    value = Code(rawValue: raw)
  }
}

extension OctetBuffer {
  /// Appends an integer, most significant octet first.
  package mutating func append<Value: FixedWidthInteger>(bigEndian value: Value) {
    append(littleEndian: value.byteSwapped)
  }

  /// Overwrites two octets at `offset` with an integer, most significant octet first.
  package mutating func patch(bigEndian value: UInt16, at offset: Int) {
    patch(littleEndian: value.byteSwapped, at: offset)
  }
}
