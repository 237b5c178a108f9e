import BLEATT
import BLECore
import BLEGATT
import BLEL2CAP
import BLELink
import BLESDP

/// What the judges see of a client, whatever its transport.
protocol SwarmClient: AnyObject {
  var name: String { get }
  /// The name of its kind.
  var kindName: String { get }
  /// The requests that were answered with success since the judges last looked.
  var answered: [Answered] { get }
  /// The requests that were refused since the judges last looked, with the error.
  var refused: [(operation: GATTOperation, error: ATTErrorCode)] { get }
  /// The bearers of the current link over which it has sent PDUs by hand.
  var bearersByHand: Set<BearerID> { get }
}

/// The Attribute Protocol of a peer over BR/EDR: one request at a time, and answers to what the accessory sends.
struct AttributeExchange {
  private(set) var isIdle = true
  /// Whether PDUs that were sent by hand may have answers.
  var isByHand = false
  var answered: [Answered] = []
  var refused: [(operation: GATTOperation, error: ATTErrorCode)] = []
  private var asked: (opcode: UInt8, operation: GATTOperation?, at: Instant)?
  private var replies: [(due: Instant, pdu: [UInt8])] = []
  /// The next request of a discovery.
  private var next: [UInt8]?
  private var isDiscovering = false

  /// The time until it answers the accessory.
  private static let pause = Duration.milliseconds(30)
  private static let end: [UInt8] = [0xFF, 0xFF]

  var nextDeadline: Instant? { replies.reduce(nil) { Instant.earliest($0, $1.due) } }

  mutating func begin(_ opcode: UInt8, _ operation: GATTOperation?, at now: Instant) {
    (asked, isIdle) = ((opcode, operation, now), false)
  }

  /// Forgets everything that belongs to the bearer.
  mutating func end() {
    (isIdle, isByHand, asked, replies, next, isDiscovering) = (true, false, nil, [], nil, false)
  }

  /// Returns the first request of a discovery of services and characteristics.
  mutating func discover() -> [UInt8] {
    isDiscovering = true
    return [0x10, 1, 0] + Self.end + [0x00, 0x28]
  }

  /// Returns the answers that are due.
  mutating func takeReplies(at now: Instant) -> [[UInt8]] {
    let due = replies.filter { $0.due <= now }.map(\.pdu)
    replies.removeAll { $0.due <= now }
    return due
  }

  mutating func takeNext() -> [UInt8]? {
    guard let pdu = next else { return nil }
    next = nil
    return pdu
  }

  /// Handles a PDU of the accessory (Core 5.4 Vol 3 Part F 3.3). Reports what a client must not get.
  mutating func receive(_ pdu: [UInt8], at now: Instant, findings: inout [String]) {
    guard let opcode = pdu.first else { return findings.append("an empty ATT PDU") }
    switch opcode {
    case 0x1B, 0x23: break
    case 0x1D: reply([0x1E], to: opcode, at: now, &findings)
    case 0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x16, 0x18, 0x20:
      // It has no server.
      reply([0x01, opcode, 0, 0, 0x06], to: opcode, at: now, &findings)
    case 0x12: reply([0x01, opcode] + pdu.dropFirst().prefix(2) + [0x06], to: opcode, at: now, &findings)
    case 0x52, 0xD2, 0x1E: break
    default: answer(pdu, at: now, &findings)
    }
  }

  /// Answers an indication or a request. Until then, no other one may come.
  private mutating func reply(_ pdu: [UInt8], to opcode: UInt8, at now: Instant, _ findings: inout [String]) {
    if replies.contains(where: { ($0.pdu == [0x1E]) == (pdu == [0x1E]) }) {
      findings.append("0x\([opcode].hexadecimal) before the answer to the previous one")
    }
    replies.append((now + Self.pause, pdu))
  }

  private mutating func answer(_ pdu: [UInt8], at now: Instant, _ findings: inout [String]) {
    let isError = pdu[0] == 0x01
    guard let asked, isError ? pdu.count == 5 && pdu[1] == asked.opcode : pdu[0] == asked.opcode + 1 else {
      if !isByHand { findings.append("\(pdu.hexadecimal), which answers no request") }
      return
    }
    (self.asked, isIdle) = (nil, true)
    if let operation = asked.operation {
      if isError {
        refused.append((operation, ATTErrorCode(rawValue: pdu[4])))
      } else {
        let result: GATTResult = .value(Array(pdu.dropFirst()))
        answered.append(Answered(operation: operation, bearer: .fixed, since: asked.at, result: result))
      }
    } else if isDiscovering {
      discoverOn(pdu, at: now)
    }
  }

  /// Continues a discovery after its last result.
  private mutating func discoverOn(_ pdu: [UInt8], at now: Instant) {
    var opcode: UInt8 = 0x08
    var start: UInt16 = 1
    if pdu[0] != 0x01 {
      opcode = pdu[0] - 1
      let length = pdu.count > 1 ? Int(pdu[1]) : 0
      guard length >= 4, pdu.count >= 2 + length else { return isDiscovering = false }
      let place = pdu.count - length + (opcode == 0x10 ? 2 : 0)
      start = UInt16(pdu[place]) | UInt16(pdu[place + 1]) << 8
      guard start < .max else { return isDiscovering = false }
      start += 1
    } else if pdu[1] != 0x10 {
      return isDiscovering = false
    }
    next = [opcode] + start.littleEndianOctets + Self.end + [opcode == 0x10 ? 0x00 : 0x03, 0x28]
    begin(opcode, nil, at: now)
  }
}

/// The service discovery of a peer over BR/EDR: one query at a time.
struct DiscoveryExchange {
  /// A query and its answer.
  struct Answer {
    var query: SDPClient.Query
    var answer: Result<SDPClient.Answer, SDPClient.Failure>
    var since: Instant
  }

  /// The channel of the query.
  private(set) var channel: ChannelID?
  /// Whether PDUs that were sent by hand may have answers.
  var isByHand = false
  /// The handles of the records that were found last.
  private(set) var handles: [ServiceRecordHandle] = []
  /// The queries that have ended since the judges last looked.
  var answers: [Answer] = []
  private var client = SDPClient()
  private var asked: (query: SDPClient.Query, at: Instant)?

  var isBusy: Bool { client.isBusy }

  mutating func ask(
    _ query: SDPClient.Query, octets: UInt16, on channel: ChannelID, mtu: Int, at now: Instant,
    into buffer: inout OctetBuffer
  ) {
    client = SDPClient(limits: .init(responseOctets: octets))
    (self.channel, asked) = (channel, (query, now))
    do { try client.ask(query, mtu: mtu, into: &buffer) } catch { end(with: .failure(error)) }
  }

  mutating func receive(_ pdu: [UInt8], at now: Instant, next: inout OctetBuffer, findings: inout [String]) {
    switch client.receive(pdu.span, next: &next) {
    case .ignored: if !isByHand { findings.append("\(pdu.hexadecimal), which answers no query") }
    case .continued: break
    case .answered(let answer):
      if case .handles(let found) = answer { handles = found }
      end(with: .success(answer))
    case .failed(let failure): end(with: .failure(failure))
    }
  }

  private mutating func end(with answer: Result<SDPClient.Answer, SDPClient.Failure>) {
    guard let asked, !isByHand else { return }
    answers.append(Answer(query: asked.query, answer: answer, since: asked.at))
  }

  /// Forgets everything that belongs to the channel.
  mutating func end() {
    client.cancel()
    (channel, asked, isByHand) = (nil, nil, false)
  }
}
