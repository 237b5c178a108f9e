import Bench
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import Transport

/// What comes in a session, and whether it is right.
extension SoakCentral {
  mutating func takeInSession(_ event: HostEvent, at now: Instant, into out: inout HostOutput) {
    // An accessory may ask for another supervision timeout at any time.
    if case .parametersChanged(session.link, _, _, let timeout) = event { timeoutChanged(timeout) }
    guard phase == .running else { return }
    switch event {
    case .client(session.link, let event): take(event, at: now, into: &out)
    case .channel(session.link, let event): take(event, at: now, into: &out)
    case .sdu(session.link, let channel, let sdu): take(sdu, on: channel, at: now, into: &out)
    case .readyForMore: break
    case .parametersChanged(session.link, let interval, _, _):
      guard case .update(let parameters) = session.action else { return }
      guard parameters.intervals.contains(interval) else {
        return abandon("the interval is \(interval)", at: now, into: &out)
      }
      ledger.count(.parameterUpdates)
      advance(at: now, into: &out)
    case .refused(.leConnectionUpdate, let status):
      abandon("the parameters cannot be changed: \(status)", at: now, into: &out)
    case .frame(session.link, let channel, _):
      if !session.isInterrupted { fault("a frame on channel \(channel) that does not exist", at: now) }
    default: break
    }
  }

  private mutating func timeoutChanged(_ timeout: Duration) {
    let old = session.plan.parameters.timeout
    session.plan.parameters.timeout = timeout
    guard phase == .leaving, timeout > old else { return }
    // The end was planned with the old timeout. A link out of reach for less than its timeout is not lost.
    if session.plan.end == .linkLoss { session.isInterrupted = true }
    deadline? += timeout - old
  }

  private mutating func take(_ event: GATTClientEvent, at now: Instant, into out: inout HostOutput) {
    switch event {
    case .ended(let id, let outcome):
      guard let operation = session.operation, operation.id == id else { return }
      session.operation = nil
      ended(outcome, after: now - operation.begun, at: now, into: &out)
    case .notification(let handle, let value): notified(handle, value, at: now, into: &out)
    case .indication(let handle, let value): indicated(handle, value, at: now, into: &out)
    case .violation(let violation): fault("\(violation)", at: now)
    case .began, .servicesChanged, .databaseOutOfSync: break
    }
  }

  // MARK: Operations

  private mutating func ended(
    _ outcome: GATTOutcome, after time: Duration, at now: Instant, into out: inout HostOutput
  ) {
    guard let action = session.action else { return }
    switch (action, outcome) {
    // The end of the link is reported separately.
    case (_, .failure(.closed)): break
    case (.readEverything, .failure(.refused)): readNext(at: now, into: &out)
    case (.subscribeToEverything, .failure(.refused)): subscribeNext(at: now, into: &out)
    case (_, .failure(let failure)): abandon("\(failure)", at: now, into: &out)
    case (_, .success(let result)): succeeded(action, result, after: time, at: now, into: &out)
    }
  }

  private mutating func succeeded(
    _ action: SoakAction, _ result: GATTResult, after time: Duration, at now: Instant, into out: inout HostOutput
  ) {
    if case .value(let value) = result { noteRead(value, after: time) }
    switch (action, result) {
    case (.exchangeMTU, _): ledger.count(.mtuExchanges)
    case (.discover, _):
      ledger.count(.discoveries)
      session.handles = stack.remoteDatabase(of: session.link).map { SoakHandles($0, central: number) } ?? SoakHandles()
    case (.readLabel, .value(let value)):
      guard value == SoakService.labelValue else { return abandon("read \(value.hexadecimal)", at: now, into: &out) }
    case (.readSlot, .value(let value)):
      // A read after Write Commands on the same link returns the value of the last of them.
      let wanted = session.isBehindCommands ? [session.written] : possible
      guard wanted.contains(value) else {
        let wanted = wanted.map(\.hexadecimal).joined(separator: " or ")
        possible = [value]
        return abandon("read \(value.hexadecimal), not \(wanted)", at: now, into: &out)
      }
      possible = [value]
    case (.openChannel, .value(let value)): return openChannel(value, at: now, into: &out)
    case (.readEverything, _): return readNext(at: now, into: &out)
    case (.subscribeToEverything, _): return subscribeNext(at: now, into: &out)
    case (.write, _):
      ledger.count(.writes)
      possible = [session.written]
    case (.writeCommands, _): return writeNextCommand(at: now, into: &out)
    case (.unsubscribe(let stream), _): unsubscribed(stream)
    default: break
    }
    advance(at: now, into: &out)
  }

