import AccessoryProfile
import BLESMP
import HTTPTypes
import Hummingbird
import Understudy

extension RouteTable {
  private static let policy = Shape.open(.needed("pairing", .text))
  private static let outOfBand = Shape.object(
    .needed("confirm", Shape.hex.orNull), .needed("random", Shape.hex.orNull),
    .needed("temporary_key", Shape.hex.orNull, "key of legacy pairing"))

  static let security: [Route] = [
    Route(
      .get, "security", "how the accessory pairs, with the keys of a profile's [`security`](profiles.md#security)",
      .json(policy)
    ) { call async throws(Refusal) in .json(await (try call.accessory()).securityReport()) },
    Route(
      .put, "security", "replaces all of it: `{\"pairing\": \"display\", \"passkey\": 123456}`",
      body: .language("security"), .json(policy), refusals: [.notReady, .impossible]
    ) { call async throws(Refusal) in
      let definition: SecurityDefinition
      do throws(ProfileValueError) { definition = try SecurityDefinition.load(call.body ?? .null) } catch {
        throw Refusal(.badRequest, error.message)
      }
      try await call.control { accessory throws(ControlError) in try await accessory.setSecurity(definition) }
      return .json(await (try call.accessory()).securityReport())
    },
    Route(
      .get, "security/oob",
      "what centrals are given out of band: `confirm` and `random` for Secure Connections, `temporary_key`",
      .json(outOfBand)
    ) { call async throws(Refusal) in .json(await (try call.accessory()).outOfBandReport()) },
    Route(
      .post, "security/oob", "makes new ones",
      body: .fields(
        .optional("kind", .words(OutOfBandKind.allCases.map(\.rawValue)), "`secure-connections` if not given")),
      .json(outOfBand), refusals: [.notReady, .impossible]
    ) { call async throws(Refusal) in
      let kind = call.text("kind").flatMap { OutOfBandKind(rawValue: $0) } ?? .secureConnections
      return .json(
        try await call.control { accessory throws(ControlError) in try await accessory.makeOutOfBandData(kind) })
    },
    Route(.delete, "security/oob", "forgets them", .json(outOfBand), refusals: [.notReady, .impossible]) {
      call async throws(Refusal) in
      try await call.control { accessory throws(ControlError) in try await accessory.forgetOutOfBandData() }
      return .json(await (try call.accessory()).outOfBandReport())
    },
  ]
}
