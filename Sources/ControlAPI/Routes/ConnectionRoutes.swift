import AccessoryProfile
import BLECore
import BLEGAP
import BLEHCI
import BLELink
import Hummingbird
import PeripheralHost
import HTTPTypes
import Understudy

extension RouteTable {
  /// The response to a request about a connection whose completion is not awaited.
  private static let begun = Shape.object(.needed("connection", .number16))
  /// The reasons that a host may give (Core 5.4 Vol 4 Part E 7.1.6).
  private static let reasons: [UInt8] = [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B]
  private static let reasonShape = Shape.either(
    reasons.map { .integer(Int64($0)...Int64($0)) } + [.words(reasons.map { "0x\([$0].uppercaseHexadecimal)" })],
    words: "one that a host may give: \(reasons.map { "0x\([$0].hexadecimal)" }.joined(separator: ", "))")
  private static let interval = Shape.number(7.5...4000)

  static let connections: [Route] = [
    Route(
      .post, "connections/{connection}/disconnect", "ends a connection",
      body: .fields(.optional("reason", reasonShape, "the error code that the central gets; default 0x13")),
      status: .accepted, .json(begun), refusals: [.notReady]
    ) { call async throws(Refusal) in
      let reason = reason(call.fields["reason"]) ?? .remoteUserTerminatedConnection
      return try await begin(.disconnect(try call.connection(), reason: reason), call)
    },
    Route(
      .post, "connections/{connection}/parameters",
      "requests other connection parameters from the central (Core 5.4 Vol 3 Part A 4.20)",
      body: .fields(
        .needed(
          "interval_ms",
          .either(
            [interval, .list(interval, 2...2)],
            words: "a number from 7.5 to 4000, or a list of two such numbers, [shortest, longest]")),
        .optional("latency", .integer(0...499), "default 0"), .needed("timeout_ms", .number(100...32_000))),
      status: .accepted, .json(begun), refusals: [.notReady, .impossible]
    ) { call async throws(Refusal) in
      try await begin(.requestParameters(try call.connection(), try parameters(call)), call)
    },
    Route(
      .post, "connections/{connection}/pair", "requests security from the central with a Security Request",
      body: .nothing,
      status: .accepted, .json(begun), refusals: [.notReady, .impossible]
    ) { call async throws(Refusal) in try await begin(.pair(try call.connection()), call) },
    Route(
      .get, "connections/{connection}/rssi",
      "measures the signal strength of the central (Core 5.4 Vol 4 Part E 7.5.4)",
      .json(
        .object(
          .needed("connection", .number16),
          .needed("rssi", Shape.integer(-127...20).orNull, "in dBm; null if it is not available"))),
      refusals: [.notReady]
    ) { call async throws(Refusal) in
      let link = try call.connection()
      let decibels = try await call.control { accessory throws(ControlError) in
        try await accessory.signalStrength(of: link)
      }
      return .json(
        .object([
          "connection": .int(Int64(link.rawValue)), "rssi": decibels.map { .int(Int64($0)) } ?? .null,
        ]))
    },
  ]

  private static func begin(
    _ request: HostRequest, _ call: RouteCall
  ) async throws(Refusal) -> Response {
    let handle = try call.connection()
    try await call.control { accessory throws(ControlError) in try await accessory.perform(request) }
    return .json(.object(["connection": .int(Int64(handle.rawValue))]), status: .accepted)
  }

  private static func reason(_ value: ProfileValue?) -> ErrorCode? {
    switch value {
    case .int(let number): ErrorCode(rawValue: UInt8(clamping: number))
    case .string(let text): UInt8(text.dropFirst(2), radix: 16).map { ErrorCode(rawValue: $0) }
    default: nil
    }
  }

  /// Returns the requested parameters. Times are rounded to their units before they are compared.
  private static func parameters(_ call: RouteCall) throws(Refusal) -> ConnectionPolicy.ParameterRequest {
    let value = call.fields["interval_ms"]
    var ends = [value?.number ?? 0, value?.number ?? 0]
    if case .array(let elements) = value { ends = elements.compactMap(\.number) }
    guard ends[0] <= ends[1] else {
      throw Refusal(.badRequest, "in interval_ms, the shortest is greater than the longest")
    }
    let (shortest, longest) = (
      ConnectionInterval(rounding: duration(ends[0])).duration, ConnectionInterval(rounding: duration(ends[1])).duration
    )
    let latency = call.integer("latency") ?? 0
    let timeout = SupervisionTimeout(rounding: duration(call.fields["timeout_ms"]?.number ?? 0)).duration
    guard timeout.inNanoseconds > Int64(1 + latency) * longest.inNanoseconds * 2 else {
      throw Refusal(.badRequest, "timeout_ms must be more than (1 + latency) * interval_ms * 2")
    }
    return ConnectionPolicy.ParameterRequest(
      intervals: shortest...longest, latency: latency, timeout: timeout, delay: .zero)
  }

  private static func duration(_ milliseconds: Double) -> Duration {
    .microseconds(Int64((milliseconds * 1000).rounded()))
  }
}
