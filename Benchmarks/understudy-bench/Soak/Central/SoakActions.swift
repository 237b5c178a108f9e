import BLECore
import Bench
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost

/// The actions of a session, one after the other.
extension SoakCentral {
  /// Goes on with the next action, or ends the session.
  mutating func advance(at now: Instant, into out: inout HostOutput) {
    session.position += 1
    session.operation = nil
    guard let action = session.action else { return leave(at: now, into: &out) }
    deadline = now + Self.actionLimit
    begin(action, at: now, into: &out)
  }

  private mutating func begin(_ action: SoakAction, at now: Instant, into out: inout HostOutput) {
    switch action {
    case .exchangeMTU: perform(.exchangeMTU, at: now, into: &out)
    case .discover: perform(.discoverAll, at: now, into: &out)
    case .readLabel: perform(session.handles.label.map { .read($0) }, at: now, into: &out)
    case .readSlot: perform(session.handles.slot.map { .read($0) }, at: now, into: &out)
    case .readEverything:
      session.remaining = session.handles.readable
      readNext(at: now, into: &out)
    case .write(let octets), .beginWrite(let octets):
      write(octets, at: now, into: &out)
      if case .beginWrite = action { advance(at: now, into: &out) }
    case .writeCommands:
      session.commands = 0
      writeNextCommand(at: now, into: &out)
    case .subscribe(let stream): subscribe(stream, isOn: true, at: now, into: &out)
    case .unsubscribe(let stream): subscribe(stream, isOn: false, at: now, into: &out)
    case .take: session.taken = 0
    case .subscribeToEverything:
      session.remaining = session.handles.notifiable
      subscribeNext(at: now, into: &out)
    case .openChannel: perform(session.handles.psm.map { .read($0) }, at: now, into: &out)
    case .echo(let octets):
      session.echo = SoakEcho(Ladder.payload(octets, seed: random.next()))
      sendEcho(at: now, into: &out)
    case .closeChannel:
      guard let channel = session.channel else { return advance(at: now, into: &out) }
      perform(.closeChannel(session.link, channel.id), at: now, into: &out)
    case .update(let parameters):
      session.plan.parameters = parameters
      perform(.updateParameters(session.link, parameters), at: now, into: &out)
    case .pause(let duration): deadline = now + duration
    }
  }

  mutating func perform(_ operation: GATTOperation?, at now: Instant, into out: inout HostOutput) {
    guard let operation else { return abandon("the accessory has no such characteristic", at: now, into: &out) }
    do throws(HostRequestError) {
      session.operation = (try stack.perform(operation, on: session.link, at: now, into: &out), now)
    } catch {
      abandon("the host refuses: \(error)", at: now, into: &out)
    }
  }

  // MARK: Writing

  private mutating func write(_ octets: Int, at now: Instant, into out: inout HostOutput) {
    session.written = Ladder.payload(octets, seed: random.next())
    possible.append(session.written)
    perform(session.handles.slot.map { .write($0, session.written) }, at: now, into: &out)
  }

  /// Sends the next Write Command as soon as the link accepts one.
  mutating func writeNextCommand(at now: Instant, into out: inout HostOutput) {
    guard case .writeCommands(let lengths) = session.action else { return }
    guard session.commands < lengths.count else { return advance(at: now, into: &out) }
    guard let slot = session.handles.slot else {
      return abandon("the accessory has no slot", at: now, into: &out)
    }
    let value = Ladder.payload(lengths[session.commands], seed: random.next())
    possible.append(value)
    session.written = value
    session.commands += 1
    ledger.count(.writeCommands)
    perform(.writeWithoutResponse(slot, value), at: now, into: &out)
  }

  // MARK: Everything

  mutating func readNext(at now: Instant, into out: inout HostOutput) {
    guard let handle = session.remaining.popLast() else { return advance(at: now, into: &out) }
    perform(.read(handle), at: now, into: &out)
  }

  mutating func subscribeNext(at now: Instant, into out: inout HostOutput) {
    guard let handle = session.remaining.popLast() else { return advance(at: now, into: &out) }
    perform(.configure(handle, .notification), at: now, into: &out)
  }

  // MARK: Streams

  private mutating func subscribe(
    _ stream: SoakStream, isOn: Bool, at now: Instant, into out: inout HostOutput
  ) {
    let kind: ClientConfiguration = stream == .sequence ? .notification : .indication
    if isOn { session.streams.insert(stream) }
    perform(handle(of: stream).map { .configure($0, isOn ? kind : []) }, at: now, into: &out)
  }

  func handle(of stream: SoakStream) -> UInt16? {
    stream == .sequence ? session.handles.sequence : session.handles.steps
  }

  /// Forgets the stream's last number. After the next subscription the first value may be any.
  mutating func unsubscribed(_ stream: SoakStream) {
    session.streams.remove(stream)
    if stream == .sequence { session.sequence = nil } else { session.steps = nil }
  }

  // MARK: The channel

  /// Opens the channel whose PSM the characteristic holds.
  mutating func openChannel(_ value: [UInt8], at now: Instant, into out: inout HostOutput) {
    guard value.count == 2 else { return abandon("the accessory publishes no PSM", at: now, into: &out) }
    let psm = SPSM(rawValue: UInt16(value[0]) | UInt16(value[1]) << 8)
    do throws(HostRequestError) {
      _ = try stack.openChannel(
        psm, on: session.link, parameters: ChannelParameters(mtu: 2048, mps: 247), at: now, into: &out)
    } catch {
      abandon("no channel can be opened: \(error)", at: now, into: &out)
    }
  }

  /// Sends as much as the channel accepts.
  mutating func sendEcho(at now: Instant, into out: inout HostOutput) {
    guard let channel = session.channel, session.echo != nil else {
      return abandon("there is no channel", at: now, into: &out)
    }
    while let echo = session.echo, echo.sent < echo.payload.count {
      let end = min(echo.payload.count, echo.sent + min(channel.sendMTU, 2048))
      let sdu = Array(echo.payload[echo.sent..<end])
      switch stack.sendSDU(sdu.span, on: channel.id, of: session.link, at: now, into: &out) {
      case .queued: session.echo?.sent = end
      case .full: return
      case .tooLong, .notOpen: return abandon("the channel accepts nothing", at: now, into: &out)
      }
    }
  }
}
