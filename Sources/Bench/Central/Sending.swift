import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost

/// A payload being sent.
struct Sending: Sendable {
  /// The units that it is sent in, and what the link layer allows.
  let budget: LinkBudget
  /// Its octets.
  let payload: [UInt8]
  /// The number of octets passed to the host so far.
  var position = 0
  /// Whether no request is waiting for its answer.
  var isAnswered = true
  /// When the current request was sent.
  private var asked: Instant?
  /// The time until each answer.
  private(set) var answers: [Duration] = []
  /// When the first packet began.
  var began: Instant?
  /// The number of octets written to the controller since sending began, by any part of the host.
  var lineOctets = 0
  var watch = SendingWatch()
  /// The number of the link's ACL packets that are completed.
  private var completed: Int
  /// The number of the link's ACL packets that were sent before the first one of the payload.
  private let base: Int

  /// Creates a payload of which nothing has been sent. Packets that the controller has now do not count.
  init(_ payload: [UInt8], _ budget: LinkBudget, base: SendingProgress) {
    self.payload = payload
    self.budget = budget
    self.base = base.completed + base.outstanding
    completed = base.completed
  }

  /// Whether all octets were passed to the host.
  var isHandedOver: Bool { position == budget.octets }

  /// The range of the next value or SDU.
  var next: Range<Int> { position..<min(position + budget.unit, budget.octets) }

  /// Notes that a request is sent.
  mutating func ask(at now: Instant) {
    isAnswered = false
    asked = now
  }

  /// Notes the answer.
  mutating func answered(at now: Instant) {
    isAnswered = true
    if let asked { answers.append(now - asked) }
  }

  /// Notes how many packets are completed, and from the first completion computes when the first packet began. A controller
  /// that reports several packets together has sent them one after another. Returns whether any packets were completed.
  mutating func noteProgress(_ progress: SendingProgress, at now: Instant) -> Bool {
    let count = progress.completed - completed
    guard count > 0 else { return false }
    completed = progress.completed
    if began == nil, completed > base { began = now - budget.firstPacketTime * (completed - base) }
    if began != nil { watch.note(completed: count, interval: budget.link.interval, at: now) }
    return true
  }
}

extension LadderCentral {
  /// How the payload is divided on the current link: into values or SDUs that fill whole packets if possible.
  var budget: LinkBudget {
    var budget = LinkBudget(
      link: link, method: step.method, octets: payload.count, unit: 0, packetLength: stack.controller.aclLength)
    if let channel {
      budget.mps = channel.sendMPS
      // An SDU begins with its length, 2 octets, which count as payload of the first frame.
      let frames = (channel.sendMTU + 2) / max(channel.sendMPS, 1)
      budget.unit = frames > 0 ? frames * channel.sendMPS - 2 : channel.sendMTU
    } else {
      budget.unit = min(link.mtu - 3, 512)
    }
    budget.unit = max(1, min(budget.unit, payload.count))
    return budget
  }

  /// Passes as much as possible to the host, and notes the end. The octets are written after the position `before`.
  mutating func send(since before: Int, at now: Instant, into out: inout HostOutput) {
    guard var sending else { return }
    if sending.noteProgress(stack.progress(of: handle), at: now) { deadline = now + Self.silenceLimit }
    switch step.method {
    case .request: sendRequest(&sending, at: now, into: &out)
    case .singleCommand: if stack.progress(of: handle).isIdle { sendCommand(&sending, into: &out) }
    case .commands: while sendCommand(&sending, into: &out) {}
    case .channel: sendSDUs(&sending, at: now, into: &out)
    }
    sending.lineOctets += out.octets.count - before
    let progress = stack.progress(of: handle)
    let status = channel.flatMap { stack.channelStatus($0.id, of: handle) }
    let isDrained = status?.queuedOctets ?? 0 == 0
    sending.watch.observe(
      SendingWatch.Sight(
        outstanding: progress.outstanding, free: stack.freePackets,
        hasMore: !sending.isHandedOver || progress.waiting > 0 || !isDrained,
        lacksCredits: status?.sendCredits == 0 && !isDrained), at: now)
    self.sending = sending
    if sending.isHandedOver, sending.isAnswered, isDrained, progress.isIdle { finish(sending, at: now) }
  }

  private mutating func sendRequest(_ sending: inout Sending, at now: Instant, into out: inout HostOutput) {
    guard sending.isAnswered, !sending.isHandedOver else { return }
    let range = sending.next
    sending.position = range.upperBound
    sending.ask(at: now)
    perform(.write(attribute, Array(sending.payload[range])), at: now, into: &out)
  }

  /// Sends a Write Command, and returns whether the host accepted it.
  @discardableResult
  private mutating func sendCommand(_ sending: inout Sending, into out: inout HostOutput) -> Bool {
    guard !sending.isHandedOver else { return false }
    let range = sending.next
    let isTaken = stack.writeCommand(
      sending.payload.span.extracting(range), to: attribute, on: handle, into: &out)
    guard isTaken else { return false }
    sending.position = range.upperBound
    return true
  }

  private mutating func sendSDUs(_ sending: inout Sending, at now: Instant, into out: inout HostOutput) {
    guard let channel else { return }
    while !sending.isHandedOver {
      let range = sending.next
      let submission = stack.sendSDU(
        sending.payload.span.extracting(range), on: channel.id, of: handle, at: now, into: &out)
      guard submission == .queued else {
        if submission != .full { fail("an SDU was not taken: \(submission)") }
        return
      }
      sending.position = range.upperBound
    }
  }

  private mutating func finish(_ sending: Sending, at now: Instant) {
    let budget = sending.budget
    let time = now - (sending.began ?? now)
    let seconds = max(time.inSeconds, 1e-9)
    let lineLoad = lineRate.map { Double(sending.lineOctets) * 10 / Double(max($0, 1)) / seconds }
    deadline = nil
    progress = .sent(
      Transfer(
        octets: budget.octets, time: time, link: link, unit: budget.unit,
        packetsPerEvent: Double(budget.pduCount) / max(1, seconds / link.interval.inSeconds),
        limitKbps: budget.limitKbps, missedEvents: sending.watch.missedShare(budget),
        bound: sending.watch.bound(budget, in: time, lineLoad: lineLoad),
        answers: sending.answers,
        notes: notes))
  }
}
