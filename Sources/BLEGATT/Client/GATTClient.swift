import BLEATT
import BLECore

/// The GATT client of one peer's server (Core 5.4 Vol 3 Part G 4). It turns operations into requests, one at a time on each bearer, and
/// ends every operation with an event.
///
/// It processes only responses, notifications and indications (`ATTOpcode.Kind.isForClient`); requests, commands and confirmations on the
/// same bearers are for the server. Operations start in order, as soon as a bearer is free. Writes without response are sent at once. So
/// with one bearer, operations wait for each other; with several, only those that use the same attributes do.
public struct GATTClient: Sendable {
  /// The longest PDU that this side can receive, in octets.
  public let receiveMTU: Int
  /// The discovered database.
  public private(set) var database = RemoteDatabase()
  /// Whether each operation is reported by the event `began`.
  public var reportsBeginnings = false

  private var waiting: [Entry] = []
  /// The bearer of the fixed channel, followed by the enhanced ones.
  private var bearers = [ClientBearer(id: .fixed, mtu: ATTBearer.defaultMTU)]
  private var lastID: UInt64 = 0
  private(set) var hasExchangedMTU = false
  /// The handle of the Service Changed value, which never changes (Core 5.4 Vol 3 Part G 7.1).
  private var serviceChanged: UInt16?
  /// The reason why nothing more is sent.
  private var end: GATTFailure?

  private struct Entry: Sendable {
    let id: OperationID
    let operation: GATTOperation
    /// The required bearer; nil for any.
    var bearer: BearerID?
  }

  /// Creates a client on a bearer with the default MTU. `mtu` is the longest PDU that this side can receive, in octets.
  public init(mtu preferred: Int) { receiveMTU = min(max(ATTBearer.defaultMTU, preferred), 0xFFFF) }

  /// The number of operations that have not ended.
  public var pendingCount: Int { waiting.count + bearers.count { $0.current != nil } }

  /// The MTU of the bearer of the fixed channel, in octets.
  public var mtu: Int { bearers[0].mtu }

  /// The earliest deadline for a response.
  public var nextDeadline: Instant? {
    var deadline: Instant?
    for place in bearers.indices { deadline = Instant.earliest(deadline, bearers[place].deadline) }
    return deadline
  }

  /// Whether the server did not answer in time on the bearer of the fixed channel. Nothing more is sent on it (Core 5.4 Vol 3 Part F
  /// 3.3.3).
  public var hasTimedOut: Bool { end == .timedOut }

  // MARK: Operations

  /// Queues an operation. It starts as soon as the given bearer, or any, is free for it. A signed write needs the signature of
  /// `signedPart`.
  @discardableResult
  public mutating func perform(
    _ operation: GATTOperation, on bearer: BearerID? = nil, signature: [UInt8]? = nil, at now: Instant,
    into out: inout GATTClientOutput
  ) -> OperationID {
    lastID &+= 1
    let id = OperationID(rawValue: lastID)
    if reportsBeginnings { out.events.append(.began(id, operation)) }
    if let end {
      out.events.append(.ended(id, .failure(end)))
    } else if case .writeWithoutResponse(let handle, let value) = operation {
      out.events.append(.ended(id, command(handle, value, on: bearer, into: &out)))
    } else if case .writeSigned(let handle, let value) = operation {
      out.events.append(.ended(id, signedCommand(handle, value, signature, into: &out)))
    } else if let bearer, !bearers.contains(where: { $0.id == bearer }) {
      out.events.append(.ended(id, .failure(.closed)))
    } else {
      waiting.append(Entry(id: id, operation: operation, bearer: bearer))
      advance(at: now, into: &out)
    }
    return id
  }

  /// Appends a Write Command (Core 5.4 Vol 3 Part G 4.9.1) to `buffer` without an operation, for streams of them. Returns false, and
  /// appends nothing, if the value exceeds the MTU or the bearer has ended.
  public func appendWriteCommand(
    _ value: Span<UInt8>, to handle: UInt16, into buffer: inout OctetBuffer
  ) -> Bool {
    guard value.count <= mtu - 3, end == nil else { return false }
    WriteCommand.write(value, to: handle, into: &buffer)
    return true
  }

