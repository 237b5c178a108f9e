import BLECore
import BLEGATT

extension ProfileLoader {
  /// A handle that the profile fixes, and its position in the file.
  struct FixedHandle {
    var handle: UInt16
    var place: SyntaxNode
  }

  /// Reads the handle of a declaration or descriptor of the service that is being loaded.
  mutating func fixedHandle(_ node: SyntaxNode?, upTo last: UInt16 = .max) -> UInt16? {
    guard let node, let number = integer(node, 1...Int64(last)) else { return nil }
    let handle = UInt16(truncatingIfNeeded: number)
    if !fixedHandles.isEmpty {
      fixedHandles[fixedHandles.count - 1].append(FixedHandle(handle: handle, place: node))
    }
    return handle
  }

  /// Reports the fixed handles that are impossible. It lays the services out in the same way as the database, each time without the handles
  /// reported so far, until all fit.
  mutating func checkHandles(_ services: [ServiceDefinition]) {
    guard services.count == fixedHandles.count, fixedHandles.contains(where: { !$0.isEmpty }) else { return }
    var layout = services.enumerated().map { position, service in service.standIn(named: String(position)) }
    while let fault = Self.fault(of: layout) {
      guard let (position, handle) = report(fault, ids: services.map(\.id)) else { return }
      layout[position].loosen(handle)
    }
  }

  /// The host's own services with everything that a profile can make them have.
  private static let hostServices = [
    ServiceDefinition.genericAccess(
      name: "", appearance: 0, preferredParameters: PreferredConnectionParameters(), isPrivate: true),
    .genericAttribute(hasServiceChanged: true, hasRobustCaching: true, hasEnhancedBearers: true),
  ]

  private static func fault(of services: [ServiceDefinition]) -> AttributeDatabase.DefinitionError? {
    do throws(AttributeDatabase.DefinitionError) {
      _ = try AttributeDatabase(host: hostServices, application: services)
      return nil
    } catch {
      return error
    }
  }

  /// Reports the wrong handle at its position, and removes it. Returns the position of its service and the handle, or nil if no handle
  /// causes the fault.
  private mutating func report(
    _ fault: AttributeDatabase.DefinitionError, ids: [String]
  ) -> (position: Int, handle: UInt16)? {
    let found: (position: Int, index: Int)?
    let message: String
    switch fault {
    case .handleTaken(let handle, let service):
      found = Int(service).flatMap { position in
        fixedHandles[position].lastIndex { $0.handle == handle }.map { (position, $0) }
      }
      message = "is not after the handles of the preceding attributes; handles ascend in the order of declaration"
    case .handleConflict(let handle, let first, let second):
      found = Int(second).flatMap { fixedHandles[$0].isEmpty ? nil : ($0, 0) }
      let names = [first, second].compactMap { Int($0) }.map { "'\(ids[$0])'" }.joined(separator: " and ")
      message = "is impossible: the services \(names) would both have \(handle.hexadecimalText)"
    case .tooManyAttributes:
      let all = fixedHandles.indices.flatMap { position in fixedHandles[position].indices.map { (position, $0) } }
      found = all.max { fixedHandles[$0.0][$0.1].handle < fixedHandles[$1.0][$1.1].handle }
      message = "leaves no room for other attributes"
    default: return nil
    }
    guard let found else { return nil }
    let wrong = fixedHandles[found.position].remove(at: found.index)
    error(wrong.place, "the handle \(wrong.handle.hexadecimalText) \(message)")
    return (found.position, wrong.handle)
  }
}

extension ServiceDefinition {
  /// Returns a service with the same number of attributes and the same fixed handles, but no references that could be missing.
  fileprivate func standIn(named name: String) -> ServiceDefinition {
    var result = self
    result.id = name
    result.includes = includes.map { _ in name }
    for place in characteristics.indices {
      for descriptor in characteristics[place].descriptors.indices {
        result.characteristics[place].descriptors[descriptor].aggregates = []
      }
    }
    return result
  }

  /// Removes the last fixed handle with that number, which for a characteristic is the handle of its declaration.
  fileprivate mutating func loosen(_ number: UInt16) {
    for place in characteristics.indices.reversed() {
      let descriptors = characteristics[place].descriptors
      if let descriptor = descriptors.lastIndex(where: { $0.handle == number }) {
        characteristics[place].descriptors[descriptor].handle = nil
        return
      }
      if let value = characteristics[place].handle, value > 0, value - 1 == number {
        characteristics[place].handle = nil
        return
      }
    }
    if handle == number { handle = nil }
  }
}
