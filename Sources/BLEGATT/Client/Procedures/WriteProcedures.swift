import BLEATT
import BLECore

/// Write Characteristic Value, for values that fit in one request (Core 5.4 Vol 3 Part G 4.9.3).
struct ValueWriting: GATTProcedure {
  let handle: UInt16
  let value: [UInt8]

  mutating func begin(mtu: Int) -> ProcedureStep { .send(WriteRequest(handle: handle, value: value)) }

  mutating func take(_ response: Span<UInt8>, mtu: Int) throws(GATTFailure) -> ProcedureStep {
    let _: WriteResponse = try decode(response)
    return .end(.success(.done))
  }
}

/// Write Long Characteristic Values, and Reliable Writes, which compare the echoed parts (Core 5.4 Vol 3 Part G 4.9.4, 4.9.5).
///
/// After any failure past the first part, the server's queue is cleared before the operation ends.
struct PreparedWriting: GATTProcedure {
  private let writes: [RemoteValue]
  private let compares: Bool
  /// The value whose parts are being sent, and below, how much of it the server has.
  private var position = 0
  private var offset = 0
  private var sent = PrepareWriteRequest()
  private var hasPrepared = false
  private var stage = Stage.preparing

  private enum Stage: Sendable {
    case preparing, executing
    /// The queue is being cleared because of this failure.
    case cancelling(GATTFailure)
  }

  init(_ writes: [RemoteValue], compares: Bool) {
    self.writes = writes
    self.compares = compares
  }

  mutating func begin(mtu: Int) -> ProcedureStep {
    writes.isEmpty ? .end(.failure(.tooFewAttributes)) : next(mtu: mtu)
  }

  private mutating func next(mtu: Int) -> ProcedureStep {
    guard position < writes.count else {
      stage = .executing
      return .send(ExecuteWriteRequest(flags: 1))
    }
    let write = writes[position]
    // Opcode, handle and offset take five octets.
    let part = write.value.dropFirst(offset).prefix(mtu - 5)
    sent = PrepareWriteRequest(handle: write.handle, offset: UInt16(clamping: offset), value: Array(part))
    return .send(sent)
  }

  mutating func take(_ response: Span<UInt8>, mtu: Int) throws(GATTFailure) -> ProcedureStep {
    switch stage {
    case .preparing:
      hasPrepared = true
      guard let echo = try? PrepareWriteResponse(decoding: response.extracting(1...)) else {
        return cancel(.violation(.malformed(PrepareWriteResponse.opcode)))
      }
      let isSame = echo.handle == sent.handle && echo.offset == sent.offset && echo.value == sent.value
      guard isSame || !compares else { return cancel(.mismatch(handle: sent.handle)) }
      offset += sent.value.count
      if offset >= writes[position].value.count { (position, offset) = (position + 1, 0) }
      return next(mtu: mtu)
    case .executing:
      let _: ExecuteWriteResponse = try decode(response)
      return .end(.success(.done))
    case .cancelling(let failure): return .end(.failure(failure))
    }
  }

  mutating func takeRefusal(_ refusal: ErrorResponse, mtu: Int) -> ProcedureStep {
    switch stage {
    case .preparing: cancel(refusal.failure)
    case .executing: .end(.failure(refusal.failure))
    case .cancelling(let failure): .end(.failure(failure))
    }
  }

  private mutating func cancel(_ failure: GATTFailure) -> ProcedureStep {
    guard hasPrepared else { return .end(.failure(failure)) }
    stage = .cancelling(failure)
    return .send(ExecuteWriteRequest(flags: 0))
  }
}
