import AccessoryProfile
import BLEHCI
import BLELink
import HTTPTypes
import Hummingbird
import Understudy

extension RouteTable {
  /// The fields of a value: its octets, and decoded by its format.
  static let valueFields: [Shape.Field] = [
    Shape.Field.needed("hex", .hex, "all octets of the value"),
    Shape.Field.needed("value", .any, "the same, decoded by its format; without a format, `{\"hex\": …}`"),
  ]
  private static let reportShape = Shape.object(
    [Shape.Field.needed("id", .text), Shape.Field.needed("uuid", .text)] + valueFields, isOpen: false)
  private static let show = Shape.object(
    .optional("as", .words(ValueDisplay.Kind.allCases.map(\.rawValue))), .optional("from", .anyNumber),
    .optional("to", .anyNumber), .optional("unit", .text), .optional("label", .text),
    .optional("fields", .map(.map(.any))))
  private static let row = Shape.object(
    [
      Shape.Field.needed("id", .text), Shape.Field.needed("uuid", .text), Shape.Field.needed("name", Shape.text.orNull),
      Shape.Field.needed("service", Shape.text.orNull), Shape.Field.needed("value_handle", .number16),
      Shape.Field.needed("properties", .list(.text)), Shape.Field.optional("form", .open(.needed("kind", .text))),
      Shape.Field.optional("format", .text, "the format of the values as a profile states it, in JSON"),
      Shape.Field.optional("usual", .map(.list(.anyNumber, 2...2))), Shape.Field.optional("behavior", .map(.any)),
      Shape.Field.optional("show", show, "how the dashboard shows the value, as the profile says it"),
    ] + valueFields, isOpen: false)
  private static let permission = Shape.words(AuthorizationState.allCases.map(\.rawValue))

  static let characteristics: [Route] = [
    Route(
      .get, "characteristics",
      "every characteristic with its current value; for those in the profile, also the `form` and "
        + "`format` of their values, the `usual` range of numbers, their `behavior`, and what the profile says with "
        + "`show`; see [below](#forms)",
      .json(.object(.needed("characteristics", .list(row))))
    ) { call async throws(Refusal) in
      .json(.object(["characteristics": await (try call.accessory()).characteristicList()]))
    },
    Route(.get, "characteristics/{characteristic}/value", "a value, as octets and decoded", .json(reportShape)) {
      call async throws(Refusal) in
      .json(try await report(call))
    },
    Route(
      .put, "characteristics/{characteristic}/value",
      "sets a value: `{\"hex\": \"0102\"}`, or decoded as in its format: `{\"value\": {\"bpm\": 180}}`, or "
        + "just `{\"bpm\": 180}`",
      body: Route.Body(shape: .any), .json(reportShape), refusals: [.unsuitableValue]
    ) { call async throws(Refusal) in
      let (value, name) = (try value(of: call.body), call["characteristic"])
      try await call.control { accessory throws(ControlError) in try await accessory.setValue(value, of: name) }
      return .json(try await report(call))
    },
    sending("notify", "notified", isIndication: false), sending("indicate", "indicated", isIndication: true),
    authorization("characteristics/{characteristic}", "characteristic") { .characteristic($0) },
    authorization("services/{service}", "service") { .service($0) },
  ]

  private static func report(_ call: RouteCall) async throws(Refusal) -> ProfileValue {
    let name = call["characteristic"]
    return try await call.control { accessory throws(ControlError) in try await accessory.valueReport(of: name) }
  }

  /// Returns the value in `{"hex": "0102"}`, `{"value": …}`, or the decoded value itself.
  private static func value(of body: ProfileValue?) throws(Refusal) -> ProfileValue {
    guard case .object(let fields) = body, fields.count == 1 else { return body ?? .null }
    if let value = fields["value"] { return value }
    guard let hex = fields["hex"], body?.octets == nil else { return body ?? .null }
    throw Refusal(.badRequest, Shape.hex.fault(of: hex, at: "hex") ?? "hex has no octets")
  }

  private static func sending(_ verb: String, _ done: String, isIndication: Bool) -> Route {
    Route(
      .post, "characteristics/{characteristic}/\(verb)",
      "sends the current value, or sets a value and sends it. The response says for how many subscribers it "
        + "was `sent`, `queued` or `dropped`",
      body: .fields(
        .optional("value", .any, "set this value first, in its format"), .optional("hex", .hex, "the same, as octets"),
        .optional("connection", .number16, "for this subscriber only")),
      .json(
        .object(.needed(done, .text), .needed("sent", .count), .needed("queued", .count), .needed("dropped", .count))),
      refusals: [.unsuitableValue, .noSubscriber, .unknownConnection, .notReady, .impossible]
    ) { call async throws(Refusal) in
      let (fields, name) = (call.fields, call["characteristic"])
      guard fields["value"] == nil || fields["hex"] == nil else {
        throw Refusal(.badRequest, "value and hex cannot be combined")
      }
      let value = fields["value"] ?? call.octets("hex").map { .octets($0) }
      let link = call.integer("connection").map { ConnectionHandle(rawValue: UInt16($0)) }
      let report = try await call.control { accessory throws(ControlError) in
        try await accessory.send(name, indicating: isIndication, value: value, on: link)
      }
      return .json(
        .object([
          done: .string(name), "sent": .int(Int64(report.sent)), "queued": .int(Int64(report.queued)),
          "dropped": .int(Int64(report.dropped)),
        ]))
    }
  }

  private static func authorization(
    _ path: String, _ kind: String, _ scope: @escaping @Sendable (String) -> AuthorizationScope
  ) -> Route {
    Route(
      .put, "\(path)/authorization", "sets whether clients may use a \(kind) that needs authorization",
      body: .fields(.needed("state", permission)), .json(.object(.needed(kind, .text), .needed("state", permission))),
      refusals: [.unsuitableValue]
    ) { call async throws(Refusal) in
      let scope = scope(call[kind])
      guard let word = call.text("state"), let state = AuthorizationState(rawValue: word) else {
        throw Refusal(.badRequest, "state must be \(permission.words)")
      }
      try await call.control { accessory throws(ControlError) in try await accessory.setAuthorization(state, of: scope)
      }
      return .json(.object([kind: .string(scope.id), "state": .string(word)]))
    }
  }
}