  /// Counts the read. Only reads of one request show how long a request takes.
  private mutating func noteRead(_ value: [UInt8], after time: Duration) {
    ledger.count(.reads)
    let mtu = stack.linkStates.first { $0.handle == session.link }?.mtu ?? 23
    if value.count < mtu - 1 { ledger.reads.add(time) }
  }

  // MARK: Streams

  private mutating func notified(_ handle: UInt16, _ value: [UInt8], at now: Instant, into out: inout HostOutput) {
    ledger.count(.notifications)
    guard configuration.knowsAccessory else { return }
    guard handle == session.handles.sequence, session.streams.contains(.sequence) else {
      return abandon("a notification of \(handle) without a subscription", at: now, into: &out)
    }
    guard value.count == 20, value.suffix(16).elementsEqual(4..<20), let number = UInt32(littleEndian: value) else {
      return abandon("notified \(value.hexadecimal)", at: now, into: &out)
    }
    let isNext = session.sequence.map { number == $0 &+ 1 || (configuration.toleratesLoss && number > $0) } ?? true
    guard isNext else {
      return abandon("notification \(number) follows \(session.sequence ?? 0)", at: now, into: &out)
    }
    session.sequence = number
    took(.sequence, at: now, into: &out)
  }

  private mutating func indicated(_ handle: UInt16, _ value: [UInt8], at now: Instant, into out: inout HostOutput) {
    ledger.count(.indications)
    guard configuration.knowsAccessory else { return }
    guard handle == session.handles.steps, session.streams.contains(.steps) else {
      return abandon("an indication of \(handle) without a subscription", at: now, into: &out)
    }
    guard value.count == 4, let number = UInt32(littleEndian: value) else {
      return abandon("indicated \(value.hexadecimal)", at: now, into: &out)
    }
    // A newer value replaces one that waits for a confirmation.
    guard session.steps.map({ number > $0 }) ?? true else {
      return abandon("indication \(number) follows \(session.steps ?? 0)", at: now, into: &out)
    }
    session.steps = number
    took(.steps, at: now, into: &out)
  }

  private mutating func took(_ stream: SoakStream, at now: Instant, into out: inout HostOutput) {
    guard case .take(stream, let wanted) = session.action else { return }
    session.taken += 1
    if session.taken >= wanted { advance(at: now, into: &out) }
  }

  // MARK: The channel

  private mutating func take(_ event: ChannelEvent, at now: Instant, into out: inout HostOutput) {
    switch (event, session.action) {
    case (.opened(let status), .openChannel):
      session.channel = status
      ledger.count(.channels)
      advance(at: now, into: &out)
    case (.closed(let id, _, .local, _), .closeChannel) where id == session.channel?.id:
      session.channel = nil
      advance(at: now, into: &out)
    // The end of the link is reported separately.
    case (.closed(_, _, .linkLost, _), _): session.channel = nil
    case (.closed(_, _, let closure, _), _): abandon("the channel closed: \(closure)", at: now, into: &out)
    case (.maySend, .echo): sendEcho(at: now, into: &out)
    default: break
    }
  }

  private mutating func take(_ sdu: [UInt8], on channel: ChannelID, at now: Instant, into out: inout HostOutput) {
    guard channel == session.channel?.id, session.echo != nil else {
      return abandon("octets on an unused channel", at: now, into: &out)
    }
    session.echo?.take(sdu)
    guard let echo = session.echo, echo.isWhole else { return }
    session.echo = nil
    guard echo.isEqual else { return abandon("what came back differs from what was sent", at: now, into: &out) }
    ledger.count(.channelOctets, echo.payload.count)
    advance(at: now, into: &out)
  }
}

extension UInt32 {
  /// Makes the number from the first four octets; nil when there are fewer.
  fileprivate init?(littleEndian octets: [UInt8]) {
    guard octets.count >= 4 else { return nil }
    self = octets.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
