import AccessoryProfile
import BLELink
import Faults
import HTTPTypes
import Hummingbird
import Understudy

extension RouteTable {
  private static let fault = Shape.object(
    .needed("id", .text), .needed("on", .text), .needed("done", .text), .needed("seen", .count),
    .needed("fired", .count), .needed("spent", .truth), .needed("missing", .truth))
  private static let list = Shape.object(.needed("faults", .list(fault)))

  static let faults: [Route] = [
    Route(
      .get, "faults", "the faults of the accessory; `seen` and `fired` are counters", .json(list)
    ) { call async throws(Refusal) in
      .json(.object(["faults": .array(await (try call.accessory()).faults().map(\.json))]))
    },
    Route(
      .post, "faults",
      "arms a [fault](faults.md), with the same keys as in a profile: `{\"on\": {\"read\": \"level\"}, \"do\": "
        + "{\"error\": \"0x80\"}}`",
      body: .language("fault"), status: .created, .json(fault), refusals: [.unsuitableValue]
    ) { call async throws(Refusal) in
      let body = call.body ?? .null
      let state = try await call.control { accessory throws(ControlError) in try await accessory.armFault(body) }
      return .json(state.json, status: .created)
    },
    Route(.delete, "faults", "disarms all faults", .json(list)) { call async throws(Refusal) in
      try await call.control { accessory throws(ControlError) in try await accessory.disarm() }
      return .json(.object(["faults": .array([])]))
    },
    Route(.get, "faults/{fault}", "one armed fault", .json(fault)) { call async throws(Refusal) in
      let accessory = try call.accessory()
      guard let state = await accessory.faults().first(where: { $0.fault.id == call["fault"] }) else {
        throw Refusal(.unknownFault(call["fault"]))
      }
      return .json(state.json)
    },
    Route(.delete, "faults/{fault}", "disarms a fault", .json(.object(.needed("id", .text)))) {
      call async throws(Refusal) in
      let id = call["fault"]
      try await call.control { accessory throws(ControlError) in try await accessory.disarm(id) }
      return .json(.object(["id": .string(id)]))
    },
  ]
}
