import BLEATT
import BLECore
import Capture

extension PacketDecoder {
  /// Processes a PDU of a bearer: nil for that on the fixed channel, otherwise the number of its channel.
  mutating func receiveATT(
    _ pdu: Span<UInt8>, bearer: UInt32?, on place: Int, _ summary: inout PacketSummary
  ) {
    summary.layer = .att
    guard pdu.count > 0 else {
      summary.fault = .malformed
      return
    }
    let opcode = ATTOpcode(rawValue: pdu[0])
    summary.opcode = UInt16(pdu[0])
    tellAttribute(opcode, pdu, &summary)
    switch opcode.kind {
    case .request:
      setRequest(openRequest(opcode, pdu, summary), bearer, on: place, summary.sender)
    case .response: receiveResponse(opcode, pdu, bearer, on: place, &summary)
    case .indication:
      let request = openRequest(opcode, pdu, summary)
      withBearer(bearer, on: place) { $0.indications[summary.sender.rawValue] = request }
    case .confirmation:
      let asker = summary.sender.other.rawValue
      var open: OpenRequest?
      withBearer(bearer, on: place) { swap(&open, &$0.indications[asker]) }
      tell(open, &summary)
    case .command, .notification: break
    }
    // The server is the sender of a response, notification or indication, and otherwise the other side.
    let server = opcode.kind.isForClient ? summary.sender : summary.sender.other
    if let attribute = summary.attribute, attribute != 0 {
      summary.attributeIndex = AttributePlace(table: links[place].tables[server.rawValue], handle: attribute)
      splice(pdu, on: place, summary)
    }
  }

  private mutating func withBearer(_ bearer: UInt32?, on place: Int, _ change: (inout BearerState) -> Void) {
    if let bearer {
      if links[place].bearers.count > LinkState.channelLimit { links[place].bearers.removeAll() }
      change(&links[place].bearers[bearer, default: BearerState()])
    } else {
      change(&links[place].bearer)
    }
  }

  private mutating func setRequest(
    _ request: OpenRequest, _ bearer: UInt32?, on place: Int, _ asker: PacketSender
  ) {
    withBearer(bearer, on: place) { $0.requests[asker.rawValue] = request }
  }

  /// Sets the attribute and value that a PDU names itself (Core 5.4 Vol 3 Part F 3.4).
  private func tellAttribute(_ opcode: ATTOpcode, _ pdu: Span<UInt8>, _ summary: inout PacketSummary) {
    switch opcode {
    case .readRequest, .readBlobRequest, .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest,
      .readByGroupTypeRequest:
      guard pdu.count >= 3 else { return summary.fault = .malformed }
      summary.attribute = pdu.word(1)
    case .writeRequest, .writeCommand, .handleValueNotification, .handleValueIndication:
      guard pdu.count >= 3 else { return summary.fault = .malformed }
      summary.attribute = pdu.word(1)
      summary.value = 3..<pdu.count
    case .signedWriteCommand:
      guard pdu.count >= 15 else { return summary.fault = .malformed }
      summary.attribute = pdu.word(1)
      summary.value = 3..<pdu.count - 12
    case .prepareWriteRequest, .prepareWriteResponse:
      guard pdu.count >= 5 else { return summary.fault = .malformed }
      summary.attribute = pdu.word(1)
      summary.value = 5..<pdu.count
    case .errorResponse:
      guard pdu.count == 5 else { return summary.fault = .malformed }
      summary.command = UInt16(pdu[1])
      summary.attribute = pdu.word(2)
      summary.status = pdu[4]
    case .multipleHandleValueNotification:
      guard pdu.count >= 5 else { return summary.fault = .malformed }
      summary.attribute = pdu.word(1)
    case .readResponse, .readBlobResponse: summary.value = 1..<pdu.count
    default: break
    }
  }

  private func openRequest(_ opcode: ATTOpcode, _ pdu: Span<UInt8>, _ summary: PacketSummary) -> OpenRequest {
    var request = OpenRequest(
      opcode: opcode.rawValue, number: summary.number, nanoseconds: summary.nanoseconds,
      attribute: summary.attribute ?? 0)
    switch opcode {
    case .readByTypeRequest, .readByGroupTypeRequest:
      if pdu.count == 7 { request.type = pdu.word(5) }
      request.typeOctets = pdu.array(from: 5, atMost: 16)
    case .findByTypeValueRequest where pdu.count >= 7:
      request.type = pdu.word(5)
      request.soughtValue = pdu.array(from: 7, atMost: 16)
    default: break
    }
    return request
  }

