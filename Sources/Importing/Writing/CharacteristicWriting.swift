import AccessoryProfile
import BLECore
import BLEGATT

extension ProfileWriter {
  /// Returns the keys of a characteristic, apart from its id, UUID and properties. `next` is the handle that its declaration gets by default; nil
  /// if unknown.
  mutating func entries(
    of characteristic: ImportedCharacteristic, next: inout Int?, comments: inout [String]
  ) -> [YAMLEntry] {
    let characteristic = characteristic.settingExtendedProperties()
    var entries: [YAMLEntry] = []
    if let handle = characteristic.handle {
      if Int(handle) != next { entries.append(YAMLEntry("handle", handle.hexadecimalText)) }
      next = Int(handle)
    }
    next = next.map { $0 + 2 + characteristic.automaticDescriptors }
    let permissions = permissionEntries(of: characteristic, &comments)
    if !permissions.isEmpty { entries.append(YAMLEntry("permissions", .shortMapping(permissions))) }
    if characteristic.needsAuthorization, !characteristic.keys.contains(where: { $0.name == "authorization" }) {
      entries.append(YAMLEntry("authorization", "granted"))
      comments.append("The source requires authorization, but does not say who gives it: every client gets it.")
    }
    entries += valueEntries(of: characteristic, &comments)
    entries += descriptorEntries(of: characteristic, next: &next, comments: &comments)
    if let notify = characteristic.notify { entries.append(YAMLEntry("notify", notify)) }
    if let indicate = characteristic.indicate { entries.append(YAMLEntry("indicate", indicate)) }
    return entries + characteristic.keys.map { YAMLEntry($0) }
  }

  // MARK: Permissions

  private mutating func permissionEntries(
    of characteristic: ImportedCharacteristic, _ comments: inout [String]
  ) -> [YAMLEntry] {
    let open = characteristic.properties.openPermissions
    let wanted = characteristic.permissions ?? open
    var entries: [YAMLEntry] = []
    var sizes: Set<Int> = []
    func add(_ key: String, _ requirement: AccessRequirement?) {
      if let requirement, requirement.protection == .none { return }
      entries.append(YAMLEntry(key, requirement?.protection.word ?? "forbidden"))
      if let requirement, requirement.minimumKeySize > 0 { sizes.insert(requirement.minimumKeySize) }
    }
    if open.read != nil { add("read", wanted.read) }
    if !characteristic.properties.isDisjoint(with: .anyWrite) {
      add("write", open.write == nil ? wanted.signedWrite : wanted.write)
    }
    if characteristic.canBeSubscribed { add("subscribe", characteristic.subscribing) }
    if open.read == nil, wanted.read != nil, characteristic.permissions != nil {
      comments.append("The source permits reading, but the properties lack 'read'.")
    }
    if open.write == nil, wanted.write != nil, characteristic.permissions != nil {
      comments.append("The source permits writing, but the properties lack 'write'.")
    }
    if let size = sizes.max() {
      entries.append(YAMLEntry("key-size", "\(size)"))
      if sizes.count > 1 { comments.append("The source requires different key sizes: the largest is used for all.") }
    }
    return entries
  }

  // MARK: Values

  private func valueEntries(of characteristic: ImportedCharacteristic, _ comments: inout [String]) -> [YAMLEntry] {
    var entries: [YAMLEntry] = []
    var format = characteristic.format.flatMap { ValueFormat(definition: $0) } ?? .assigned(to: characteristic.uuid)
    if characteristic.format != nil, ValueFormat(definition: characteristic.format ?? "") == nil { format = .octets }
    var formatText = characteristic.format
    var valueText: String?
    var count = 0
    switch characteristic.value {
    case .yaml(let text): valueText = text
    case .octets(let octets) where !octets.isEmpty:
      count = octets.count
      valueText = ValueText.text(of: octets, in: format)
      if valueText == nil {
        valueText = YAMLScalar.octets(octets)
        // Octets must have the length of a fixed-size format, even if they mean nothing in it.
        if let size = format.fixedSize, size != octets.count {
          if characteristic.format == nil { comments.append("The value does not fit the assigned format.") }
          (format, formatText) = (.octets, "hex")
        }
      }
    case .octets, nil: break
    }
    if let formatText { entries.append(YAMLEntry("format", formatText)) }
    if let valueText { entries.append(YAMLEntry("value", valueText)) }
    return entries + lengthEntries(of: characteristic, format, valueCount: count)
  }

