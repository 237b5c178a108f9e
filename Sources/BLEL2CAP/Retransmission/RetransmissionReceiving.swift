import BLECore

extension EnhancedRetransmission {
  /// The result of a frame.
  enum Outcome: Sendable {
    /// The frame is no I-frame, is not the last of its SDU, or is discarded.
    case nothing
    case sdu([UInt8])
    /// The SDU is longer than this side's MTU.
    case tooLong(Int)
    case fault(RetransmissionFault)
  }

  /// Processes the payload of a B-frame on the channel: an I-frame or S-frame.
  mutating func receive(_ frame: Span<UInt8>, on channel: ChannelID, at now: Instant) -> Outcome {
    let tail = rules.hasCheck ? FrameCheckSequence.octetCount : 0
    let controlLength = MemoryLayout<EnhancedControl.RawValue>.size
    guard frame.count >= controlLength + tail else { return .nothing }
    let content = frame.extracting(..<(frame.count - tail))
    if rules.hasCheck {
      let check = UInt16(frame[frame.count - 2]) | UInt16(frame[frame.count - 1]) << 8
      // What comes damaged is missing, and is rejected as such later.
      guard check == FrameCheckSequence.of(content, on: channel) else { return .nothing }
    }
    guard let (head, size) = try? ControlledHead<EnhancedControl>.decodePrefix(of: content) else {
      return .fault(.invalidSegment)
    }
    if head.control.isInformation { return receiveInformation(head, content.extracting(size...), at: now) }
    guard content.count == size else { return .nothing }
    let fault =
      head.control.function == .selectiveReject
      ? receiveSelectiveReject(head.control, at: now) : receiveSupervisory(head.control, at: now)
    return fault.map { .fault($0) } ?? .nothing
  }

  // MARK: - Acknowledgements

  /// Removes the frames that the peer has received. Nil if it acknowledges more than has been sent.
  private mutating func acknowledge(_ reqSeq: UInt8, at now: Instant) -> RetransmissionFault? {
    let count = Int((reqSeq &- expectedAck) & 63)
    guard count <= unacknowledged.count else { return .invalidAcknowledgement }
    guard count > 0 else { return nil }
    unacknowledged.removeFirst(count)
    expectedAck = reqSeq
    restartTimer(at: now)
    return nil
  }

  /// Ends the poll that a frame answers, and returns it. A final bit without a poll has no meaning (Core 5.4 Vol 3 Part A 8.6.5.5), but
  /// the rest of its frame has: Bumble sets it in every I-frame.
  private mutating func takeAnsweredPoll(_ control: EnhancedControl, at now: Instant) -> Poll? {
    guard control.isFinal, let poll, poll.isSent else { return nil }
    self.poll = nil
    restartTimer(at: now)
    return poll
  }

  private mutating func receiveInformation(
    _ head: ControlledHead<EnhancedControl>, _ payload: Span<UInt8>, at now: Instant
  ) -> Outcome {
    guard payload.count <= rules.receiveMPS else { return .fault(.invalidSegment) }
    if let fault = acknowledge(head.control.reqSeq, at: now) { return .fault(fault) }
    if let poll = takeAnsweredPoll(head.control, at: now), !poll.hasActedOnReject, let fault = repeatAll() {
      return .fault(fault)
    }
    let distance = Int((head.control.txSeq &- expectedTxSeq) & 63)
    if distance == 0 {
      expectedTxSeq = (expectedTxSeq + 1) & 63
      isAcknowledgementDue = true
      isRejecting = false
      isRejectDue = false
      return assemble(head, payload)
    }
    if distance < rules.receiveWindow {
      if !isRejecting { isRejectDue = true }
      isRejecting = true
      return .nothing
    }
    // Frames before the expected one come twice if their acknowledgement was lost.
    let isRepeated = distance >= EnhancedControl.sequenceCount - rules.receiveWindow
    return isRepeated ? .nothing : .fault(.invalidSequence)
  }

  private mutating func receiveSupervisory(_ control: EnhancedControl, at now: Instant) -> RetransmissionFault? {
    if let fault = acknowledge(control.reqSeq, at: now) { return fault }
    isRemoteBusy = control.function == .receiverNotReady
    let answered = takeAnsweredPoll(control, at: now)
    // The timer depends on whether the peer is busy.
    if isRemoteBusy || retransmissionDeadline == nil { restartTimer(at: now) }
    if control.isPoll { isFinalDue = true }
    switch control.function {
    case .reject:
      guard !unacknowledged.isEmpty else { return .invalidAcknowledgement }
      if answered?.hasActedOnReject == true { return nil }
      poll?.hasActedOnReject = true
      return repeatAll()
    case .receiverReady: return answered.map(\.hasActedOnReject) == false ? repeatAll() : nil
    case .receiverNotReady, .selectiveReject: return nil
    }
  }

  /// Processes a request for a single frame. Only with the P-bit it acknowledges the frames before.
  private mutating func receiveSelectiveReject(_ control: EnhancedControl, at now: Instant) -> RetransmissionFault? {
    let wasBusy = isRemoteBusy
    isRemoteBusy = false
    if control.isPoll {
      if let fault = acknowledge(control.reqSeq, at: now) { return fault }
      isFinalDue = true
    }
    let index = Int((control.reqSeq &- expectedAck) & 63)
    guard index < unacknowledged.count else { return .invalidAcknowledgement }
    let answered = takeAnsweredPoll(control, at: now)
    if wasBusy { restartTimer(at: now) }
    if let answered, answered.selectivelyRejected == control.reqSeq { return nil }
    poll?.selectivelyRejected = control.reqSeq
    return repeatFrame(index)
  }

  // MARK: - SDUs

  /// Adds a segment to its SDU (Core 5.4 Vol 3 Part A 3.3.2).
  private mutating func assemble(_ head: ControlledHead<EnhancedControl>, _ payload: Span<UInt8>) -> Outcome {
    let isFirst = head.control.segment == .unsegmented || head.control.segment == .start
    guard isFirst == (sduLength == nil) else { return .fault(.invalidSegment) }
    let length = head.control.segment == .unsegmented ? payload.count : sduLength ?? Int(head.sduLength)
    guard length <= rules.mtu else { return .tooLong(length) }
    guard sdu.count + payload.count <= length else { return .fault(.invalidSegment) }
    payload.withUnsafeBufferPointer { sdu.append(contentsOf: $0) }
    switch head.control.segment {
    case .start, .continuation:
      sduLength = length
      return .nothing
    case .unsegmented, .end:
      guard sdu.count == length else { return .fault(.invalidSegment) }
      defer {
        sdu = []
        sduLength = nil
      }
      return .sdu(sdu)
    }
  }
}
