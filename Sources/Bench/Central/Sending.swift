import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost

/// A payload on its way.
struct Sending: Sendable {
  /// How it is cut, and what the link layer allows.
  let budget: LinkBudget
  /// Its octets.
  let payload: [UInt8]
  /// How many of them have been handed over.
  var position = 0
  /// Whether nothing is asked that has not been answered.
  var isAnswered = true
  /// When what is asked was asked.
  private var asked: Instant?
  /// How long each answer took.
  private(set) var answers: [Duration] = []
  /// When its first packet began.
  var began: Instant?
  /// How many octets have gone to the controller since the sending began, whatever part of the host wrote them.
  var lineOctets = 0
  var watch = SendingWatch()
  /// How many ACL packets of the link are completed.
  private var completed: Int
  /// How many ACL packets of the link were completed before its first one.
  private let base: Int

  /// A payload of which nothing has gone. What the controller has now is not of it.
  init(_ payload: [UInt8], _ budget: LinkBudget, base: SendingProgress) {
    self.payload = payload
    self.budget = budget
    self.base = base.completed + base.outstanding
    completed = base.completed
  }

  /// Whether all of it has been handed over.
  var isHandedOver: Bool { position == budget.octets }

  /// The next value or SDU.
  var next: Range<Int> { position..<min(position + budget.unit, budget.octets) }

  /// Notes that something is asked.
  mutating func ask(at now: Instant) {
    isAnswered = false
    asked = now
  }

  /// Notes the answer.
  mutating func answered(at now: Instant) {
    isAnswered = true
    if let asked { answers.append(now - asked) }
  }

  /// Notes the beginning of the first packet, once that is acknowledged; whether anything was acknowledged. A controller that
  /// reports several packets together has sent them one after another.
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
  /// How the payload is cut on the link as it is: into values or SDUs that fill whole packets where that can be.
  var budget: LinkBudget {
    var budget = LinkBudget(
      link: link, method: step.method, octets: payload.count, unit: 0, packetLength: stack.controller.aclLength)
    if let channel {
      budget.mps = channel.sendMPS
      // An SDU begins with its length, 2 octets, which count to the first frame's payload.
      let frames = (channel.sendMTU + 2) / max(channel.sendMPS, 1)
      budget.unit = frames > 0 ? frames * channel.sendMPS - 2 : channel.sendMTU
    } else {
      budget.unit = min(link.mtu - 3, 512)
    }
    budget.unit = max(1, min(budget.unit, payload.count))
    return budget
  }

  /// Hands over as much as may go now, and notes the end. They are written behind the octet `before`.
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

  /// Whether a Write Command was taken.
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
