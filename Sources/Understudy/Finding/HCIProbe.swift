import BLECore
import BLEHCI

/// A controller's identity, as it reports it.
public struct ControllerIdentity: Hashable, Sendable {
  /// The HCI version that it supports.
  public var version: CoreVersion
  /// The manufacturer's version number for its HCI.
  public var subversion: UInt16
  /// The manufacturer.
  public var manufacturer: ControllerManufacturer
  /// The name of its firmware, if it reports one.
  public var firmware: String?
}

/// Finds out whether the other side uses HCI, and which controller it is: sends HCI_Reset, HCI_Read_Local_Version_Information,
/// and for Zephyr the command that reads the name of the build. Octets and the time go in, octets come out.
struct HCIProbe: Sendable {
  /// The result.
  enum Outcome: Hashable, Sendable {
    /// A controller answered.
    case answered(ControllerIdentity)
    /// Nothing was received.
    case silent
    /// This many octets were received, but no answer among them.
    case garbled(octets: Int)
  }

  /// How long an answer may take. The controller itself needs a few milliseconds; the rest is for USB.
  static let patience = Duration.milliseconds(250)
  /// How often the reset is sent. The controller may take the first one for the rest of a packet that an earlier program left incomplete.
  static let attempts = 2

  /// The result, once known.
  private(set) var outcome: Outcome?
  private var deframer = H4Deframer(side: .host, maximumDataLength: 1024)
  private var queue = CommandQueue(timeout: Self.patience)
  private var resets = 0
  private var heard = 0
  private var identity: ControllerIdentity?

  /// When to call `advance` next.
  var nextDeadline: Instant? { outcome == nil ? queue.nextDeadline : nil }

  /// Starts the probe.
  mutating func start(at now: Instant, into out: inout OctetBuffer) { reset(at: now, into: &out) }

  private mutating func reset(at now: Instant, into out: inout OctetBuffer) {
    resets += 1
    queue.reset()
    // What was received before may be the beginning of a packet whose rest was lost.
    deframer.reset()
    queue.enqueue(HCIReset())
    queue.send(into: &out, at: now)
  }

  /// Handles octets from the other side.
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
    // Only the name of the build may be refused. Then the earlier answers are sufficient.
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

  /// Ends the probe with what is known.
  private mutating func conclude() {
    outcome = identity.map { .answered($0) } ?? (heard > 0 ? .garbled(octets: heard) : .silent)
  }

  /// Does what is due at `now`.
  mutating func advance(to now: Instant, into out: inout OctetBuffer) {
    guard outcome == nil, queue.advance(to: now) != nil else { return }
    if identity == nil, resets < Self.attempts { reset(at: now, into: &out) } else { conclude() }
  }
}
