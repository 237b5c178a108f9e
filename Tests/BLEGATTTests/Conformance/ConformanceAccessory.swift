import BLEATT
import BLECore
import BLEGATT
import Testing

/// The accessory of the conformance tests in which clients are refused.
///
/// Value handles are 3, 6, 9, 12 and 15; each is followed by a descriptor 290A with the same permissions.
enum Obstacle: CaseIterable {
  case none, notPermitted, authorization, authentication, keySize, noSuchHandle

  /// The handle of the value with this obstacle.
  var handle: UInt16 {
    switch self {
    case .none: 3
    case .notPermitted: 6
    case .authorization: 9
    case .authentication: 12
    case .keySize: 15
    case .noSuchHandle: 0x00EE
    }
  }

  /// The type of that value.
  var type: UInt16 { 0xFFF0 + handle }

  private var requirement: AccessRequirement? {
    switch self {
    case .none, .noSuchHandle: .open
    case .notPermitted: nil
    case .authorization: .init(needsAuthorization: true)
    case .authentication: .init(protection: .authenticated)
    case .keySize: .init(protection: .encrypted, minimumKeySize: 16)
    }
  }

  /// Returns a client on a link without security or, for the key size, an encrypted link with a key of 7 octets.
  func chart() throws -> SequenceChart {
    let characteristics = Self.allCases.dropLast().map { obstacle in
      let permissions = AttributePermissions(read: obstacle.requirement, write: obstacle.requirement)
      return CharacteristicDefinition.stored(
        .init(obstacle.type), [.read, .write, .writeWithoutResponse], [1], permissions: permissions,
        descriptors: [
          .init(uuid: .init(0x290A), permissions: permissions, value: [2], maximumLength: 20)
        ])
    }
    var chart = try SequenceChart(application: [
      .init(id: "lab", uuid: .init(0xFFF0), characteristics: Array(characteristics))
    ])
    if self == .keySize { chart.session.security = LinkSecurity(protection: .encrypted, keySize: 7) }
    return chart
  }

  /// Sends a request for the value with the obstacle, or for its descriptor, and expects this error.
  func refuses(
    _ opcode: String, _ rest: String = "", ofDescriptor: Bool = false, with error: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var chart = try chart()
    let before = chart.server.database.attributes.map(\.value)
    let number = handle + (ofDescriptor ? 1 : 0)
    let octets = [UInt8(number & 0xFF), UInt8(number >> 8)].hexadecimal
    try chart.exchange(opcode + octets + rest, "01" + opcode + octets + error, sourceLocation: sourceLocation)
    #expect(chart.server.database.attributes.map(\.value) == before, sourceLocation: sourceLocation)
  }

  /// Reads by the type of the value with the obstacle, and expects this error.
  func refusesType(_ error: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    var chart = try chart()
    let type = [UInt8(type & 0xFF), UInt8(type >> 8)].hexadecimal
    let handle = [UInt8(handle & 0xFF), UInt8(handle >> 8)].hexadecimal
    try chart.exchange("08 0100 ffff" + type, "01 08" + handle + error, sourceLocation: sourceLocation)
  }

  /// Reads several values, the last with the obstacle, and expects this error.
  func refusesSet(_ opcode: String, _ error: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    var chart = try chart()
    let handle = [UInt8(handle & 0xFF), UInt8(handle >> 8)].hexadecimal
    try chart.exchange(opcode + "0300" + handle, "01" + opcode + handle + error, sourceLocation: sourceLocation)
  }
}
