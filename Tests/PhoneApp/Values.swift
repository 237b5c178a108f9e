import CoreBluetoothUnderstudy

/// Returns the octets of a hexadecimal number.
func octets(_ text: String) -> Data {
  let digits = text.compactMap(\.hexDigitValue)
  return Data(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
}

/// Returns a value as JSON can state it: octets in hexadecimal, UUIDs as strings.
func plain(_ value: Any?) -> Any {
  switch value {
  case let octets as Data: octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  case let uuids as [CBUUID]: uuids.map(\.uuidString)
  case let fields as [CBUUID: Data]:
    Dictionary(uniqueKeysWithValues: fields.map { ($0.key.uuidString, plain($0.value)) })
  case let value?: value
  case nil: NSNull()
  }
}
