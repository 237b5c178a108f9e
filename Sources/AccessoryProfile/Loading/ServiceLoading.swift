import BLECore
import BLEGATT

extension ProfileLoader {
  /// Loads the services, with their characteristics and behaviors.
  mutating func services(_ node: SyntaxNode?) -> [ServiceDefinition] {
    guard let node else { return [] }
    var services: [ServiceDefinition] = []
    var references: [SyntaxNode] = []
    for element in list(node) ?? [] {
      guard let service = service(element, includes: &references) else { continue }
      services.append(service)
      checkIsOwn(service, element.value(of: "uuid") ?? element)
    }
    resolveIncludes(references, among: services.map(\.id))
    checkIncludedTransports(services)
    checkAggregates(services)
    checkHandles(services)
    resolveValues()
    resolveRules()
    return services
  }

  /// Loads one service without its rules. `name` is its id if it has none. The services that it includes are appended to `includes`.
  mutating func service(
    _ node: SyntaxNode, named name: String? = nil, includes: inout [SyntaxNode]
  ) -> ServiceDefinition? {
    let isInclude = node.value(of: "include") != nil
    guard let resolved = isInclude ? expandInclude(node) : node, let keys = keys(resolved, Language.service) else {
      return nil
    }
    let uuid = keys["uuid"].flatMap { self.uuid($0, .service) }
    let given = node.value(of: "id") == nil ? name : nil
    let id = given ?? identifier(keys["id"], uuid: uuid, place: keys["uuid"] ?? resolved, isService: true)
    if let id { serviceNodes[id] = resolved }
    fixedHandles.append([])
    let handle = fixedHandle(keys["handle"])
    let included = keys["includes"].flatMap { list($0) } ?? []
    includes += included
    var characteristics: [CharacteristicDefinition] = []
    for member in keys["characteristics"].flatMap({ list($0) }) ?? [] {
      if let definition = characteristic(member) { characteristics.append(definition) }
    }
    if let node = keys["authorization"], let id { authorize(node, id, &characteristics) }
    return ServiceDefinition(
      id: id ?? "", uuid: uuid ?? BluetoothUUID(0), isPrimary: keys["primary"].flatMap { boolean($0) } ?? true,
      includes: included.compactMap(\.text), characteristics: characteristics, handle: handle,
      transports: transports(of: keys))
  }

  /// Checks that the included services exist, after all ids are known.
  mutating func resolveIncludes(_ includes: [SyntaxNode], among ids: [String]) {
    for include in includes {
      guard let id = text(include), !ids.contains(id) else { continue }
      error(include, "there is no service '\(id)'\(hint(for: id, among: ids))")
    }
  }

  /// Checks that an included service is found wherever the including one is.
  private mutating func checkIncludedTransports(_ services: [ServiceDefinition]) {
    for service in services {
      for id in service.includes {
        guard let included = services.first(where: { $0.id == id }),
          let missing = service.transports.subtracting(included.transports).words.first
        else { continue }
        let place = serviceNodes[service.id]?.value(of: "includes") ?? serviceNodes[service.id]
        if let place { error(place, "'\(id)' lacks the transport \(missing), over which '\(service.id)' includes it") }
      }
    }
  }

  private mutating func checkIsOwn(_ service: ServiceDefinition, _ place: SyntaxNode) {
    guard service.belongsToHost else { return }
    error(
      place,
      "the \(service.uuid.assignedName?.displayName ?? "") service is added automatically, from the keys "
        + "name, identity, connection and gatt"
    )
  }

  /// Returns the given id, or else the name of the UUID. Ids are unique among services, and among characteristics.
  mutating func identifier(
    _ node: SyntaxNode?, uuid: BluetoothUUID?, place: SyntaxNode, isService: Bool
  ) -> String? {
    let id: String
    if let node {
      guard let text = text(node) else { return nil }
      guard Self.isIdentifier(text) else {
        error(node, "an id consists of letters, digits, '-' and '_', not '\(text)'")
        return nil
      }
      id = text
    } else if let uuid {
      id = uuid.profileName
    } else {
      return nil
    }
    let place = node ?? place
    if let first = isService ? serviceIDs[id] : characteristicIDs[id] {
      let advice = node == nil ? "; give this one an 'id'" : ""
      let other = first.source.hasLines ? "line \(first.line)" : first.source.name
      error(place, "the id '\(id)' is already taken in \(other)\(advice)")
    } else if isService {
      serviceIDs[id] = place
    } else {
      characteristicIDs[id] = place
    }
    return id
  }

  /// Returns whether a text can be an id, and so can be part of a path and of a reference such as ID.FIELD.
  static func isIdentifier(_ text: String) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
  }
}
