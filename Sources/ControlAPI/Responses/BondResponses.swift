import AccessoryProfile
import BLECore
import BLELink
import HTTPTypes
import Hummingbird
import NIOCore
import Understudy

/// Answers the requests about bonds. Keys are in the answers of `export` alone.
struct BondResponses {
  let accessory: Accessory

  func answer(_ request: Request, about resource: BondResource) async throws(Refusal) -> Response {
    switch (resource, request.method.rawValue) {
    case (.bonds, "POST"):
      let records = try Self.records(try await JSONBody.read(request))
      for record in records {
        try await perform { accessory throws(ControlError) in try await accessory.importBond(record) }
      }
      return .json(.object(["bonds": records.report(withKeys: false)]), status: .created)
    case (.bonds, _): return .json(.object(["bonds": await accessory.bonds.report(withKeys: false)]))
    case (.bond(let name), "DELETE"):
      let peer = try await bond(name).peer
      try await perform { accessory throws(ControlError) in try await accessory.removeBond(peer) }
      return .json(.object(["removed": .string(peer.bondID)]))
    case (.bond(let name), _): return .json(.object(try await bond(name).report(withKeys: false)))
    case (.export(let name), _):
      var records = await accessory.bonds
      if let name { records = [try await bond(name)] }
      let format = try Self.format(request.uri.queryParameters["format"].map { String($0) } ?? BondFormat.json.rawValue)
      return Response(
        status: .ok, headers: [.contentType: format.mediaType, .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: format.text(of: records, own: await accessory.address))))
    case (.alteration(let name), _):
      let record = try await bond(name)
      let alteration = try Self.alteration(try await JSONBody.read(request), of: record)
      let altered = try await perform { accessory throws(ControlError) in
        try await accessory.alterBond(record.peer, alteration)
      }
      return .json(.object(altered.report(withKeys: false)))
    }
  }

  private func perform<Answer: Sendable>(
    _ body: (Accessory) async throws(ControlError) -> Answer
  ) async throws(Refusal) -> Answer {
    do throws(ControlError) { return try await body(accessory) } catch { throw Refusal(error) }
  }

  private func bond(_ name: String) async throws(Refusal) -> BondRecord {
    do throws(BondSelectionError) { return try await accessory.bonds.named(name) } catch {
      if case .unknown = error { throw Refusal(.notFound, "\(error)") }
      throw Refusal(.conflict, "\(error)")
    }
  }

  private static func format(_ name: String) throws(Refusal) -> BondFormat {
    guard let format = BondFormat(rawValue: name) else {
      throw Refusal(.badRequest, "there is no format \(name) (known: \(BondFormat.names))")
    }
    return format
  }

  /// The bonds of a body: one as `export` writes it, `{"bonds": […]}`, or `{"format": "bluez", "text": "…", "peer": "…"}`.
  private static func records(_ body: ProfileValue?) throws(Refusal) -> [BondRecord] {
    guard let body, case .object(let fields) = body else {
      throw Refusal(.badRequest, "a bond is wanted as `export` writes it, or {\"format\": \"bumble\", \"text\": …}")
    }
    var (format, octets) = (BondFormat.json, Array(body.jsonText.utf8))
    if fields["text"] != nil {
      let fields = try JSONBody.fields(body, known: ["format", "text", "peer"])
      guard case .string(let name) = fields["format"], case .string(let text) = fields["text"] else {
        throw Refusal(.badRequest, "format and text are texts")
      }
      (format, octets) = (try Self.format(name), Array(text.utf8))
    }
    var peer: DeviceAddress?
    if fields["text"] != nil, let value = fields["peer"] {
      guard case .string(let text) = value, let address = DeviceAddress(text) else {
        throw Refusal(.badRequest, "peer is no address")
      }
      peer = address
    }
    do throws(ProfileValueError) { return try format.bonds(from: octets, peer: peer) } catch {
      throw Refusal(.badRequest, error.message)
    }
  }

  /// The alteration of `{"with": "short-key", "key_size": 7}` and its like.
  private static func alteration(_ body: ProfileValue?, of record: BondRecord) throws(Refusal) -> BondAlteration {
    let fields = try JSONBody.fields(body, known: ["with", "key_size", "address"])
    var (size, address): (Int?, DeviceAddress?)
    if let value = fields["key_size"] {
      guard case .int(let number) = value, 7...16 ~= number else {
        throw Refusal(.badRequest, "key_size is not 7 to 16")
      }
      size = Int(number)
    }
    if let value = fields["address"] {
      guard case .string(let text) = value, let parsed = DeviceAddress(text) else {
        throw Refusal(.badRequest, "address is no address")
      }
      address = parsed
    }
    guard case .string(let name) = fields["with"],
      let alteration = BondAlteration(name, keySize: size, address: address, of: record.peer)
    else { throw Refusal(.badRequest, "with must be one of \(BondAlteration.names.joined(separator: ", "))") }
    return alteration
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
