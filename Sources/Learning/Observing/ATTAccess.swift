import BLEATT
import BLECore
import BLEGATT

/// A PDU between a client and a device's server, and what it shows about the server.
struct ATTAccess {
  /// The PDU.
  var pdu: [UInt8]
  /// The request that the PDU answers; nil if the capture lacks it.
  var request: [UInt8]?
  /// The values in the PDU, with their handles.
  var values: [(handle: UInt16, value: [UInt8])]
  /// Nanoseconds since 1970-01-01 00:00 UTC.
  var time: Int64
  /// Whether the link was encrypted.
  var isEncrypted: Bool

  private var content: [UInt8] { Array(pdu.dropFirst()) }

  /// Adds to the device what the PDU shows.
  func apply(to device: inout ObservedDevice) {
    switch ATTOpcode(rawValue: pdu[0]) {
    case .exchangeMTUResponse where pdu.count == 3: device.mtu = Int(pdu[1]) | Int(pdu[2]) << 8
    case .writeRequest, .writeCommand, .signedWriteCommand, .prepareWriteRequest: noteWrite(&device.server)
    case .writeResponse: answerWrite(nil, &device.server)
    case .errorResponse: noteRefusal(&device.server)
    case .handleValueNotification, .multipleHandleValueNotification: noteValues(.notified, &device.server)
    case .handleValueIndication: noteValues(.indicated, &device.server)
    default: if let request { noteResponse(to: request, &device.server) }
    }
  }

  private func noteValues(_ origin: ObservedServer.Sample.Origin, _ server: inout ObservedServer) {
    for (handle, value) in values {
      server.note(ObservedServer.Sample(time: time, value: value, origin: origin), of: handle)
    }
  }

  // MARK: Responses

  private func noteResponse(to request: [UInt8], _ server: inout ObservedServer) {
    switch ATTOpcode(rawValue: pdu[0]) {
    case .readResponse:
      guard let handle = Self.word(request, 1) else { return }
      server.note(ObservedServer.Sample(time: time, value: content, origin: .read), of: handle)
    case .readBlobResponse: noteBlob(request, &server)
    case .readByGroupTypeResponse: noteServices(request, &server)
    case .findByTypeValueResponse: noteServicesOfType(request, &server)
    case .readByTypeResponse: noteTyped(request, &server)
    case .findInformationResponse: noteTypes(&server)
    default: break
    }
  }

  /// Adds the next part of a long value.
  private func noteBlob(_ request: [UInt8], _ server: inout ObservedServer) {
    guard let handle = Self.word(request, 1), let offset = Self.word(request, 3) else { return }
    guard let last = server.samples[handle]?.indices.last, server.samples[handle]?[last].origin == .read,
      server.samples[handle]?[last].value.count == Int(offset)
    else { return }
    server.samples[handle]?[last].value += content
  }

  private func noteServices(_ request: [UInt8], _ server: inout ObservedServer) {
    guard let type = Self.word(request, 5), request.count == 7, type == 0x2800 || type == 0x2801 else { return }
    for entry in entries(length: pdu.count > 1 ? Int(pdu[1]) : 0, from: 2) {
      guard let start = Self.word(entry, 0), let end = Self.word(entry, 2), start <= end,
        let uuid = BluetoothUUID(littleEndianOctets: Array(entry.dropFirst(4)))
      else { continue }
      server.services[start] = ObservedServer.Service(end: end, uuid: uuid, isPrimary: type == 0x2800)
    }
  }

  private func noteServicesOfType(_ request: [UInt8], _ server: inout ObservedServer) {
    guard Self.word(request, 5) == 0x2800, let uuid = BluetoothUUID(littleEndianOctets: Array(request.dropFirst(7)))
    else { return }
    for entry in entries(length: 4, from: 1) {
      guard let start = Self.word(entry, 0), let end = Self.word(entry, 2), start <= end else { continue }
      server.services[start] = ObservedServer.Service(end: end, uuid: uuid, isPrimary: true)
    }
  }

