import BLECore

/// A credit-based channel (Core 5.4 Vol 3 Part A 10.1, 10.2): received data, data to send, and the credits of both.
struct CreditBasedChannel: Sendable {
  /// Its CID on this side.
  let local: ChannelID
  /// Its CID on the peer's side; 0 until the peer has sent it.
  var remote: ChannelID
  let psm: SPSM
  let isIncoming: Bool
  let isEnhanced: Bool
  let queueLimit: Int
  var state: State
  /// The reason why it closes.
  var closure: ChannelClosure?
  /// Whether its end has been reported although a response may still arrive.
  var isReported = false

  var receiveMTU: Int
  var receiveMPS: Int
  /// The number of K-frames that the peer may still send.
  private(set) var receiveCredits: Int
  /// The number of received K-frames whose credits have not been returned.
  private(set) var creditsDue = 0
  /// The total number of credits, with the peer or due.
  private var creditWindow: Int
  /// Whether the owner wants due credits to be returned now.
  private var isReturningEarly = false
  /// Whether no credits are returned because the consumer cannot keep up.
  private(set) var isHeld = false
  private var assembly: [UInt8] = []
  /// The number of missing octets of the SDU being received; 0 between SDUs.
  private var missing = 0
  private(set) var received = ChannelTraffic()

  var sendMTU = 0
  var sendMPS = 0
  private(set) var sendCredits = 0
  private var queue = SDUQueue()
  /// Whether the queue has been full and has not drained enough since.
  private var isFull = false
  private(set) var sent = ChannelTraffic()

  /// The state of a channel between its request and its end.
  enum State: Hashable {
    /// This side has requested it, and the peer has not answered.
    case connecting
    case open
    /// It closes when its queue is empty, or at this instant if no frame is sent before.
    case draining(until: Instant)
    /// The peer has been asked to close it.
    case disconnecting
  }

  init(
    local: ChannelID, remote: ChannelID, psm: SPSM, isIncoming: Bool, isEnhanced: Bool, parameters: ChannelParameters
  ) {
    self.local = local
    self.remote = remote
    self.psm = psm
    self.isIncoming = isIncoming
    self.isEnhanced = isEnhanced
    queueLimit = parameters.queueLimit
    state = .connecting
    receiveMTU = parameters.mtu
    receiveMPS = parameters.mps
    creditWindow = parameters.credits.credits(mtu: parameters.mtu, mps: parameters.mps)
    receiveCredits = creditWindow
  }

  /// Opens it with the values of the peer's side.
  mutating func open(remote: ChannelID, mtu: UInt16, mps: UInt16, credits: UInt16) {
    self.remote = remote
    sendMTU = Int(mtu)
    sendMPS = Int(mps)
    sendCredits = Int(credits)
    state = .open
  }

  /// Whether it carries data.
  var isCarrying: Bool {
    switch state {
    case .open, .draining: true
    case .connecting, .disconnecting: false
    }
  }

  // MARK: - Receiving

  /// Processes the payload of a K-frame (Core 5.4 Vol 3 Part A 3.4).
  mutating func receive(_ payload: Span<UInt8>) -> FrameOutcome {
    guard isCarrying else { return .discarded }
    guard receiveCredits > 0 else { return .violation(.noCredits) }
    receiveCredits -= 1
    creditsDue += 1
    received.frames += 1
    if missing > 0 { return receiveContinuation(payload) }
    guard payload.count >= KFrame.sduLengthOctetCount else { return .violation(.missingSDULength) }
    let length = Int(payload[0]) | Int(payload[1]) << 8
    guard length <= receiveMTU else { return .violation(.sduTooLong(octets: length)) }
    // The SDU length is not part of the information payload that the MPS limits.
    let content = payload.count - KFrame.sduLengthOctetCount
    guard content <= receiveMPS else { return .violation(.frameTooLong(octets: content)) }
    guard content <= length else { return .violation(.sduOverflow) }
    received.octets += content
    if content == length {
      received.sdus += 1
      return .whole
    }
    missing = length - content
    // The array is cleared only now, when the previous owner has released it: clearing a shared array would allocate another.
    assembly.removeAll(keepingCapacity: true)
    assembly.reserveCapacity(length)
    assemble(payload.extracting(KFrame.sduLengthOctetCount...))
    return .partial
  }

