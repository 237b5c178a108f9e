import BLECore
import BLEHCI

/// What a controller says of itself when it is asked.
public struct ControllerIdentity: Hashable, Sendable {
  /// The version of the specification that its HCI follows.
  public var version: CoreVersion
  /// The manufacturer's own number for its HCI.
  public var subversion: UInt16
  /// Who made it.
  public var manufacturer: ControllerManufacturer
  /// The firmware in its own words, where it has any.
  public var firmware: String?
}

/// Finds out whether somebody speaks HCI, and who: HCI_Reset, HCI_Read_Local_Version_Information, and from Zephyr the name of
/// the build. It takes octets and the time, and gives octets.
struct HCIProbe: Sendable {
  /// What came of it.
  enum Outcome: Hashable, Sendable {
    /// A controller answered.
    case answered(ControllerIdentity)
    /// Nothing came.
    case silent
    /// So many octets came, and no answer among them.
    case garbled(octets: Int)
  }

  /// How long an answer may take: a controller's own time is a few milliseconds, the rest is for USB.
  static let patience = Duration.milliseconds(250)
  /// How often the reset is sent: the first one may have been the tail of what a program before left half-sent.
  static let attempts = 2

  /// What came of it, once that is known.
  private(set) var outcome: Outcome?
  private var deframer = H4Deframer(side: .host, maximumDataLength: 1024)
  private var queue = CommandQueue(timeout: Self.patience)
  private var resets = 0
  private var heard = 0
  private var identity: ControllerIdentity?

  /// When `advance` has something to do next.
  var nextDeadline: Instant? { outcome == nil ? queue.nextDeadline : nil }

  /// Begins.
  mutating func start(at now: Instant, into out: inout OctetBuffer) { reset(at: now, into: &out) }

  private mutating func reset(at now: Instant, into out: inout OctetBuffer) {
    resets += 1
    queue.reset()
    // What came before may be the beginning of a packet whose rest was lost.
    deframer.reset()
    queue.enqueue(HCIReset())
    queue.send(into: &out, at: now)
  }

  /// Takes octets.
  mutating func receive(_ octets: Span<UInt8>, at now: Instant, into out: inout OctetBuffer) {
    heard += octets.count
    var offset = 0
    while outcome == nil, let frame = deframer.next(in: octets, at: &offset) {
      guard frame.type == .event else { continue }
      switch frame.place {
      case .given(let range): receive(octets.extracting(range))
      case .collected(let packet): receive(packet.span)
      }
      queue.send(into: &out, at: now)
    }
  }

  private mutating func receive(_ packet: Span<UInt8>) {
    guard let event = try? EventPacket(packet), let answer = queue.receive(event, in: packet) else { return }
    switch answer {
    case .complete(let opcode, let range): answered(opcode, packet.extracting(range))
    // Only the name of the build may be refused; what came before is enough then.
    case .status: conclude()
    default: break
    }
  }

  private mutating func answered(_ opcode: CommandOpcode, _ parameters: Span<UInt8>) {
    switch opcode {
    case .reset: queue.enqueue(HCIReadLocalVersionInformation())
    case .readLocalVersionInformation:
      guard let answer = try? HCIReadLocalVersionInformation.returned(parameters) else { return conclude() }
      identity = ControllerIdentity(
        version: answer.hciVersion, subversion: answer.hciSubversion, manufacturer: answer.manufacturer, firmware: nil)
      guard answer.manufacturer == .zephyr else { return conclude() }
      queue.enqueue(ZephyrReadBuildInformation())
    default:
      if let answer = try? ZephyrReadBuildInformation.returned(parameters), answer.status == .success {
        let text = String(decoding: answer.text.prefix { $0 != 0 }, as: UTF8.self)
        identity?.firmware = text.isEmpty ? nil : text
      }
      conclude()
    }
  }

  /// Ends with what is known by now.
  private mutating func conclude() {
    outcome = identity.map { .answered($0) } ?? (heard > 0 ? .garbled(octets: heard) : .silent)
  }

  /// Does what is due at `now`.
  mutating func advance(to now: Instant, into out: inout OctetBuffer) {
    guard outcome == nil, queue.advance(to: now) != nil else { return }
    if identity == nil, resets < Self.attempts { reset(at: now, into: &out) } else { conclude() }
  }
}
