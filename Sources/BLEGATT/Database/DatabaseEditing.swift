import BLECore

/// A change of the services while clients are connected.
public enum ServiceEdit: Hashable, Sendable {
  /// Add a service.
  case add(ServiceDefinition)
  /// Remove the service with this `id`.
  case remove(String)
  /// Replace the service with this `id`, in the same place if there is enough room.
  case replace(String, with: ServiceDefinition)
}

/// The effect of an edit.
public struct DatabaseChange: Hashable, Sendable {
  /// The first and the last changed handle, as Service Changed reports them to clients (Core 5.4 Vol 3 Part G 7.1).
  public var affected: ClosedRange<UInt16>
  /// The new characteristics. They have the same index as earlier characteristics with their `id`.
  public var added: [CharacteristicIndex] = []
  /// The characteristics whose subscriptions have ended because they were removed or replaced.
  public var removed: [CharacteristicIndex] = []
  /// The new Database Hash, as clients read it; empty if it is not computed.
  public internal(set) var hash: [UInt8] = []
  /// The handles of the removed service's attributes.
  var removedHandles: [UInt16] = []
}

extension AttributeDatabase {
  /// Adds, removes or replaces a service. All other services keep their handles and values. Has no effect if it throws.
  ///
  /// A characteristic gets the index of the latest one with its `id`. After many removals, the oldest index is reused, unless it is in
  /// `keeping`.
  public mutating func apply(
    _ edit: ServiceEdit, keeping: Set<CharacteristicIndex> = []
  ) throws(DefinitionError) -> DatabaseChange {
    let before = self
    keepValues()
    do throws(DefinitionError) {
      let change =
        switch edit {
        case .add(let definition): try add(definition, keeping)
        case .remove(let id): try remove(id)
        case .replace(let id, let definition): try replace(id, with: definition, keeping)
        }
      retired.removeAll { records[$0.position].isPresent }
      return change
    } catch {
      self = before
      throw error
    }
  }

  /// Returns the indices, in the order of its characteristics, that a service will have when it is added or replaces the one with `id`.
  public func indices(
    of definition: ServiceDefinition, replacing id: String? = nil, keeping: Set<CharacteristicIndex> = []
  ) -> [CharacteristicIndex] {
    let old = layouts.first { $0.service.definition.id == id }
    return numbered(definition, reusing: old?.characteristics ?? [], own: true, keeping).indices
  }

  private mutating func add(
    _ definition: ServiceDefinition, _ keeping: Set<CharacteristicIndex>
  ) throws(DefinitionError) -> DatabaseChange {
    guard !services.contains(where: { $0.id == definition.id }) else { throw .duplicateService(definition.id) }
    let service = numbered(definition, reusing: [], own: true, keeping)
    let layout = try ServicePlacement.place(service, behind: layouts)
    let affected = try insert(layout)
    return DatabaseChange(affected: affected ?? layout.handles, added: service.indices)
  }

  private mutating func remove(_ id: String) throws(DefinitionError) -> DatabaseChange {
    let place = try place(of: id)
    if let other = layouts.first(where: {
      $0.service.definition.id != id && $0.service.definition.includes.contains(id)
    }) {
      throw .stillIncluded(id, by: other.service.definition.id)
    }
    let old = layouts.remove(at: place)
    retire(old)
    _ = try reassemble()
    return DatabaseChange(
      affected: old.handles, removed: old.service.indices, removedHandles: old.attributes.map(\.handle))
  }

  private mutating func replace(
    _ id: String, with definition: ServiceDefinition, _ keeping: Set<CharacteristicIndex>
  ) throws(DefinitionError) -> DatabaseChange {
    let place = try place(of: id)
    guard definition.id == id || !services.contains(where: { $0.id == definition.id }) else {
      throw .duplicateService(definition.id)
    }
    let old = layouts.remove(at: place)
    let service = numbered(definition, reusing: old.characteristics, own: old.service.belongsToApplication, keeping)
    retire(old)
    let layout = try layOut(service, inPlaceOf: old, at: place)
    let changed = try insert(layout)
    var affected = old.handles.joined(with: layout.handles)
    if let changed { affected = affected.joined(with: changed) }
    return DatabaseChange(
      affected: affected, added: service.indices.filter { !old.service.indices.contains($0) },
      removed: old.service.indices, removedHandles: old.attributes.map(\.handle))
  }

