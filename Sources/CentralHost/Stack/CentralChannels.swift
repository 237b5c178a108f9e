import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

extension CentralStack {
  /// Takes an ACL packet: puts the L2CAP PDU together and gives it to its channel.
  mutating func receiveACL(_ packet: Span<UInt8>, at now: Instant, into out: inout CentralOutput) {
    guard let header = try? ACLHeader(packet) else { return }
    guard let index = index(of: header.connectionHandle) else {
      out.events.append(.fault(.unknownLink(header.connectionHandle)))
      return
    }
    let data = packet.extracting(ACLHeader.size...)
    let outcome = links[index].recombiner.accept(header.boundary, data)
    if let fault = outcome.fault { out.events.append(.fault(.malformedACL(header.connectionHandle, fault))) }
    switch outcome.pdu {
    case .none: break
    case .whole: receivePDU(data, on: index, at: now, into: &out)
    case .assembled(let pdu): receivePDU(pdu.span, on: index, at: now, into: &out)
    }
  }

  /// Takes a whole L2CAP PDU of at least 4 octets.
  private mutating func receivePDU(
    _ pdu: Span<UInt8>, on index: Int, at now: Instant, into out: inout CentralOutput
  ) {
    let handle = links[index].handle
    guard !links[index].isFlooding else { return }
    guard !scheduler.isFlooded(handle) else {
      links[index].isFlooding = true
      out.events.append(.fault(.flooding(handle)))
      return disconnect(handle, reason: .remoteDeviceTerminatedLowResources)
    }
    let channel = ChannelID(rawValue: UInt16(pdu[2]) | UInt16(pdu[3]) << 8)
    let payload = pdu.extracting(BasicHeader.octetCount...)
    switch channel {
    case .attributeProtocol: receiveATT(payload, on: index, at: now, into: &out)
    case .signalling: receiveSignalling(payload, on: index, at: now, into: &out)
    case let channel where channel.isDynamic: receiveFrame(payload, on: channel, of: index, into: &out)
    default: out.events.append(.frame(handle, channel, payload.withUnsafeBytes { Array($0) }))
    }
  }

  // MARK: ATT

  /// What a server sends is the client's; everything else is for the server on this side. They share the bearer and its MTU.
  private mutating func receiveATT(
    _ payload: Span<UInt8>, on index: Int, at now: Instant, into out: inout CentralOutput
  ) {
    guard payload.count > 0 else { return }
    if ATTOpcode(rawValue: payload[0]).kind.isForClient {
      links[index].client.receive(payload, at: now, into: &out.client)
      return flushClient(of: index, into: &out)
    }
    let handle = links[index].handle
    var effects = ServerEffects(reportsAccess: true)
    scheduler.sendFrame(
      onChannel: ChannelID.attributeProtocol.rawValue, of: handle, into: &out.octets
    ) { buffer in
      links[index].receiveRequest(payload, &server, &application, at: now, reply: &buffer, effects: &effects)
    }
    for event in effects.events {
      if case .mtuExchanged(_, let effective) = event { links[index].client.settleMTU(effective) }
      out.events.append(.server(handle, event))
    }
    if let indication = effects.nextIndication { send(indication, to: handle, into: &out) }
  }

  /// Frames what a link's client has to send, and reports what it has to say.
  mutating func flushClient(of index: Int, into out: inout CentralOutput) {
    let handle = links[index].handle
    out.client.forEachPDU { pdu in
      scheduler.sendFrame(
        onChannel: ChannelID.attributeProtocol.rawValue, of: handle, into: &out.octets
      ) { $0.append(pdu) }
    }
    let mtu = links[index].client.mtu
    if mtu != links[index].bearer.att.mtu { links[index].bearer.att.setMTU(client: mtu, server: mtu) }
    reportClient(handle, into: &out)
    out.client.removeAll()
  }

  func reportClient(_ handle: ConnectionHandle, into out: inout CentralOutput) {
    for event in out.client.events { out.events.append(.client(handle, event)) }
  }
}
