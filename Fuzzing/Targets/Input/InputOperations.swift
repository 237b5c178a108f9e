import BLECore
import BLEGATT

extension FuzzInput {
  /// Returns something that a GATT client can be asked to do.
  mutating func operation() -> GATTOperation {
    let handle = UInt16(octet())
    let range = max(1, min(handle, 200))...0xFFFF
    let operations: [GATTOperation] = [
      .exchangeMTU, .discoverAll, .discoverPrimaryServices, .discoverPrimaryServicesByUUID(BluetoothUUID(0x180F)),
      .findIncludedServices(range), .discoverCharacteristics(range, uuid: nil),
      .discoverCharacteristics(range, uuid: BluetoothUUID(0x2A19)), .discoverDescriptors(range), .read(handle),
      .readFrom(handle, offset: handle &* 3), .readByType(BluetoothUUID(0x2A19), range), .readMultiple([handle, 2]),
      .readMultiple([]), .readMultipleVariable([handle, 2, 3]), .writeWithoutResponse(handle, [1, 2, 3]),
      .write(handle, [UInt8](repeating: 7, count: Int(handle) * 3)),
      .writeReliably([RemoteValue(handle, [1, 2, 3]), RemoteValue(2, [UInt8](repeating: 5, count: 50))]),
      .configure(handle, .notification), .discoverByKind,
    ]
    return operations[below(operations.count)]
  }
}
