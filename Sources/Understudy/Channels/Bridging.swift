import AccessoryProfile
import BLECore
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Transport

/// Connecting channels to the lines that the profile assigns to them.
extension Accessory {
  /// Handles a channel event, for channels that are or will be bridged to a line.
  func follow(_ event: ChannelEvent, on handle: ConnectionHandle) {
    switch event {
    case .opened(let status):
      if status.isIncoming, let definition = channels.first(where: { $0.publishedPSM == status.psm }) {
        bridge(status, on: handle, to: definition)
      }
    case .closed(let id, _, _, _): change(id, on: handle) { $0.flow.channelEnded() }
    case .maySend(let id): change(id, on: handle) { $0.flow.channelDrained() }
    case .reconfigured(let id, let mtu, _): change(id, on: handle) { $0.flow.sendMTU = mtu }
    case .reconfigurationAnswered, .authorizationAsked, .peerRefused: break
    }
  }

  /// Passes an SDU to the channel's line. Returns false if the channel has no line.
  func carry(_ sdu: [UInt8], from id: ChannelID, of handle: ConnectionHandle) -> Bool {
    guard let bridge = bridge(of: id, on: handle) else { return false }
    bridge.flow.received(sdu)
    pump(bridge)
    return true
  }

  /// Returns the bridge of a channel that has not ended.
  func bridge(of id: ChannelID, on handle: ConnectionHandle) -> ChannelBridge? {
    for bridge in bridges
    where bridge.channel.channel == id && bridge.channel.handle == handle && !bridge.flow.hasChannelEnded {
      return bridge
    }
    return nil
  }

  private func change(_ id: ChannelID, on handle: ConnectionHandle, _ body: (ChannelBridge) -> Void) {
    guard let bridge = bridge(of: id, on: handle) else { return }
    body(bridge)
    pump(bridge)
    guard bridge.flow.hasChannelEnded else { return }
    // If no program has opened the terminal, nobody can miss what was sent to it.
    if bridge.terminal != nil, bridge.line == nil { end(bridge) } else { watchOver(bridge) }
  }

  // MARK: - Opening

  private func bridge(_ status: ChannelStatus, on handle: ConnectionHandle, to definition: ChannelDefinition) {
    let channel = BridgedChannel(handle: handle, channel: status.id, id: definition.id)
    switch definition.handler {
    case .echo, .sink, .source, .rules: break
    case .file(let path): connect(channel, status.sendMTU, to: .file(path: path), isReadOnly: true)
    case .tcp(let host, let port): connect(channel, status.sendMTU, to: .tcp(host: host, port: port))
    case .unix(let path): connect(channel, status.sendMTU, to: .unix(path: path))
    case .pty(let link): offerTerminal(channel, status.sendMTU, link: link)
    }
  }

  /// Adds a bridge that has no line yet; the central is held.
  func add(_ channel: BridgedChannel, _ flow: BridgeFlow, place: String) -> ChannelBridge {
    let bridge = ChannelBridge(number: nextBridge, channel: channel, place: place, flow: flow)
    nextBridge += 1
    bridges.append(bridge)
    pump(bridge)
    return bridge
  }

  private func connect(_ channel: BridgedChannel, _ sendMTU: Int, to place: LinePlace, isReadOnly: Bool = false) {
    let flow = BridgeFlow(sendMTU: sendMTU, isReadOnly: isReadOnly)
    let number = add(channel, flow, place: place.description).number
    loop.open(place) { [weak self] outcome in self?.assumeIsolated { $0.connected(number, outcome) } }
  }

  private func connected(_ number: Int, _ outcome: Result<Line, TransportError>) {
    guard let bridge = bridges.first(where: { $0.number == number }) else { return }
    switch outcome {
    case .success(let line):
      bridge.line = line
      bridge.flow.lineOpened()
      emit(.bridge(.bridged(bridge.channel, place: bridge.place)))
    case .failure(let error): fail(bridge, error.why)
    }
    pump(bridge)
    flush(at: loop.now())
  }

  // MARK: - Lines

