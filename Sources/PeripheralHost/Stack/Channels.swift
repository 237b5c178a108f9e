import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESMP

extension HostStack {
  /// Takes an ACL packet: puts the L2CAP PDU together and gives it to its channel.
  mutating func receiveACL(_ packet: Span<UInt8>, at now: Instant, into out: inout HostOutput) {
    guard let header = try? ACLHeader(packet) else { return }
    guard let index = index(of: header.connectionHandle) else {
      return strangerSpoke(header.connectionHandle, into: &out)
    }
    hostBuffers.took(header.connectionHandle)
    let data = packet.extracting(ACLHeader.size...)
    let outcome = connections[index].recombiner.accept(header.boundary, data)
    if let fault = outcome.fault, !connections[index].mayMissOctets {
      noteDisturbance(.malformedACL(header.connectionHandle, "\(fault)"), into: &out)
    }
    if outcome.fault != nil || outcome.pdu != .none { connections[index].mayMissOctets = false }
    switch outcome.pdu {
    case .none: break
    case .whole: receivePDU(data, on: index, at: now, into: &out)
    case .assembled(let pdu): receivePDU(pdu.span, on: index, at: now, into: &out)
    }
  }

  /// Takes a whole L2CAP PDU of at least 4 octets and answers it straight into the output run.
  private mutating func receivePDU(
    _ pdu: Span<UInt8>, on index: Int, at now: Instant, into out: inout HostOutput
  ) {
    let handle = connections[index].handle
    guard !connections[index].isFlooding else { return }
    guard !scheduler.isFlooded(handle) else {
      connections[index].isFlooding = true
      out.events.append(.fault(.flooding(handle)))
      return disconnect(handle, reason: .remoteDeviceTerminatedLowResources)
    }
    let channel = ChannelID(rawValue: UInt16(pdu[2]) | UInt16(pdu[3]) << 8)
    let payload = pdu.extracting(BasicHeader.octetCount...)
    switch channel {
    case .attributeProtocol: receiveATT(payload, on: index, at: now, into: &out)
    case .signalling: receiveSignalling(payload, on: index, at: now, into: &out)
    case .securityManager:
      var isRefused = false
      scheduler.sendFrame(on: .securityManager, of: handle, into: &out.octets) { buffer in
        isRefused = PairingRefusal.receive(payload, reply: &buffer)
      }
      if isRefused { out.events.append(.pairingRefused(handle)) }
    case let channel where channel.isDynamic:
      receiveFrame(channel, payload, on: index, at: now, into: &out)
    default: noteDisturbance(.unknownChannel(handle, channel.rawValue), into: &out)
    }
  }

  private mutating func receiveATT(
    _ payload: Span<UInt8>, on index: Int, at now: Instant, into out: inout HostOutput
  ) {
    // What a server sends is for the client on this side; they share the bearer and its MTU.
    if payload.count > 0, ATTOpcode(rawValue: payload[0]).kind.isForClient {
      return receiveForClient(payload, on: index, at: now, into: &out)
    }
    let handle = connections[index].handle
    var effects = ServerEffects(reportsAccess: reportsAccess)
    scheduler.sendFrame(on: .attributeProtocol, of: handle, into: &out.octets) { buffer in
      connections[index].receiveRequest(
        payload, &server, &application, at: now, reply: &buffer, effects: &effects)
    }
    finish(effects, on: handle, at: now, into: &out)
  }

  /// Does what a PDU has led to besides its answer.
  mutating func finish(
    _ effects: ServerEffects, on handle: ConnectionHandle, at now: Instant, into out: inout HostOutput
  ) {
    if let indication = effects.nextIndication { send(indication, to: handle, into: &out) }
    report(effects.events, on: handle, at: now, into: &out)
    if !effects.actions.isEmpty { perform(effects.actions, at: now, into: &out) }
  }

  /// Reports what a client did, and keeps the application up to date on its subscribers.
  mutating func report(
    _ events: [ServerEvent], on handle: ConnectionHandle, at now: Instant, into out: inout HostOutput
  ) {
    for event in events {
      out.events.append(.server(handle, event))
      switch event {
      case .mtuExchanged(_, let effective): mtuSettled(effective, on: handle)
      case .subscriptionChanged(let characteristic, let configuration):
        if server.database[characteristic].belongsToApplication {
          application.configurationChanged(characteristic, of: handle.client, to: configuration, at: now)
        }
        subscribersChanged(characteristic, at: now, into: &out)
      case .confirmed(let attribute): confirmed(attribute, by: handle, at: now)
      default: break
      }
    }
  }
}
