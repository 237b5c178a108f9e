import BLECore

extension EnhancedRetransmission {
  /// The next frame to send.
  private enum NextFrame {
    case supervisory(SupervisoryFunction, isPoll: Bool)
    case repeated(Int)
    case new
  }

  /// What has been taken from the queue for a frame.
  struct Progress: Sendable {
    var octets: Int
    var endsSDU: Bool
  }

  /// Whether there is a frame to send; `hasData` says whether SDUs wait.
  func hasFrame(hasData: Bool) -> Bool { nextFrame(hasData: hasData) != nil }

  /// A poll is answered by the first frame that is not itself a poll.
  private func nextFrame(hasData: Bool) -> NextFrame? {
    if isRejectDue { return .supervisory(.reject, isPoll: false) }
    if poll?.isDue == true, !isFinalDue { return .supervisory(.receiverReady, isPoll: true) }
    if !isRemoteBusy {
      if let index = unacknowledged.firstIndex(where: \.isDue) { return .repeated(index) }
      if hasData, poll == nil, unacknowledged.count < rules.sendWindow { return .new }
    }
    return isFinalDue || isAcknowledgementDue ? .supervisory(.receiverReady, isPoll: false) : nil
  }

  /// Appends the next frame. Returns what it has taken from the queue: nil for an S-frame, and for one that is sent again.
  mutating func writeFrame(
    from queue: inout SDUQueue, to remote: ChannelID, at now: Instant, into buffer: inout OctetBuffer
  ) -> Progress? {
    switch nextFrame(hasData: !queue.isEmpty) {
    case .supervisory(let function, let isPoll):
      if isPoll {
        poll?.isDue = false
        poll?.isSent = true
      }
      if function == .reject { isRejectDue = false }
      var head = ControlledHead<EnhancedControl>()
      head.control = EnhancedControl(
        function, reqSeq: expectedTxSeq, isPoll: isPoll, isFinal: isPoll ? false : takeFinal())
      write(head, [], to: remote, into: &buffer)
    case .repeated(let index): writeInformation(index, to: remote, at: now, into: &buffer)
    case .new:
      let segment = queue.takeSegment(mps: rules.sendMPS)
      unacknowledged.append(
        SentFrame(
          segment: FrameSegment(isFirst: segment.isFirst, isLast: segment.isLast),
          sduLength: UInt16(clamping: segment.sduLength), payload: segment.octets))
      writeInformation(unacknowledged.count - 1, to: remote, at: now, into: &buffer)
      return Progress(octets: segment.octets.count, endsSDU: segment.isLast)
    case nil: break
    }
    return nil
  }

  private mutating func writeInformation(
    _ index: Int, to remote: ChannelID, at now: Instant, into buffer: inout OctetBuffer
  ) {
    unacknowledged[index].transmissions += 1
    unacknowledged[index].isDue = false
    let frame = unacknowledged[index]
    var head = ControlledHead<EnhancedControl>()
    head.control = EnhancedControl(
      txSeq: expectedAck &+ UInt8(index), frame.segment, reqSeq: expectedTxSeq, isFinal: takeFinal())
    head.sduLength = frame.sduLength
    write(head, frame.payload, to: remote, into: &buffer)
    restartTimer(at: now)
  }

  /// Notes that the peer's poll, if any, is answered now.
  private mutating func takeFinal() -> Bool {
    defer { isFinalDue = false }
    return isFinalDue
  }

  /// Appends a frame, which acknowledges what has been received.
  private mutating func write(
    _ head: ControlledHead<EnhancedControl>, _ payload: [UInt8], to remote: ChannelID, into buffer: inout OctetBuffer
  ) {
    isAcknowledgementDue = false
    let start = buffer.count
    let hasCheck = rules.hasCheck
    buffer.appendBFrame(on: remote) { buffer in
      head.encode(into: &buffer)
      buffer.append(payload)
      guard hasCheck else { return }
      let offset = start + BasicHeader.octetCount
      let check = buffer.withSpan { FrameCheckSequence.of($0.extracting(offset...), on: remote) }
      buffer.append(littleEndian: check)
    }
  }

  // MARK: - What is sent again

  /// Lets every unacknowledged frame be sent again (Core 5.4 Vol 3 Part A 8.6.5.6, Retransmit-I-frames).
  mutating func repeatAll() -> RetransmissionFault? {
    for index in unacknowledged.indices {
      if let fault = repeatFrame(index) { return fault }
    }
    return nil
  }

  /// Lets a frame be sent again, unless it has been sent too often.
  mutating func repeatFrame(_ index: Int) -> RetransmissionFault? {
    let limit = rules.maximumTransmissions
    guard limit == 0 || unacknowledged[index].transmissions < limit else { return .unacknowledged }
    unacknowledged[index].isDue = true
    return nil
  }
}

extension FrameSegment {
  fileprivate init(isFirst: Bool, isLast: Bool) {
    self = isFirst ? (isLast ? .unsegmented : .start) : (isLast ? .end : .continuation)
  }
}
