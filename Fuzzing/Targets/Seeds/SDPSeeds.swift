import BLECore
import BLESDP

/// The inputs of `SDPTarget`.
enum SDPSeeds {
  static var all: [Seed] { elements + servers + clients }

  private static let pattern = DataElement.sequence([.uuid16(0x0100)])
  private static let ids = DataElement.sequence([.unsigned32(0x0000_FFFF)])

  private static var elements: [Seed] {
    let record = ServiceRecord.gatt(BluetoothUUID(0x180D), handles: 1...9, hasEnhancedBearers: true)
    let every = DataElement.sequence([
      .null, .unsigned8(1), .unsigned16(2), .unsigned32(3), .unsigned64(4), .unsigned128(high: 5, low: 6), .signed8(-1),
      .signed16(-2), .signed32(-3), .signed64(-4), .signed128(high: -5, low: 6), .uuid16(7), .uuid32(0x10008),
      .uuid128(BluetoothUUID(high: 9, low: 10)), .text("text"), .boolean(true), .alternative([.null]),
      .url(Array("http://a".utf8)),
    ])
    let nested = (0..<20).reduce(DataElement.null) { element, _ in .sequence([element]) }
    let search = ServiceSearchAttributeRequest(pattern: pattern, maximumOctets: 7, attributes: ids)
    return [
      ("every", every.encoded), ("nested", nested.encoded), ("record", record.attributeList().encoded),
      ("records", DataElement.sequence([record.attributeList(), .sequence([])]).encoded),
      ("long", [0x37, 0xFF, 0xFF, 0xFF, 0xFF, 0x00]), ("request", search.encoded),
      ("response", ServiceSearchResponse(totalRecords: 2, handles: [.server], continuation: [1, 2]).encoded),
    ].map { Seed("element-\($0.0)", [0] + $0.1) }
  }

  /// A step of the server's bench: the client, its MTU beyond 48, and the step.
  private static func step(_ kind: UInt8, client: UInt8 = 0, mtu: UInt8 = 0, _ more: [UInt8]) -> [UInt8] {
    [client, mtu, kind] + more
  }

  private static func request<PDU: SDPPDU>(_ pdu: PDU, client: UInt8 = 0, mtu: UInt8 = 0) -> [UInt8] {
    step(1, client: client, mtu: mtu, [PDU.id.rawValue, UInt8(pdu.encoded.count)] + pdu.encoded)
  }

  /// The same request with the state that a client got last.
  private static func next<PDU: SDPPDU>(_ pdu: PDU, client: UInt8 = 0, of other: UInt8 = 0) -> [UInt8] {
    let parameters = pdu.encoded.dropLast()
    return step(2, client: client, [PDU.id.rawValue, other, UInt8(parameters.count)] + parameters)
  }

  private static var servers: [Seed] {
    let search = ServiceSearchRequest(pattern: pattern, maximumRecords: 10)
    let attributes = ServiceAttributeRequest(
      handle: .init(rawValue: 0x10000), maximumOctets: 20, attributes: ids)
    let both = ServiceSearchAttributeRequest(pattern: pattern, maximumOctets: 0xFFFF, attributes: ids)
    let add = step(3, [0x0F])
    let remove = step(4, [1])
    return [
      Seed("server-search", [1] + request(search) + request(search, client: 1, mtu: 200)),
      Seed("server-attributes", [1] + request(attributes) + next(attributes) + next(attributes) + next(attributes)),
      Seed("server-both", [1] + request(both) + next(both) + request(attributes) + next(both)),
      Seed(
        "server-strangers", [1] + request(both) + request(both, client: 1) + next(both, of: 1) + next(both, client: 1)),
      Seed("server-changes", [1] + request(both) + add + next(both) + remove + request(search)),
      Seed("server-many", [1] + (0..<10).flatMap { _ in add } + request(search) + next(search)),
      Seed("server-malformed", [1] + step(0, [2, 6, 0]) + step(0, [6, 2, 0, 1, 0, 9, 0]) + step(1, [9, 0])),
    ]
  }

  private static var clients: [Seed] {
    let handles = ServiceSearchResponse(totalRecords: 2, handles: [.server], continuation: [1])
    let last = ServiceSearchResponse(totalRecords: 2, handles: [.init(rawValue: 0x10000)])
    let record = ServiceRecord.gatt(BluetoothUUID(0x180D), handles: 1...9).attributeList().encoded
    let (first, rest) = (Array(record.prefix(20)), Array(record.dropFirst(20)))
    let lists = DataElement.sequence([try? DataElement(decoding: record)].compactMap { $0 }).encoded
    let head: [UInt8] = [2, 100, 0, 0, 4]
    let answer = { (pdu: any SDPPDU) -> [UInt8] in [2, UInt8(pdu.encoded.count)] + pdu.encoded + [1] }
    return [
      Seed("client-search", head + [0, 10, 0, 0] + answer(handles) + answer(last)),
      Seed(
        "client-attributes",
        head + [0, 10, 0, 1] + answer(ServiceAttributeResponse(part: first, continuation: [7]))
          + answer(ServiceAttributeResponse(part: rest))),
      Seed("client-both", head + [0, 10, 0, 2] + answer(ServiceSearchAttributeResponse(part: lists))),
      Seed("client-refused", head + [0, 10, 0, 0, 1, 7, 1, 0, 1, 0, 2, 0, 6]),
    ]
  }
}
