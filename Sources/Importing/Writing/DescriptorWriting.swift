import AccessoryProfile
import BLECore
import BLEGATT

extension ProfileWriter {
  /// Returns the keys for descriptors. The first descriptors get keys of their own, as long as they are in the order of these keys; the others
  /// become a list.
  mutating func descriptorEntries(
    of characteristic: ImportedCharacteristic, next: inout Int?, comments: inout [String]
  ) -> [YAMLEntry] {
    checkConfigurations(of: characteristic, &comments)
    var named = NamedDescriptors(characteristic, ids: keptIDs.merging(reservedIDs) { kept, _ in kept })
    var items: [YAMLItem] = []
    for descriptor in characteristic.ownDescriptors {
      if let handle = descriptor.handle, let expected = next, Int(handle) != expected {
        // A profile can move a descriptor to a later handle, but not before those that the language adds.
        if Int(handle) > expected {
          items.append(item(of: descriptor, handle: handle))
          next = Int(handle) + 1
          continue
        }
        comments.append("\(Self.name(of: descriptor)) has the handle \(handle.hexadecimalText) in the source.")
      }
      next = next.map { $0 + 1 }
      if items.isEmpty, descriptor.comments.isEmpty, named.take(descriptor) { continue }
      items.append(item(of: descriptor, handle: nil))
    }
    return named.entries + (items.isEmpty ? [] : [YAMLEntry("descriptors", .list(items))])
  }

  private func checkConfigurations(of characteristic: ImportedCharacteristic, _ comments: inout [String]) {
    let uuids = characteristic.descriptors.map(\.uuid)
    if uuids.contains(.clientCharacteristicConfiguration),
      characteristic.properties.isDisjoint(with: [.notify, .indicate])
    {
      comments.append("A Client Characteristic Configuration is left out: the properties lack 'notify' and 'indicate'.")
    }
    if uuids.contains(.serverCharacteristicConfiguration), !characteristic.properties.contains(.broadcast) {
      comments.append("A Server Characteristic Configuration is left out: the properties lack 'broadcast'.")
    }
  }

  private static func name(of descriptor: ImportedDescriptor) -> String {
    descriptor.uuid.assignedName?.displayName ?? "The descriptor \(descriptor.uuid)"
  }

  private func item(of descriptor: ImportedDescriptor, handle: UInt16?) -> YAMLItem {
    var entries = [
      YAMLEntry("uuid", YAMLScalar.uuid(descriptor.uuid, .descriptor), isRequired: true),
      YAMLEntry("value", YAMLScalar.octets(descriptor.value), isRequired: true),
    ]
    var permissions: [YAMLEntry] = []
    if descriptor.permissions.read != .open {
      permissions.append(YAMLEntry("read", descriptor.permissions.read?.protection.word ?? "forbidden"))
    }
    if let write = descriptor.permissions.write { permissions.append(YAMLEntry("write", write.protection.word)) }
    let sizes = [descriptor.permissions.read, descriptor.permissions.write].compactMap { $0?.minimumKeySize }
    if let size = sizes.max(), size > 0 { permissions.append(YAMLEntry("key-size", "\(size)")) }
    if !permissions.isEmpty { entries.append(YAMLEntry("permissions", .shortMapping(permissions))) }
    if let maximum = descriptor.maximumLength, maximum != descriptor.value.count {
      entries.append(YAMLEntry("max-length", "\(min(max(maximum, descriptor.value.count), 512))"))
    }
    if let handle { entries.append(YAMLEntry("handle", handle.hexadecimalText)) }
    return YAMLItem(
      entries: entries, comments: descriptor.comments, isShort: true,
      title: "descriptor \(descriptor.uuid.assignedName?.displayName ?? descriptor.uuid.description)")
  }
}

/// Collects the descriptors that have keys of their own, in the order of these keys.
private struct NamedDescriptors {
  private(set) var entries: [YAMLEntry] = []
  private let format: ValueFormat
  private let isDescriptionWritable: Bool
  private let id: String?
  /// The final ids of characteristics, by their ids in the source.
  private let ids: [String: String]
  /// The place in `order` of the last key taken.
  private var stage = 0
  private var formats: [String] = []

  private static let order: [BluetoothUUID] = [
    .userDescription, .presentationFormat, .aggregateFormat, .validRange, .reportReference, .externalReportReference,
  ]

  init(_ characteristic: ImportedCharacteristic, ids: [String: String]) {
    format =
      characteristic.format.map { ValueFormat(definition: $0) ?? .octets } ?? .assigned(to: characteristic.uuid)
    isDescriptionWritable = characteristic.extendedProperties.contains(.writableAuxiliaries)
    id = characteristic.id
    self.ids = ids
  }

  /// Takes a descriptor if a key can express it. Returns whether it did.
  mutating func take(_ descriptor: ImportedDescriptor) -> Bool {
    guard let place = Self.order.firstIndex(of: descriptor.uuid), place >= stage else { return false }
    // Only presentation formats can repeat.
    guard place > stage || stage == 0 && entries.isEmpty || descriptor.uuid == .presentationFormat,
      let entry = entry(for: descriptor)
    else { return false }
    if descriptor.uuid == .presentationFormat, let last = entries.last, last.key == entry.key {
      entries[entries.count - 1] = entry
    } else {
      entries.append(entry)
    }
    stage = place
    return true
  }

  private mutating func entry(for descriptor: ImportedDescriptor) -> YAMLEntry? {
    let value = descriptor.value
    if descriptor.uuid == .userDescription {
      guard descriptor.permissions.read == .open,
        descriptor.permissions.write == (isDescriptionWritable ? .open : nil),
        let text = String(validating: value, as: UTF8.self), !text.isEmpty,
        value.count <= 512
      else { return nil }
      return YAMLEntry("description", YAMLScalar.text(text))
    }
    guard descriptor.permissions.read == .open, descriptor.permissions.write == nil else { return nil }
    switch descriptor.uuid {
    case .presentationFormat:
      guard let text = PresentationFormatText.text(of: value) else { return nil }
      formats.append(text)
      return YAMLEntry(
        "presentation-format", formats.count == 1 ? text : "[\(formats.joined(separator: ", "))]")
    case .aggregateFormat: return aggregate(descriptor)
    case .validRange:
      let half = value.count / 2
      guard value.count > 1, value.count.isMultiple(of: 2), format.fixedSize == half,
        let low = ValueText.text(of: Array(value[..<half]), in: format),
        let high = ValueText.text(of: Array(value[half...]), in: format)
      else { return nil }
      return YAMLEntry("valid-range", "{ low: \(low), high: \(high) }")
    case .reportReference:
      guard value.count == 2, (1...3).contains(value[1]) else { return nil }
      return YAMLEntry(
        "report-reference", "{ id: \(value[0]), type: \(["input", "output", "feature"][Int(value[1]) - 1]) }")
    case .externalReportReference:
      guard value.count == 2, let uuid = BluetoothUUID(littleEndianOctets: value) else { return nil }
      return YAMLEntry("external-report-reference", YAMLScalar.uuid(uuid, .characteristic))
    default: return nil
    }
  }

  private func aggregate(_ descriptor: ImportedDescriptor) -> YAMLEntry? {
    if descriptor.aggregates.isEmpty || descriptor.aggregates == [id] {
      return formats.isEmpty ? nil : YAMLEntry("aggregate-format", "true")
    }
    let members = descriptor.aggregates.compactMap { ids[$0] }
    guard members.count == descriptor.aggregates.count else { return nil }
    return YAMLEntry("aggregate-format", "[\(members.joined(separator: ", "))]")
  }
}