  private func noteTyped(_ request: [UInt8], _ server: inout ObservedServer) {
    guard let type = BluetoothUUID(littleEndianOctets: Array(request.dropFirst(5))) else { return }
    for entry in entries(length: pdu.count > 1 ? Int(pdu[1]) : 0, from: 2) {
      guard let handle = Self.word(entry, 0) else { continue }
      let value = Array(entry.dropFirst(2))
      switch type.short {
      case 0x2803:
        guard value.count >= 5, let place = Self.word(value, 1),
          let uuid = BluetoothUUID(littleEndianOctets: Array(value.dropFirst(3)))
        else { continue }
        server.declarations[handle] = ObservedServer.Declaration(
          properties: CharacteristicProperties(rawValue: value[0]), value: place, uuid: uuid)
      case 0x2802:
        guard let start = Self.word(value, 0), let end = Self.word(value, 2), start <= end else { continue }
        server.includes[handle] = ObservedServer.Include(start: start, end: end)
        if let short = Self.word(value, 4), server.services[start] == nil {
          server.services[start] = ObservedServer.Service(end: end, uuid: BluetoothUUID(short), isPrimary: false)
        }
      default: server.note(ObservedServer.Sample(time: time, value: value, origin: .read), of: handle)
      }
    }
  }

  private func noteTypes(_ server: inout ObservedServer) {
    for entry in entries(length: pdu.count > 1 && pdu[1] == 1 ? 4 : 18, from: 2) {
      guard let handle = Self.word(entry, 0), let uuid = BluetoothUUID(littleEndianOctets: Array(entry.dropFirst(2)))
      else { continue }
      server.types[handle] = uuid
    }
  }

  // MARK: Writes and refusals

  private func noteWrite(_ server: inout ObservedServer) {
    guard let (handle, value) = values.first.map({ ($0.handle, $0.value) }) ?? Self.word(pdu, 1).map({ ($0, []) })
    else { return }
    let isCommand = pdu[0] & 0x40 != 0
    if pdu[0] == ATTOpcode.prepareWriteRequest.rawValue, let last = server.writes.indices.last,
      server.writes[last].handle == handle, !server.writes[last].isAnswered,
      Self.word(pdu, 3).map(Int.init) == server.writes[last].value.count
    {
      server.writes[last].value += value
      return
    }
    server.note(
      ObservedServer.Write(time: time, handle: handle, value: value, isCommand: isCommand, isAnswered: isCommand))
  }

  /// The maximum number of commands between a request and its response.
  private static let commandLimit = 256

  private func answerWrite(_ error: ATTErrorCode?, _ server: inout ObservedServer) {
    // Only commands can have come since the request.
    let recent = server.writes.indices.suffix(Self.commandLimit)
    guard let place = recent.last(where: { !server.writes[$0].isAnswered }) else { return }
    server.writes[place].isAnswered = true
    server.writes[place].answer = error
  }

  private func noteRefusal(_ server: inout ObservedServer) {
    guard let response = try? ErrorResponse(decoding: content), response.handle != 0 else { return }
    let isWrite: Bool
    switch response.request {
    case .writeRequest, .prepareWriteRequest, .executeWriteRequest:
      isWrite = true
      answerWrite(response.error, &server)
    case .readRequest, .readBlobRequest: isWrite = false
    // The handle is that of the attribute in the range that could not be read. Attribute Not Found only ends a discovery.
    case .readByTypeRequest where response.error != .attributeNotFound: isWrite = false
    default: return
    }
    server.note(
      ObservedServer.Refusal(isWrite: isWrite, error: response.error, isEncrypted: isEncrypted), of: response.handle)
  }

  // MARK: Octets

  private func entries(length: Int, from start: Int) -> [[UInt8]] {
    guard length >= 2 else { return [] }
    return stride(from: start, through: pdu.count - length, by: length).map { Array(pdu[$0..<$0 + length]) }
  }

  private static func word(_ octets: [UInt8], _ place: Int) -> UInt16? {
    place + 1 < octets.count ? UInt16(octets[place]) | UInt16(octets[place + 1]) << 8 : nil
  }
}