  /// Lays out a service in place of the old one if it ends before the next service; otherwise after all others.
  private func layOut(
    _ service: ServiceLayout.NumberedService, inPlaceOf old: ServiceLayout, at place: Int
  ) throws(DefinitionError) -> ServiceLayout {
    if try ServiceLayout.fixedStart(of: service) == nil {
      let end = place < layouts.count ? Int(layouts[place].handles.lowerBound) : 0x10000
      if let layout = try? ServiceLayout(service, from: Int(old.handles.lowerBound)),
        Int(layout.handles.upperBound) < end
      {
        return layout
      }
    }
    return try ServicePlacement.place(service, behind: layouts)
  }

  private func place(of id: String) throws(DefinitionError) -> Int {
    guard let place = layouts.firstIndex(where: { $0.service.definition.id == id }) else { throw .unknownService(id) }
    return place
  }

  /// The minimum number of removed characteristics that keep their index.
  static var retirementMemory: Int { 64 }

  /// Assigns indices to characteristics: that of an earlier one with the same `id`, or one that is no longer needed, or a new one after all
  /// others.
  private func numbered(
    _ definition: ServiceDefinition, reusing old: [CharacteristicRecord], own: Bool, _ keeping: Set<CharacteristicIndex>
  ) -> ServiceLayout.NumberedService {
    var next = records.count
    var free = old + retired.map { records[$0.position] }
    let wanted = Set(definition.characteristics.map(\.id))
    var unneeded = retired.dropLast(Self.retirementMemory).filter { index in
      !keeping.contains(index) && !wanted.contains(records[index.position].definition.id)
    }[...]
    let indices = definition.characteristics.map { characteristic in
      if let known = free.firstIndex(where: { $0.definition.id == characteristic.id }) {
        return free.remove(at: known).index
      }
      if let index = unneeded.popFirst() { return index }
      defer { next += 1 }
      return CharacteristicIndex(next)
    }
    return .init(definition: definition, indices: indices, belongsToApplication: own)
  }

  private mutating func retire(_ layout: ServiceLayout) {
    for index in layout.service.indices { records[index.position].isPresent = false }
    retired += layout.service.indices
  }

  /// Inserts a service in its place. Returns the handles of declarations in other services whose value has changed.
  private mutating func insert(_ layout: ServiceLayout) throws(DefinitionError) -> ClosedRange<UInt16>? {
    let place = layouts.firstIndex { $0.handles.lowerBound > layout.handles.lowerBound } ?? layouts.count
    layouts.insert(layout, at: place)
    for record in layout.characteristics {
      if record.index.position < records.count {
        records[record.index.position] = record
      } else {
        records.append(record)
      }
    }
    return try reassemble()
  }

  /// Reassembles the attributes. Returns the handle range of declarations and descriptors in remaining services whose value has changed,
  /// because it refers to handles of other services.
  private mutating func reassemble() throws(DefinitionError) -> ClosedRange<UInt16>? {
    try assemble()
    var changed: ClosedRange<UInt16>?
    var position = 0
    for layout in layouts {
      for attribute in layout.attributes {
        defer { position += 1 }
        guard layout.isLinked, attributes[position].value != attribute.value else { continue }
        changed = changed?.joined(with: attribute.handle...attribute.handle) ?? attribute.handle...attribute.handle
      }
    }
    return changed
  }

  /// Stores the current values in the layouts, so that they survive the next assembly.
  private mutating func keepValues() {
    var position = 0
    for index in layouts.indices {
      let count = layouts[index].attributes.count
      layouts[index].take(attributes[position..<(position + count)])
      position += count
    }
  }
}

extension ClosedRange<UInt16> {
  /// Returns the range from the first handle of either to the last of either.
  func joined(with other: ClosedRange<UInt16>) -> ClosedRange<UInt16> {
    Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
  }
}
