/// Assigns handles to services.
enum ServicePlacement {
  /// Lays out services: those with fixed handles in their place, and the others in order from 0x0001 around them. The result is in handle
  /// order.
  static func place(
    _ services: [ServiceLayout.NumberedService]
  ) throws(AttributeDatabase.DefinitionError) -> [ServiceLayout] {
    var fixed: [ServiceLayout] = []
    var loose: [ServiceLayout.NumberedService] = []
    for service in services {
      if let start = try ServiceLayout.fixedStart(of: service) {
        fixed.append(try ServiceLayout(service, from: start))
      } else {
        loose.append(service)
      }
    }
    fixed.sort { $0.handles.lowerBound < $1.handles.lowerBound }
    for (first, second) in zip(fixed, fixed.dropFirst()) {
      try checkApart(first, second)
    }
    var placed: [ServiceLayout] = []
    var next = 1
    for service in loose {
      placed.append(try place(service, from: &next, among: fixed))
    }
    guard !fixed.isEmpty else { return placed }
    return (placed + fixed).sorted { $0.handles.lowerBound < $1.handles.lowerBound }
  }

  /// Lays out a service in the first free place from `next` on. Afterwards `next` is behind it.
  private static func place(
    _ service: ServiceLayout.NumberedService, from next: inout Int, among taken: [ServiceLayout]
  ) throws(AttributeDatabase.DefinitionError) -> ServiceLayout {
    while true {
      let layout = try ServiceLayout(service, from: next)
      guard let other = taken.first(where: { $0.handles.overlaps(layout.handles) }) else {
        next = Int(layout.handles.upperBound) + 1
        return layout
      }
      next = Int(other.handles.upperBound) + 1
    }
  }

  /// Lays out one more service: in its fixed place; else after all others, so that no handle is reused while unused ones are left; else in
  /// the first gap.
  static func place(
    _ service: ServiceLayout.NumberedService, behind taken: [ServiceLayout]
  ) throws(AttributeDatabase.DefinitionError) -> ServiceLayout {
    if let start = try ServiceLayout.fixedStart(of: service) {
      let layout = try ServiceLayout(service, from: start)
      for other in taken { try checkApart(other, layout) }
      return layout
    }
    do throws(AttributeDatabase.DefinitionError) {
      return try ServiceLayout(service, from: Int(taken.last?.handles.upperBound ?? 0) + 1)
    } catch .tooManyAttributes {
      var next = 1
      return try place(service, from: &next, among: taken)
    }
  }

  private static func checkApart(
    _ first: ServiceLayout, _ second: ServiceLayout
  ) throws(AttributeDatabase.DefinitionError) {
    guard first.handles.overlaps(second.handles) else { return }
    throw .handleConflict(
      max(first.handles.lowerBound, second.handles.lowerBound), first.service.definition.id,
      second.service.definition.id)
  }
}
