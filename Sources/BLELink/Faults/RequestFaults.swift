import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import Faults

/// Faults in the PDUs of clients.
extension HostEngine {
  /// Injects the fault that a client's PDU triggers; returns whether the PDU is used up. A PDU that arrives while the previous request
  /// is unanswered goes to the server.
  mutating func isUsedUp(
    _ pdu: Span<UInt8>, on link: LinkID, over bearer: BearerID, into out: inout HostOutput
  ) -> Bool {
    let connection = links[link].handle
    guard faults?.muted.contains(connection) != true else { return true }
    guard faults?.concerns(pdu) == true, links[link].bearers[bearer]?.att.openRequest == nil,
      let fault = faults?.fault(of: pdu, on: connection, at: out.now)
    else { return false }
    noteFired(fault)
    report(fault, on: connection, about: pdu, into: &out)
    let opcode = ATTOpcode(rawValue: pdu[0])
    let attribute = pdu.count > 2 && opcode.namesAttribute ? UInt16(pdu[1]) | UInt16(pdu[2]) << 8 : 0
    switch fault.action {
    case .refuse(let error, let handle):
      guard opcode.kind == .request else { return true }
      let refusal = ErrorResponse(request: opcode, handle: handle ?? attribute, error: error)
      send(refusal.encodedPDU, over: bearer, of: connection, into: &out)
      if reportsAccess { out.events.append(.server(connection, .refused(opcode, handle: refusal.handle, error))) }
      return true
    case .delay(let delay):
      faults?.agenda.add(.take(pdu.withUnsafeBytes { Array($0) }, connection, bearer), at: out.now + delay)
      return true
    case .ignore: return true
    case .repeatAnswer, .alter:
      if opcode.kind == .request { faults?.agenda.alterNextAnswer(over: bearer, of: connection, fault.action) }
      return false
    case .mtu(let mtu): return answerExchange(pdu, with: mtu, on: link, over: bearer, into: &out)
    case .disconnect(let reason, .before):
      disconnect(link, reason: reason)
      return true
    case .disconnect(_, .during) where opcode.kind == .request:
      faults?.agenda.alterNextAnswer(over: bearer, of: connection, fault.action)
      return false
    case .disconnect(let reason, _):
      faults?.agenda.leave(connection, reason: reason)
      return false
    default:
      carryOut(fault.action, on: connection, into: &out)
      return fault.action.endsLinks || faults?.muted.contains(connection) == true
    }
  }

  /// Answers an Exchange MTU Request with that MTU (Core 5.4 Vol 3 Part F 3.4.2); returns false if the PDU is another one.
  private mutating func answerExchange(
    _ pdu: Span<UInt8>, with mtu: Int, on link: LinkID, over bearer: BearerID, into out: inout HostOutput
  ) -> Bool {
    guard bearer == .fixed, let request = try? ExchangeMTURequest(decodingPDU: pdu) else { return false }
    let connection = links[link].handle
    links[link].bearers.fixed.att.setMTU(client: Int(request.clientMTU), server: mtu)
    let response = ExchangeMTUResponse(serverMTU: UInt16(clamping: mtu))
    send(response.encodedPDU, over: .fixed, of: connection, into: &out)
    let event = ServerEvent.mtuExchanged(client: Int(request.clientMTU), effective: links[link].bearers.fixed.att.mtu)
    report([event], on: connection, into: &out)
    return true
  }

  /// Sends a PDU of the server unaltered.
  mutating func send(
    _ pdu: [UInt8], over bearer: BearerID, of connection: ConnectionHandle, into out: inout HostOutput
  ) {
    guard let link = links.id(of: connection), links[link].bearers.contains(bearer) else { return }
    scheduler.sendATT(over: bearer, of: connection, into: &out) { $0.append(pdu) }
    submit(to: bearer, of: link, into: &out)
  }

  /// Reports that a fault has fired, with the characteristic that the PDU names.
  private func report(
    _ fault: Fault, on connection: ConnectionHandle, about pdu: Span<UInt8>, into out: inout HostOutput
  ) {
    let opcode = ATTOpcode(rawValue: pdu[0])
    var characteristic: CharacteristicIndex?
    if opcode.namesAttribute, pdu.count > 2,
      let position = server.database.position(of: UInt16(pdu[1]) | UInt16(pdu[2]) << 8)
    {
      characteristic = server.database.attributes[position].characteristic
    }
    out.events.append(.injected(connection, fault: fault.id, done: "\(opcode) \(fault.action.text)", characteristic))
  }
}

extension ATTOpcode {
  /// Whether a handle of one attribute follows it.
  var namesAttribute: Bool {
    switch self {
    case .readRequest, .readBlobRequest, .writeRequest, .writeCommand, .signedWriteCommand, .prepareWriteRequest,
      .handleValueNotification, .handleValueIndication:
      true
    default: false
    }
  }
}

extension FaultAction {
  /// Whether it ends all links.
  var endsLinks: Bool {
    switch self {
    case .vanish, .reboot, .resetController: true
    default: false
    }
  }
}
