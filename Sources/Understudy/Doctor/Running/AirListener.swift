import BLECore
import BLEHCI

/// A second controller that scans all the time and tells whom it hears. It takes octets and the time, and gives octets.
struct AirListener: Sendable {
  /// How it came up.
  enum Outcome: Hashable, Sendable {
    /// It scans.
    case listening(extended: Bool)
    /// Nothing came, or no answer among what came.
    case silent
    /// It refuses what it needs to scan.
    case refused(CommandOpcode, ErrorCode)
  }

  /// How it came up, once that is known.
  private(set) var outcome: Outcome?
  private var deframer = H4Deframer(side: .host, maximumDataLength: 1024)
  private var queue = CommandQueue(timeout: Examination.patience)
  private var isExtended = false

  /// When `advance` has something to do next.
  var nextDeadline: Instant? { outcome == nil ? queue.nextDeadline : nil }

  /// Begins.
  mutating func start(at now: Instant, into out: inout OctetBuffer) {
    queue.enqueue(HCIReset())
    queue.enqueue(HCIReadLocalSupportedCommands())
    queue.send(into: &out, at: now)
  }

  /// Takes octets; returns whom it heard.
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
    // Both masks leave out what scans bring, as they are after a reset (Core 5.4 Vol 4 Part E 7.3.1, 7.8.1).
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
