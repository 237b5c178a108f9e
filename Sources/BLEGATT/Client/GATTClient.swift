import BLEATT
import BLECore

/// The GATT client of one bearer (Core 5.4 Vol 3 Part G 4): operations go in, requests come out one at a time, and every
/// operation ends with an event.
///
/// It takes only responses, notifications and indications (`ATTOpcode.Kind.isForClient`); requests, commands and confirmations
/// on the same bearer are the server's. Operations wait for each other, but for writes without response, which go at once.
public struct GATTClient: Sendable {
  /// The longest PDU that this side can receive, in octets.
  public let receiveMTU: Int
  /// The MTU of the bearer, in octets.
  public private(set) var mtu = ATTBearer.defaultMTU
  /// What has been discovered.
  public private(set) var database = RemoteDatabase()
  /// When the server's answer is overdue.
  public private(set) var nextDeadline: Instant?
  /// Whether the event `began` is reported of each operation.
  public var reportsBeginnings = false

  private var waiting: [Entry] = []
  private var current: Transaction?
  private var lastID: UInt64 = 0
  private var hasExchangedMTU = false
  /// The value of Service Changed, which keeps its handle whatever else changes (Core 5.4 Vol 3 Part G 7.1).
  private var serviceChanged: UInt16?
  /// Why nothing more is sent.
  private var end: GATTFailure?

  private struct Entry: Sendable {
    let id: OperationID
    let operation: GATTOperation
  }

  /// The operation under way.
  private struct Transaction: Sendable {
    let id: OperationID
    let operation: GATTOperation
    var procedure: any GATTProcedure
    /// The request that waits for its response.
    var request: ATTOpcode
    /// The MTU when it was sent: the server on this side may agree on another one meanwhile, and the response be made by either.
    var mtu: Int
  }

  /// A client on a bearer at the default MTU; `mtu` is the longest PDU that this side can receive, in octets.
  public init(mtu preferred: Int) { receiveMTU = min(max(ATTBearer.defaultMTU, preferred), 0xFFFF) }

  /// How many operations have not ended.
  public var pendingCount: Int { waiting.count + (current == nil ? 0 : 1) }

  /// Whether the server did not answer in time: nothing more goes over this bearer (Core 5.4 Vol 3 Part F 3.3.3).
  public var hasTimedOut: Bool { end == .timedOut }

  // MARK: Operations

  /// Queues an operation and begins it as soon as those before it have ended.
  @discardableResult
  public mutating func perform(
    _ operation: GATTOperation, at now: Instant, into out: inout GATTClientOutput
  ) -> OperationID {
    lastID &+= 1
    let id = OperationID(rawValue: lastID)
    if reportsBeginnings { out.events.append(.began(id, operation)) }
    if let end {
      out.events.append(.ended(id, .failure(end)))
    } else if case .writeWithoutResponse(let handle, let value) = operation {
      out.events.append(.ended(id, command(handle, value, into: &out)))
    } else {
      waiting.append(Entry(id: id, operation: operation))
      advance(at: now, into: &out)
    }
    return id
  }

  /// Appends a Write Command (Core 5.4 Vol 3 Part G 4.9.1) to `buffer`, without an operation: for streams of them. False when
  /// the value does not fit the MTU or the bearer is at its end; nothing is appended then.
  public func appendWriteCommand(
    _ value: Span<UInt8>, to handle: UInt16, into buffer: inout OctetBuffer
  ) -> Bool {
    guard value.count <= mtu - 3, end == nil else { return false }
    buffer.append(ATTOpcode.writeCommand.rawValue)
    buffer.append(littleEndian: handle)
    buffer.append(value)
    return true
  }

  private func command(_ handle: UInt16, _ value: [UInt8], into out: inout GATTClientOutput) -> GATTOutcome {
    guard value.count <= mtu - 3 else { return .failure(.tooLong(octets: value.count, limit: mtu - 3)) }
    out.send(WriteCommand(handle: handle, value: value))
    return .success(.done)
  }

  /// Begins waiting operations until one has a request under way.
  private mutating func advance(at now: Instant, into out: inout GATTClientOutput) {
    while current == nil, end == nil, !waiting.isEmpty {
      let entry = waiting.removeFirst()
      switch procedure(of: entry.operation) {
      case .success(var procedure):
        let step = procedure.begin(mtu: mtu)
        follow(step, entry, procedure, at: now, into: &out)
      case .failure(let failure): out.events.append(.ended(entry.id, .failure(failure)))
      }
    }
  }

  private mutating func follow(
    _ step: ProcedureStep, _ entry: Entry, _ procedure: any GATTProcedure, at now: Instant,
    into out: inout GATTClientOutput
  ) {
    switch step {
    case .send(let request):
      out.send(request)
      nextDeadline = now + ATTBearer.transactionTimeout
      current = Transaction(
        id: entry.id, operation: entry.operation, procedure: procedure, request: type(of: request).opcode,
        mtu: mtu)
    case .end(let outcome):
      current = nil
      nextDeadline = nil
      finish(entry, outcome, into: &out)
    }
  }

