import AccessoryProfile
import BLECore
import BLELink
import HTTPTypes
import Hummingbird
import NIOCore
import Understudy

/// Only the answers of `export` contain keys.
extension RouteTable {
  private static let bond = Shape.open(
    .needed("id", .text), .needed("peer", .text), .needed("peer_type", .words(["public", "random"])),
    .needed("key_size", .integer(0...16)), .needed("keys", .list(.text), "the names of the stored keys"))
  private static let list = Shape.object(.needed("bonds", .list(bond)))
  private static let format = Shape.Field.optional(
    "format", .words(BondFormat.allCases.map(\.rawValue)), "default `json`; see [state.md](state.md)")

  static let bonds: [Route] = [
    Route(.get, "bonds", "the bonds without their keys", .json(list)) { call async throws(Refusal) in
      .json(.object(["bonds": await (try call.accessory()).bonds.report(withKeys: false)]))
    },
    Route(
      .post, "bonds", "imports bonds in the format of `export`, or `{\"format\": \"bumble\", \"text\": \"…\"}`",
      body: Route.Body(shape: .map(.any), language: "bond"), status: .created, .json(list), refusals: [.notReady]
    ) { call async throws(Refusal) in
      let records = try records(call)
      for record in records {
        try await call.control { accessory throws(ControlError) in try await accessory.importBond(record) }
      }
      return .json(.object(["bonds": records.report(withKeys: false)]), status: .created)
    },
    Route(.get, "bonds/{bond}", "one bond", .json(bond), refusals: [.impossible]) { call async throws(Refusal) in
      .json(.object(try await record(call).report(withKeys: false)))
    },
    Route(
      .delete, "bonds/{bond}", "deletes a bond on this side", .json(.object(.needed("removed", .text))),
      refusals: [.notReady, .impossible]
    ) { call async throws(Refusal) in
      let peer = try await record(call).peer
      try await call.control { accessory throws(ControlError) in try await accessory.removeBond(peer) }
      return .json(.object(["removed": .string(peer.bondID)]))
    },
    Route(
      .get, "bonds/export", "all bonds with their keys", query: [format], .file(anyMediaType)
    ) { call async throws(Refusal) in try await export(await (try call.accessory()).bonds, call) },
    Route(
      .get, "bonds/{bond}/export", "one bond with its keys", query: [format], .file(anyMediaType),
      refusals: [.impossible]
    ) { call async throws(Refusal) in try await export([try await record(call)], call) },
    Route(
      .post, "bonds/{bond}/alter", "damages a bond on purpose",
      body: .fields(
        .needed("with", .words(BondAlteration.names)),
        .optional("key_size", .integer(7...16), "for `short-key`; default 7"),
        .optional("address", .text, "for `second-identity`")),
      .json(bond), refusals: [.notReady, .impossible, .unsuitableValue]
    ) { call async throws(Refusal) in
      let record = try await record(call)
      let other = try call.text("address").map { text throws(Refusal) in try address(text, "address") }
      guard
        let alteration = BondAlteration(
          call.text("with") ?? "", keySize: call.integer("key_size"), address: other, of: record.peer)
      else { throw Refusal(.badRequest, "with must be one of \(BondAlteration.names.joined(separator: ", "))") }
      let altered = try await call.control { accessory throws(ControlError) in
        try await accessory.alterBond(record.peer, alteration)
      }
      return .json(.object(altered.report(withKeys: false)))
    },
  ]

  /// The media type depends on the format: JSON or plain text.
  private static let anyMediaType = "*/*"

  private static func record(_ call: RouteCall) async throws(Refusal) -> BondRecord {
    let accessory = try call.accessory()
    do throws(BondSelectionError) { return try await accessory.bonds.named(call["bond"]) } catch {
      if case .unknown = error { throw Refusal(.unknownBond, "\(error)") }
      throw Refusal(.impossible, "\(error)")
    }
  }

  private static func export(_ records: [BondRecord], _ call: RouteCall) async throws(Refusal) -> Response {
    let format = call.query["format"].flatMap { BondFormat(rawValue: $0) } ?? .json
    let text = format.text(of: records, own: await (try call.accessory()).address)
    return Response(
      status: .ok, headers: [.contentType: format.mediaType, .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }

  /// Returns the bonds in a body: one in the format of `export`, `{"bonds": […]}`, or `{"format": "bluez", "text": "…", "peer": "…"}`.
  private static func records(_ call: RouteCall) throws(Refusal) -> [BondRecord] {
    var (format, octets) = (BondFormat.json, call.octets)
    var peer: DeviceAddress?
    if call.fields["text"] != nil {
      let shape = Shape.object(
        .needed("format", .words(BondFormat.allCases.map(\.rawValue))), .needed("text", .text), .optional("peer", .text)
      )
      if let fault = shape.fault(of: call.body ?? .null) { throw Refusal(.badRequest, fault) }
      format = call.text("format").flatMap { BondFormat(rawValue: $0) } ?? .json
      octets = Array((call.text("text") ?? "").utf8)
      peer = try call.text("peer").map { text throws(Refusal) in try address(text, "peer") }
    }
    do throws(ProfileValueError) { return try format.bonds(from: octets, peer: peer) } catch {
      throw Refusal(.badRequest, error.message)
    }
  }

  private static func address(_ text: String, _ field: String) throws(Refusal) -> DeviceAddress {
    guard let address = DeviceAddress(text) else {
      throw Refusal(.badRequest, "\(field) must be an address such as \"C4:12:34:56:78:9A\"")
    }
    return address
  }
}

extension BondFormat {
  fileprivate var mediaType: String {
    switch self {
    case .json, .bumble: "application/json; charset=utf-8"
    case .wireshark, .bluez: "text/plain; charset=utf-8"
    }
  }
}
