import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import Hummingbird
import HTTPTypes
import Understudy

extension RouteTable {
  private static let targetFields: [Shape.Field] = [
    Shape.Field.optional("uuid", .text(atLeast: 1), "the UUID or the assigned name of a characteristic"),
    Shape.Field.optional(
      "service", .text(atLeast: 1), "the UUID or name of its service, if several services have such a characteristic"),
    Shape.Field.optional("handle", .integer(1...0xFFFF), "its value handle, instead of `uuid`"),
  ]
  private static let database = Shape.object(.needed("connection", .number16), .needed("services", .list(.open())))
  private static let refusals: [RefusalCode] = [
    .unsuitableValue, .unknownRemote, .notReady, .impossible, .remoteFailed, .remoteSilent,
  ]

  static let remotes: [Route] = [
    Route(.get, "connections/{connection}/remote", "what is known about the central's own services", .json(database)) {
      call async throws(Refusal) in try await report(call)
    },
    Route(
      .post, "connections/{connection}/remote/discover", "discovers all services of the central, and returns them",
      body: .nothing, .json(database), refusals: refusals
    ) { call async throws(Refusal) in
      let link = try call.connection()
      _ = try await call.control { accessory throws(ControlError) in try await accessory.discoverRemote(of: link) }
      return try await report(call)
    },
    Route(
      .post, "connections/{connection}/remote/read", "reads a characteristic of the central",
      body: Route.Body(shape: .object(targetFields, isOpen: false)),
      .json(
        .open(.needed("hex", .hex), .needed("handle", .number16), .needed("connection", .number16))),
      refusals: refusals
    ) { call async throws(Refusal) in
      let (link, target) = (try call.connection(), try target(call))
      return .json(
        try await call.control { accessory throws(ControlError) in
          try await accessory.remoteValueReport(of: target, on: link)
        })
    },
    Route(
      .post, "connections/{connection}/remote/write", "writes a characteristic of the central",
      body: Route.Body(
        shape: .object(
          targetFields + [
            Shape.Field.optional("hex", .hex),
            Shape.Field.optional("value", .any, "in the format of an assigned characteristic"),
            Shape.Field.optional("response", .truth, "false uses a Write Command"),
          ], isOpen: false)),
      .json(.object(.needed("connection", .number16), .needed("handle", .number16), .needed("octets", .count))),
      refusals: refusals
    ) { call async throws(Refusal) in
      let (link, target) = (try call.connection(), try target(call))
      let (octets, withResponse) = (try octets(call, target), call.flag("response") ?? true)
      let handle = try await call.control { accessory throws(ControlError) in
        try await accessory.writeRemote(octets, to: target, of: link, withResponse: withResponse)
      }
      return .json(
        .object([
          "connection": .int(Int64(link.rawValue)), "handle": .int(Int64(handle)), "octets": .int(Int64(octets.count)),
        ]))
    },
    Route(
      .post, "connections/{connection}/remote/subscribe",
      "subscribes to a characteristic of the central, to what it supports or to what is given; both false "
        + "ends the subscription",
      body: Route.Body(
        shape: .object(
          targetFields + [Shape.Field.optional("notify", .truth), Shape.Field.optional("indicate", .truth)],
          isOpen: false)),
      .json(
        .object(
          .needed("connection", .number16), .needed("handle", .number16), .needed("notify", .truth),
          .needed("indicate", .truth))),
      refusals: refusals
    ) { call async throws(Refusal) in
      let (link, target, configuration) = (try call.connection(), try target(call), configuration(call))
      let (handle, wanted) = try await call.control { accessory throws(ControlError) in
        try await accessory.subscribeRemote(target, of: link, configuration)
      }
      return .json(
        .object([
          "connection": .int(Int64(link.rawValue)), "handle": .int(Int64(handle)),
          "notify": .bool(wanted.contains(.notification)), "indicate": .bool(wanted.contains(.indication)),
        ]))
    },
  ]

  private static func report(_ call: RouteCall) async throws(Refusal) -> Response {
    let link = try call.connection()
    let services = try await call.control { accessory throws(ControlError) in try await accessory.remoteReport(of: link)
    }
    return .json(.object(["connection": .int(Int64(link.rawValue)), "services": services]))
  }

  /// Returns the characteristic in `{"uuid": "2A19"}`, `{"uuid": "battery-level", "service": "battery"}` or `{"handle": 12}`.
  private static func target(_ call: RouteCall) throws(Refusal) -> RemoteTarget {
    switch (call.text("uuid"), call.integer("handle")) {
    case (let uuid?, nil):
      let service = try call.text("service").map { name throws(Refusal) in
        try self.uuid(name, .service, field: "service")
      }
      return .uuid(try self.uuid(uuid, .characteristic, field: "uuid"), service: service)
    case (nil, let handle?):
      guard call.text("service") == nil else {
        throw Refusal(.badRequest, "service can be combined with uuid, not with handle")
      }
      return .handle(UInt16(handle))
    case (_?, _?): throw Refusal(.badRequest, "uuid and handle cannot be combined")
    case (nil, nil): throw Refusal(.badRequest, "uuid or handle is missing")
    }
  }

  private static func uuid(_ text: String, _ kind: AssignedName.Kind, field: String) throws(Refusal) -> BluetoothUUID {
    guard let uuid = AssignedName.uuid(named: text, kind: kind) ?? BluetoothUUID(text) else {
      throw Refusal(.badRequest, "\(field) must be a UUID or the name of an assigned \(kind.rawValue)")
    }
    return uuid
  }

  private static func octets(_ call: RouteCall, _ target: RemoteTarget) throws(Refusal) -> [UInt8] {
    switch (call.octets("hex"), call.fields["value"]) {
    case (let octets?, nil): return octets
    case (nil, let value?):
      let format: ValueFormat = if case .uuid(let uuid, _) = target { .assigned(to: uuid) } else { .octets }
      do throws(ProfileValueError) { return try format.encode(value) } catch {
        throw Refusal(.unsuitableValue, "value: \(error.message)")
      }
    case (_?, _?): throw Refusal(.badRequest, "hex and value cannot be combined")
    case (nil, nil): throw Refusal(.badRequest, "hex or value is missing")
    }
  }

  private static func configuration(_ call: RouteCall) -> ClientConfiguration? {
    let (notify, indicate) = (call.flag("notify"), call.flag("indicate"))
    guard notify != nil || indicate != nil else { return nil }
    var configuration: ClientConfiguration = []
    if notify == true { configuration.insert(.notification) }
    if indicate == true { configuration.insert(.indication) }
    return configuration
  }
}
