import BLEATT
import BLECore

/// Discover All Primary Services (Core 5.4 Vol 3 Part G 4.4.1), or the same for secondary services, which the specification allows a client
/// to look for, and names no procedure for (3.1).
struct AllServiceDiscovery: GATTProcedure {
  private let isPrimary: Bool
  private var cursor = HandleCursor(1...0xFFFF)
  private var found: [RemoteService] = []

  init(isPrimary: Bool = true) { self.isPrimary = isPrimary }

  mutating func begin(mtu: Int) -> ProcedureStep {
    guard let (start, end) = cursor.remaining else { return .end(.success(.services(found))) }
    return .send(
      ReadByGroupTypeRequest(start: start, end: end, type: isPrimary ? .primaryService : .secondaryService))
  }

  mutating func take(_ response: Span<UInt8>, mtu: Int) throws(GATTFailure) -> ProcedureStep {
    let page: ReadByGroupTypeResponse = try decode(response)
    let opcode = ReadByGroupTypeResponse.opcode
    let entries = try ResponseEntries(
      page.data, length: Int(page.length), allowed: { $0 == 6 || $0 == 20 }, in: opcode)
    for entry in 0..<entries.count {
      let (first, last) = (entries.word(entry, at: 0), entries.word(entry, at: 2))
      try cursor.pass(first, through: last, in: opcode)
      guard let uuid = BluetoothUUID(littleEndianOctets: entries.rest(entry, from: 4)) else {
        throw .violation(.malformed(opcode))
      }
      found.append(RemoteService(handles: first...last, uuid: uuid, isPrimary: isPrimary))
    }
    return begin(mtu: mtu)
  }

  mutating func takeRefusal(_ refusal: ErrorResponse, mtu: Int) -> ProcedureStep {
    // A server may refuse to group attributes by any type but that of primary services (Core 5.4 Vol 3 Part F 3.4.4.9).
    let isEnd = refusal.error == .attributeNotFound || (!isPrimary && refusal.error == .unsupportedGroupType)
    return .end(isEnd ? .success(.services(found)) : .failure(refusal.failure))
  }
}

/// Discover Primary Service by Service UUID (Core 5.4 Vol 3 Part G 4.4.2).
struct ServiceByUUIDDiscovery: GATTProcedure {
  let uuid: BluetoothUUID
  private var cursor = HandleCursor(1...0xFFFF)
  private var found: [RemoteService] = []

  init(uuid: BluetoothUUID) { self.uuid = uuid }

  mutating func begin(mtu: Int) -> ProcedureStep {
    guard let (start, end) = cursor.remaining else { return .end(.success(.services(found))) }
    return .send(FindByTypeValueRequest(start: start, end: end, type: 0x2800, value: uuid.littleEndianOctets))
  }

  mutating func take(_ response: Span<UInt8>, mtu: Int) throws(GATTFailure) -> ProcedureStep {
    let page: FindByTypeValueResponse = try decode(response)
    guard !page.handles.isEmpty else { throw .violation(.malformed(FindByTypeValueResponse.opcode)) }
    for group in page.handles {
      try cursor.pass(group.found, through: group.groupEnd, in: FindByTypeValueResponse.opcode)
      found.append(RemoteService(handles: group.found...group.groupEnd, uuid: uuid))
    }
    return begin(mtu: mtu)
  }

  mutating func takeRefusal(_ refusal: ErrorResponse, mtu: Int) -> ProcedureStep {
    .end(refusal.error == .attributeNotFound ? .success(.services(found)) : .failure(refusal.failure))
  }
}

/// Find Included Services (Core 5.4 Vol 3 Part G 4.5.1).
struct IncludeDiscovery: GATTProcedure {
  private var cursor: HandleCursor
  private var found: [RemoteInclude] = []
  /// The number of found includes whose UUID is known. If the declaration has no UUID, it is read from the service.
  private var resolved = 0
  private var isResolving = false

  init(_ range: ClosedRange<UInt16>) { cursor = HandleCursor(range) }

  mutating func begin(mtu: Int) -> ProcedureStep {
    while resolved < found.count {
      if found[resolved].uuid == nil {
        isResolving = true
        return .send(ReadRequest(handle: found[resolved].handles.lowerBound))
      }
      resolved += 1
    }
    guard let (start, end) = cursor.remaining else { return .end(.success(.includes(found))) }
    return .send(ReadByTypeRequest(start: start, end: end, type: .include))
  }

  mutating func take(_ response: Span<UInt8>, mtu: Int) throws(GATTFailure) -> ProcedureStep {
    if isResolving {
      let declaration: ReadResponse = try decode(response)
      return resolve(BluetoothUUID(littleEndianOctets: declaration.value), mtu: mtu)
    }
    let page: ReadByTypeResponse = try decode(response)
    let opcode = ReadByTypeResponse.opcode
    let entries = try ResponseEntries(
      page.data, length: Int(page.length), allowed: { $0 == 6 || $0 == 8 }, in: opcode)
    for entry in 0..<entries.count {
      let declaration = entries.word(entry, at: 0)
      try cursor.pass(declaration, through: declaration, in: opcode)
      let (first, last) = (entries.word(entry, at: 2), entries.word(entry, at: 4))
      guard first > 0, first <= last else { throw .violation(.handleOutOfOrder(opcode, handle: first)) }
      let uuid = entries.length == 8 ? BluetoothUUID(entries.word(entry, at: 6)) : nil
      found.append(RemoteInclude(declaration: declaration, handles: first...last, uuid: uuid))
    }
    return begin(mtu: mtu)
  }

  mutating func takeRefusal(_ refusal: ErrorResponse, mtu: Int) -> ProcedureStep {
    if isResolving { return resolve(nil, mtu: mtu) }
    return .end(refusal.error == .attributeNotFound ? .success(.includes(found)) : .failure(refusal.failure))
  }

  private mutating func resolve(_ uuid: BluetoothUUID?, mtu: Int) -> ProcedureStep {
    found[resolved].uuid = uuid
    resolved += 1
    isResolving = false
    return begin(mtu: mtu)
  }
}
