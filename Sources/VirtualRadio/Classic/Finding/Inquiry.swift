import BLECore
import BLEHCI

/// An inquiry in progress.
struct Inquiry {
  let accessCode: InquiryAccessCode
  let start: Instant
  let end: Instant
  let maximumResponses: Int
  /// The devices that have answered.
  var found: Set<ControllerID> = []
  var responses = 0
  /// When devices will answer, if they still scan then.
  var expected: [(at: Instant, from: ControllerID)] = []
  /// The epoch of the valid timeline entry.
  var epoch: UInt32
}

// Inquiries (Core 5.4 Vol 2 Part B 8.4).
extension ClassicController {
  /// How long an inquiry stays on one train: 256 times 10 ms.
  private static let trainChange = Duration.milliseconds(2560)

  func beginInquiry(_ command: HCIInquiry) {
    inquiry = Inquiry(
      accessCode: command.accessCode, start: air.now, end: air.now + command.length.duration,
      maximumResponses: Int(command.maximumResponses), epoch: 0)
    expectResponses()
  }

  /// Looks for devices that scan for this inquiry and have not been considered, and schedules the next thing to happen.
  func expectResponses() {
    guard var inquiry else { return }
    for other in air.classicControllers where other !== self && !inquiry.found.contains(other.id) {
      guard hears(other, inquiry), !inquiry.expected.contains(where: { $0.from == other.id }) else { continue }
      let scan = other.settings.inquiryScan
      let hearing = other.windows(of: scan).firstHearing(
        from: inquiry.start, notBefore: air.now + BasebandSlots.unit, trainChange: Self.trainChange,
        isSecond: random.upTo(1) == 1,
        random: &random)
      // The answer comes after a random time, longer if the device scans seldom.
      let backoff = random.upTo(scan.interval.rawValue >= 0x0800 ? 1023 : 127)
      inquiry.expected.append((hearing + BasebandSlots.unit * Int(backoff + 1), other.id))
    }
    inquiry.epoch = controller.nextEpoch()
    let next = inquiry.expected.map(\.at).min() ?? inquiry.end
    air.timeline.schedule(.classic(.inquiry(id, inquiry.epoch)), at: max(air.now, min(next, inquiry.end)))
    self.inquiry = inquiry
  }

  private func hears(_ other: ClassicController, _ inquiry: Inquiry) -> Bool {
    other.settings.scans.contains(.inquiry) && other.settings.accessCodes.contains(inquiry.accessCode)
      && air.propagation.canCarry(from: id, to: other.id) && air.propagation.canCarry(from: other.id, to: id)
  }

  func inquiryIsDue(epoch: UInt32) {
    guard let inquiry, inquiry.epoch == epoch else { return }
    let due = inquiry.expected.filter { $0.at <= air.now }
    self.inquiry?.expected.removeAll { $0.at <= air.now }
    for (_, other) in due {
      guard let peer = air.controller(other)?.classic, hears(peer, inquiry) else { continue }
      // The packets of this window may be lost. The device then answers in a later one.
      guard air.propagation.carries(from: id, to: other, payload: 0),
        air.propagation.carries(from: other, to: id, payload: 18)
      else { continue }
      receiveResponse(of: peer)
      if self.inquiry == nil { return }
    }
    if air.now >= inquiry.end { finishInquiry() } else { expectResponses() }
  }

  private func receiveResponse(of peer: ClassicController) {
    inquiry?.found.insert(peer.id)
    guard settings.filters.reports(peer.address, peer.settings.classOfDevice) else { return }
    report(peer)
    inquiry?.responses += 1
    if let inquiry, inquiry.maximumResponses > 0, inquiry.responses >= inquiry.maximumResponses { finishInquiry() }
  }

  private func finishInquiry() {
    inquiry = nil
    send(HCIInquiryComplete())
  }

  private func report(_ peer: ClassicController) {
    guard settings.inquiryMode != .standard else {
      let response = InquiryResponse {
        $0.address = peer.address
        $0.repetitionMode = peer.settings.repetitionMode
        $0.classOfDevice = peer.settings.classOfDevice
        $0.clockOffset = clockOffset(to: peer)
      }
      return send(HCIInquiryResult { $0.responses = [response] })
    }
    let response = InquiryResponseWithRSSI {
      $0.address = peer.address
      $0.repetitionMode = peer.settings.repetitionMode
      $0.classOfDevice = peer.settings.classOfDevice
      $0.clockOffset = clockOffset(to: peer)
      $0.rssi = air.propagation.strength(from: peer.id, to: id)
    }
    // A device without data answers with the basic response (Core 5.4 Vol 2 Part B 8.4.3).
    guard settings.inquiryMode == .extended, peer.settings.extendedResponse.contains(where: { $0 != 0 }) else {
      return send(HCIInquiryResultWithRSSI { $0.responses = [response] })
    }
    send(
      HCIExtendedInquiryResult {
        $0.response = response
        $0.extendedResponse = peer.settings.extendedResponse
      })
  }

  /// Returns the windows of one of its scans.
  func windows(of scan: ClassicSettings.Scan) -> ScanWindows {
    let interval = max(scan.interval.duration.inNanoseconds, 1)
    return ScanWindows(scan, phase: .zero + .nanoseconds(Int64(clock) * 312_500 % interval))
  }
}

extension Air {
  /// Notes that a device has begun to scan or scans otherwise, or that a path has changed.
  func classicScansChanged() {
    for classic in classicControllers {
      classic.expectResponses()
      classic.expectPageResponse()
    }
  }
}

extension OctetLayout {
  /// Creates the value with the fields that `configure` sets.
  fileprivate init(_ configure: (inout Self) -> Void) {
    self.init()
    configure(&self)
  }
}
