import BLEATT
import BLECore
import BLEGATT
import Testing

/// The accessory on which clients of the conformance tests are refused something.
///
/// Value handles are 3, 6, 9, 12 and 15; behind each is a descriptor 290A with the same permissions.
enum Obstacle: CaseIterable {
  case none, notPermitted, authorization, authentication, keySize, noSuchHandle

  /// The value that stands behind it.
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

  /// A client whose link has nothing, or in the case of the key size an encrypted one with a key of 7 octets.
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

  /// The client sends a request about the value behind the obstacle, or about its descriptor, and is refused for that reason.
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

  /// The client reads by the type of the value behind the obstacle, and is refused for that reason.
  func refusesType(_ error: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    var chart = try chart()
    let type = [UInt8(type & 0xFF), UInt8(type >> 8)].hexadecimal
    let handle = [UInt8(handle & 0xFF), UInt8(handle >> 8)].hexadecimal
    try chart.exchange("08 0100 ffff" + type, "01 08" + handle + error, sourceLocation: sourceLocation)
  }

  /// The client reads several values, the last one behind the obstacle, and is refused for that reason.
  func refusesSet(_ opcode: String, _ error: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    var chart = try chart()
    let handle = [UInt8(handle & 0xFF), UInt8(handle >> 8)].hexadecimal
    try chart.exchange(opcode + "0300" + handle, "01" + opcode + handle + error, sourceLocation: sourceLocation)
  }
}
