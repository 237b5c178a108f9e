import AccessoryProfile
import BLECore
import BLEGATT

extension ProfileWriter {
  /// Returns the services, and names all services and characteristics.
  mutating func serviceItems() -> [YAMLItem] {
    let own = database.services.indices.filter { !database.services[$0].belongsToHost }
    reserveIDs(of: own)
    // Name all services first, because a service can include a later one.
    for position in own { nameService(at: position) }
    return own.map { item(ofServiceAt: $0) }
  }

  /// Reserves the ids in the source, so that no id derived from a name takes them.
  private mutating func reserveIDs(of positions: [Int]) {
    for position in positions {
      if let id = database.services[position].id, Naming.isIdentifier(id), serviceIDs.take(id) {
        idsOfServices[position] = id
      }
      for characteristic in database.services[position].characteristics {
        guard let id = characteristic.id, Naming.isIdentifier(id), reservedIDs[id] == nil, characteristicIDs.take(id)
        else { continue }
        reservedIDs[id] = id
      }
    }
  }

  private mutating func nameService(at position: Int) {
    guard idsOfServices[position] == nil else { return }
    let service = database.services[position]
    let derived = service.uuid.assignedName == nil ? service.name.flatMap { Naming.identifier(from: $0) } : nil
    idsOfServices[position] = serviceIDs.unique(derived ?? service.uuid.profileName)
  }

  private mutating func item(ofServiceAt position: Int) -> YAMLItem {
    let service = database.services[position]
    let id = idsOfServices[position] ?? service.uuid.profileName
    let title = "service \(service.uuid.assignedName?.displayName ?? service.uuid.description)"
    var item = YAMLItem(entries: [], comments: service.comments, place: service.place, title: title)
    if let name = service.shippedName, service.characteristics.isEmpty {
      item.entries = [YAMLEntry("include", name, isRequired: true)] + shippedEntries(of: service, id: id)
      return item
    }
    if let entries = includeEntries(of: service, id: id) {
      item.entries = entries + commonEntries(of: service)
      if service.characteristics.contains(where: { $0.value == nil }) {
        item.comments.append("Values that the source lacks are those of the shipped service.")
      }
      return item
    }
    if id != service.uuid.profileName { item.entries.append(YAMLEntry("id", id)) }
    item.entries.append(YAMLEntry("uuid", YAMLScalar.uuid(service.uuid, .service), isRequired: true))
    item.entries += commonEntries(of: service)
    item.entries.append(YAMLEntry("characteristics", .list(characteristicItems(of: service))))
    return item
  }

  /// Returns the keys of an unchanged shipped service. If the ids of its characteristics are taken, its own id becomes their prefix.
  private mutating func shippedEntries(of service: ImportedService, id: String) -> [YAMLEntry] {
    let members = ShippedService.byUUID[service.uuid]?.members ?? []
    let isFree = members.allSatisfy { characteristicIDs.isFree($0.id) } && id == service.uuid.profileName
    for member in members { _ = characteristicIDs.take(isFree ? member.id : "\(id)-\(member.key)") }
    return (isFree ? [] : [YAMLEntry("id", id == service.uuid.profileName ? serviceIDs.unique(id) : id)])
      + commonEntries(of: service)
  }

  /// Returns the keys that a service has in any form.
  private mutating func commonEntries(of service: ImportedService) -> [YAMLEntry] {
    var entries: [YAMLEntry] = []
    if !service.isPrimary { entries.append(YAMLEntry("primary", "false")) }
    if let handle = service.handle { entries.append(YAMLEntry("handle", handle.hexadecimalText)) }
    let includes = service.includes.compactMap { idsOfServices[$0] }
    if includes.count < service.includes.count {
      remark(service.place, "an included service is left out, because the host adds it by itself or it does not exist")
    }
    if !includes.isEmpty { entries.append(YAMLEntry("includes", "[\(includes.joined(separator: ", "))]")) }
    return entries + service.keys.map { YAMLEntry($0) }
  }

  /// Returns the characteristics. A characteristic whose handle follows from the previous ones gets no key `handle`.
  private mutating func characteristicItems(of service: ImportedService) -> [YAMLItem] {
    var next = Self.firstHandle(of: service)
    var items: [YAMLItem] = []
    for characteristic in service.characteristics {
      let id = id(of: characteristic)
      var entries: [YAMLEntry] = []
      if id != characteristic.uuid.profileName { entries.append(YAMLEntry("id", id)) }
      entries.append(YAMLEntry("uuid", YAMLScalar.uuid(characteristic.uuid, .characteristic), isRequired: true))
      let names = Self.propertyNames(of: characteristic.settingExtendedProperties())
      entries.append(YAMLEntry("properties", "[\(names.joined(separator: ", "))]", isRequired: true))
      var comments = characteristic.comments
      entries += self.entries(of: characteristic, next: &next, comments: &comments)
      let name = characteristic.uuid.assignedName?.displayName ?? characteristic.uuid.description
      items.append(
        YAMLItem(
          entries: entries, comments: comments, isShort: true, place: characteristic.place,
          title: "characteristic \(name)"))
    }
    return items
  }

