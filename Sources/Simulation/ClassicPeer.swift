import BLECore
import BLEHCI
import BLEL2CAP
import VirtualRadio

extension RadioSimulation {
  /// Adds a peer over BR/EDR on a new controller, which is brought up with the next exchange.
  package func addClassicPeer(_ address: DeviceAddress, usesSecureConnections: Bool = true) -> ClassicPeer {
    let configuration = ControllerConfiguration.dual.with(publicAddress: address)
    let id = air.addController(configuration: configuration)
    let peer = ClassicPeer(
      on: id, address, buffers: configuration.classic ?? .modern, usesSecureConnections: usesSecureConnections)
    add(peer)
    return peer
  }
}

/// A peer over BR/EDR as a raw host, for scripts: it sends commands, frames and C-frames as it is told, and answers its controller's
/// questions by its conduct. It has at most one link. Its owner takes the events, and answers ATT and SDP.
package final class ClassicPeer: RadioParticipant {
  /// What happened.
  package enum Event {
    /// An inquiry has found a device.
    case found(DeviceAddress)
    case inquiryEnded
    /// A name was asked for, or not told.
    case named(ErrorCode)
    case connected
    case connectionFailed(ErrorCode)
    case disconnected(ErrorCode)
    case authenticated(ErrorCode)
    case encrypted(Bool)
    /// A pairing shows these digits, to be entered at the other side.
    case shown(UInt32)
    case paired(LinkKeyType)
    case channel(ClassicChannelEvent)
    case sdu(ChannelID, [UInt8])
    /// A payload on a channel other than those of `channels`.
    case frame(ChannelID, [UInt8])
  }

  /// How it answers when it pairs.
  package struct Conduct: Hashable, Sendable {
    /// What its user does.
    package enum Answer: Hashable, Sendable {
      case accept, refuse, silence
      /// Accepts after this time.
      case late(Duration)
    }

    package var capability = SimplePairingIOCapability.displayYesNo
    package var requirements = AuthenticationRequirements.generalBonding
    package var answer = Answer.accept

    package init() {}
  }

  /// A link key, and how it was made.
  package struct LinkKey: Hashable, Sendable {
    package var octets: [UInt8]
    package var type: LinkKeyType

    package init(_ octets: [UInt8], _ type: LinkKeyType) { (self.octets, self.type) = (octets, type) }
  }

  package let controller: ControllerID
  package let address: DeviceAddress
  package var conduct = Conduct()
  /// The key of its bond; nil without one.
  package var linkKey: LinkKey?
  /// The digits that the other side shows to its user.
  package var shownToUser: () -> UInt32? = { nil }
  /// The events in order. The owner clears it.
  package var events: [Event] = []
  package private(set) var link: ConnectionHandle?
  package var isEncrypted = false
  package var channels = ClassicChannels()

  private let buffers: ClassicConfiguration
  private(set) var now = Instant.zero
  private var commands: [[UInt8]] = []
  private var isWaitingForAnswer = false
  private var packets: [[UInt8]] = []
  private var packetsHeld = 0
  private var output: [UInt8] = []
  private var later: [(due: Instant, command: () -> [UInt8])] = []
  private var deframer = H4Deframer(side: .host, maximumDataLength: 0xFFFF)
  private var recombiner = ACLRecombiner()
  private var channelEvents: [ClassicChannelEvent] = []

  init(
    on controller: ControllerID, _ address: DeviceAddress, buffers: ClassicConfiguration, usesSecureConnections: Bool
  ) {
    (self.controller, self.address, self.buffers) = (controller, address, buffers)
    send(HCIReset())
    send(HCISetEventMask { $0.eventMask = EventMask(rawValue: .max) })
    send(HCIWriteSimplePairingMode { $0.isEnabled = true })
    if usesSecureConnections { send(HCIWriteSecureConnectionsHostSupport { $0.isEnabled = true }) }
  }

  // MARK: Participant

  package var nextDeadline: Instant? {
    later.reduce(channels.nextDeadline) { Instant.earliest($0, $1.due) }
  }

  package func receive(_ octets: Span<UInt8>, at now: Instant) {
    self.now = now
    deframer.push(octets) { type, packet in
      switch type {
      case .event: receiveEvent(packet)
      case .acl: receiveData(packet)
      default: break
      }
    }
    pump()
  }

  package func advance(to now: Instant) {
    self.now = now
    for entry in later where entry.due <= now { commands.append(entry.command()) }
    later.removeAll { $0.due <= now }
    channels.advance(to: now, events: &channelEvents)
    pump()
  }

  package func drain(into buffer: inout OctetBuffer) {
    pump()
    buffer.append(output)
    output = []
  }

  // MARK: Sending

  /// Queues a command. The controller gets one at a time.
  package func send(_ command: some HCICommand) { commands.append(command.h4) }

  /// Queues a command that is made and sent after a time.
  func send(after time: Duration, _ command: @escaping () -> [UInt8]) { later.append((now + time, command)) }

  /// Queues a B-frame on any channel of the link.
  package func sendFrame(_ payload: [UInt8], on channel: ChannelID) {
    sendPDU(UInt16(clamping: payload.count).littleEndianOctets + channel.rawValue.littleEndianOctets + payload)
  }

  /// Queues octets as an L2CAP PDU, whether or not they have a valid header.
  package func sendPDU(_ octets: [UInt8]) {
    guard let link else { return }
    var offset = 0
    while offset < octets.count {
      let part = octets[offset..<min(octets.count, offset + Int(buffers.aclDataLength))]
      var buffer = OctetBuffer()
      ACLHeader(
        connectionHandle: link, boundary: offset == 0 ? .firstFromController : .continuing, length: part.count
      ).encodeH4(into: &buffer)
      packets.append(buffer.copy() + part)
      offset += part.count
    }
  }

  /// Opens a channel; nil without a link.
  package func open(_ psm: PSM, mtu: Int) -> ChannelID? {
    link == nil ? nil : channels.open(psm, parameters: ClassicChannelParameters(mtu: mtu))
  }

  /// Closes a channel.
  package func close(_ channel: ChannelID) { channels.close(channel, at: now, events: &channelEvents) }

  /// Moves what can be sent now to the output.
  private func pump() {
    var buffer = OctetBuffer()
    while link != nil, channels.hasPDU, channels.writePDU(at: now, into: &buffer, events: &channelEvents) {
      sendPDU(buffer.copy())
      buffer.removeAll()
    }
    while !packets.isEmpty, packetsHeld < Int(buffers.aclPacketCount) {
      output += packets.removeFirst()
      packetsHeld += 1
    }
    if !isWaitingForAnswer, !commands.isEmpty {
      output += commands.removeFirst()
      isWaitingForAnswer = true
    }
    events += channelEvents.map { .channel($0) }
    channelEvents = []
  }

  // MARK: Receiving

  private func receiveData(_ packet: Span<UInt8>) {
    guard let header = try? ACLHeader(packet), header.connectionHandle == link else { return }
    let data = packet.extracting(ACLHeader.size..<packet.count)
    switch recombiner.accept(header.boundary, data).pdu {
    case .none: break
    case .whole: receivePDU(data)
    case .assembled(let octets): receivePDU(octets.span)
    }
  }

  private func receivePDU(_ pdu: Span<UInt8>) {
    guard let (header, size) = try? BasicHeader.decodePrefix(of: pdu) else { return }
    let payload = pdu.extracting(size...)
    let octets = payload.withUnsafeBytes { Array($0) }
    guard header.channel != .classicSignalling else {
      _ = channels.receiveSignalling(
        payload, published: [], security: LinkSecurity(protection: .none), at: now, events: &channelEvents)
      return
    }
    guard header.channel.isClassicDynamic else { return events.append(.frame(header.channel, octets)) }
    switch channels.receiveFrame(header.channel, payload, at: now) {
    case .sdu: events.append(.sdu(header.channel, octets))
    case .unknownChannel: events.append(.frame(header.channel, octets))
    case .assembled(let sdu): events.append(.sdu(header.channel, sdu))
    case .incomplete, .discarded, .violation: break
    }
  }

  private func receiveEvent(_ packet: Span<UInt8>) {
    guard let event = try? EventPacket(packet) else { return }
    let parameters = packet.extracting(event.parameters)
    switch event.code {
    case .commandComplete, .commandStatus: isWaitingForAnswer = false
    case .numberOfCompletedPackets:
      guard let completed = try? HCINumberOfCompletedPackets.received(parameters) else { return }
      packetsHeld = max(0, packetsHeld - completed.completed.reduce(0) { $0 + Int($1.count) })
    default:
      if !receiveLinkEvent(event.code, parameters) { receiveSecurityEvent(event.code, parameters) }
    }
  }

  private func receiveLinkEvent(_ code: EventCode, _ parameters: Span<UInt8>) -> Bool {
    switch code {
    case .inquiryResult:
      let event = try? HCIInquiryResult.received(parameters)
      events += (event?.responses ?? []).map { .found($0.address) }
    case .inquiryResultWithRSSI:
      let event = try? HCIInquiryResultWithRSSI.received(parameters)
      events += (event?.responses ?? []).map { .found($0.address) }
    case .extendedInquiryResult:
      if let event = try? HCIExtendedInquiryResult.received(parameters) {
        events.append(.found(event.response.address))
      }
    case .inquiryComplete: events.append(.inquiryEnded)
    case .remoteNameRequestComplete:
      if let event = try? HCIRemoteNameRequestComplete.received(parameters) { events.append(.named(event.status)) }
    case .connectionComplete:
      guard let event = try? HCIConnectionComplete.received(parameters) else { break }
      guard event.status == .success else {
        events.append(.connectionFailed(event.status))
        break
      }
      linkEnded()
      link = event.connectionHandle
      events.append(.connected)
    case .disconnectionComplete:
      guard let event = try? HCIDisconnectionComplete.received(parameters), event.connectionHandle == link else {
        break
      }
      linkEnded()
      events.append(.disconnected(event.reason))
    default: return false
    }
    return true
  }

  /// Forgets everything that belongs to the link.
  private func linkEnded() {
    channels.linkLost(events: &channelEvents)
    (link, isEncrypted, packets, packetsHeld, later) = (nil, false, [], 0, [])
    recombiner.reset()
  }
}
