import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import Faults

/// What faults do with the PDUs of clients.
extension HostEngine {
  /// Lets faults have a client's PDU before the server gets it; true when the server does not. One that came before the answer to the
  /// one ahead of it is left to the server.
  mutating func isTaken(
    _ pdu: Span<UInt8>, on index: Int, over place: Int, at now: Instant, into out: inout HostOutput
  ) -> Bool {
    let (link, bearer) = (links[index].handle, links[index].bearers[place].id)
    guard faults?.muted.contains(link) != true else { return true }
    guard faults?.concerns(pdu) == true, links[index].bearers[place].att.openRequest == nil,
      let fault = faults?.fault(of: pdu, on: link, at: now)
    else { return false }
    noteFired(fault)
    report(fault, on: link, about: pdu, into: &out)
    let opcode = ATTOpcode(rawValue: pdu[0])
    let attribute = pdu.count > 2 && opcode.namesAttribute ? UInt16(pdu[1]) | UInt16(pdu[2]) << 8 : 0
    switch fault.deed {
    case .refuse(let error, let handle):
      guard opcode.kind == .request else { return true }
      let refusal = ErrorResponse(request: opcode, handle: handle ?? attribute, error: error)
      send(refusal.encodedPDU, over: bearer, of: link, at: now, into: &out)
      if reportsAccess { out.events.append(.server(link, .refused(opcode, handle: refusal.handle, error))) }
      return true
    case .delay(let delay):
      faults?.agenda.add(.take(pdu.withUnsafeBytes { Array($0) }, link, bearer), at: now + delay)
      return true
    case .ignore: return true
    case .repeatAnswer, .alter:
      if opcode.kind == .request { faults?.agenda.alterNextAnswer(over: bearer, of: link, fault.deed) }
      return false
    case .mtu(let mtu): return answerExchange(pdu, with: mtu, on: index, over: place, at: now, into: &out)
    case .disconnect(let reason, .before):
      disconnect(index, reason: reason)
      return true
    case .disconnect(_, .during) where opcode.kind == .request:
      faults?.agenda.alterNextAnswer(over: bearer, of: link, fault.deed)
      return false
    case .disconnect(let reason, _):
      faults?.agenda.leave(link, reason: reason)
      return false
    default:
      carryOut(fault.deed, on: link, at: now, into: &out)
      return fault.deed.endsLinks || faults?.muted.contains(link) == true
    }
  }

  /// Answers an Exchange MTU Request with that MTU (Core 5.4 Vol 3 Part F 3.4.2); false when the PDU is none.
  private mutating func answerExchange(
    _ pdu: Span<UInt8>, with mtu: Int, on index: Int, over place: Int, at now: Instant, into out: inout HostOutput
  ) -> Bool {
    guard place == 0, let request = try? ExchangeMTURequest(decodingPDU: pdu) else { return false }
    let link = links[index].handle
    links[index].bearers[0].att.setMTU(client: Int(request.clientMTU), server: mtu)
    let response = ExchangeMTUResponse(serverMTU: UInt16(clamping: mtu))
    send(response.encodedPDU, over: .fixed, of: link, at: now, into: &out)
    let event = ServerEvent.mtuExchanged(client: Int(request.clientMTU), effective: links[index].bearers[0].att.mtu)
    report([event], on: link, at: now, into: &out)
    return true
  }

  /// Sends a PDU of the server as it is.
  mutating func send(
    _ pdu: [UInt8], over bearer: BearerID, of link: ConnectionHandle, at now: Instant, into out: inout HostOutput
  ) {
    guard let index = index(of: link), let place = links[index].bearers.firstIndex(where: { $0.id == bearer }) else {
      return
    }
    scheduler.sendATT(over: bearer, of: link, into: &out) { $0.append(pdu) }
    submit(to: place, of: index, at: now, into: &out)
  }

  /// Tells that a fault has happened, with the characteristic that the PDU names.
  private func report(
    _ fault: Fault, on link: ConnectionHandle, about pdu: Span<UInt8>, into out: inout HostOutput
  ) {
    let opcode = ATTOpcode(rawValue: pdu[0])
    var characteristic: CharacteristicIndex?
    if opcode.namesAttribute, pdu.count > 2,
      let position = server.database.position(of: UInt16(pdu[1]) | UInt16(pdu[2]) << 8)
    {
      characteristic = server.database.attributes[position].characteristic
    }
    out.events.append(.injected(link, fault: fault.id, done: "\(opcode) \(fault.deed.text)", characteristic))
  }
}

extension ATTOpcode {
  /// Whether the handle of one attribute follows it.
  var namesAttribute: Bool {
    switch self {
    case .readRequest, .readBlobRequest, .writeRequest, .writeCommand, .signedWriteCommand, .prepareWriteRequest,
      .handleValueNotification, .handleValueIndication:
      true
    default: false
    }
  }
}

extension FaultDeed {
  /// Whether no link is left behind it.
  var endsLinks: Bool {
    switch self {
    case .vanish, .reboot, .resetController: true
    default: false
    }
  }
}
