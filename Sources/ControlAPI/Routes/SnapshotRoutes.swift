import AccessoryProfile
import HTTPTypes
import Hummingbird
import Understudy

extension RouteTable {
  private static let snapshot = Shape.object(
    .needed("id", .text), .needed("state", Shape.text.orNull, "the state of the profile's rules"),
    .needed("values", .map(.object(valueFields, isOpen: false)), "by the ids of the characteristics"),
    .needed("services", .list(.text)), .needed("published", .list(.text)), .needed("bonds", .list(.text)),
    .needed("faults", .list(.text)))

  static let snapshots: [Route] = [
    Route(
      .get, "snapshots", "lists stored snapshots",
      .json(.object(.needed("snapshots", .list(snapshot))))
    ) { call async throws(Refusal) in
      .json(.object(["snapshots": await (try call.accessory()).snapshotReport()]))
    },
    Route(
      .post, "snapshots",
      "stores the current state, replacing any snapshot with the same `id`: values, tables, rule states and variables, "
        + "services, published channels, advertising, security, bonds with their subscriptions, armed faults. Connections are not "
        + "included. Snapshots are lost on exit",
      body: .fields(.optional("id", .text(atLeast: 1), "default: a free one")), status: .created,
      .json(snapshot), refusals: [.impossible]
    ) { call async throws(Refusal) in
      let id = call.text("id")
      let report = try await call.control { accessory throws(ControlError) in
        try await accessory.keepSnapshot(named: id)
      }
      return .json(report, status: .created)
    },
    Route(.get, "snapshots/{snapshot}", "one snapshot", .json(snapshot)) { call async throws(Refusal) in
      let id = call["snapshot"]
      return .json(
        try await call.control { accessory throws(ControlError) in try await accessory.snapshotReport(id) })
    },
    Route(
      .post, "snapshots/{snapshot}/restore",
      "ends all links, restores the snapshot, and responds when the accessory is on the air again. Generators, timelines and delays continue "
        + "from there; faults count from zero; the identity stays",
      body: .nothing, .json(begunAnew), refusals: [.notReady]
    ) { call async throws(Refusal) in
      let id = call["snapshot"]
      let report = try await call.control { accessory throws(ControlError) in try await accessory.restore(id) }
      return try await begunAnew(call, links: report.links, bonds: report.bonds)
    },
    Route(.delete, "snapshots/{snapshot}", "deletes a snapshot", .json(.object(.needed("id", .text)))) {
      call async throws(Refusal) in
      let id = call["snapshot"]
      try await call.control { accessory throws(ControlError) in try await accessory.forgetSnapshot(id) }
      return .json(.object(["id": .string(id)]))
    },
  ]
}
