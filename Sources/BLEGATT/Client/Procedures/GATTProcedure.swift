import BLEATT
import BLECore

/// The requests of one operation, one after the other. The client sends them and passes on the responses; a procedure only decides what
/// comes next.
protocol GATTProcedure: Sendable {
  /// Returns the first request, or the end of an operation that needs none.
  mutating func begin(mtu: Int) -> ProcedureStep

  /// Processes the response to the latest request, including its opcode.
  mutating func take(_ response: Span<UInt8>, mtu: Int) throws(GATTFailure) -> ProcedureStep

  /// Processes the Error Response to the latest request.
  mutating func takeRefusal(_ refusal: ErrorResponse, mtu: Int) -> ProcedureStep
}

/// The next step of a procedure.
enum ProcedureStep {
  /// Send a request.
  case send(any ATTPDU)
  /// End the operation.
  case end(GATTOutcome)
}

extension GATTProcedure {
  mutating func takeRefusal(_ refusal: ErrorResponse, mtu: Int) -> ProcedureStep {
    .end(.failure(refusal.failure))
  }

  /// Decodes a response whose opcode has been checked.
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

/// The progress of a discovery. Every response must advance it, so that no server can continue it forever.
struct HandleCursor: Sendable {
  private var next: Int
  private let end: UInt16

  init(_ range: ClosedRange<UInt16>) {
    next = max(Int(range.lowerBound), 1)
    end = range.upperBound
  }

  /// The range that is still to be requested; nil at the end.
  var remaining: (start: UInt16, end: UInt16)? { next <= Int(end) ? (UInt16(clamping: next), end) : nil }

  /// Advances past an entry, whose handles must be within the remaining range.
  mutating func pass(_ first: UInt16, through last: UInt16, in response: ATTOpcode) throws(GATTFailure) {
    guard Int(first) >= next, last >= first, last <= end else {
      throw .violation(.handleOutOfOrder(response, handle: first))
    }
    next = Int(last) + 1
  }
}

/// Entries of equal length, as in the lists of responses.
struct ResponseEntries {
  /// The length of each entry in octets.
  let length: Int
  private let octets: [UInt8]

  /// Creates the entries. An empty list, a partial entry and an invalid length are protocol violations.
  init(_ octets: [UInt8], length: Int, allowed: (Int) -> Bool, in response: ATTOpcode) throws(GATTFailure) {
    guard length > 0, allowed(length), !octets.isEmpty, octets.count.isMultiple(of: length) else {
      throw .violation(.malformed(response))
    }
    self.octets = octets
    self.length = length
  }

  /// The number of entries.
  var count: Int { octets.count / length }

  /// Returns a word of an entry.
  func word(_ entry: Int, at offset: Int) -> UInt16 {
    let place = entry * length + offset
    return UInt16(octets[place]) | UInt16(octets[place + 1]) << 8
  }

  /// Returns an octet of an entry.
  func octet(_ entry: Int, at offset: Int) -> UInt8 { octets[entry * length + offset] }

  /// Returns an entry from an offset on.
  func rest(_ entry: Int, from offset: Int) -> [UInt8] {
    Array(octets[entry * length + offset..<(entry + 1) * length])
  }
}
