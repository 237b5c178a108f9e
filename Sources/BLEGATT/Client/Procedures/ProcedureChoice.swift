import BLEATT
import BLECore

extension GATTClient {
  /// Returns the procedure that performs an operation, or why it cannot be performed.
  func procedure(of operation: GATTOperation, mtu: Int) -> Result<any GATTProcedure, GATTFailure> {
    switch operation {
    case .exchangeMTU: .success(hasExchangedMTU ? AgreedMTU() : MTUExchange(receiveMTU: receiveMTU))
    case .discoverAll: .success(DatabaseDiscovery())
    case .discoverByKind: .success(KindDiscovery())
    case .discoverPrimaryServices: .success(AllServiceDiscovery())
    case .discoverPrimaryServicesByUUID(let uuid): .success(ServiceByUUIDDiscovery(uuid: uuid))
    case .findIncludedServices(let range): .success(IncludeDiscovery(range))
    case .discoverCharacteristics(let range, let uuid): .success(CharacteristicDiscovery(range, uuid: uuid))
    case .discoverDescriptors(let range): .success(DescriptorDiscovery(range))
    case .read(let handle): .success(ValueReading(handle))
    case .readFrom(let handle, let offset): .success(ValueReading(handle, from: offset))
    case .readByType(let type, let range): .success(ReadingByType(type, range))
    case .readMultiple(let handles): .success(MultipleReading(handles: handles))
    case .readMultipleVariable(let handles): .success(MultipleVariableReading(handles: handles))
    case .writeWithoutResponse, .writeSigned, .write, .writeReliably, .configure: writing(operation, mtu: mtu)
    }
  }

  private func writing(_ operation: GATTOperation, mtu: Int) -> Result<any GATTProcedure, GATTFailure> {
    switch operation {
    case .write(let handle, let value):
      guard value.count <= longestValue else {
        return .failure(.tooLong(octets: value.count, limit: longestValue))
      }
      guard value.count > mtu - 3 else { return .success(ValueWriting(handle: handle, value: value)) }
      return .success(PreparedWriting([RemoteValue(handle, value)], compares: false))
    case .writeReliably(let writes):
      if let longest = writes.map(\.value.count).max(), longest > longestValue {
        return .failure(.tooLong(octets: longest, limit: longestValue))
      }
      return .success(PreparedWriting(writes, compares: true))
    case .configure(let handle, let configuration):
      guard let descriptor = database.characteristic(withValue: handle)?.configuration else {
        return .failure(.noConfiguration(handle: handle))
      }
      return .success(ValueWriting(handle: descriptor, value: configuration.octets))
    default: return .failure(.tooFewAttributes)
    }
  }
}
