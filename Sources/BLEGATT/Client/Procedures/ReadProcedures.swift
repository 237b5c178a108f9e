import BLEATT
import BLECore

/// The maximum length of an attribute value, in octets (Core 5.4 Vol 3 Part F 3.2.9).
let longestValue = 512

/// Read Characteristic Value, and Read Long Characteristic Values if one response is not enough (Core 5.4 Vol 3 Part G 4.8.1, 4.8.3). After
/// a full response the value may continue.
struct ValueReading: GATTProcedure {
  let handle: UInt16
  /// The start offset, if it is not the whole value.
  private let offset: UInt16?
  private var value: [UInt8] = []
  private var isContinuing: Bool

  init(_ handle: UInt16, from offset: UInt16? = nil) {
    self.handle = handle
    self.offset = offset
    isContinuing = offset != nil
  }

  mutating func begin(mtu: Int) -> ProcedureStep {
    offset == nil ? .send(ReadRequest(handle: handle)) : nextPart()
  }

  private func nextPart() -> ProcedureStep {
    .send(ReadBlobRequest(handle: handle, offset: UInt16(clamping: Int(offset ?? 0) + value.count)))
  }

  mutating func take(_ response: Span<UInt8>, mtu: Int) throws(GATTFailure) -> ProcedureStep {
    let part: [UInt8]
    if isContinuing {
      let response: ReadBlobResponse = try decode(response)
      part = response.value
    } else {
      let response: ReadResponse = try decode(response)
      part = response.value
    }
    value += part
    let end = Int(offset ?? 0) + value.count
    guard end <= longestValue || part.isEmpty else { throw .violation(.valueTooLong) }
    guard part.count >= mtu - 1, end < longestValue else { return .end(.success(.value(value))) }
    isContinuing = true
    return nextPart()
  }

  /// Processes a refusal. A server may refuse to read past the end of a value that fills its response exactly.
  mutating func takeRefusal(_ refusal: ErrorResponse, mtu: Int) -> ProcedureStep {
    let isEnd = refusal.error == .attributeNotLong || refusal.error == .invalidOffset
    return .end(isEnd && !value.isEmpty ? .success(.value(value)) : .failure(refusal.failure))
  }
}

/// Read Using Characteristic UUID (Core 5.4 Vol 3 Part G 4.8.2).
struct ReadingByType: GATTProcedure {
  let type: BluetoothUUID
  private var cursor: HandleCursor
  private var values: [RemoteValue] = []

  init(_ type: BluetoothUUID, _ range: ClosedRange<UInt16>) {
    self.type = type
    cursor = HandleCursor(range)
  }

  mutating func begin(mtu: Int) -> ProcedureStep {
    guard let (start, end) = cursor.remaining else { return .end(.success(.values(values))) }
    return .send(ReadByTypeRequest(start: start, end: end, type: type))
  }

  mutating func take(_ response: Span<UInt8>, mtu: Int) throws(GATTFailure) -> ProcedureStep {
    let page: ReadByTypeResponse = try decode(response)
    let opcode = ReadByTypeResponse.opcode
    let entries = try ResponseEntries(page.data, length: Int(page.length), allowed: { $0 >= 2 }, in: opcode)
    // Longer values are truncated to this length (Core 5.4 Vol 3 Part F 3.4.4.2).
    let longest = min(mtu - 2, 255)
    for entry in 0..<entries.count {
      let handle = entries.word(entry, at: 0)
      try cursor.pass(handle, through: handle, in: opcode)
      values.append(RemoteValue(handle, entries.rest(entry, from: 2), isWhole: entries.length < longest))
    }
    return begin(mtu: mtu)
  }

  mutating func takeRefusal(_ refusal: ErrorResponse, mtu: Int) -> ProcedureStep {
    let isEnd = refusal.error == .attributeNotFound && !values.isEmpty
    return .end(isEnd ? .success(.values(values)) : .failure(refusal.failure))
  }
}

/// Read Multiple Characteristic Values (Core 5.4 Vol 3 Part G 4.8.4).
struct MultipleReading: GATTProcedure {
  let handles: [UInt16]

  mutating func begin(mtu: Int) -> ProcedureStep {
    guard handles.count >= 2 else { return .end(.failure(.tooFewAttributes)) }
    return .send(ReadMultipleRequest(handles: handles.map { HandleEntry(handle: $0) }))
  }

  mutating func take(_ response: Span<UInt8>, mtu: Int) throws(GATTFailure) -> ProcedureStep {
    let values: ReadMultipleResponse = try decode(response)
    return .end(.success(.value(values.values)))
  }
}

/// Read Multiple Variable Length Characteristic Values (Core 5.4 Vol 3 Part G 4.8.5).
struct MultipleVariableReading: GATTProcedure {
  let handles: [UInt16]

  mutating func begin(mtu: Int) -> ProcedureStep {
    guard handles.count >= 2 else { return .end(.failure(.tooFewAttributes)) }
    return .send(ReadMultipleVariableRequest(handles: handles.map { HandleEntry(handle: $0) }))
  }

  mutating func take(_ response: Span<UInt8>, mtu: Int) throws(GATTFailure) -> ProcedureStep {
    let list: ReadMultipleVariableResponse = try decode(response)
    let octets = list.values
    var values: [RemoteValue] = []
    var offset = 0
    // A full response may end within a tuple. It then has the values before it and a part of that one.
    while offset + 2 <= octets.count {
      guard values.count < handles.count else { throw .violation(.malformed(ReadMultipleVariableResponse.opcode)) }
      let length = Int(octets[offset]) | Int(octets[offset + 1]) << 8
      let end = min(offset + 2 + length, octets.count)
      values.append(
        RemoteValue(
          handles[values.count], Array(octets[offset + 2..<end]), isWhole: end == offset + 2 + length))
      offset = end
    }
    let isCut = offset < octets.count || values.count < handles.count || values.last?.isWhole == false
    guard !isCut || response.count >= mtu - 1 else {
      throw .violation(.malformed(ReadMultipleVariableResponse.opcode))
    }
    return .end(.success(.values(values)))
  }
}
