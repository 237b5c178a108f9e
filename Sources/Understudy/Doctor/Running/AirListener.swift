import BLECore
import BLEHCI

/// A second controller that scans all the time and reports the advertisers that it receives. Octets and the time go in, octets come out.
struct AirListener: Sendable {
  /// The outcome of its initialization.
  enum Outcome: Hashable, Sendable {
    /// It scans.
    case listening(extended: Bool)
    /// Nothing was received, or no answer was.
    case silent
    /// It refused a command that is needed to scan.
    case refused(CommandOpcode, ErrorCode)
  }

  /// The outcome of its initialization, once known.
  private(set) var outcome: Outcome?
  private var deframer = H4Deframer(side: .host, maximumDataLength: 1024)
  private var queue = CommandQueue(timeout: Examination.patience)
  private var isExtended = false

  /// When to call `advance` next.
  var nextDeadline: Instant? { outcome == nil ? queue.nextDeadline : nil }

  /// Starts the initialization.
  mutating func start(at now: Instant, into out: inout OctetBuffer) {
    queue.enqueue(HCIReset())
    queue.enqueue(HCIReadLocalSupportedCommands())
    queue.send(into: &out, at: now)
  }

  /// Handles octets from the controller, and returns the addresses of the advertisers that it received.
  mutating func receive(_ octets: Span<UInt8>, at now: Instant, into out: inout OctetBuffer) -> [DeviceAddress] {
    var heard: [DeviceAddress] = []
    var offset = 0
    while let frame = deframer.next(in: octets, at: &offset) {
      guard frame.type == .event else { continue }
      switch frame.place {
      case .given(let range): heard += receive(octets.extracting(range))
      case .collected(let packet): heard += receive(packet.span)
      }
      queue.send(into: &out, at: now)
    }
    return heard
  }

  /// Does what is due at `now`.
  mutating func advance(to now: Instant) {
    if outcome == nil, queue.advance(to: now) != nil { outcome = .silent }
  }

  private mutating func receive(_ packet: Span<UInt8>) -> [DeviceAddress] {
    guard let event = try? EventPacket(packet) else { return [] }
    switch queue.receive(event, in: packet) {
    case .complete(let opcode, let range): answered(opcode, packet.extracting(range))
    case .status(let opcode, let status): outcome = .refused(opcode, status)
    default: break
    }
    let parameters = packet.extracting(event.parameters)
    switch event.subevent {
    case .leAdvertisingReport:
      return (try? LEAdvertisingReport.received(parameters))?.reports.map(\.address) ?? []
    case .leExtendedAdvertisingReport:
      return (try? LEExtendedAdvertisingReport.received(parameters))?.reports.map(\.address) ?? []
    default: return []
    }
  }

  private mutating func answered(_ opcode: CommandOpcode, _ parameters: Span<UInt8>) {
    let status = ErrorCode(rawValue: parameters.count > 0 ? parameters[0] : ErrorCode.unspecifiedError.rawValue)
    guard status == .success else {
      outcome = .refused(opcode, status)
      return
    }
    switch opcode {
    case .readLocalSupportedCommands:
      let commands = (try? HCIReadLocalSupportedCommands.returned(parameters))?.supportedCommands
      scan(with: commands ?? SupportedCommands())
    case .leSetScanEnable, .leSetExtendedScanEnable: outcome = .listening(extended: isExtended)
    default: break
    }
  }

  private mutating func scan(with commands: SupportedCommands) {
    // After a reset, both event masks exclude advertising reports (Core 5.4 Vol 4 Part E 7.3.1, 7.8.1).
    queue.enqueue(HCISetEventMask { $0.eventMask.formUnion(.leMeta) })
    isExtended = commands.contains(.leSetExtendedScanEnable)
    if isExtended {
      queue.enqueue(LESetEventMask { $0.eventMask.formUnion(.extendedAdvertisingReport) })
      queue.enqueue(LESetExtendedScanParameters())
      queue.enqueue(LESetExtendedScanEnable { $0.enable = true })
    } else {
      queue.enqueue(LESetScanParameters())
      queue.enqueue(LESetScanEnable { $0.enable = true })
    }
  }
}
