import BLECore

/// A service and its attributes, in order from a handle on (Core 5.4 Vol 3 Part G 3).
struct ServiceLayout: Sendable {
  let service: NumberedService
  /// All its attributes, by ascending handle. Includes and aggregate formats have no value until `AttributeDatabase.assemble` fills it in.
  private(set) var attributes: [Attribute] = []
  private(set) var characteristics: [CharacteristicRecord] = []
  /// The handle of the next attribute, unless it has a fixed one.
  private var next: Int

  /// A service whose characteristics have their indices.
  struct NumberedService: Sendable {
    var definition: ServiceDefinition
    var indices: [CharacteristicIndex]
    var belongsToApplication: Bool
  }

  /// Whether its values refer to the current handles of other services: it has been in a database.
  private(set) var isLinked = false

  /// Replaces the attributes by the same ones with other values.
  mutating func take(_ attributes: ArraySlice<Attribute>) {
    self.attributes = Array(attributes)
    isLinked = true
  }

  /// The handles from its declaration to its last attribute.
  var handles: ClosedRange<UInt16> {
    // There is at least a declaration.
    let first = attributes.first?.handle ?? 1
    return first...(attributes.last?.handle ?? first)
  }

  /// Creates the service's attributes from a handle on: declaration, includes, characteristics, in the order of Core 5.4 Vol 3 Part G 3.1.
  init(_ service: NumberedService, from start: Int) throws(AttributeDatabase.DefinitionError) {
    self.service = service
    next = start
    let definition = service.definition
    _ = try append(
      definition.isPrimary ? .primaryService : .secondaryService, .service, definition.uuid.littleEndianOctets,
      at: definition.handle)
    for _ in definition.includes { _ = try append(.include, .include, []) }
    for (characteristic, index) in zip(definition.characteristics, service.indices) {
      try append(characteristic, index)
    }
  }

  private mutating func append(
    _ type: BluetoothUUID, _ role: Attribute.Role, _ value: [UInt8], at wanted: UInt16? = nil,
    permissions: AttributePermissions = .readable, maximumLength: Int? = nil, hasFixedLength: Bool = false
  ) throws(AttributeDatabase.DefinitionError) -> UInt16 {
    if let wanted {
      guard Int(wanted) >= next else { throw .handleTaken(wanted, in: service.definition.id) }
      next = Int(wanted)
    }
    guard let handle = UInt16(exactly: next) else { throw .tooManyAttributes }
    next += 1
    attributes.append(
      Attribute(
        handle: handle, type: type, permissions: permissions, role: role, value: value,
        maximumLength: maximumLength ?? value.count, hasFixedLength: hasFixedLength))
    return handle
  }

  /// Appends declaration, value, configurations, Extended Properties, and the other descriptors.
  private mutating func append(
    _ characteristic: CharacteristicDefinition, _ index: CharacteristicIndex
  ) throws(AttributeDatabase.DefinitionError) {
    if characteristic.handle == 0 { throw .handleTaken(0, in: service.definition.id) }
    let properties = characteristic.properties
    let declaration = try append(
      .characteristic, .characteristicDeclaration(index), [], at: characteristic.handle.map { $0 - 1 })
    let (role, value): (Attribute.Role, [UInt8]) =
      switch characteristic.value {
      case .stored(let value): (.storedValue(index), value)
      case .asked: (.askedValue(index), [])
      case .supportedFeatures: (.supportedFeatures(index), [])
      }
    let valueHandle = try append(
      characteristic.uuid, role, value, permissions: characteristic.permissions,
      maximumLength: characteristic.maximumLength, hasFixedLength: characteristic.hasFixedLength)
    attributes[attributes.count - 2].value =
      [properties.rawValue] + valueHandle.littleEndianOctets + characteristic.uuid.littleEndianOctets
    var record = CharacteristicRecord(
      index: index, definition: characteristic, sending: SendingRequirement(characteristic), declaration: declaration,
      value: valueHandle,
      belongsToApplication: service.belongsToApplication)
    if !properties.isDisjoint(with: [.notify, .indicate]) {
      record.configuration = try append(
        .clientCharacteristicConfiguration, .clientConfiguration(index), [0, 0],
        permissions: characteristic.configurationPermissions, maximumLength: 2, hasFixedLength: true)
    }
    if properties.contains(.broadcast) {
      record.serverConfiguration = try append(
        .serverCharacteristicConfiguration, .serverConfiguration(index), [0, 0],
        permissions: characteristic.configurationPermissions, maximumLength: 2, hasFixedLength: true)
    }
    if properties.contains(.extendedProperties), let extended = extendedProperties(of: characteristic) {
      _ = try append(.extendedProperties, .descriptor(index), extended.octets)
    }
    for descriptor in characteristic.descriptors {
      _ = try append(
        descriptor.uuid, .descriptor(index), descriptor.value, at: descriptor.handle,
        permissions: descriptor.permissions, maximumLength: descriptor.maximumLength)
    }
    characteristics.append(record)
  }

  /// Returns the value of the Extended Properties descriptor; nil if the definition has its own.
  private func extendedProperties(of characteristic: CharacteristicDefinition) -> ExtendedProperties? {
    guard !characteristic.descriptors.contains(where: { $0.uuid == .extendedProperties }) else { return nil }
    let isDescriptionWritable = characteristic.descriptors.contains {
      $0.uuid == .userDescription && $0.permissions.write != nil
    }
    return characteristic.extendedProperties.union(isDescriptionWritable ? .writableAuxiliaries : [])
  }

  /// Returns the start handle of a service that gives its first fixed handle the wanted value; nil if it has none.
  static func fixedStart(of service: NumberedService) throws(AttributeDatabase.DefinitionError) -> Int? {
    let definition = service.definition
    if let handle = definition.handle {
      guard handle > 0 else { throw .handleTaken(0, in: definition.id) }
      return Int(handle)
    }
    // Everything before the first fixed handle is consecutive, whatever the start.
    var loose = service
    for (position, characteristic) in definition.characteristics.enumerated() {
      let descriptor = characteristic.descriptors.firstIndex { $0.handle != nil }
      guard characteristic.handle != nil || descriptor != nil else { continue }
      loose.definition.characteristics[position].handle = nil
      loose.definition.characteristics.removeSubrange((position + 1)...)
      let rest = descriptor.map { characteristic.descriptors.count - $0 } ?? 0
      loose.definition.characteristics[position].descriptors.removeLast(rest)
      if characteristic.descriptors.contains(where: { $0.uuid == .extendedProperties }) {
        // Otherwise there would be an additional, automatic one.
        loose.definition.characteristics[position].properties.remove(.extendedProperties)
      }
      let layout = try ServiceLayout(loose, from: 1)
      let end = Int(layout.handles.upperBound)
      let start: Int
      if let handle = characteristic.handle {
        start = Int(handle) - Int(layout.characteristics[position].value) + 1
      } else {
        start = Int(characteristic.descriptors[descriptor ?? 0].handle ?? 0) - end
      }
      guard start > 0 else {
        let declaration = characteristic.handle.map { $0 == 0 ? 0 : $0 - 1 }
        throw .handleTaken(declaration ?? characteristic.descriptors[descriptor ?? 0].handle ?? 0, in: definition.id)
      }
      return start
    }
    return nil
  }
}