  /// Sends a Write Command on the first bearer that can carry it.
  private func command(
    _ handle: UInt16, _ value: [UInt8], on wanted: BearerID?, into out: inout GATTClientOutput
  ) -> GATTOutcome {
    let possible = bearers.filter { wanted == nil || $0.id == wanted }
    guard let bearer = possible.first(where: { value.count <= $0.mtu - 3 }) else {
      guard let limit = possible.map({ $0.mtu - 3 }).max() else { return .failure(.closed) }
      return .failure(.tooLong(octets: value.count, limit: limit))
    }
    out.send(WriteCommand(handle: handle, value: value), on: bearer.id)
    return .success(.done)
  }

  /// Returns the part of a signed write that is signed: the PDU up to the signature (Core 5.4 Vol 3 Part F 3.3.1).
  public static func signedPart(of handle: UInt16, _ value: [UInt8]) -> [UInt8] {
    SignedWriteCommand(handle: handle, valueAndSignature: value).encodedPDU
  }

  /// Sends a Signed Write Command, which is allowed only on the fixed channel (Core 5.4 Vol 3 Part G 4.2).
  private func signedCommand(
    _ handle: UInt16, _ value: [UInt8], _ signature: [UInt8]?, into out: inout GATTClientOutput
  ) -> GATTOutcome {
    let limit = mtu - 3 - SignedWriteCommand.signatureLength
    guard value.count <= limit else { return .failure(.tooLong(octets: value.count, limit: limit)) }
    guard let signature else { return .failure(.noSigningKey) }
    out.send(SignedWriteCommand(handle: handle, valueAndSignature: value + signature), on: .fixed)
    return .success(.done)
  }

  /// Starts waiting operations while bearers are available for them.
  private mutating func advance(at now: Instant, into out: inout GATTClientOutput) {
    while end == nil, let entry = waiting.first, let place = freeBearer(for: entry) {
      waiting.removeFirst()
      switch procedure(of: entry.operation, mtu: bearers[place].mtu) {
      case .success(var procedure):
        let step = procedure.begin(mtu: bearers[place].mtu)
        follow(step, entry, procedure, on: place, at: now, into: &out)
      case .failure(let failure): out.events.append(.ended(entry.id, .failure(failure)))
      }
    }
  }

  /// Returns the free bearer with the largest MTU for the next operation; nil if it must wait.
  private func freeBearer(for entry: Entry) -> Int? {
    // The MTU is exchanged only on the fixed channel (Core 5.4 Vol 3 Part G 4.2).
    let wanted = entry.operation == .exchangeMTU ? .fixed : entry.bearer
    var best: Int?
    for place in bearers.indices {
      if let current = bearers[place].current {
        if entry.operation.waits(for: current.operation) { return nil }
      } else if wanted == nil || bearers[place].id == wanted, best.map({ bearers[$0].mtu < bearers[place].mtu }) ?? true
      {
        best = place
      }
    }
    return best
  }

  private mutating func follow(
    _ step: ProcedureStep, _ entry: Entry, _ procedure: any GATTProcedure, on place: Int, at now: Instant,
    into out: inout GATTClientOutput
  ) {
    switch step {
    case .send(let request):
      out.send(request, on: bearers[place].id)
      bearers[place].deadline = now + ATTBearer.transactionTimeout
      bearers[place].current = ClientBearer.Transaction(
        id: entry.id, operation: entry.operation, procedure: procedure, request: type(of: request).opcode,
        mtu: bearers[place].mtu)
    case .end(let outcome):
      bearers[place].current = nil
      bearers[place].deadline = nil
      finish(entry, outcome, into: &out)
    }
  }

  /// Stores the result of an operation and reports its end.
  private mutating func finish(_ entry: Entry, _ outcome: GATTOutcome, into out: inout GATTClientOutput) {
    switch outcome {
    case .success(.mtu(let agreed)):
      hasExchangedMTU = true
      bearers[0].mtu = agreed
    case .success(.services(let found)):
      if [.discoverAll, .discoverByKind].contains(entry.operation) { database = RemoteDatabase() }
      database.learn(found)
    case .success(.includes(let found)): database.learn(found)
    case .success(.characteristics(let found)): database.learn(found)
    case .success(.descriptors(let found)): database.learn(found)
    case .failure(.refused(.databaseOutOfSync, _, _)):
      database = RemoteDatabase()
      out.events.append(.databaseOutOfSync)
    default: break
    }
    serviceChanged = database.characteristic(.serviceChanged)?.value ?? serviceChanged
    out.events.append(.ended(entry.id, outcome))
  }

