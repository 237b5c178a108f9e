import BLEATT
import BLECore
import BLEGATT

extension ProfileLoader {
  /// A characteristic's declaration; its behaviour goes to `characteristics`.
  mutating func characteristic(_ node: SyntaxNode) -> CharacteristicDefinition? {
    guard let keys = keys(node, Language.characteristic) else { return nil }
    let uuid = keys["uuid"].flatMap { self.uuid($0, .characteristic) }
    let id = identifier(keys["id"], uuid: uuid, place: keys["uuid"] ?? node, isService: false)
    var properties = properties(keys["properties"])
    let known = valueFormat(keys, uuid)
    let format = known ?? .octets
    // Without its format a value cannot be judged.
    let given = known == nil ? nil : keys["value"].flatMap { self.source($0, format) }
    let source = given ?? .constant(.octets([]))
    let lengths = lengths(keys, format: format, source: source, properties)
    let notify = sending(keys, "notify", properties.contains(.notify))
    let indicate = sending(keys, "indicate", properties.contains(.indicate))
    let readError = keys["on-read"].flatMap { self.keys($0, Language.readRule)?["error"] }.flatMap { errorCode($0) }
    let descriptors = descriptors(keys)
    if properties.contains(.extendedProperties), !descriptors.contains(where: { $0.uuid == BluetoothUUID(0x2900) }) {
      properties.remove(.extendedProperties)
      if let node = keys["properties"] {
        error(node, "'extended' needs a descriptor 2900 with the extended properties")
      }
    }
    let octets = source.isConstant ? ValueEvaluator.constant(source, format) : nil
    let isStored = octets != nil && readError == nil
    characteristics.append(
      LoadedCharacteristic(
        behavior: CharacteristicBehavior(
          id: id ?? "", uuid: uuid ?? BluetoothUUID(0), format: format, source: source, isStored: isStored,
          notify: notify, indicate: indicate, writeRules: [], readError: readError,
          announcedTable: keys["announces"].flatMap { announcedTable($0, properties) }),
        rules: keys["on-write"], controlPoint: keys["control-point"]))
    if let key = keys.key("control-point") {
      if !properties.contains(.write) { error(key, "commands need the property 'write'") }
      if let rules = keys.key("on-write") { error(rules, "either 'control-point' or 'on-write' is possible, not both") }
    }
    if let rules = keys.key("on-write"), properties.openPermissions.write == nil {
      error(rules, "nothing can be written; the properties lack 'write' or 'write-without-response'")
    }
    return CharacteristicDefinition(
      id: id ?? "", uuid: uuid ?? BluetoothUUID(0), properties: properties,
      permissions: permissions(keys["permissions"], properties.openPermissions),
      value: isStored ? .stored(octets ?? []) : .asked, maximumLength: lengths.maximum, hasFixedLength: lengths.isFixed,
      notifiesContinuously: notify == .continuously, descriptors: descriptors)
  }

  private mutating func properties(_ node: SyntaxNode?) -> CharacteristicProperties {
    var properties: CharacteristicProperties = []
    guard let node else { return properties }
    let names = CharacteristicProperties.names
    for element in list(node) ?? [] {
      guard let word = oneOf(element, names.map(\.name)),
        let found = names.first(where: { $0.name == word })?.property
      else { continue }
      if properties.contains(found) { warn(element, "'\(word)' stands here twice") }
      properties.insert(found)
    }
    return properties
  }

  private mutating func permissions(_ node: SyntaxNode?, _ open: AttributePermissions) -> AttributePermissions {
    guard let node, let keys = keys(node, Language.permissions) else { return open }
    var result = open
    if let read = keys["read"] {
      if open.read == nil { error(read, "the properties lack 'read'") }
      result.read = requirement(read)
    }
    if let write = keys["write"] {
      if open.write == nil { error(write, "the properties lack 'write' or 'write-without-response'") }
      result.write = requirement(write)
    }
    return result
  }

  private mutating func requirement(_ node: SyntaxNode) -> AccessRequirement? {
    let protection: LinkProtection
    switch oneOf(node, Language.accessNames) {
    case "none": return .open
    case "encrypted": protection = .encrypted
    case "authenticated": protection = .authenticated
    case "secure-connections": protection = .secureConnections
    default: return nil
    }
    warn(node, "this version cannot pair, so no client will ever be allowed to do this")
    return AccessRequirement(protection: protection)
  }

  // MARK: Sending

