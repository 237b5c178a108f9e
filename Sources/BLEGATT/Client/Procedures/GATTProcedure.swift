import BLEATT
import BLECore

/// One operation's requests, one after the other. The client sends them and hands on the answers; a procedure only decides what
/// comes next.
protocol GATTProcedure: Sendable {
  /// The first request, or the end of an operation that needs none.
  mutating func begin(mtu: Int) -> ProcedureStep

  /// Takes the response to the latest request, opcode included.
  mutating func take(_ response: Span<UInt8>, mtu: Int) throws(GATTFailure) -> ProcedureStep

  /// Takes the refusal of the latest request.
  mutating func takeRefusal(_ refusal: ErrorResponse, mtu: Int) -> ProcedureStep
}

/// What a procedure wants next.
enum ProcedureStep {
  /// A request is to be sent.
  case send(any ATTPDU)
  /// The operation has ended.
  case end(GATTOutcome)
}

extension GATTProcedure {
  mutating func takeRefusal(_ refusal: ErrorResponse, mtu: Int) -> ProcedureStep {
    .end(.failure(refusal.failure))
  }

  /// Decodes a response whose opcode has been looked at.
  func decode<PDU: ATTPDU>(_ response: Span<UInt8>) throws(GATTFailure) -> PDU {
    guard let pdu = try? PDU(decoding: response.extracting(1...)) else {
      throw .violation(.malformed(PDU.opcode))
    }
    return pdu
  }
}

extension ErrorResponse {
  var failure: GATTFailure { .refused(error, request: request, handle: handle) }
}

/// How far a discovery has come. Every answer must bring it forward, so that no server can keep it going for ever.
struct HandleCursor: Sendable {
  private var next: Int
  private let end: UInt16

  init(_ range: ClosedRange<UInt16>) {
    next = max(Int(range.lowerBound), 1)
    end = range.upperBound
  }

  /// The range that is left to ask for; nil at the end.
  var remaining: (start: UInt16, end: UInt16)? { next <= Int(end) ? (UInt16(clamping: next), end) : nil }

  /// Goes on behind an entry, whose handles must lie in what is left.
  mutating func pass(_ first: UInt16, through last: UInt16, in response: ATTOpcode) throws(GATTFailure) {
    guard Int(first) >= next, last >= first, last <= end else {
      throw .violation(.handleOutOfOrder(response, handle: first))
    }
    next = Int(last) + 1
  }
}

/// Entries of one length, as lists in responses have them.
struct ResponseEntries {
  /// The length of each in octets.
  let length: Int
  private let octets: [UInt8]

  /// The entries; a list without any, with a part of one or with a length it cannot have breaks the protocol.
  init(_ octets: [UInt8], length: Int, allowed: (Int) -> Bool, in response: ATTOpcode) throws(GATTFailure) {
    guard length > 0, allowed(length), !octets.isEmpty, octets.count.isMultiple(of: length) else {
      throw .violation(.malformed(response))
    }
    self.octets = octets
    self.length = length
  }

  /// How many there are.
  var count: Int { octets.count / length }

  /// A word within an entry.
  func word(_ entry: Int, at offset: Int) -> UInt16 {
    let place = entry * length + offset
    return UInt16(octets[place]) | UInt16(octets[place + 1]) << 8
  }

  /// An octet within an entry.
  func octet(_ entry: Int, at offset: Int) -> UInt8 { octets[entry * length + offset] }

  /// An entry from an offset on.
  func rest(_ entry: Int, from offset: Int) -> [UInt8] {
    Array(octets[entry * length + offset..<(entry + 1) * length])
  }
}