  // MARK: From the server

  /// Processes a PDU of a bearer that is for a client. Ignores any other.
  public mutating func receive(
    _ pdu: Span<UInt8>, on bearer: BearerID = .fixed, at now: Instant, into out: inout GATTClientOutput
  ) {
    guard pdu.count > 0, end == nil, let place = bearers.firstIndex(where: { $0.id == bearer }) else { return }
    let opcode = ATTOpcode(rawValue: pdu[0])
    switch opcode.kind {
    case .notification, .indication: receiveValue(opcode, pdu, on: bearers[place], into: &out)
    case .response: receiveResponse(opcode, pdu, on: place, at: now, into: &out)
    case .request, .command, .confirmation: break
    }
  }

  private mutating func receiveResponse(
    _ opcode: ATTOpcode, _ pdu: Span<UInt8>, on place: Int, at now: Instant, into out: inout GATTClientOutput
  ) {
    let mtu = bearers[place].mtu
    guard var transaction = bearers[place].current else {
      out.events.append(.violation(.unexpectedResponse(opcode)))
      return
    }
    let step: ProcedureStep
    let smallerMTU = min(mtu, transaction.mtu)
    do throws(GATTFailure) {
      guard pdu.count <= max(mtu, transaction.mtu) else { throw .violation(.malformed(opcode)) }
      if opcode == .errorResponse {
        guard let refusal = try? ErrorResponse(decoding: pdu.extracting(1...)) else {
          throw .violation(.malformed(opcode))
        }
        guard refusal.request == transaction.request else {
          out.events.append(.violation(.unexpectedResponse(opcode)))
          return
        }
        step = transaction.procedure.takeRefusal(refusal, mtu: smallerMTU)
      } else {
        guard opcode == transaction.request.response else {
          out.events.append(.violation(.unexpectedResponse(opcode)))
          return
        }
        step = try transaction.procedure.take(pdu, mtu: smallerMTU)
      }
    } catch {
      step = .end(.failure(error))
    }
    let entry = Entry(id: transaction.id, operation: transaction.operation)
    follow(step, entry, transaction.procedure, on: place, at: now, into: &out)
    advance(at: now, into: &out)
  }

  /// Processes notifications and indications (Core 5.4 Vol 3 Part G 4.10, 4.11). An indication is confirmed even if its value is useless,
  /// because the server waits for that.
  private mutating func receiveValue(
    _ opcode: ATTOpcode, _ pdu: Span<UInt8>, on bearer: ClientBearer, into out: inout GATTClientOutput
  ) {
    if opcode == .multipleHandleValueNotification { return receiveValues(pdu, mtu: bearer.mtu, into: &out) }
    if opcode == .handleValueIndication { out.send(HandleValueConfirmation(), on: bearer.id) }
    guard pdu.count <= bearer.mtu, let push = try? HandleValueNotification(decoding: pdu.extracting(1...)),
      push.handle > 0
    else {
      out.events.append(.violation(.malformed(opcode)))
      return
    }
    guard opcode == .handleValueIndication else {
      out.events.append(.notification(handle: push.handle, value: push.value))
      return
    }
    out.events.append(.indication(handle: push.handle, value: push.value))
    if push.handle == serviceChanged { servicesChanged(push.value, into: &out) }
  }

  /// Forgets the services that a value of Service Changed names.
  private mutating func servicesChanged(_ value: [UInt8], into out: inout GATTClientOutput) {
    let range = Self.changedRange(value)
    database.forget(range)
    out.events.append(.servicesChanged(range))
  }

  /// Returns the handles in a value of Service Changed (Core 5.4 Vol 3 Part G 7.1). An invalid value means all handles.
  public static func changedRange(_ value: [UInt8]) -> ClosedRange<UInt16> {
    guard value.count == 4 else { return 1...0xFFFF }
    let first = UInt16(value[0]) | UInt16(value[1]) << 8
    let last = UInt16(value[2]) | UInt16(value[3]) << 8
    return first > 0 && first <= last ? first...last : 1...0xFFFF
  }

