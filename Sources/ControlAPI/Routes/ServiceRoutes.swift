import AccessoryProfile
import HTTPTypes
import Hummingbird
import Understudy

extension RouteTable {
  static let serviceShape = Shape.open(
    .needed("id", .text), .needed("uuid", .text), .needed("handle", .number16), .needed("end", .number16),
    .needed("primary", .truth), .optional("transports", .list(.text), "if it lacks one: the transports that it has"),
    .needed("characteristics", .list(characteristicShape)))
  private static let characteristicShape = Shape.open(
    .needed("id", .text), .needed("uuid", .text),
    .needed("hex", Shape.hex.orNull, "the stored octets; null if the value is computed when it is read"),
    .needed("value", .any, "the same, decoded by its format"))
  private static let changes: [RefusalCode] = [
    .unsuitableValue, .alreadyThere, .impossible, .notReady, .unknownCharacteristic, .unknownService, .notKept,
  ]

  static let services: [Route] = [
    Route(
      .get, "services", "the services with their handles", .json(.object(.needed("services", .list(serviceShape))))
    ) { call async throws(Refusal) in .json(.object(["services": await (try call.accessory()).serviceReport()])) },
    Route(
      .post, "services",
      "adds a service while centrals are connected: `{\"id\": \"log\", \"uuid\": \"FFE0\", \"characteristics\": "
        + "[ … ]}` as in a profile, or `{\"include\": \"battery\"}`",
      body: .language("service"), status: .created, .json(serviceShape), refusals: changes
    ) { call async throws(Refusal) in
      // The original text: the order of its keys matters, and a decoded value does not preserve it.
      let octets = call.octets
      return .json(
        try await call.control { accessory throws(ControlError) in try await accessory.addService(json: octets) },
        status: .created)
    },
    Route(
      .put, "services/{service}", "replaces a service", body: .language("service"), .json(serviceShape),
      refusals: changes
    ) { call async throws(Refusal) in
      let (id, octets) = (call["service"], call.octets)
      return .json(
        try await call.control { accessory throws(ControlError) in try await accessory.replaceService(id, json: octets)
        })
    },
    Route(
      .delete, "services/{service}", "removes a service", .json(.object(.needed("removed", .text))), refusals: changes
    ) { call async throws(Refusal) in
      let id = call["service"]
      try await call.control { accessory throws(ControlError) in try await accessory.removeService(id) }
      return .json(.object(["removed": .string(id)]))
    },
  ]

  // MARK: - Notifications

  private static let uid = Shape.object(.needed("uid", .integer(0...0xFFFF_FFFF)))

  static let notifications: [Route] = [
    Route(
      .get, "notifications",
      "the notifications of the simulated Apple Notification Center, with all their columns",
      .json(.object(.needed("notifications", .list(.open(.needed("uid", .integer(0...0xFFFF_FFFF)))))))
    ) { call async throws(Refusal) in
      .json(.object(["notifications": await (try call.accessory()).notificationReport()]))
    },
    Route(
      .post, "notifications",
      "adds a notification: `{\"category\": \"social\", \"app\": \"com.example.chat\", \"title\": \"Hi\"}`",
      body: .language("notification"), status: .created, .json(uid), refusals: [.unsuitableValue, .notReady]
    ) { call async throws(Refusal) in
      let columns = try columns(call)
      let uid = try await call.control { accessory throws(ControlError) in try await accessory.addNotification(columns)
      }
      return .json(.object(["uid": .int(Int64(uid))]), status: .created)
    },
    Route(
      .put, "notifications/{notification}", "changes columns of a notification", body: .language("notification"),
      .json(uid),
      refusals: [.unsuitableValue, .notReady]
    ) { call async throws(Refusal) in
      let (uid, columns) = (try identifier(call), try columns(call))
      try await call.control { accessory throws(ControlError) in try await accessory.modifyNotification(uid, columns) }
      return .json(.object(["uid": .int(Int64(uid))]))
    },
    Route(
      .delete, "notifications/{notification}", "removes a notification", .json(uid),
      refusals: [.unsuitableValue, .notReady]
    ) { call async throws(Refusal) in
      let uid = try identifier(call)
      try await call.control { accessory throws(ControlError) in try await accessory.removeNotification(uid) }
      return .json(.object(["uid": .int(Int64(uid))]))
    },
  ]

  private static func identifier(_ call: RouteCall) throws(Refusal) -> UInt32 {
    guard let uid: UInt32 = RouteCall.number(call["notification"]) else {
      throw Refusal(
        .unknownNotification, "there is no notification \(call["notification"]): UIDs are numbers, as in the list")
    }
    return uid
  }

  private static func columns(_ call: RouteCall) throws(Refusal) -> [String: ProfileValue] {
    guard case .object(let columns) = call.body else {
      throw Refusal(.badRequest, "expected an object with the columns of a notification")
    }
    return columns
  }
}
