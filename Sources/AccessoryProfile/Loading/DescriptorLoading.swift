import BLECore
import BLEGATT

extension ProfileLoader {
  /// Loads the descriptors of a characteristic, in the order of their handles.
  mutating func descriptors(
    _ keys: Keys, of id: String, _ format: ValueFormat, isDescriptionWritable: Bool
  ) -> [DescriptorDefinition] {
    var descriptors: [DescriptorDefinition] = []
    if let node = keys["description"], let description = text(node) {
      let length = description.utf8.count
      if length > 512 { error(node, "the description has \(length) octets; the maximum is 512") }
      descriptors.append(.userDescription(description, maximumLength: isDescriptionWritable ? 512 : nil))
    }
    let formats = presentationFormats(keys["presentation-format"])
    descriptors += formats
    if let aggregate = aggregateFormat(keys, of: id, formats.count) { descriptors.append(aggregate) }
    if let node = keys["valid-range"], let range = validRange(node, format) { descriptors.append(range) }
    if let node = keys["report-reference"], let reference = reportReference(node) { descriptors.append(reference) }
    if let uuid = keys["external-report-reference"].flatMap({ self.uuid($0, .characteristic) }) {
      descriptors.append(.externalReportReference(uuid))
    }
    for element in keys["descriptors"].flatMap({ list($0) }) ?? [] {
      if let descriptor = descriptor(element) { descriptors.append(descriptor) }
    }
    return descriptors
  }

  private mutating func descriptor(_ node: SyntaxNode) -> DescriptorDefinition? {
    guard let keys = keys(node, Language.descriptor), let uuidNode = keys["uuid"],
      let uuid = uuid(uuidNode, .descriptor), let valueNode = keys["value"], let value = octets(valueNode)
    else { return nil }
    if uuid == BluetoothUUID(0x2902) || uuid == BluetoothUUID(0x2903) {
      error(
        uuidNode, "this descriptor is added automatically, according to the properties notify, indicate and broadcast")
    }
    let maximum = integer(keys, "max-length").map { Int($0) }
    if value.octets.count > maximum ?? 512 {
      error(valueNode, "the value has \(value.octets.count) octets; the maximum is \(maximum ?? 512)")
    }
    var permissions = AttributePermissions.readable
    if let node = keys["permissions"], let keys = self.keys(node, Language.descriptorPermissions) {
      if let read = keys["read"] { permissions.read = requirement(read, keySize: keys["key-size"]) }
      if let write = keys["write"] { permissions.write = requirement(write, keySize: keys["key-size"]) }
      checkKeySize(keys, of: [permissions.read, permissions.write])
    }
    return DescriptorDefinition(
      uuid: uuid, permissions: permissions, value: value.octets, maximumLength: maximum,
      handle: fixedHandle(keys["handle"]))
  }

  // MARK: Formats

  /// Loads one presentation format or several.
  private mutating func presentationFormats(_ node: SyntaxNode?) -> [DescriptorDefinition] {
    guard let node else { return [] }
    return (node.elements ?? [node]).compactMap { presentationFormat($0) }.map { .presentationFormat($0) }
  }

  /// Returns an aggregate format of the characteristic's own presentation formats, or of those of other characteristics. A characteristic
  /// with several formats has one (Core 5.4 Vol 3 Part G 3.3.3.5).
  private mutating func aggregateFormat(_ keys: Keys, of id: String, _ formats: Int) -> DescriptorDefinition? {
    guard let node = keys["aggregate-format"] else { return formats > 1 ? .aggregateFormat(of: [id]) : nil }
    if let elements = node.elements {
      if elements.isEmpty { error(node, "expected the ids of characteristics with presentation formats") }
      aggregateReferences += elements
      return .aggregateFormat(of: elements.compactMap(\.text))
    }
    guard let isThere = boolean(node) else { return nil }
    if isThere, formats == 0 { error(node, "there is no 'presentation-format' for it to list") }
    if !isThere, formats > 1 { warn(node, "a characteristic with several presentation formats must have one") }
    return isThere && formats > 0 ? .aggregateFormat(of: [id]) : nil
  }