  /// Processes a list of handle, length and value (Core 5.4 Vol 3 Part F 3.4.7.4).
  private func receiveValues(_ pdu: Span<UInt8>, mtu: Int, into out: inout GATTClientOutput) {
    var offset = 1
    while offset + 4 <= pdu.count {
      let handle = UInt16(pdu[offset]) | UInt16(pdu[offset + 1]) << 8
      let end = offset + 4 + (Int(pdu[offset + 2]) | Int(pdu[offset + 3]) << 8)
      guard handle > 0, end <= pdu.count, pdu.count <= mtu else { break }
      let value = pdu.extracting(offset + 4..<end).withUnsafeBytes { Array($0) }
      out.events.append(.notification(handle: handle, value: value))
      offset = end
    }
    if offset != pdu.count || pdu.count == 1 {
      out.events.append(.violation(.malformed(.multipleHandleValueNotification)))
    }
  }

  // MARK: Bearers

  /// Sets the MTU of the fixed channel's bearer that the server on this side has agreed on.
  public mutating func setMTU(_ agreed: Int) { bearers[0].mtu = max(ATTBearer.defaultMTU, agreed) }

  /// Adds an enhanced bearer, or sets its new MTU, in octets.
  public mutating func use(_ bearer: BearerID, mtu: Int, at now: Instant, into out: inout GATTClientOutput) {
    if let place = bearers.firstIndex(where: { $0.id == bearer }) {
      bearers[place].mtu = mtu
    } else {
      bearers.append(ClientBearer(id: bearer, mtu: mtu))
    }
    advance(at: now, into: &out)
  }

  /// Adds these enhanced bearers, each with its MTU in octets, to a client that has not started any operation.
  public mutating func use(_ enhanced: [(id: BearerID, mtu: Int)]) {
    bearers += enhanced.map { ClientBearer(id: $0.id, mtu: $0.mtu) }
  }

  /// Removes an enhanced bearer that has ended. Operations that need it end as well.
  public mutating func leave(_ bearer: BearerID, at now: Instant, into out: inout GATTClientOutput) {
    end(bearer, .closed, into: &out)
    advance(at: now, into: &out)
  }

  private mutating func end(_ bearer: BearerID, _ failure: GATTFailure, into out: inout GATTClientOutput) {
    guard let place = bearers.firstIndex(where: { $0.id == bearer && $0.id != .fixed }) else { return }
    let ended = bearers.remove(at: place)
    var operations = ended.current.map { [$0.id] } ?? []
    operations += waiting.filter { $0.bearer == bearer }.map(\.id)
    waiting.removeAll { $0.bearer == bearer }
    for id in operations { out.events.append(.ended(id, .failure(failure))) }
  }

  /// Takes the database over from an earlier link to the same server.
  public mutating func know(_ known: RemoteDatabase) {
    database = known
    serviceChanged = known.characteristic(.serviceChanged)?.value ?? serviceChanged
  }

  /// Drops the discovered database, for example after a reconnection to a server that has changed.
  public mutating func forgetDatabase() { database = RemoteDatabase() }

  /// Ends the operations whose response is overdue at `now`: that on an enhanced bearer, or all of them if it is the bearer of the fixed
  /// channel. Returns the bearers on which nothing more is sent (Core 5.4 Vol 3 Part F 3.3.3).
  @discardableResult
  public mutating func advance(to now: Instant, into out: inout GATTClientOutput) -> [BearerID] {
    let overdue = bearers.filter { $0.deadline.map { $0 <= now } ?? false }.map(\.id)
    guard !overdue.isEmpty else { return [] }
    guard !overdue.contains(.fixed) else {
      stop(.timedOut, into: &out)
      return [.fixed]
    }
    for bearer in overdue { end(bearer, .timedOut, into: &out) }
    advance(at: now, into: &out)
    return overdue
  }

  /// Ends all operations because the link has ended.
  public mutating func close(into out: inout GATTClientOutput) {
    if end == nil { stop(.closed, into: &out) }
  }

  private mutating func stop(_ failure: GATTFailure, into out: inout GATTClientOutput) {
    end = failure
    let operations = bearers.compactMap { $0.current?.id } + waiting.map(\.id)
    for place in bearers.indices { (bearers[place].current, bearers[place].deadline) = (nil, nil) }
    waiting = []
    for id in operations { out.events.append(.ended(id, .failure(failure))) }
  }
}
