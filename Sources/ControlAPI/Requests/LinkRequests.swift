import AccessoryProfile
import BLECore
import BLEGAP
import BLEHCI
import HTTPTypes

/// What requests say about connections.
enum LinkRequests {
  /// The connection of a path segment.
  static func handle(_ segment: String) throws(Refusal) -> ConnectionHandle {
    guard segment.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt16(segment) else {
      throw Refusal(.notFound, "there is no connection \(segment): connections are numbers, as in the events")
    }
    return ConnectionHandle(rawValue: number)
  }

  /// What is to be sent, and to whom: `{"value": …}` or `{"hex": "0102"}` where it is set first, and `{"connection": 1}` for one
  /// subscriber alone.
  static func sending(
    _ body: ProfileValue?
  ) throws(Refusal) -> (value: ProfileValue?, connection: ConnectionHandle?) {
    var fields = try JSONBody.fields(body, known: ["value", "hex", "connection"])
    var connection: ConnectionHandle?
    if let number = fields.removeValue(forKey: "connection") {
      guard case .int(let number) = number, let handle = UInt16(exactly: number) else {
        throw Refusal(.badRequest, "connection must be a number, as in the events")
      }
      connection = ConnectionHandle(rawValue: handle)
    }
    guard fields.count <= 1 else { throw Refusal(.badRequest, "either value or hex is wanted") }
    return (fields.isEmpty ? nil : try JSONBody.value(.object(fields)), connection)
  }

  /// Core 5.4 Vol 4 Part E 7.1.6: what a host may give as its reason.
  private static let reasons: [UInt8] = [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B]

  /// The reason of `{"reason": 19}` or `{"reason": "0x13"}`; without one, the remote user has ended the connection.
  static func reason(_ body: ProfileValue?) throws(Refusal) -> ErrorCode {
    let number: UInt8? =
      switch try JSONBody.fields(body, known: ["reason"])["reason"] {
      case nil: ErrorCode.remoteUserTerminatedConnection.rawValue
      case .int(let number): UInt8(exactly: number)
      case .string(let text) where text.hasPrefix("0x"): UInt8(text.dropFirst(2), radix: 16)
      default: nil
      }
    guard let number, reasons.contains(number) else {
      let known = reasons.map { "0x\([$0].hexadecimal)" }.joined(separator: ", ")
      throw Refusal(.badRequest, "reason is none that a host may give (known: \(known))")
    }
    return ErrorCode(rawValue: number)
  }

  /// Core 5.4 Vol 3 Part A 4.20: the parameters of `{"interval_ms": 30, "latency": 0, "timeout_ms": 2000}`, where the
  /// interval may also be `[shortest, longest]`. Times are rounded to their units before the ranges are looked at.
  static func parameters(_ body: ProfileValue?) throws(Refusal) -> ConnectionPolicy.ParameterRequest {
    let fields = try JSONBody.fields(body, known: ["interval_ms", "latency", "timeout_ms"])
    let (shortest, longest) = try intervals(fields["interval_ms"])
    guard case .int(let latency) = fields["latency"] ?? .int(0), (0...499).contains(latency) else {
      throw Refusal(.badRequest, "latency must be a whole number from 0 to 499")
    }
    guard let milliseconds = fields["timeout_ms"]?.number, (100...32_000).contains(milliseconds) else {
      throw Refusal(.badRequest, "timeout_ms must be a number from 100 to 32000")
    }
    let timeout = SupervisionTimeout(rounding: duration(milliseconds)).duration
    guard timeout.inNanoseconds > (1 + latency) * longest.inNanoseconds * 2 else {
      throw Refusal(.badRequest, "timeout_ms must be more than (1 + latency) * interval_ms * 2")
    }
    return ConnectionPolicy.ParameterRequest(
      intervals: shortest...longest, latency: Int(latency), timeout: timeout, delay: .zero)
  }

  private static func intervals(_ value: ProfileValue?) throws(Refusal) -> (Duration, Duration) {
    let ends: [Double?]
    if case .array(let elements) = value, elements.count == 2 {
      ends = elements.map(\.number)
    } else {
      ends = [value?.number, value?.number]
    }
    guard let first = ends[0], let last = ends[1], 7.5 <= first, first <= last, last <= 4000 else {
      throw Refusal(
        .badRequest, "interval_ms must be a number from 7.5 to 4000, or [shortest, longest] of such numbers")
    }
    return (
      ConnectionInterval(rounding: duration(first)).duration, ConnectionInterval(rounding: duration(last)).duration
    )
  }

  private static func duration(_ milliseconds: Double) -> Duration {
    .microseconds(Int64((milliseconds * 1000).rounded()))
  }
}