  private mutating func receiveContinuation(_ payload: Span<UInt8>) -> FrameOutcome {
    guard payload.count <= receiveMPS else { return .violation(.frameTooLong(octets: payload.count)) }
    guard payload.count <= missing else { return .violation(.sduOverflow) }
    missing -= payload.count
    received.octets += payload.count
    assemble(payload)
    guard missing == 0 else { return .partial }
    received.sdus += 1
    var sdu: [UInt8] = []
    swap(&sdu, &assembly)
    return .assembled(sdu)
  }

  private mutating func assemble(_ octets: Span<UInt8>) {
    octets.withUnsafeBufferPointer { assembly.append(contentsOf: $0) }
  }

  /// Takes back the array of an SDU for the next one.
  mutating func recycle(_ sdu: consuming [UInt8]) {
    guard missing == 0, sdu.capacity > assembly.capacity else { return }
    assembly = sdu
  }

  /// Whether credits should be returned now: when half of them are due, so that one packet returns many.
  var wantsCreditsReturned: Bool {
    creditsDue > 0 && (creditsDue >= creditWindow / 2 || isReturningEarly) && !isHeld && isCarrying
  }

  /// Returns all due credits to the peer. The result is their number.
  mutating func returnCredits() -> UInt16 {
    let credits = creditsDue
    receiveCredits += credits
    creditsDue = 0
    isReturningEarly = false
    return UInt16(clamping: credits)
  }

  /// Increases the peer's credits, up to the maximum.
  mutating func widen(by frames: Int) {
    let added = min(max(frames, 0), KFrame.maximumCredits - creditWindow)
    creditWindow += added
    creditsDue += added
    isReturningEarly = true
  }

  mutating func hold(_ isHeld: Bool) { self.isHeld = isHeld }

  // MARK: - Sending

  var queuedOctets: Int { queue.octetCount }

  /// Queues an SDU to be sent.
  mutating func submit(_ sdu: Span<UInt8>) -> SDUSubmission {
    guard state == .open else { return .notOpen }
    guard sdu.count <= sendMTU else { return .tooLong(limit: sendMTU) }
    guard !isFull else { return .full }
    queue.append(sdu)
    isFull = queue.footprint >= queueLimit
    return .queued
  }

  /// Adds credits from the peer (Core 5.4 Vol 3 Part A 4.24); false if there are too many.
  mutating func addCredits(_ credits: UInt16) -> Bool {
    guard sendCredits + Int(credits) <= KFrame.maximumCredits else { return false }
    sendCredits += Int(credits)
    return true
  }

  /// The maximum number of queued octets if an SDU is to be sent without delay.
  private static let promptLimit = 4096

  /// Whether an SDU of one K-frame could follow the queued data without more credits.
  var hasRoom: Bool {
    state == .open && queue.footprint < Self.promptLimit && queue.footprint / max(sendMPS, 1) < sendCredits
  }

  var canSendFrame: Bool { sendCredits > 0 && !queue.isEmpty && isCarrying }

  /// Whether all queued data has been sent.
  var isDrained: Bool { queue.isEmpty }

  /// Appends the next K-frame with its header. Returns true if the queue was full and has room again. The SDU length counts toward the
  /// peer's MPS, because many peers expect this.
  mutating func writeFrame(into buffer: inout OctetBuffer) -> Bool {
    let taken = queue.take(to: remote, mps: sendMPS, into: &buffer)
    sendCredits -= 1
    sent.frames += 1
    sent.octets += taken.octets
    if taken.endsSDU { sent.sdus += 1 }
    guard isFull, queue.footprint <= queueLimit / 2 else { return false }
    isFull = false
    return state == .open
  }

  // MARK: - The end

  /// Drops queued and partially received data.
  mutating func stop(_ closure: ChannelClosure) {
    if self.closure == nil || (closure.isViolation && self.closure?.isViolation == false) { self.closure = closure }
    state = .disconnecting
    assembly = []
    missing = 0
    creditsDue = 0
  }

  var status: ChannelStatus {
    ChannelStatus(
      id: local, remote: remote, psm: psm, isIncoming: isIncoming, isEnhanced: isEnhanced, isOpen: state == .open,
      receiveMTU: receiveMTU, receiveMPS: receiveMPS, sendMTU: sendMTU, sendMPS: sendMPS, sendCredits: sendCredits,
      receiveCredits: receiveCredits, queuedOctets: queuedOctets, sent: sent, received: received)
  }
}
