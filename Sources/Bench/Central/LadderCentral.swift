import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost

/// A central that performs one step: it connects, sets up the link as the step wants, sends the payload, and
/// waits until all of it is acknowledged.
///
/// Like the hosts, it does no input or output: octets, deadlines and the time go in, octets come out.
package struct LadderCentral: Sendable {
  /// The progress of the step.
  package enum Progress: Hashable, Sendable {
    case underWay
    /// Everything is acknowledged. The link still exists, so that the accessory can report what arrived; `disconnect` ends it.
    case sent(Transfer)
    /// The link has ended after the transfer.
    case over
    case failed(StepFailure)
  }

  /// The step to perform.
  package let step: LadderStep
  /// The progress of the step.
  package internal(set) var progress = Progress.underWay
  var stack: CentralStack
  let payload: [UInt8]
  private let peer: DeviceAddress
  private let peerType: AddressType
  /// The speed of the slower of the two lines to the controllers, in bit/s; nil if unknown.
  let lineRate: Int?

  private var phase = Phase.connecting
  /// The time limit of what it waits for.
  var deadline: Instant?
  var handle = ConnectionHandle(rawValue: 0)
  var link: LinkShape
  private var isMTUAgreed = false
  var notes: [String] = []
  /// The attribute to write to.
  var attribute: UInt16 = 0
  var channel: ChannelStatus?
  var sending: Sending?

  private enum Phase { case connecting, preparing, discovering, readingPSM, opening, sending, leaving }

  /// Creates a central that connects to the accessory with that address and sends it a payload.
  package init(
    _ step: LadderStep, payload: [UInt8], to peer: DeviceAddress, type: AddressType, lineRate: Int? = nil
  ) throws(AttributeDatabase.DefinitionError) {
    self.step = step
    self.payload = payload
    self.peer = peer
    peerType = type
    self.lineRate = lineRate
    link = .initial(interval: step.link.interval)
    stack = try CentralStack(
      CentralConfiguration(
        name: "Ladder", randomAddress: .randomStatic(from: 0x1ADD), mtu: step.link.mtu,
        dataLength: step.link.dataLength, preferredPHY: step.link.phy == .le1M ? nil : step.link.phy))
  }

  // MARK: Input

  /// Starts the step.
  package mutating func start(at now: Instant, into out: inout HostOutput) {
    stack.start(at: now, into: &out)
    deadline = now + Self.connectionLimit
    finishInput(since: out.octets.count, at: now, into: &out)
  }

  /// Handles octets from the controller.
  package mutating func receive(_ octets: Span<UInt8>, at now: Instant, into out: inout HostOutput) {
    let before = out.octets.count
    stack.receive(octets, at: now, into: &out)
    finishInput(since: before, at: now, into: &out)
  }

  /// Does what is due at `now`.
  package mutating func advance(to now: Instant, into out: inout HostOutput) {
    let before = out.octets.count
    if let deadline, deadline <= now { overdue(at: now, into: &out) }
    stack.advance(to: now, into: &out)
    finishInput(since: before, at: now, into: &out)
  }

  /// When to call `advance` next.
  package var nextDeadline: Instant? { mutating get { Instant.earliest(stack.nextDeadline, deadline) } }

  /// Ends the link.
  package mutating func disconnect(at now: Instant, into out: inout HostOutput) {
    phase = .leaving
    deadline = now + Self.silenceLimit
    do throws(HostRequestError) {
      try stack.perform(.disconnect(handle, reason: .remoteUserTerminatedConnection), at: now, into: &out)
    } catch {
      progress = .over
    }
    finishInput(since: out.octets.count, at: now, into: &out)
  }

  /// Whether the link is being ended.
  var isLeaving: Bool { phase == .leaving }

  /// How long initialization and connecting may take.
  static var connectionLimit: Duration { .seconds(15) }
  /// How long the link may take to reach the wanted parameters. After that, it is used as it is.
  static var settlingLimit: Duration { .seconds(2) }
  /// How long a payload may make no progress, and how long the end of a link may take.
  static var silenceLimit: Duration { .seconds(30) }
  /// How long discovery and the opening of a channel may take.
  static var preparationLimit: Duration { .seconds(60) }

  private mutating func overdue(at now: Instant, into out: inout HostOutput) {
    deadline = nil
    switch phase {
    case .connecting: fail("no connection within \(Self.connectionLimit)")
    case .preparing: if isMTUAgreed { discover(at: now, into: &out) }
    case .discovering, .readingPSM, .opening: fail("no answer within \(Self.preparationLimit)")
    case .sending: fail("nothing was acknowledged for \(Self.silenceLimit)")
    case .leaving: progress = .over
    }
  }

  mutating func fail(_ reason: String) {
    guard progress == .underWay else { return }
    deadline = nil
    progress = .failed(StepFailure(reason))
  }

  /// Handles the events, sends what can be sent, and counts the octets written after the position `before`.
  private mutating func finishInput(since before: Int, at now: Instant, into out: inout HostOutput) {
    while !out.events.isEmpty {
      let events = out.events
      out.events.removeAll(keepingCapacity: true)
      for event in events { take(event, at: now, into: &out) }
    }
    if phase == .sending, progress == .underWay { send(since: before, at: now, into: &out) }
  }

  // MARK: Events

  private mutating func take(_ event: HostEvent, at now: Instant, into out: inout HostOutput) {
    switch event {
    case .controllerReady: connect(at: now, into: &out)
    case .controllerFailed(let failure): fail("the central's controller cannot be used: \(failure)")
    case .connectionFailed(let status): fail("no connection: \(status)")
    case .connected(let handle, let details): connected(handle, details, at: now, into: &out)
    case .disconnected(_, let reason):
      if phase == .leaving { progress = .over } else { fail("the link ended: \(reason)") }
    case .parametersChanged(_, let interval, _, _): link.interval = interval
    case .dataLengthChanged(_, let transmit, _):
      link.dataLength = transmit
      goOn(at: now, into: &out)
    case .phyChanged(_, let transmit, _):
      link.phy = transmit
      goOn(at: now, into: &out)
    case .client(_, .ended(_, let outcome)): operationEnded(outcome, at: now, into: &out)
    case .channel(_, .opened(let status)):
      channel = status
      beginSending(at: now)
    case .channel(_, .closed(_, _, let closure, _)): fail("the channel closed: \(closure)")
    default: break
    }
  }

  private mutating func connect(at now: Instant, into out: inout HostOutput) {
    let parameters = LinkParameters(interval: step.link.interval, timeout: .seconds(4))
    do throws(HostRequestError) {
      try stack.perform(
        .connect(ConnectionRequest(to: peer, type: peerType, parameters: parameters)), at: now, into: &out)
    } catch {
      fail("no connection: \(error)")
    }
  }

  private mutating func connected(
    _ handle: ConnectionHandle, _ details: ConnectionDetails, at now: Instant, into out: inout HostOutput
  ) {
    self.handle = handle
    link = .initial(interval: details.interval)
    phase = .preparing
    deadline = now + Self.settlingLimit
    if step.link.mtu > link.mtu {
      perform(.exchangeMTU, at: now, into: &out)
    } else {
      isMTUAgreed = true
      goOn(at: now, into: &out)
    }
  }

  /// Continues if the link is as wanted, or the time for that has passed.
  private mutating func goOn(at now: Instant, into out: inout HostOutput) {
    guard phase == .preparing, isMTUAgreed else { return }
    let isOverdue = deadline == nil
    guard isOverdue || (link.dataLength >= step.link.dataLength && link.phy == step.link.phy) else { return }
    discover(at: now, into: &out)
  }

  private mutating func discover(at now: Instant, into out: inout HostOutput) {
    phase = .discovering
    deadline = now + Self.preparationLimit
    perform(.discoverAll, at: now, into: &out)
  }

  // MARK: Operations

  mutating func perform(_ operation: GATTOperation, at now: Instant, into out: inout HostOutput) {
    do throws(HostRequestError) {
      try stack.perform(operation, on: handle, at: now, into: &out)
    } catch {
      fail("the link is gone: \(error)")
    }
  }

  private mutating func operationEnded(_ outcome: GATTOutcome, at now: Instant, into out: inout HostOutput) {
    switch (phase, outcome) {
    case (_, .failure(let failure)): fail("GATT: \(failure)")
    case (.preparing, .success(.mtu(let mtu))):
      link.mtu = mtu
      isMTUAgreed = true
      goOn(at: now, into: &out)
    case (.discovering, .success): discovered(at: now, into: &out)
    case (.readingPSM, .success(.value(let value))): openChannel(value, at: now, into: &out)
    case (.sending, .success): sending?.answered(at: now)
    default: break
    }
  }

  private mutating func discovered(at now: Instant, into out: inout HostOutput) {
    let wanted = step.method == .channel ? LadderService.psm : LadderService.sink
    guard let found = stack.remoteDatabase(of: handle)?.characteristic(wanted) else {
      return fail("the accessory has no characteristic \(wanted)")
    }
    attribute = found.value
    guard step.method == .channel else { return beginSending(at: now) }
    phase = .readingPSM
    perform(.read(found.value), at: now, into: &out)
  }

  private mutating func openChannel(_ value: [UInt8], at now: Instant, into out: inout HostOutput) {
    guard value.count == 2 else { return fail("the accessory publishes no PSM") }
    phase = .opening
    let psm = SPSM(rawValue: UInt16(value[0]) | UInt16(value[1]) << 8)
    do throws(HostRequestError) {
      _ = try stack.openChannel(psm, on: handle, parameters: ChannelParameters(mtu: 64, mps: 64), at: now, into: &out)
    } catch {
      fail("no channel: \(error)")
    }
  }

  private mutating func beginSending(at now: Instant) {
    phase = .sending
    deadline = now + Self.silenceLimit
    noteDifferences()
    sending = Sending(payload, budget, base: stack.progress(of: handle))
  }

  private mutating func noteDifferences() {
    if link.interval != step.link.interval { notes.append("the interval is \(link.interval)") }
    if link.mtu < step.link.mtu { notes.append("the MTU is \(link.mtu)") }
    if link.dataLength < step.link.dataLength { notes.append("data PDUs stay at \(link.dataLength) octets") }
    if link.phy != step.link.phy { notes.append("the PHY stays as it was") }
  }
}
