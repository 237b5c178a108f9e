import BLECore

extension AttributeDatabase {
  /// Assembles the services' attributes and fills in the values that refer to handles.
  mutating func assemble() throws(DefinitionError) {
    guard layouts.reduce(0, { $0 + $1.attributes.count }) <= 0xFFFF else { throw .tooManyAttributes }
    attributes = layouts.flatMap(\.attributes)
    map = HandleMap(attributes)
    services = layouts.map { layout in
      let definition = layout.service.definition
      return ServiceRecord(
        id: definition.id, uuid: definition.uuid, isPrimary: definition.isPrimary, handles: layout.handles,
        transports: definition.transports)
    }
    restricted = services.filter { $0.transports != LinkTransport.all }.map { service in
      RestrictedService(
        positions: positions(from: service.handles.lowerBound, to: service.handles.upperBound),
        transports: service.transports)
    }
    for layout in layouts {
      try resolveIncludes(of: layout)
      for record in layout.characteristics { try resolveAggregates(of: record) }
    }
  }

  /// Fills in include declarations (Core 5.4 Vol 3 Part G 3.2). The value has the UUID only if it is a 16-bit one.
  private mutating func resolveIncludes(of layout: ServiceLayout) throws(DefinitionError) {
    let definition = layout.service.definition
    for (offset, include) in definition.includes.enumerated() {
      guard let target = services.first(where: { $0.id == include }) else {
        throw .unknownInclude(service: definition.id, include: include)
      }
      // Includes directly follow the declaration.
      guard let position = position(of: layout.attributes[1 + offset].handle) else { continue }
      attributes[position].value =
        target.handles.lowerBound.littleEndianOctets + target.handles.upperBound.littleEndianOctets
        + (target.uuid.octetCount == 2 ? target.uuid.littleEndianOctets : [])
    }
  }

  /// Fills in Aggregate Format descriptors (Core 5.4 Vol 3 Part G 3.3.3.6).
  private mutating func resolveAggregates(of record: CharacteristicRecord) throws(DefinitionError) {
    let descriptors = descriptorPositions(of: record)
    // The descriptors of the definition are last.
    let own = record.definition.descriptors
    for (descriptor, position) in zip(own, descriptors.suffix(own.count)) where !descriptor.aggregates.isEmpty {
      var value: [UInt8] = []
      for name in descriptor.aggregates {
        let target = records.first { $0.isPresent && $0.definition.id == name }
        let formats = target.map { descriptorPositions(of: $0) }?.filter { attributes[$0].type == .presentationFormat }
        guard let formats, !formats.isEmpty else {
          throw .unknownFormat(characteristic: record.definition.id, format: name)
        }
        for format in formats { value += attributes[format].handle.littleEndianOctets }
      }
      attributes[position].value = value
    }
  }

  /// Returns the positions of all attributes of a characteristic after its value.
  private func descriptorPositions(of record: CharacteristicRecord) -> Range<Int> {
    guard let value = position(of: record.value) else { return 0..<0 }
    var end = value + 1
    while end < attributes.count, attributes[end].characteristic == record.index { end += 1 }
    return (value + 1)..<end
  }
}