  private func lineReady(of number: Int, _ events: PollEvents) {
    guard let bridge = bridges.first(where: { $0.number == number }), let line = bridge.line else { return }
    if bridge.flow.wantsWriting { note(line.flush(), of: bridge) }
    if bridge.flow.wantsReading || bridge.isParting { read(line, of: bridge) }
    pump(bridge)
    flush(at: loop.now())
  }

  private func read(_ line: Line, of bridge: ChannelBridge) {
    var octets = OctetBuffer()
    switch line.read(into: &octets) {
    case .octets: bridge.flow.lineRead(octets.copy())
    case .wouldBlock: break
    case .closed: bridge.flow.lineEnded()
    case .failed(let code): fail(bridge, TransportError.text(ofErrno: code))
    }
  }

  private func note(_ outcome: WriteOutcome, of bridge: ChannelBridge) {
    switch outcome {
    case .sent: bridge.flow.lineWrote(isBusy: false)
    case .queued: bridge.flow.lineWrote(isBusy: true)
    // Keep reading: the read reports the end after everything received before it.
    case .closed: bridge.flow.lineRefused()
    case .overLimit: fail(bridge, "it accepts no more octets")
    case .failed(let code): fail(bridge, TransportError.text(ofErrno: code))
    }
    bridge.progress += 1
  }

  /// Handles a line that can no longer be used, or could not be opened.
  private func fail(_ bridge: ChannelBridge, _ reason: String) {
    bridge.flow.lineRefused()
    bridge.flow.lineEnded()
    guard !bridge.flow.hasChannelEnded else { return }
    emit(.bridge(.failed(bridge.channel, place: bridge.place, reason: reason)))
  }

  // MARK: - Updating both sides

  func pump(_ bridge: ChannelBridge) {
    let octets = bridge.flow.takeIncoming()
    if !octets.isEmpty, let line = bridge.line { note(line.write(octets.span), of: bridge) }
    send(from: bridge)
    let (handle, id) = (bridge.channel.handle, bridge.channel.channel)
    if bridge.flow.wantsHold != bridge.isHeld, !bridge.flow.hasChannelEnded {
      bridge.isHeld = bridge.flow.wantsHold
      tell(.hold(handle, id, bridge.isHeld))
    }
    if bridge.flow.wantsChannelClosed, !bridge.isClosing {
      bridge.isClosing = true
      tell(.close(handle, id))
    }
    if bridge.flow.wantsLineClosed { part(bridge) }
    updateInterest(bridge)
  }

  private func send(from bridge: ChannelBridge) {
    while let sdu = bridge.flow.nextSDU {
      let count = sdu.count
      do throws(HostRequestError) {
        let request = ChannelRequest.send(bridge.channel.handle, bridge.channel.channel, Array(sdu))
        try stack.perform(.channel(request), at: loop.now(), into: &out)
        bridge.flow.sent(count)
      } catch {
        // A channel that is being closed also accepts nothing, and later reports that it has ended.
        return bridge.flow.channelFilled()
      }
    }
  }

  /// Passes a request to the host. Errors are ignored, because a channel that no longer exists reports its end separately.
  private func tell(_ request: ChannelRequest) {
    try? stack.perform(.channel(request), at: loop.now(), into: &out)
  }

  private func updateInterest(_ bridge: ChannelBridge) {
    guard let line = bridge.line, line.descriptor >= 0 else { return }
    var interest: PollEvents = []
    if bridge.flow.wantsReading || bridge.isParting { interest.insert(.readable) }
    if bridge.flow.wantsWriting { interest.insert(.writable) }
    guard interest != bridge.watch?.interest ?? [] else { return }
    if let watch = bridge.watch {
      // With an empty interest, poll would keep reporting that the other side has hung up.
      if interest.isEmpty { loop.unwatch(watch.id) } else { loop.setInterest(watch.id, interest) }
      bridge.watch = interest.isEmpty ? nil : (watch.id, interest)
    } else {
      let number = bridge.number
      let id = loop.watch(line.descriptor, interest, isPeer: true) { [weak self] events in
        self?.assumeIsolated { $0.lineReady(of: number, events) }
      }
      bridge.watch = (id, interest)
    }
  }
}

extension ChannelDefinition {
  /// The channel's PSM while the accessory runs.
  var publishedPSM: SPSM? { if case .fixed(let psm) = psm { SPSM(rawValue: psm) } else { nil } }
}