  private mutating func sending(_ keys: Keys, _ name: String, _ isPossible: Bool) -> CharacteristicBehavior.Sending? {
    guard let node = keys[name] else { return isPossible ? .onChange : nil }
    if !isPossible, let key = keys.key(name) { error(key, "the properties lack '\(name)'") }
    guard node.pairs != nil else {
      let word = oneOf(node, Language.characteristic.words(of: name))
      return word == "on-demand" ? .onDemand : .onChange
    }
    guard let sending = self.keys(node, Language.sending), let every = sending["every"] else { return nil }
    if every.plainText == "buffer" {
      if name == "indicate" {
        error(every, "an indication waits for its confirmation; 'buffer' is possible for notify only")
      }
      return .continuously
    }
    return duration(every, within: .milliseconds(1)...(.seconds(86_400))).map { .every($0) }
  }

  // MARK: Lengths

  private mutating func lengths(
    _ keys: Keys, format: ValueFormat, source: ValueSource, _ properties: CharacteristicProperties
  ) -> (maximum: Int, isFixed: Bool) {
    let valueLength = ValueEvaluator.constant(source, format)?.count ?? 0
    let fixedSize = format.fixedSize
    let given = keys["max-length"].flatMap { integer($0, 0...512) }.map { Int($0) }
    let isFixed = keys["fixed-length"].flatMap { boolean($0) } ?? (given == nil && fixedSize != nil)
    let maximum = given ?? (isFixed ? fixedSize ?? valueLength : 512)
    if valueLength > maximum, let place = keys["value"] {
      error(place, "the value takes \(valueLength) octets, and \(maximum) are possible")
    } else if isFixed, valueLength != maximum, let place = keys["fixed-length"], keys["value"] != nil, source.isConstant
    {
      error(place, "the value takes \(valueLength) octets, and values of \(maximum) are wanted")
    }
    return (maximum, isFixed)
  }

  // MARK: Descriptors

  private mutating func descriptors(_ keys: Keys) -> [DescriptorDefinition] {
    var descriptors: [DescriptorDefinition] = []
    if let node = keys["description"], let description = text(node) {
      let octets = Array(description.utf8)
      if octets.count > 512 { error(node, "the description takes \(octets.count) octets, and 512 are possible") }
      descriptors.append(DescriptorDefinition(uuid: BluetoothUUID(0x2901), value: octets))
    }
    if let node = keys["presentation-format"], let octets = presentationFormat(node) {
      descriptors.append(DescriptorDefinition(uuid: BluetoothUUID(0x2904), value: octets))
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
      error(uuidNode, "this descriptor is there by itself with the properties notify, indicate and broadcast")
    }
    let maximum = keys["max-length"].flatMap { integer($0, 0...512) }.map { Int($0) }
    if value.octets.count > maximum ?? 512 {
      error(valueNode, "the value takes \(value.octets.count) octets, and \(maximum ?? 512) are possible")
    }
    var permissions = AttributePermissions.readable
    if let node = keys["permissions"], let keys = self.keys(node, Language.permissions) {
      if let read = keys["read"] { permissions.read = requirement(read) }
      if let write = keys["write"] { permissions.write = requirement(write) }
    }
    return DescriptorDefinition(uuid: uuid, permissions: permissions, value: value.octets, maximumLength: maximum)
  }

  /// Core 5.4 Vol 3 Part G 3.3.3.5.
  private mutating func presentationFormat(_ node: SyntaxNode) -> [UInt8]? {
    guard let keys = keys(node, Language.presentationFormat), let formatNode = keys["format"],
      let word = oneOf(formatNode, PresentationFormat.formats.map(\.name)),
      let format = PresentationFormat.formats.first(where: { $0.name == word })?.number
    else { return nil }
    let exponent = keys["exponent"].flatMap { integer($0, -128...127) } ?? 0
    let unit = keys["unit"].flatMap { unitNumber($0) } ?? 0x2700
    let namespace = keys["namespace"].flatMap { integer($0, 0...255) } ?? 1
    let description = keys["description"].flatMap { integer($0, 0...0xFFFF) } ?? 0
    return [
      format, UInt8(truncatingIfNeeded: exponent), UInt8(truncatingIfNeeded: unit),
      UInt8(truncatingIfNeeded: unit >> 8),
      UInt8(truncatingIfNeeded: namespace), UInt8(truncatingIfNeeded: description),
      UInt8(truncatingIfNeeded: description >> 8),
    ]
  }

  private mutating func unitNumber(_ node: SyntaxNode) -> UInt16? {
    if let text = node.plainText, Numbers.integer(text) != nil {
      return integer(node, 0...0xFFFF).map { UInt16(truncatingIfNeeded: $0) }
    }
    let units = PresentationFormat.units
    guard let word = oneOf(node, units.map(\.name)) else { return nil }
    return units.first { $0.name == word }?.number
  }
}