  /// Returns the handle of the first characteristic declaration; nil for any.
  static func firstHandle(of service: ImportedService) -> Int? {
    service.handle.map { Int($0) + 1 + service.includes.count }
  }

  static func propertyNames(of characteristic: ImportedCharacteristic) -> [String] {
    var properties = characteristic.properties
    // The names of extended properties set the bit.
    if !characteristic.extendedProperties.isEmpty { properties.remove(.extendedProperties) }
    return properties.presentNames + characteristic.extendedProperties.presentNames
  }

  private mutating func id(of characteristic: ImportedCharacteristic) -> String {
    if let id = characteristic.id, let own = reservedIDs.removeValue(forKey: id) {
      keptIDs[id] = own
      return own
    }
    let isAssigned = characteristic.uuid.assignedName != nil
    let derived = isAssigned ? nil : characteristic.name.flatMap { Naming.identifier(from: $0) }
    return characteristicIDs.unique(derived ?? characteristic.uuid.profileName)
  }

  // MARK: Shipped services

  /// Returns the keys of an `include` if a shipped service has the same attributes, and the ids of its characteristics are free.
  private mutating func includeEntries(of service: ImportedService, id: String) -> [YAMLEntry]? {
    guard service.mayBeIncluded, let shipped = ShippedService.byUUID[service.uuid], !service.characteristics.isEmpty,
      let matches = shipped.matches(service.characteristics), id == service.uuid.profileName
    else { return nil }
    for (characteristic, member) in matches {
      guard characteristic.id.map({ $0 == member.id }) ?? characteristicIDs.isFree(member.id) else { return nil }
    }
    var entries = [YAMLEntry("include", shipped.name, isRequired: true)]
    var next = Self.firstHandle(of: service)
    let before = remarks
    for (characteristic, member) in matches {
      var comments = characteristic.comments
      var inner = self.entries(of: characteristic, next: &next, comments: &comments)
      if member.isOptional, !inner.contains(where: { $0.key == "value" }) {
        inner.insert(YAMLEntry("value", YAMLScalar.octets([])), at: 0)
      }
      guard !inner.isEmpty || !comments.isEmpty else { continue }
      if inner.isEmpty {
        entries[entries.count - 1].comments += comments
      } else if inner.count == 1, inner[0].key == "value", inner[0].comments.isEmpty {
        entries.append(YAMLEntry(member.key, inner[0].value, comments: comments))
      } else {
        entries.append(YAMLEntry(member.key, .shortMapping(inner), comments: comments))
      }
    }
    let missing = shipped.members.filter { member in
      !member.isOptional && !matches.contains { $0.member == member }
    }
    if !missing.isEmpty {
      entries.append(YAMLEntry("omit", "[\(missing.map(\.key).joined(separator: ", "))]"))
    }
    guard Self.fits(entries, service) else {
      remarks = before
      return nil
    }
    for (characteristic, member) in matches {
      if let id = characteristic.id { keptIDs[id] = reservedIDs.removeValue(forKey: id) }
      _ = characteristicIDs.take(member.id)
    }
    return entries
  }

  /// Returns whether an include has exactly the attributes of a service.
  private static func fits(_ entries: [YAMLEntry], _ service: ImportedService) -> Bool {
    let profile = [
      YAMLEntry("understudy", "1"), YAMLEntry("name", "candidate"),
      YAMLEntry("services", .list([YAMLItem(entries: entries)])),
    ]
    let text = YAMLRendering.lines(of: profile).map(\.text).joined(separator: "\n")
    guard let loaded = try? Profile.load(text: text), let candidate = loaded.services.first,
      candidate.characteristics.count == service.characteristics.count
    else { return false }
    return zip(candidate.characteristics, service.characteristics).allSatisfy { own, wanted in
      let wanted = wanted.settingExtendedProperties()
      return own.uuid == wanted.uuid && own.properties == wanted.declaredProperties
        && own.extendedProperties == wanted.extendedProperties
        && own.permissions.read == wanted.allowedPermissions.read
        && own.permissions.write == wanted.allowedPermissions.write
        && own.configurationPermissions.write == wanted.subscribing
        && own.descriptors.map(\.uuid) == wanted.ownDescriptors.map(\.uuid)
    }
  }
}

extension ShippedService {
  /// Returns the member for each characteristic; nil if the characteristics are not in the order of the members.
  fileprivate func matches(
    _ characteristics: [ImportedCharacteristic]
  ) -> [(characteristic: ImportedCharacteristic, member: Member)]? {
    var rest = members[...]
    var matches: [(characteristic: ImportedCharacteristic, member: Member)] = []
    for characteristic in characteristics {
      guard let place = rest.firstIndex(where: { $0.uuid == characteristic.uuid }) else { return nil }
      matches.append((characteristic, rest[place]))
      rest = rest[(place + 1)...]
    }
    return matches
  }
}