  private mutating func receiveResponse(
    _ opcode: ATTOpcode, _ pdu: Span<UInt8>, _ bearer: UInt32?, on place: Int, _ summary: inout PacketSummary
  ) {
    let asker = summary.sender.other.rawValue
    var open: OpenRequest?
    withBearer(bearer, on: place) { swap(&open, &$0.requests[asker]) }
    let expected = opcode == .errorResponse ? UInt8(truncatingIfNeeded: summary.command ?? 0) : opcode.rawValue &- 1
    guard let open, open.opcode == expected else {
      if summary.fault == nil { summary.fault = .unexpectedResponse }
      return
    }
    tell(open, &summary)
    switch opcode {
    case .findInformationResponse, .readByTypeResponse, .readByGroupTypeResponse, .findByTypeValueResponse:
      learn(opcode, pdu, open, links[place].tables[summary.sender.rawValue])
    default: break
    }
  }

  private func tell(_ open: OpenRequest?, _ summary: inout PacketSummary) {
    guard let open else {
      if summary.fault == nil { summary.fault = .unexpectedResponse }
      return
    }
    summary.request = open.number
    summary.latency = summary.nanoseconds.elapsed(since: open.nanoseconds)
    if summary.attribute == nil { summary.attribute = open.attribute }
  }

  // MARK: Discovery

  /// Learns a server's attributes from its discovery responses (Core 5.4 Vol 3 Part G 4.4 to 4.7).
  private mutating func learn(_ opcode: ATTOpcode, _ pdu: Span<UInt8>, _ request: OpenRequest, _ table: Int) {
    guard pdu.count >= 2 else { return }
    switch opcode {
    case .readByGroupTypeResponse where request.type == 0x2800 || request.type == 0x2801:
      forEachEntry(pdu, from: 2, length: Int(pdu[1]), least: 6) { handle, entry in
        if let uuid = BluetoothUUID(littleEndianOctets: entry.array(from: 4)) {
          tables[table].learn(handle, uuid, .service)
        }
      }
    case .findByTypeValueResponse where request.type == 0x2800:
      guard let uuid = BluetoothUUID(littleEndianOctets: request.soughtValue) else { return }
      forEachEntry(pdu, from: 1, length: 4, least: 4) { handle, _ in tables[table].learn(handle, uuid, .service) }
    case .readByTypeResponse where request.type == 0x2803:
      forEachEntry(pdu, from: 2, length: Int(pdu[1]), least: 7) { handle, entry in
        let value = UInt16(entry[3]) | UInt16(entry[4]) << 8
        guard let uuid = BluetoothUUID(littleEndianOctets: entry.array(from: 5)) else { return }
        tables[table].learn(handle, BluetoothUUID(0x2803), .declaration)
        tables.learnValue(value, uuid, in: table)
      }
    case .readByTypeResponse where request.type != 0x2802:
      guard let uuid = BluetoothUUID(littleEndianOctets: request.typeOctets) else { return }
      forEachEntry(pdu, from: 2, length: Int(pdu[1]), least: 2) { handle, _ in tables[table].learn(handle, uuid) }
    case .findInformationResponse:
      forEachEntry(pdu, from: 2, length: pdu[1] == 1 ? 4 : 18, least: 4) { handle, entry in
        if let uuid = BluetoothUUID(littleEndianOctets: entry.array(from: 2)) { tables[table].learn(handle, uuid) }
      }
    default: break
    }
  }

  /// Calls `body` with the handle and octets of every whole entry. The octets are no array: Swift 6.3.1 frees one that `body` ignores before
  /// it has written it.
  private func forEachEntry(
    _ pdu: Span<UInt8>, from start: Int, length: Int, least: Int, _ body: (UInt16, Span<UInt8>) -> Void
  ) {
    guard length >= least else { return }
    var offset = start
    while offset + length <= pdu.count {
      body(pdu.word(offset), pdu.extracting(offset..<offset + length))
      offset += length
    }
  }
}
