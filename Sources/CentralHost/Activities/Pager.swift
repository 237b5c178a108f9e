import BLECore
import BLEGAP
import BLEHCI
import BLELink

/// Connecting to devices on BR/EDR, and asking for their names, one at a time (Core 5.4 Vol 3 Part C 6.3, 7).
struct Pager: RoleActivity {
  static let subject = CommandSubject.paging
  var events: [HostEvent] = []
  /// The pages in order; the first is in progress if it has been sent.
  private var pages: [Page] = []
  private var isPaging = false
  /// Whether the page in progress is to be cancelled, and the controller has not been told.
  private var isCancelled = false
  /// When a page has failed, even if its end has not been reported.
  private var end: Instant?

  /// What is wanted of a device.
  fileprivate struct Page {
    var device: InquiredDevice
    var isForName: Bool
  }

  // MARK: Requests

  /// Whether a connection is being made.
  var isConnecting: Bool { pages.contains { !$0.isForName } }

  mutating func connect(to device: InquiredDevice) { pages.append(Page(device: device, isForName: false)) }

  mutating func askForName(of device: InquiredDevice) { pages.append(Page(device: device, isForName: true)) }

  /// Cancels everything.
  mutating func stop() {
    let unsent = pages.dropFirst(isPaging ? 1 : 0)
    pages.removeLast(unsent.count)
    isCancelled = isPaging
    // The same error as for a page that the controller cancels (Core 5.4 Vol 4 Part E 7.1.7).
    for page in unsent { report(.unknownConnectionIdentifier, of: page) }
  }

  // MARK: The controller

  mutating func controllerIsUp(_ controller: ControllerProfile, _ identity: TypedAddress, at now: Instant) {}

  mutating func controllerIsLost() {
    while !pages.isEmpty { ended(.hardwareFailure) }
  }

  mutating func nextCommand() -> (any HCICommand)? {
    if isCancelled, let page = pages.first {
      isCancelled = false
      return page.cancellation
    }
    guard !isPaging, let page = pages.first else { return nil }
    isPaging = true
    return page.command
  }

  var isUpToDate: Bool { !isCancelled && (isPaging || pages.isEmpty) }

  mutating func answered(_ command: any HCICommand, _ status: ErrorCode, at now: Instant) {
    switch command {
    case is HCICreateConnection, is HCIRemoteNameRequest:
      if status == .success { end = now + Self.limit } else { ended(status) }
    // The end of the page is reported, whether or not it was cancelled in time.
    default: break
    }
  }

  mutating func commandLost(_ command: any HCICommand) {
    if command is HCICreateConnection || command is HCIRemoteNameRequest {
      isPaging = false
    } else {
      isCancelled = true
    }
  }

  mutating func receive(_ event: EventCode, _ parameters: Span<UInt8>) throws(LayoutFault) {
    guard isPaging, let page = pages.first else { return }
    switch event {
    case .connectionComplete:
      // The host reports the result.
      let result = try HCIConnectionComplete.received(parameters)
      if result.address == page.device.address, !page.isForName { next() }
    case .remoteNameRequestComplete:
      let result = try HCIRemoteNameRequestComplete.received(parameters)
      guard result.address == page.device.address, page.isForName else { break }
      let name = result.name.prefix { $0 != 0 }
      next()
      events.append(
        .remoteName(
          result.address, result.status == .success ? String(decoding: name, as: UTF8.self) : nil, result.status))
    default: break
    }
  }

  private mutating func next() {
    pages.removeFirst()
    (isPaging, isCancelled, end) = (false, false, nil)
  }

  private mutating func ended(_ status: ErrorCode) {
    guard let page = pages.first else { return }
    next()
    report(status, of: page)
  }

  private mutating func report(_ status: ErrorCode, of page: Page) {
    events.append(page.isForName ? .remoteName(page.device.address, nil, status) : .connectionFailed(status))
  }

  // MARK: Time

  /// The time after which a page has failed. A controller gives up after its page timeout, by default 5.12 s, and at most 40.9 s (Core 5.4
  /// Vol 4 Part E 6.6).
  private static let limit = Duration.seconds(45)

  var nextDeadline: Instant? { end }

  mutating func advance(to now: Instant) {
    if let end, end <= now { ended(.pageTimeout) }
  }
}

extension Pager.Page {
  /// The command for it.
  fileprivate var command: any HCICommand {
    // A clock offset in a command says by a bit that it is valid (Core 5.4 Vol 4 Part E 7.1.5).
    let offset = ClockOffset(rawValue: device.clockOffset.rawValue == 0 ? 0 : device.clockOffset.rawValue | 0x8000)
    guard !isForName else {
      return HCIRemoteNameRequest {
        $0.address = device.address
        $0.repetitionMode = device.repetitionMode
        $0.clockOffset = offset
      }
    }
    return HCICreateConnection {
      $0.address = device.address
      $0.repetitionMode = device.repetitionMode
      $0.clockOffset = offset
      $0.allowsRoleSwitch = true
    }
  }

  fileprivate var cancellation: any HCICommand {
    guard !isForName else { return HCIRemoteNameRequestCancel { $0.address = device.address } }
    return HCICreateConnectionCancel { $0.address = device.address }
  }
}
