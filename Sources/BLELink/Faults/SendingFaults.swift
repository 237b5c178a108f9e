import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import Faults

/// A PDU that a server is about to send; all that faults need to know before it is written.
enum ServerPDU {
  case response
  /// A notification or an indication of the attribute with that handle; nil for several attributes.
  case push(UInt16?)
}

/// Faults in the PDUs of the server. All of these are sent here.
extension ACLScheduler {
  /// Sends a PDU of the server over a bearer, as altered by faults.
  mutating func sendATT(
    _ kind: ServerPDU, over bearer: BearerID, of connection: ConnectionHandle, through faults: inout FaultPlan?,
    into out: inout HostOutput, _ write: (inout OctetBuffer) -> Void
  ) {
    guard faults != nil, faults?.concerns(kind) == true else {
      return sendATT(over: bearer, of: connection, into: &out, write)
    }
    sendFaulty(over: bearer, of: connection, through: &faults, into: &out, write)
  }

  @inline(never)
  private mutating func sendFaulty(
    over bearer: BearerID, of connection: ConnectionHandle, through faults: inout FaultPlan?,
    into out: inout HostOutput, _ write: (inout OctetBuffer) -> Void
  ) {
    write(&out.faulty)
    defer { out.faulty.removeAll() }
    guard !out.faulty.isEmpty else { return }
    let pdu = out.faulty.copy()
    guard let altered = faults?.altered(pdu, over: bearer, of: connection, at: out.now, events: &out.events) else {
      return
    }
    sendATT(over: bearer, of: connection, into: &out) { $0.append(altered) }
  }
}

extension HostEngine {
  /// Describes a value of a characteristic that is about to be sent. Without faults, its handle is not looked up.
  func push(of characteristic: CharacteristicIndex) -> ServerPDU {
    .push(faults == nil ? nil : server.database[characteristic].value)
  }
}

extension FaultPlan {
  /// Returns what is sent in place of a PDU of the server; nil for nothing.
  fileprivate mutating func altered(
    _ pdu: [UInt8], over bearer: BearerID, of connection: ConnectionHandle, at now: Instant, events: inout [HostEvent]
  ) -> [UInt8]? {
    let opcode = ATTOpcode(rawValue: pdu[0])
    switch opcode.kind {
    case .response:
      guard let action = agenda.takePending(over: bearer, of: connection) else { return pdu }
      return answer(pdu, action, over: bearer, of: connection, at: now)
    case .notification, .indication:
      guard pdu.count > 2 else { return pdu }
      return value(pdu, opcode, over: bearer, of: connection, at: now, events: &events)
    default: return pdu
    }
  }

  private mutating func answer(
    _ pdu: [UInt8], _ action: FaultAction, over bearer: BearerID, of connection: ConnectionHandle, at now: Instant
  ) -> [UInt8]? {
    switch action {
    case .repeatAnswer(let count):
      for _ in 1..<max(1, count) { agenda.add(.send(pdu, connection, bearer), at: now) }
      return pdu
    case .alter(let alteration): return alteration.applied(to: pdu)
    case .disconnect(let reason, _):
      agenda.leave(connection, reason: reason)
      return nil
    default: return pdu
    }
  }

  private mutating func value(
    _ pdu: [UInt8], _ opcode: ATTOpcode, over bearer: BearerID, of connection: ConnectionHandle, at now: Instant,
    events: inout [HostEvent]
  ) -> [UInt8]? {
    let attribute = UInt16(pdu[1]) | UInt16(pdu[2]) << 8
    if keepsValues, opcode == .handleValueNotification { agenda.keepValue(pdu, on: connection) }
    // While one value is held back, no other of the attribute is.
    let isWaiting = agenda.isWaiting(attribute, on: connection)
    agenda.valueSent(attribute, on: connection, at: now)
    guard !isWaiting, let fault = fault(of: .push(opcode, attribute: attribute), on: connection, at: now) else {
      return pdu
    }
    events.append(.injected(connection, fault: fault.id, done: "\(opcode) \(fault.action.text)", nil))
    switch fault.action {
    case .drop, .ignore: return nil
    case .repeatPush(let count), .repeatAnswer(let count):
      for _ in 1..<max(1, count) { agenda.add(.send(pdu, connection, bearer), at: now) }
      return pdu
    case .reorder:
      agenda.letOvertake(pdu, connection, bearer)
      return nil
    case .holdBack(let delay), .delay(let delay):
      agenda.add(.send(pdu, connection, bearer), at: now + delay)
      return nil
    case .alter(let alteration): return alteration.applied(to: pdu)
    case .disconnect(let reason, let moment):
      agenda.leave(connection, reason: reason)
      return moment == .after ? pdu : nil
    default:
      agenda.add(.perform(fault.action, connection), at: now)
      return pdu
    }
  }
}

extension FaultAlteration {
  /// Returns a PDU of the server with the alteration.
  func applied(to pdu: [UInt8]) -> [UInt8] {
    let opcode = ATTOpcode(rawValue: pdu[0])
    // The octets before the value: the opcode, and the handle if there is one.
    let head = opcode.kind == .response ? 1 : 3
    switch self {
    case .truncate(let count): return Array(pdu.prefix(max(1, count)))
    case .lengthen(let count): return pdu + [UInt8](repeating: 0, count: max(0, count - pdu.count))
    case .corrupt: return pdu.prefix(head) + pdu.dropFirst(head).map { ~$0 }
    case .wrongRequest:
      // An Error Response names the request that it refuses: here a different one.
      guard opcode != .errorResponse || pdu.count < 2 else {
        let other = pdu[1] == ATTOpcode.writeRequest.rawValue ? ATTOpcode.readRequest : .writeRequest
        return [pdu[0], other.rawValue] + pdu.dropFirst(2)
      }
      // The shortest response, to a request that was not made (Core 5.4 Vol 3 Part F 3.4.5.2).
      return opcode == .writeResponse ? [ATTOpcode.readResponse.rawValue] : [ATTOpcode.writeResponse.rawValue]
    case .value(let octets): return pdu.prefix(head) + octets
    case .replace(let octets): return octets
    }
  }
}
