import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESMP

extension HostEngine {
  /// Handles an ACL packet: assembles the L2CAP PDU and passes it to its channel.
  mutating func receiveACL(_ packet: Span<UInt8>, into out: inout HostOutput) {
    guard let header = try? ACLHeader(packet) else { return }
    guard let link = links.id(of: header.connectionHandle) else {
      return unknownLinkSpoke(header.connectionHandle, into: &out)
    }
    hci.hostBuffers.took(header.connectionHandle)
    links[link].delivery.lastHeard = out.now
    let data = packet.extracting(ACLHeader.size...)
    let outcome = links[link].recombiner.accept(header.boundary, data)
    if outcome.fault != nil || outcome.pdu != .none { noteGap(outcome.fault, of: link, into: &out) }
    switch outcome.pdu {
    case .none: break
    case .whole: receivePDU(data, on: link, into: &out)
    case .assembled(let pdu): receivePDU(pdu.span, on: link, into: &out)
    }
  }

  /// Reports a PDU that could not be assembled, unless octets were lost on the line and that has been reported. In that case at least
  /// one packet was lost too: the host does not hold it, so its buffer is returned.
  private mutating func noteGap(_ fault: ACLRecombiner.Fault?, of link: LinkID, into out: inout HostOutput) {
    defer { links[link].mayMissOctets = false }
    guard let fault else { return }
    let handle = links[link].handle
    guard links[link].mayMissOctets else { return report(.malformedACL(handle, "\(fault)"), into: &out) }
    switch fault {
    case .abandoned, .unexpectedContinuation: hci.hostBuffers.took(handle)
    default: break
    }
  }

  /// Handles a complete L2CAP PDU of at least 4 octets, and writes the answer straight into the output run.
  private mutating func receivePDU(_ pdu: Span<UInt8>, on link: LinkID, into out: inout HostOutput) {
    let handle = links[link].handle
    guard !links[link].isClosing else { return }
    guard !scheduler.isFlooded(handle) else {
      out.events.append(.fault(.flooding(handle)))
      return disconnect(link, reason: .remoteDeviceTerminatedLowResources)
    }
    let channel = ChannelID(rawValue: UInt16(pdu[2]) | UInt16(pdu[3]) << 8)
    let payload = pdu.extracting(BasicHeader.octetCount...)
    if links[link].isClassic { return receiveClassic(payload, on: channel, of: link, into: &out) }
    if policy.relaysFrames, isRelayed(payload, on: channel) {
      return out.events.append(.frame(handle, channel, payload.withUnsafeBytes { Array($0) }))
    }
    switch channel {
    case .attributeProtocol: receiveATT(payload, on: link, over: .fixed, into: &out)
    case .signalling: receiveSignalling(payload, on: link, into: &out)
    case .securityManager where policy.security.pairing.isPairable || !policy.handsOnUnclaimedFrames:
      receiveSecurity(payload, on: link, into: &out)
    case let channel where channel.isDynamic:
      receiveFrame(channel, payload, on: link, into: &out)
    default: receiveUnclaimed(payload, on: channel, of: handle, into: &out)
    }
  }

  /// Returns whether a frame is passed to the owner of a host that relays frames.
  private func isRelayed(_ payload: Span<UInt8>, on channel: ChannelID) -> Bool {
    switch channel {
    case .securityManager: return false
    case .signalling:
      guard payload.count > 0 else { return true }
      let code = SignallingCode(rawValue: payload[0])
      return code != .connectionParameterUpdateRequest && code != .connectionParameterUpdateResponse
    default: return true
    }
  }

  /// Handles a frame on a channel without a receiver.
  mutating func receiveUnclaimed(
    _ payload: Span<UInt8>, on channel: ChannelID, of handle: ConnectionHandle, into out: inout HostOutput
  ) {
    guard policy.handsOnUnclaimedFrames else { return report(.unknownChannel(handle, channel.rawValue), into: &out) }
    out.events.append(.frame(handle, channel, payload.withUnsafeBytes { Array($0) }))
  }