  /// Checks the characteristics that aggregate formats refer to, after all are known.
  mutating func checkAggregates(_ services: [ServiceDefinition]) {
    let characteristics = services.flatMap(\.characteristics)
    let ids = characteristics.map(\.id)
    for node in aggregateReferences {
      guard let id = text(node) else { continue }
      guard let found = characteristics.first(where: { $0.id == id }) else {
        error(node, "there is no characteristic '\(id)'\(hint(for: id, among: ids))")
        continue
      }
      if !found.descriptors.contains(where: { $0.uuid == .presentationFormat }) {
        error(node, "'\(id)' has no presentation format")
      }
    }
  }

  private mutating func presentationFormat(_ node: SyntaxNode) -> CharacteristicPresentationFormat? {
    guard let keys = keys(node, Language.presentationFormat), let formatNode = keys["format"],
      let word = oneOf(formatNode, PresentationFormat.formats.map(\.name)),
      let format = PresentationFormat.formats.first(where: { $0.name == word })?.number
    else { return nil }
    let exponent = integer(keys, "exponent") ?? 0
    let unit = keys["unit"].flatMap { unitNumber($0) } ?? 0x2700
    let namespace = integer(keys, "namespace") ?? 1
    let description = integer(keys, "description") ?? 0
    return CharacteristicPresentationFormat(
      format: format, exponent: Int8(truncatingIfNeeded: exponent), unit: unit,
      namespace: UInt8(truncatingIfNeeded: namespace), description: UInt16(truncatingIfNeeded: description))
  }

  private mutating func unitNumber(_ node: SyntaxNode) -> UInt16? {
    if let text = node.plainText, Numbers.integer(text) != nil {
      return integer(node, Language.presentationFormat, "unit").map { UInt16(truncatingIfNeeded: $0) }
    }
    let units = PresentationFormat.units
    guard let word = oneOf(node, units.map(\.name)) else { return nil }
    return units.first { $0.name == word }?.number
  }

  // MARK: Ranges and reports

  private mutating func validRange(_ node: SyntaxNode, _ format: ValueFormat) -> DescriptorDefinition? {
    guard let keys = keys(node, Language.validRange), let lowNode = keys["low"], let highNode = keys["high"],
      let low = constant(lowNode, format), let high = constant(highNode, format),
      let lowest = try? format.encode(low), let highest = try? format.encode(high)
    else { return nil }
    if format.decode(lowest).isNumber(above: format.decode(highest)) {
      error(lowNode, "the lowest value is greater than the highest")
    }
    return .validRange(lowest, highest)
  }

  /// Warns if a constant value is outside its Valid Range. It is probably a mistake, but some accessories have such values.
  mutating func checkRange(_ keys: Keys, _ source: ValueSource, _ format: ValueFormat) {
    guard let node = keys["value"], case .constant(let value) = source, let octets = try? format.encode(value),
      let number = format.decode(octets).number, let range = keys["valid-range"],
      let low = range.value(of: "low")?.plainText.flatMap({ Numbers.decimal($0) }),
      let high = range.value(of: "high")?.plainText.flatMap({ Numbers.decimal($0) }), low <= high,
      !(low...high).contains(number)
    else { return }
    warn(node, "the value is outside of its valid-range")
  }

  private mutating func reportReference(_ node: SyntaxNode) -> DescriptorDefinition? {
    guard let keys = keys(node, Language.reportReference), let idNode = keys["id"], let typeNode = keys["type"],
      let id = integer(idNode, keys.table, "id"), let word = oneOf(typeNode, Language.reportTypes.map(\.name)),
      let type = Language.reportTypes.first(where: { $0.name == word })?.number
    else { return nil }
    return .reportReference(id: UInt8(truncatingIfNeeded: id), type: type)
  }
}