  private func lengthEntries(
    of characteristic: ImportedCharacteristic, _ format: ValueFormat, valueCount: Int
  ) -> [YAMLEntry] {
    guard !characteristic.properties.isDisjoint(with: .anyWrite) else { return [] }
    let usual = (maximum: format.fixedSize ?? 512, isFixed: format.fixedSize != nil)
    let maximum = characteristic.maximumLength.map { min(max($0, valueCount), 512) } ?? usual.maximum
    let isFixed = characteristic.hasFixedLength ?? (characteristic.maximumLength == nil ? usual.isFixed : false)
    guard maximum != usual.maximum || isFixed != usual.isFixed else { return [] }
    // With a fixed length, a value of another length would be an error.
    let mayBeFixed = isFixed && (valueCount == 0 || valueCount == maximum)
    return [YAMLEntry("max-length", "\(maximum)")] + (mayBeFixed ? [YAMLEntry("fixed-length", "true")] : [])
  }
}

extension ImportedCharacteristic {
  /// Whether clients can subscribe to it.
  var canBeSubscribed: Bool { !properties.isDisjoint(with: [.notify, .indicate, .broadcast]) }

  /// Whether an access needs authorization.
  var needsAuthorization: Bool {
    [permissions?.read, permissions?.write].contains { $0?.needsAuthorization == true }
  }

  /// The properties with the bit for extended properties.
  var declaredProperties: CharacteristicProperties {
    extendedProperties.isEmpty ? properties : properties.union(.extendedProperties)
  }

  /// The permissions for the accesses that the properties allow.
  var allowedPermissions: AttributePermissions {
    let open = properties.openPermissions
    let wanted = permissions ?? open
    return AttributePermissions(
      read: open.read == nil ? nil : wanted.read?.withoutAuthorization,
      write: open.write == nil ? nil : wanted.write?.withoutAuthorization)
  }

  /// The number of descriptors that the language adds before the others.
  var automaticDescriptors: Int {
    (properties.isDisjoint(with: [.notify, .indicate]) ? 0 : 1) + (properties.contains(.broadcast) ? 1 : 0)
      + (extendedProperties.isEmpty ? 0 : 1)
  }

  /// The descriptors without those that the language adds by itself.
  var ownDescriptors: [ImportedDescriptor] {
    descriptors.filter {
      $0.uuid != .clientCharacteristicConfiguration && $0.uuid != .serverCharacteristicConfiguration
    }
  }

  /// Returns the characteristic with the extended properties of its descriptor 2900, if the language has names for them.
  func settingExtendedProperties() -> ImportedCharacteristic {
    guard extendedProperties.isEmpty, let place = descriptors.firstIndex(where: { $0.uuid == .extendedProperties }),
      descriptors[place].value.count == 2, descriptors[place].permissions.write == nil
    else { return self }
    let octets = descriptors[place].value
    let extended = ExtendedProperties(rawValue: UInt16(octets[0]) | UInt16(octets[1]) << 8)
    let known: ExtendedProperties = [.reliableWrite, .writableAuxiliaries]
    let isDescribed = descriptors.contains { $0.uuid == .userDescription }
    guard !extended.isEmpty, known.isSuperset(of: extended), properties.contains(.extendedProperties),
      !extended.contains(.reliableWrite) || properties.contains(.write),
      !extended.contains(.writableAuxiliaries) || isDescribed
    else { return self }
    var result = self
    result.extendedProperties = extended
    result.descriptors.remove(at: place)
    return result
  }
}

extension AccessRequirement {
  /// The requirement without authorization, for which profiles have a key of its own.
  fileprivate var withoutAuthorization: AccessRequirement {
    AccessRequirement(protection: protection, minimumKeySize: minimumKeySize)
  }
}
