import BLECore
import BLEL2CAP
import BLESDP
import PeripheralHost
import Simulation
import Testing

/// A channel to the accessory's Service Discovery Server, over which a test sends PDUs.
struct Discovery {
  let scene: ClassicScene
  private let channel: ChannelID

  /// The forms of a UUID: 16, 32 and 128 bits.
  enum Form: CaseIterable {
    case short, medium, long

    /// Returns a UUID of 16 bits in this form.
    func element(_ uuid: UInt16) -> DataElement {
      switch self {
      case .short: .uuid16(uuid)
      case .medium: .uuid32(UInt32(uuid))
      case .long: .uuid128(BluetoothUUID(uuid))
      }
    }
  }

  /// A service class and an attribute id that no record has.
  static let unknownClass: UInt16 = 0x7A7A
  static let unknownAttribute = AttributeID(rawValue: 0x7A7A)
  /// The class of the record with every attribute.
  static let fullClass: UInt16 = 0x1F01

  /// A record with every universal attribute (Core 5.4 Vol 3 Part B 5.1).
  static let full: ServiceRecord = {
    var record = ServiceRecord()
    record.serviceClasses = [BluetoothUUID(fullClass)]
    record[.serviceRecordState] = .unsigned32(7)
    record[.serviceID] = .uuid128(BluetoothUUID(0x1F02))
    record.protocols = [.l2cap(psm: 0x1001)]
    record.browseGroups = [.publicBrowseRoot]
    record.languages = [.english]
    record[.serviceInfoTimeToLive] = .unsigned32(600)
    record[.serviceAvailability] = .unsigned8(0xFF)
    record.profiles = [ProfileDescriptor(BluetoothUUID(fullClass), version: 0x0102)]
    record[.documentationURL] = .url(Array("https://example.com/a".utf8))
    record[.clientExecutableURL] = .url(Array("https://example.com/b".utf8))
    record[.iconURL] = .url(Array("https://example.com/c".utf8))
    record.additionalProtocols = [[.l2cap(psm: 0x1003)]]
    record.setName(.serviceName, "Specimen")
    record.setName(.serviceDescription, "A service with every attribute")
    record.setName(.providerName, "Understudy")
    return record
  }()

  /// Connects to an accessory that also has the full record, and opens a channel with that MTU.
  init(mtu: UInt16 = 672) throws {
    scene = try ClassicScene.connected(ClassicScene.configuration { $0.serviceRecords = [Self.full] })
    channel = try scene.open(.serviceDiscovery, mtu: mtu)
  }

  /// Sends octets, and returns the answer.
  func ask(_ octets: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) throws -> [UInt8] {
    try scene.central.send(octets, on: channel)
    let answer = scene.central.next(on: ChannelID(rawValue: 0x70))
    return try #require(answer.flatMap { [UInt8](hexadecimal: $0) }, sourceLocation: sourceLocation)
  }

  /// Sends a request, and returns the response to it.
  func ask<Response: SDPPDU>(
    _ request: some SDPPDU, for type: Response.Type, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Response {
    let octets = try ask(request.encodedPDU(transaction: 0x1234), sourceLocation: sourceLocation)
    try #require(Array(octets.prefix(3)) == [Response.id.rawValue, 0x12, 0x34], sourceLocation: sourceLocation)
    try #require(Int(octets[3]) << 8 | Int(octets[4]) == octets.count - 5, sourceLocation: sourceLocation)
    return try Response(decoding: octets.span.extracting(5...))
  }

  /// Returns the handles of the records with this UUID, and the number of responses.
  func search(_ uuid: DataElement, limit: UInt16 = 100) throws -> (handles: [ServiceRecordHandle], responses: Int) {
    var handles: [ServiceRecordHandle] = []
    var request = ServiceSearchRequest(pattern: .sequence([uuid]), maximumRecords: limit)
    var responses = 0
    repeat {
      let response = try ask(request, for: ServiceSearchResponse.self)
      handles += response.handles
      request.continuation = response.continuation
      responses += 1
      #expect(Int(response.totalRecords) >= handles.count)
    } while !request.continuation.isEmpty
    return (handles, responses)
  }

  /// Returns the attributes of a record, and the number of responses, none of which has more octets of attributes than `limit`.
  func attributes(
    _ selection: AttributeSelection, of handle: ServiceRecordHandle, limit: UInt16 = 0xFFFF
  ) throws -> (record: ServiceRecord, responses: Int) {
    var octets: [UInt8] = []
    var request = ServiceAttributeRequest(handle: handle, maximumOctets: limit, attributes: selection.element)
    var responses = 0
    repeat {
      let response = try ask(request, for: ServiceAttributeResponse.self)
      #expect(response.part.count <= Int(limit))
      octets += response.part
      request.continuation = response.continuation
      responses += 1
    } while !request.continuation.isEmpty
    return (try #require(ServiceRecord(attributeList: try DataElement(decoding: octets))), responses)
  }

  /// Returns the attributes of the records with these UUIDs, and the number of responses.
  func searchAttributes(
    _ uuids: [DataElement], _ selection: AttributeSelection, limit: UInt16 = 0xFFFF
  ) throws -> (records: [ServiceRecord], responses: Int) {
    var octets: [UInt8] = []
    var request = ServiceSearchAttributeRequest(
      pattern: .sequence(uuids), maximumOctets: limit, attributes: selection.element)
    var responses = 0
    repeat {
      let response = try ask(request, for: ServiceSearchAttributeResponse.self)
      #expect(response.part.count <= Int(limit))
      octets += response.part
      request.continuation = response.continuation
      responses += 1
    } while !request.continuation.isEmpty
    let lists = try #require(try DataElement(decoding: octets).elements)
    return (try lists.map { try #require(ServiceRecord(attributeList: $0)) }, responses)
  }

  /// Expects that octets are refused with that error.
  func refuses(
    _ octets: String, _ error: SDPErrorCode, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let request = try #require([UInt8](hexadecimal: octets))
    let answer = try ask(request, sourceLocation: sourceLocation)
    #expect(
      answer == [1, request[1], request[2], 0, 2, 0, UInt8(error.rawValue)], "\(octets)", sourceLocation: sourceLocation
    )
  }
}
