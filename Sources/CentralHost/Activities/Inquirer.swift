import BLECore
import BLEGAP
import BLEHCI
import BLELink
import BLESMP

/// Finding devices on BR/EDR (Core 5.4 Vol 3 Part C 6.1, 6.2), and what has to be set before anything is done there.
struct Inquirer: QueuedActivity {
  static let subject = CommandSubject.inquiring
  var events: [HostEvent] = []
  private var phase = Phase.idle
  private let name: String
  private let security: PairingPolicy
  var waiting: [any HCICommand] = []
  /// When an inquiry is over, even if its end has not been reported.
  private var end: Instant?

  private enum Phase {
    /// `starting` until the controller has answered HCI_Inquiry.
    case idle, starting, inquiring
  }

  /// Creates the inquiries of a device with this name, which pairs like this.
  init(name: String, security: PairingPolicy) { (self.name, self.security) = (name, security) }

  var isInquiring: Bool { phase == .inquiring }

  // MARK: Requests

  /// Inquires for a time of 1.28 s to 61.44 s, in steps of 1.28 s. Limited inquiries find only devices in limited discoverable mode.
  mutating func inquire(_ request: InquiryRequest) {
    stop()
    waiting.append(
      HCIInquiry {
        $0.accessCode = request.isLimited ? .limited : .general
        $0.length = request.length
      })
  }

  mutating func stop() {
    waiting.removeAll { $0 is HCIInquiry }
    guard phase != .idle, !waiting.contains(where: { $0 is HCIInquiryCancel }) else { return }
    waiting.append(HCIInquiryCancel())
  }

  private mutating func enter(_ next: Phase) {
    let wasInquiring = isInquiring
    (phase, end) = (next, nil)
    if isInquiring != wasInquiring { events.append(.inquiring(isInquiring)) }
  }

  // MARK: The controller

  mutating func controllerIsUp(_ controller: ControllerProfile, _ identity: TypedAddress, at now: Instant) {
    guard controller.supportsClassic else { return }
    let settings = ClassicSettings(name: name, classOfDevice: Self.phone)
    waiting = controller.pairingCommands(security)
    waiting.append(HCIWriteLocalName { $0.localName = settings.paddedName })
    waiting.append(HCIWriteClassOfDevice { $0.classOfDevice = ClassOfDevice(rawValue: Self.phone) })
    if controller.classicFeatures?.contains(.extendedInquiryResponse) ?? false {
      waiting.append(HCIWriteInquiryMode { $0.mode = .extended })
    }
  }

  /// A smartphone (Assigned Numbers 2.8).
  private static let phone: UInt32 = 0x5A_020C

  mutating func controllerIsLost() {
    enter(.idle)
    waiting = []
  }

  mutating func nextCommand() -> (any HCICommand)? {
    guard !waiting.isEmpty else { return nil }
    let command = waiting.removeFirst()
    if command is HCIInquiry { enter(.starting) }
    return command
  }

  mutating func answered(_ command: any HCICommand, _ status: ErrorCode, at now: Instant) {
    guard status == .success else {
      if command is HCIInquiry { enter(.idle) }
      return events.append(.refused(type(of: command).opcode, status))
    }
    switch command {
    case let inquiry as HCIInquiry:
      enter(.inquiring)
      end = now + inquiry.length.duration + Self.patience
    case is HCIInquiryCancel: enter(.idle)
    default: break
    }
  }

  mutating func receive(_ event: EventCode, _ parameters: Span<UInt8>) throws(LayoutFault) {
    switch event {
    case .inquiryResult:
      events += try HCIInquiryResult.received(parameters).responses.map { .found(InquiredDevice($0)) }
    case .inquiryResultWithRSSI:
      events += try HCIInquiryResultWithRSSI.received(parameters).responses.map { .found(InquiredDevice($0)) }
    case .extendedInquiryResult:
      let result = try HCIExtendedInquiryResult.received(parameters)
      events.append(.found(InquiredDevice(result.response, octets: result.extendedResponse)))
    case .inquiryComplete: enter(.idle)
    default: break
    }
  }

  // MARK: Time

  /// How long the controller may take to report the end of an inquiry.
  private static let patience = Duration.seconds(5)

  var nextDeadline: Instant? { end }

  mutating func advance(to now: Instant) {
    if let end, end <= now { enter(.idle) }
  }
}