  /// Handles a PDU on a bearer.
  mutating func receiveATT(_ payload: Span<UInt8>, on link: LinkID, over bearer: BearerID, into out: inout HostOutput) {
    guard payload.count > 0 else { return }
    // PDUs that a server sends are for this side's client, which shares the bearer and its MTU with the server.
    if ATTOpcode(rawValue: payload[0]).kind.isForClient {
      return receiveForClient(payload, on: link, over: bearer, into: &out)
    }
    if isIntercepted(payload, on: link, over: bearer, into: &out) { return }
    if policy.mtuAnswer != .accept, isPostponed(payload, on: link, over: bearer, into: &out) { return }
    serve(payload, on: link, over: bearer, into: &out)
  }

  /// Passes a PDU of the peer's client to the server and answers it.
  mutating func serve(_ payload: Span<UInt8>, on link: LinkID, over bearer: BearerID, into out: inout HostOutput) {
    let now = out.now
    let opcode = ATTOpcode(rawValue: payload[0])
    if opcode == .signedWriteCommand, bearer == .fixed, hasValidSignature(payload, on: link, into: &out) {
      return receiveSigned(payload, on: link, into: &out)
    }
    // A PDU on one bearer proves nothing about packets of another.
    let isProof = bearer == .fixed && opcode.kind != .command
    if isProof { links[link].delivery.proved(at: now) }
    let handle = links[link].handle
    var effects = ServerEffects(reportsAccess: reportsAccess)
    scheduler.sendATT(.response, over: bearer, of: handle, through: &faults, into: &out) { buffer in
      links[link].receiveForServer(
        payload, over: bearer, &server, &application, at: now, reply: &buffer, effects: &effects)
    }
    if isProof { links[link].delivery.awaited = scheduler.lastPacket(handle) }
    submit(to: bearer, of: link, into: &out)
    finish(effects, on: link, over: bearer, into: &out)
  }

  /// Handles a Signed Write Command with a valid signature.
  private mutating func receiveSigned(_ payload: Span<UInt8>, on link: LinkID, into out: inout HostOutput) {
    var effects = ServerEffects(reportsAccess: reportsAccess)
    links[link].receiveSigned(payload, &server, &application, at: out.now, effects: &effects)
    finish(effects, on: link, over: .fixed, into: &out)
  }

  /// Handles the effects of a PDU other than its answer.
  mutating func finish(_ effects: ServerEffects, on link: LinkID, over bearer: BearerID, into out: inout HostOutput) {
    let handle = links[link].handle
    if let indication = effects.nextIndication { send(indication, to: link, over: bearer, into: &out) }
    report(effects.events, on: handle, into: &out)
    if effects.lacksSecurity { accessRefused(on: handle, into: &out) }
    if !effects.actions.isEmpty { perform(effects.actions, into: &out) }
  }

  /// Reports what a client did, and informs the application about its subscribers.
  mutating func report(_ events: [ServerEvent], on handle: ConnectionHandle, into out: inout HostOutput) {
    let now = out.now
    for event in events {
      out.events.append(.server(handle, event))
      switch event {
      case .mtuExchanged(_, let effective):
        if let link = links.id(of: handle) { links[link].client?.setMTU(effective) }
        application.mtuExchanged(effective, with: handle.client, at: now)
      case .subscriptionChanged(let characteristic, let configuration):
        if server.database[characteristic].belongsToApplication {
          application.configurationChanged(characteristic, of: handle.client, to: configuration, at: now)
        }
        subscribersChanged(characteristic, into: &out)
        occurred(.subscriptionChanged(characteristic, configuration), on: handle, into: &out)
      case .featuresChanged: if let link = links.id(of: handle) { considerBearers(of: link) }
      case .confirmed(let attribute):
        confirmed(attribute, by: handle, at: now)
        occurred(.confirmed, on: handle, into: &out)
      default: break
      }
    }
  }
}
