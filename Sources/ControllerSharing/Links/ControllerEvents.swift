import BLECore
import BLEHCI

extension SharedController {
  /// Processes an event from the controller, and passes it to the hosts that it concerns. An event that does not fit its layout is
  /// dropped: the hosts notice that something is missing, and ask.
  mutating func receiveEvent(_ packet: Span<UInt8>, at now: Instant, into line: inout OctetBuffer) {
    do throws(LayoutFault) {
      let event = try EventPacket(packet)
      let parameters = packet.extracting(event.parameters)
      switch event.code {
      case .commandComplete, .commandStatus: receiveAnswer(event, in: packet, at: now, into: &line)
      // Events that arrive before the answer to a reset were sent before it (Core 5.4 Vol 4 Part E 7.3.2).
      case _ where isResetting: break
      case .numberOfCompletedPackets: split(parameters)
      case .hardwareError: controllerFailed(packet.h4(.event), at: now, into: &line)
      case .vendor:
        let event = try HCIVendorEvent.decodePrefix(of: parameters).value
        // Only the hosts know the manufacturer, and so whether the event really is an assertion.
        if event.zephyrAssertion != nil { isSuspect = true }
        tellAll(packet.h4(.event))
      case .dataBufferOverflow: tellAll(packet.h4(.event))
      case .disconnectionComplete:
        let ended = try HCIDisconnectionComplete.decodePrefix(of: parameters).value
        guard ended.status == .success else {
          deliver(packet.h4(.event), of: ended.connectionHandle)
          break
        }
        linkEnded(ended.connectionHandle, packet.h4(.event))
      case .leMeta: try receiveLEEvent(event, parameters, packet.h4(.event), at: now)
      default:
        if let handle = try Self.connection(of: event, parameters) { deliver(packet.h4(.event), of: handle) }
      }
    } catch {
      return
    }
  }

  private mutating func receiveLEEvent(
    _ event: EventPacket, _ parameters: Span<UInt8>, _ packet: [UInt8], at now: Instant
  ) throws(LayoutFault) {
    switch event.subevent {
    case .leConnectionComplete:
      let made = try LEConnectionComplete.decodePrefix(of: parameters).value
      linkCompleted(made.status, made.connectionHandle, packet, at: now)
    case .leEnhancedConnectionComplete:
      let made = try LEEnhancedConnectionComplete.decodePrefix(of: parameters).value
      linkCompleted(made.status, made.connectionHandle, packet, at: now)
    case .leAdvertisingSetTerminated:
      setTerminated(try LEAdvertisingSetTerminated.decodePrefix(of: parameters).value, at: now)
    case .leScanRequestReceived:
      var request = try LEScanRequestReceived.decodePrefix(of: parameters).value
      guard let set = sets.first(where: { $0.handle == request.advertisingHandle }) else { break }
      request.advertisingHandle = set.hostHandle
      give(request.h4, to: set.seat)
    default:
      if let handle = try Self.connection(of: event, parameters) { deliver(packet, of: handle) }
    }
  }

  private mutating func linkCompleted(
    _ status: ErrorCode, _ handle: ConnectionHandle, _ packet: [UInt8], at now: Instant
  ) {
    if status == .success { linkMade(handle, packet, at: now) } else { linkFailed(handle, packet) }
  }

  private mutating func setTerminated(_ event: LEAdvertisingSetTerminated, at now: Instant) {
    guard let set = sets.first(where: { $0.handle == event.advertisingHandle }) else {
      if event.status == .success { setUnknown(event.connectionHandle) }
      return
    }
    var rewritten = event
    rewritten.advertisingHandle = set.hostHandle
    if event.status == .success {
      setConnected(event.connectionHandle, of: set.seat, rewritten.h4, at: now)
    } else {
      give(rewritten.h4, to: set.seat)
    }
  }

  /// Reports completed packets to each host for its own connections.
  private mutating func split(_ parameters: Span<UInt8>) {
    var completions: [(seat: Seat, entry: CompletedPackets)] = []
    _ = HCINumberOfCompletedPackets.forEach(in: parameters) { handle, count in
      guard let seat = completed(handle, count) else { return }
      completions.append((seat, CompletedPackets(handle, count: UInt16(clamping: count))))
    }
    for seat in hosts.indices {
      let own = completions.filter { $0.seat == seat }.map(\.entry)
      if !own.isEmpty { give(HCINumberOfCompletedPackets { $0.completed = own }.h4, to: seat) }
    }
  }

  /// Returns the connection that an event is about; nil if it is not about a connection, or is unknown.
  private static func connection(
    of event: EventPacket, _ parameters: Span<UInt8>
  ) throws(LayoutFault) -> ConnectionHandle? {
    switch (event.code, event.subevent) {
    case (.encryptionChange, _): try HCIEncryptionChange.decodePrefix(of: parameters).value.connectionHandle
    case (.encryptionChangeV2, _): try HCIEncryptionChangeV2.decodePrefix(of: parameters).value.connectionHandle
    case (.readRemoteVersionInformationComplete, _):
      try HCIReadRemoteVersionInformationComplete.decodePrefix(of: parameters).value.connectionHandle
    case (.encryptionKeyRefreshComplete, _):
      try HCIEncryptionKeyRefreshComplete.decodePrefix(of: parameters).value.connectionHandle
    case (.authenticatedPayloadTimeoutExpired, _):
      try HCIAuthenticatedPayloadTimeoutExpired.decodePrefix(of: parameters).value.connectionHandle
    case (.leMeta, .leConnectionUpdateComplete):
      try LEConnectionUpdateComplete.decodePrefix(of: parameters).value.connectionHandle
    case (.leMeta, .leReadRemoteFeaturesComplete):
      try LEReadRemoteFeaturesComplete.decodePrefix(of: parameters).value.connectionHandle
    case (.leMeta, .leLongTermKeyRequest):
      try LELongTermKeyRequest.decodePrefix(of: parameters).value.connectionHandle
    case (.leMeta, .leRemoteConnectionParameterRequest):
      try LERemoteConnectionParameterRequest.decodePrefix(of: parameters).value.connectionHandle
    case (.leMeta, .leDataLengthChange):
      try LEDataLengthChange.decodePrefix(of: parameters).value.connectionHandle
    case (.leMeta, .lePHYUpdateComplete):
      try LEPHYUpdateComplete.decodePrefix(of: parameters).value.connectionHandle
    case (.leMeta, .leChannelSelectionAlgorithm):
      try LEChannelSelectionAlgorithm.decodePrefix(of: parameters).value.connectionHandle
    default: nil
    }
  }
}
