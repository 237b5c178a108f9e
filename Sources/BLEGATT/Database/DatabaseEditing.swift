import BLECore

/// A change of the services while clients are connected.
public enum ServiceEdit: Hashable, Sendable {
  /// A service more.
  case add(ServiceDefinition)
  /// The service with that `id` goes.
  case remove(String)
  /// The service with that `id` becomes another one, at the same place if that is large enough.
  case replace(String, with: ServiceDefinition)
}

/// What an edit has changed.
public struct DatabaseChange: Hashable, Sendable {
  /// The first and the last handle that mean something else now, as Service Changed tells clients (Core 5.4 Vol 3 Part G 7.1).
  public var affected: ClosedRange<UInt16>
  /// The characteristics that are new. They have the index that a characteristic with their `id` had before.
  public var added: [CharacteristicIndex] = []
  /// The characteristics whose subscriptions are over: they are gone, or have been replaced.
  public var removed: [CharacteristicIndex] = []
  /// The Database Hash after it, as clients read it; empty where nobody computes it.
  public internal(set) var hash: [UInt8] = []
  /// The handles of the removed service's attributes.
  var removedHandles: [UInt16] = []
}

extension AttributeDatabase {
  /// Adds, removes or replaces a service. All other services keep their handles and values. Nothing happens when it throws.
  ///
  /// A characteristic gets the index that the last one with its `id` had. When many have gone, the index of the first to go is
  /// used for another one, unless it is among `keeping`.
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

  /// The indices that the characteristics of a service will have when it is added, or replaces the one with `id`: in the order
  /// of its characteristics.
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

  /// Where the old service was, if the new one ends before the next; else behind everything.
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

  /// How many characteristics that have gone keep their index at least.
  static var retirementMemory: Int { 64 }

  /// Gives numbers to characteristics: those that characteristics with the same `id` had, or that nobody needs any longer, or
  /// new ones behind all others.
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

  /// Puts a service in its place. Returns the handles of declarations in other services that say something else now.
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

  /// Puts the attributes together anew. Returns the range of handles of declarations and descriptors in services that stay whose
  /// value has changed, because it names handles of the others.
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

  /// Takes the present values into the layouts, so that they outlive the next assembly.
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
  /// From the first handle of either to the last of either.
  func joined(with other: ClosedRange<UInt16>) -> ClosedRange<UInt16> {
    Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
  }
}
