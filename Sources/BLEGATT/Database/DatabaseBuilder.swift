import BLECore

/// Gives handles to services and their attributes, one after the other from 0x0001.
struct DatabaseBuilder {
  private(set) var attributes: [Attribute] = []
  private(set) var services: [ServiceRecord] = []
  private(set) var characteristics: [CharacteristicRecord] = []
  /// Include declarations whose target may come later: where they stand and what they name.
  private var openIncludes: [(position: Int, service: String, include: String)] = []

  /// A service whose characteristics have their numbers.
  struct NumberedService {
    var definition: ServiceDefinition
    var firstIndex: Int
    var belongsToApplication: Bool
  }

  /// Appends a service's declaration, includes and characteristics (Core 5.4 Vol 3 Part G 3.1 gives their order).
  mutating func append(_ service: NumberedService) throws(AttributeDatabase.DefinitionError) {
    let definition = service.definition
    let declaration = try append(
      definition.isPrimary ? .primaryService : .secondaryService, .service(services.count),
      definition.uuid.littleEndianOctets)
    for include in definition.includes {
      openIncludes.append((attributes.count, definition.id, include))
      _ = try append(.include, .include, [])
    }
    for (offset, characteristic) in definition.characteristics.enumerated() {
      try append(
        characteristic, CharacteristicIndex(service.firstIndex + offset), service.belongsToApplication)
    }
    services.append(
      ServiceRecord(
        id: definition.id, uuid: definition.uuid, isPrimary: definition.isPrimary,
        handles: declaration...UInt16(attributes.count)))
  }

  private mutating func append(
    _ type: BluetoothUUID, _ role: Attribute.Role, _ value: [UInt8],
    permissions: AttributePermissions = .readable, maximumLength: Int? = nil, hasFixedLength: Bool = false
  ) throws(AttributeDatabase.DefinitionError) -> UInt16 {
    guard attributes.count < 0xFFFF else { throw .tooManyAttributes }
    let handle = UInt16(attributes.count + 1)
    attributes.append(
      Attribute(
        handle: handle, type: type, permissions: permissions, role: role, value: value,
        maximumLength: maximumLength ?? value.count, hasFixedLength: hasFixedLength))
    return handle
  }

  /// Declaration, value, Client Characteristic Configuration, then the other descriptors.
  private mutating func append(
    _ characteristic: CharacteristicDefinition, _ index: CharacteristicIndex, _ belongsToApplication: Bool
  ) throws(AttributeDatabase.DefinitionError) {
    let valueHandle = UInt16(clamping: attributes.count + 2)
    let declaration = try append(
      .characteristic, .characteristicDeclaration(index),
      [characteristic.properties.rawValue, UInt8(valueHandle & 0xFF), UInt8(valueHandle >> 8)]
        + characteristic.uuid.littleEndianOctets)
    let (role, value): (Attribute.Role, [UInt8]) =
      switch characteristic.value {
      case .stored(let value): (.storedValue(index), value)
      case .asked: (.askedValue(index), [])
      }
    _ = try append(
      characteristic.uuid, role, value, permissions: characteristic.permissions,
      maximumLength: characteristic.maximumLength, hasFixedLength: characteristic.hasFixedLength)
    var record = CharacteristicRecord(
      index: index, definition: characteristic, declaration: declaration, value: valueHandle, configuration: nil,
      belongsToApplication: belongsToApplication)
    if !characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
      record.configuration = try append(
        .clientCharacteristicConfiguration, .clientConfiguration(index), [0, 0],
        permissions: .readableAndWritable, maximumLength: 2, hasFixedLength: true)
    }
    for descriptor in characteristic.descriptors {
      _ = try append(
        descriptor.uuid, .descriptor(index), descriptor.value, permissions: descriptor.permissions,
        maximumLength: descriptor.maximumLength)
    }
    characteristics.append(record)
  }

  /// Fills in include declarations once every service has its handles (Core 5.4 Vol 3 Part G 3.2): the UUID is part of the
  /// value only when it is a 16-bit one.
  mutating func resolveIncludes() throws(AttributeDatabase.DefinitionError) {
    for open in openIncludes {
      guard let target = services.first(where: { $0.id == open.include }) else {
        throw .unknownInclude(service: open.service, include: open.include)
      }
      let (first, last) = (target.handles.lowerBound, target.handles.upperBound)
      attributes[open.position].value =
        [UInt8(first & 0xFF), UInt8(first >> 8), UInt8(last & 0xFF), UInt8(last >> 8)]
        + (target.uuid.octetCount == 2 ? target.uuid.littleEndianOctets : [])
    }
    openIncludes = []
  }
}
