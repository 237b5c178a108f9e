import BLEATT
import BLECore

/// Discover All Characteristics of a Service and Discover Characteristics by UUID (Core 5.4 Vol 3 Part G 4.6.1, 4.6.2). Both read the same
/// declarations, and the result is filtered by UUID.
struct CharacteristicDiscovery: GATTProcedure {
  let uuid: BluetoothUUID?
  private let range: ClosedRange<UInt16>
  private var cursor: HandleCursor
  private var found: [RemoteCharacteristic] = []

  init(_ range: ClosedRange<UInt16>, uuid: BluetoothUUID?) {
    self.range = range
    self.uuid = uuid
    cursor = HandleCursor(range)
  }

  mutating func begin(mtu: Int) -> ProcedureStep {
    guard let (start, end) = cursor.remaining else { return finish() }
    return .send(ReadByTypeRequest(start: start, end: end, type: .characteristic))
  }

  mutating func take(_ response: Span<UInt8>, mtu: Int) throws(GATTFailure) -> ProcedureStep {
    let page: ReadByTypeResponse = try decode(response)
    let opcode = ReadByTypeResponse.opcode
    let entries = try ResponseEntries(
      page.data, length: Int(page.length), allowed: { $0 == 7 || $0 == 21 }, in: opcode)
    for entry in 0..<entries.count {
      let (declaration, value) = (entries.word(entry, at: 0), entries.word(entry, at: 3))
      // The value follows its declaration (Core 5.4 Vol 3 Part G 3.3.2).
      guard value > declaration else { throw .violation(.handleOutOfOrder(opcode, handle: value)) }
      try cursor.pass(declaration, through: value, in: opcode)
      guard let uuid = BluetoothUUID(littleEndianOctets: entries.rest(entry, from: 5)) else {
        throw .violation(.malformed(opcode))
      }
      if let last = found.indices.last { found[last].end = declaration - 1 }
      found.append(
        RemoteCharacteristic(
          declaration: declaration, value: value, end: range.upperBound, uuid: uuid,
          properties: CharacteristicProperties(rawValue: entries.octet(entry, at: 2))))
    }
    return begin(mtu: mtu)
  }

  mutating func takeRefusal(_ refusal: ErrorResponse, mtu: Int) -> ProcedureStep {
    refusal.error == .attributeNotFound ? finish() : .end(.failure(refusal.failure))
  }

  private func finish() -> ProcedureStep {
    .end(.success(.characteristics(uuid == nil ? found : found.filter { $0.uuid == uuid })))
  }
}

/// Discover All Characteristic Descriptors (Core 5.4 Vol 3 Part G 4.7.1).
struct DescriptorDiscovery: GATTProcedure {
  private var cursor: HandleCursor
  private var found: [RemoteDescriptor] = []

  init(_ range: ClosedRange<UInt16>) { cursor = HandleCursor(range) }

  mutating func begin(mtu: Int) -> ProcedureStep {
    guard let (start, end) = cursor.remaining else { return .end(.success(.descriptors(found))) }
    return .send(FindInformationRequest(start: start, end: end))
  }

  mutating func take(_ response: Span<UInt8>, mtu: Int) throws(GATTFailure) -> ProcedureStep {
    let page: FindInformationResponse = try decode(response)
    let opcode = FindInformationResponse.opcode
    let length = page.format == 1 ? 4 : page.format == 2 ? 18 : 0
    let entries = try ResponseEntries(page.information, length: length, allowed: { $0 > 0 }, in: opcode)
    for entry in 0..<entries.count {
      let handle = entries.word(entry, at: 0)
      try cursor.pass(handle, through: handle, in: opcode)
      guard let uuid = BluetoothUUID(littleEndianOctets: entries.rest(entry, from: 2)) else {
        throw .violation(.malformed(opcode))
      }
      found.append(RemoteDescriptor(handle: handle, uuid: uuid))
    }
    return begin(mtu: mtu)
  }

  mutating func takeRefusal(_ refusal: ErrorResponse, mtu: Int) -> ProcedureStep {
    .end(refusal.error == .attributeNotFound ? .success(.descriptors(found)) : .failure(refusal.failure))
  }
}
