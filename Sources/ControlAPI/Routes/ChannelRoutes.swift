import AccessoryProfile
import BLECore
import BLEHCI
import BLEL2CAP
import BLELink
import Hummingbird
import PeripheralHost
import HTTPTypes
import Understudy

extension RouteTable {
  private static let publication = Shape.open(
    .needed("id", .text), .needed("max-channels", .count), .needed("mtu", .number16), .needed("mps", .number16))
  private static let begun: [Shape.Field] = [
    Shape.Field.needed("connection", .number16), Shape.Field.needed("channel", .number16),
  ]
  private static let authorization = Shape.words(ChannelAuthorization.words)
  private static let channelPath = "channels/{connection}/{channel}"

  static let channels: [Route] = [
    Route(
      .get, "channels", "open channels: lengths, credits, traffic, what sinks have received",
      .json(
        .object(
          .needed(
            "channels",
            .list(
              .open(
                .needed("connection", .number16), .needed("channel", .number16), .needed("id", Shape.text.orNull))))))
    ) { call async throws(Refusal) in .json(.object(["channels": await (try call.accessory()).channelReport()])) },
    Route(
      .post, "\(channelPath)/send", "sends an SDU",
      body: .fields(.optional("hex", .hex, "its octets"), .optional("text", .text, "or a text, in UTF-8")),
      status: .accepted, .json(.object(begun + [Shape.Field.needed("octets", .count)], isOpen: false)),
      refusals: [.unsuitableValue, .notReady, .impossible]
    ) { call async throws(Refusal) in
      let sdu = try sdu(call)
      return try await perform(.send(try call.connection(), try call.channel(), sdu), call, octets: sdu.count)
    },
    Route(
      .post, "\(channelPath)/close", "closes a channel", body: .nothing, status: .accepted,
      .json(.object(begun, isOpen: false)), refusals: [.notReady, .impossible]
    ) { call async throws(Refusal) in try await perform(.close(try call.connection(), try call.channel()), call) },
    Route(
      .post, "connections/{connection}/channels",
      "opens channels to a PSM of the central: one, or up to five in one enhanced request; received SDUs "
        + "are the events `sdu`",
      body: .fields(
        .needed("psm", .integer(1...255)), .optional("mtu", .integer(23...65_535)),
        .optional("mps", .integer(23...65_533)), .optional("credits", .number16),
        .optional("enhanced", .truth, "use an enhanced request, with an MTU and MPS of at least 64"),
        .optional("count", .integer(1...5), "for an enhanced request")),
      status: .accepted,
      .json(
        .object(.needed("connection", .number16), .needed("psm", .number16), .needed("channels", .list(.number16)))),
      refusals: [.notReady, .impossible]
    ) { call async throws(Refusal) in try await open(call) },
    Route(
      .get, "published", "the publications to which channels can be opened",
      .json(.object(.needed("published", .list(publication))))
    ) { call async throws(Refusal) in .json(.object(["published": await (try call.accessory()).publicationReport()])) },
    Route(
      .post, "published",
      "publishes another: `{\"id\": \"log\", \"psm\": \"new\", \"handler\": \"sink\", \"psm-characteristic\": "
        + "\"door\"}`",
      body: .language("channel"), status: .created, .json(publication),
      refusals: [.bridgeForbidden, .alreadyThere, .impossible, .notReady, .unknownCharacteristic, .unsuitableValue]
    ) { call async throws(Refusal) in
      var definition: ChannelDefinition
      do throws(ProfileValueError) { definition = try ChannelDefinition.load(call.body ?? .null) } catch {
        throw Refusal(.badRequest, error.message)
      }
      definition.handler = try call.service.bridges.admit(definition.handler)
      let published = definition
      let json = try await call.control { accessory throws(ControlError) in try await accessory.publish(published).json
      }
      return .json(json, status: .created)
    },
    Route(
      .delete, "published/{publication}", "withdraws a publication", .json(.object(.needed("unpublished", .text))),
      refusals: [.notReady, .impossible]
    ) { call async throws(Refusal) in
      let id = call["publication"]
      try await call.control { accessory throws(ControlError) in try await accessory.unpublish(id) }
      return .json(.object(["unpublished": .string(id)]))
    },
    Route(
      .put, "published/{publication}/authorization", "sets whether centrals may open channels to it",
      body: .fields(.needed("state", authorization)),
      .json(.object(.needed("id", .text), .needed("state", authorization))), refusals: [.notReady, .impossible]
    ) { call async throws(Refusal) in
      let id = call["publication"]
      guard let state = call.text("state").flatMap({ ChannelAuthorization(word: $0) }) else {
        throw Refusal(.badRequest, "state must be \(authorization.words)")
      }
      try await call.control { accessory throws(ControlError) in
        try await accessory.setAuthorization(state, ofPublication: id)
      }
      return .json(.object(["id": .string(id), "state": .string(state.word)]))
    },
  ]

  /// Passes a request about a channel to the accessory. The response does not wait for its completion.
  private static func perform(
    _ request: ChannelRequest, _ call: RouteCall, octets: Int? = nil
  ) async throws(Refusal) -> Response {
    try await call.control { accessory throws(ControlError) in try await accessory.perform(.channel(request)) }
    var fields: [String: ProfileValue] = [
      "connection": .int(Int64(try call.connection().rawValue)), "channel": .int(Int64(try call.channel().rawValue)),
    ]
    fields["octets"] = octets.map { .int(Int64($0)) }
    return .json(.object(fields), status: .accepted)
  }

  private static func sdu(_ call: RouteCall) throws(Refusal) -> [UInt8] {
    switch (call.octets("hex"), call.text("text")) {
    case (let octets?, nil): return octets
    case (nil, let text?): return Array(text.utf8)
    default: throw Refusal(.badRequest, "expected an SDU, as {\"hex\": \"0102\"} or {\"text\": \"hello\"}")
    }
  }

  private static func open(_ call: RouteCall) async throws(Refusal) -> Response {
    let handle = try call.connection()
    let isEnhanced = call.flag("enhanced") ?? false
    // Core 5.4 Vol 3 Part A 4.25.
    if isEnhanced {
      for (field, least) in [("mtu", 64), ("mps", 64), ("credits", 1)] where call.integer(field) ?? least < least {
        throw Refusal(.badRequest, "\(field) must be at least \(least) in an enhanced request")
      }
    } else if call.integer("count") != nil {
      throw Refusal(.badRequest, "count needs an enhanced request: {\"enhanced\": true}")
    }
    let psm = SPSM(rawValue: UInt16(call.integer("psm") ?? 0))
    let parameters = ChannelParameters(
      mtu: call.integer("mtu") ?? ChannelDefinition.defaultMTU,
      mps: call.integer("mps") ?? ChannelDefinition.defaultMPS,
      credits: call.integer("credits").map { .frames($0) } ?? .standard)
    let count = call.integer("count") ?? 1
    let ids = try await call.control { accessory throws(ControlError) in
      isEnhanced
        ? try await accessory.openEnhancedChannels(psm, count: count, on: handle, parameters: parameters)
        : [try await accessory.openChannel(psm, on: handle, parameters: parameters)]
    }
    return .json(
      .object([
        "connection": .int(Int64(handle.rawValue)), "psm": .int(Int64(psm.rawValue)),
        "channels": .array(ids.map { .int(Int64($0.rawValue)) }),
      ]), status: .accepted)
  }
}