  private func procedure(of operation: GATTOperation) -> Result<any GATTProcedure, GATTFailure> {
    switch operation {
    case .exchangeMTU: .success(hasExchangedMTU ? AgreedMTU() : MTUExchange(receiveMTU: receiveMTU))
    case .discoverAll: .success(DatabaseDiscovery())
    case .discoverPrimaryServices: .success(PrimaryServiceDiscovery())
    case .discoverPrimaryServicesByUUID(let uuid): .success(ServiceByUUIDDiscovery(uuid: uuid))
    case .findIncludedServices(let range): .success(IncludeDiscovery(range))
    case .discoverCharacteristics(let range, let uuid): .success(CharacteristicDiscovery(range, uuid: uuid))
    case .discoverDescriptors(let range): .success(DescriptorDiscovery(range))
    case .read(let handle): .success(ValueReading(handle))
    case .readFrom(let handle, let offset): .success(ValueReading(handle, from: offset))
    case .readByType(let type, let range): .success(ReadingByType(type, range))
    case .readMultiple(let handles): .success(MultipleReading(handles: handles))
    case .readMultipleVariable(let handles): .success(MultipleVariableReading(handles: handles))
    case .writeWithoutResponse, .write, .writeReliably, .configure: writing(operation)
    }
  }

  private func writing(_ operation: GATTOperation) -> Result<any GATTProcedure, GATTFailure> {
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

  /// Keeps what an operation has brought, and reports its end.
  private mutating func finish(_ entry: Entry, _ outcome: GATTOutcome, into out: inout GATTClientOutput) {
    switch outcome {
    case .success(.mtu(let agreed)):
      hasExchangedMTU = true
      mtu = agreed
    case .success(.services(let found)):
      if entry.operation == .discoverAll { database = RemoteDatabase() }
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

  /// Takes a PDU that is for a client; any other is passed over.
  public mutating func receive(_ pdu: Span<UInt8>, at now: Instant, into out: inout GATTClientOutput) {
    guard pdu.count > 0, end == nil else { return }
    let opcode = ATTOpcode(rawValue: pdu[0])
    switch opcode.kind {
    case .notification, .indication: receiveValue(opcode, pdu, into: &out)
    case .response: receiveResponse(opcode, pdu, at: now, into: &out)
    case .request, .command, .confirmation: break
    }
  }

  private mutating func receiveResponse(
    _ opcode: ATTOpcode, _ pdu: Span<UInt8>, at now: Instant, into out: inout GATTClientOutput
  ) {
    guard var transaction = current else {
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
    follow(step, entry, transaction.procedure, at: now, into: &out)
    advance(at: now, into: &out)
  }

  /// Notifications and indications (Core 5.4 Vol 3 Part G 4.10, 4.11); an indication is confirmed even when its value is of no
  /// use, because the server waits for that.
  private mutating func receiveValue(_ opcode: ATTOpcode, _ pdu: Span<UInt8>, into out: inout GATTClientOutput) {
    if opcode == .multipleHandleValueNotification { return receiveValues(pdu, into: &out) }
    if opcode == .handleValueIndication { out.send(HandleValueConfirmation()) }
    guard pdu.count <= mtu, let push = try? HandleValueNotification(decoding: pdu.extracting(1...)), push.handle > 0
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

  /// The value of Service Changed (Core 5.4 Vol 3 Part G 7.1); one that makes no sense counts as a change of everything.
  private mutating func servicesChanged(_ value: [UInt8], into out: inout GATTClientOutput) {
    var range: ClosedRange<UInt16> = 1...0xFFFF
    if value.count == 4 {
      let first = UInt16(value[0]) | UInt16(value[1]) << 8
      let last = UInt16(value[2]) | UInt16(value[3]) << 8
      if first > 0, first <= last { range = first...last }
    }
    database.forget(range)
    out.events.append(.servicesChanged(range))
  }

  /// Core 5.4 Vol 3 Part F 3.4.7.4: handle, length and value, again and again.
  private func receiveValues(_ pdu: Span<UInt8>, into out: inout GATTClientOutput) {
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

  // MARK: The bearer

  /// Takes an MTU that the server's side of the same bearer has agreed on.
  public mutating func setMTU(_ agreed: Int) { mtu = max(ATTBearer.defaultMTU, agreed) }

  /// Forgets what was discovered, as after a reconnection to a server that has changed.
  public mutating func forgetDatabase() { database = RemoteDatabase() }

  /// Ends everything when the server's answer is overdue at `now`.
  public mutating func advance(to now: Instant, into out: inout GATTClientOutput) {
    guard let nextDeadline, nextDeadline <= now else { return }
    stop(.timedOut, into: &out)
  }

  /// Ends everything because the bearer has.
  public mutating func close(into out: inout GATTClientOutput) {
    if end == nil { stop(.closed, into: &out) }
  }

  private mutating func stop(_ failure: GATTFailure, into out: inout GATTClientOutput) {
    end = failure
    nextDeadline = nil
    let operations = (current.map { [$0.id] } ?? []) + waiting.map(\.id)
    current = nil
    waiting = []
    for id in operations { out.events.append(.ended(id, .failure(failure))) }
  }
}
