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
      .get, "security", "how the accessory pairs, with a profile's [`security`](profile-security.md#security) keys",
      .json(policy)
    ) { call async throws(Refusal) in .json(await (try call.accessory()).securityReport()) },
    Route(
      .put, "security", "replaces it: `{\"pairing\": \"display\", \"passkey\": 123456}`",
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
      "the accessory's out-of-band data: `confirm` and `random` for LE Secure Connections, `temporary_key`",
      .json(outOfBand)
    ) { call async throws(Refusal) in .json(await (try call.accessory()).outOfBandReport()) },
    Route(
      .post, "security/oob", "creates new out-of-band data",
      body: .fields(
        .optional("kind", .words(OutOfBandKind.allCases.map(\.rawValue)), "default `secure-connections`")),
      .json(outOfBand), refusals: [.notReady, .impossible]
    ) { call async throws(Refusal) in
      let kind = call.text("kind").flatMap { OutOfBandKind(rawValue: $0) } ?? .secureConnections
      return .json(
        try await call.control { accessory throws(ControlError) in try await accessory.makeOutOfBandData(kind) })
    },
    Route(.delete, "security/oob", "deletes it", .json(outOfBand), refusals: [.notReady, .impossible]) {
      call async throws(Refusal) in
      try await call.control { accessory throws(ControlError) in try await accessory.forgetOutOfBandData() }
      return .json(await (try call.accessory()).outOfBandReport())
    },
  ]
}
