import BLECore
import BLEGATT

extension ProfileLoader {
  /// The services, and with them the characteristics and their behaviours.
  mutating func services(_ node: SyntaxNode?) -> [ServiceDefinition] {
    guard let node else { return [] }
    var services: [ServiceDefinition] = []
    var references: [SyntaxNode] = []
    for element in list(node) ?? [] {
      let isInclude = element.value(of: "include") != nil
      guard let resolved = isInclude ? expandInclude(element) : element else { continue }
      guard let keys = keys(resolved, Language.service) else { continue }
      let uuid = keys["uuid"].flatMap { serviceUUID($0) }
      let id = identifier(keys["id"], uuid: uuid, place: keys["uuid"] ?? resolved, isService: true)
      fixedHandles.append([])
      let handle = fixedHandle(keys["handle"])
      let included = keys["includes"].flatMap { list($0) } ?? []
      references += included
      var characteristics: [CharacteristicDefinition] = []
      for member in keys["characteristics"].flatMap({ list($0) }) ?? [] {
        if let definition = characteristic(member) { characteristics.append(definition) }
      }
      if let node = keys["authorization"], let id { authorize(node, id, &characteristics) }
      services.append(
        ServiceDefinition(
          id: id ?? "", uuid: uuid ?? BluetoothUUID(0), isPrimary: keys["primary"].flatMap { boolean($0) } ?? true,
          includes: included.compactMap(\.text), characteristics: characteristics, handle: handle))
    }
    let ids = services.map(\.id)
    for reference in references {
      guard let id = text(reference), !ids.contains(id) else { continue }
      error(reference, "there is no service '\(id)'\(Spelling.hint(for: id, among: ids))")
    }
    checkAggregates(services)
    checkHandles(services)
    resolveRules()
    return services
  }

  private mutating func serviceUUID(_ node: SyntaxNode) -> BluetoothUUID? {
    guard let uuid = uuid(node, .service) else { return nil }
    if uuid == BluetoothUUID(0x1800) || uuid == BluetoothUUID(0x1801) {
      error(
        node,
        "the \(uuid.assignedName?.displayName ?? "") service is there by itself, from the keys name, identity, connection and gatt"
      )
    }
    return uuid
  }

  /// The id that was given, or the name of the UUID; ids are unique among services, and among characteristics.
  mutating func identifier(
    _ node: SyntaxNode?, uuid: BluetoothUUID?, place: SyntaxNode, isService: Bool
  ) -> String? {
    let id: String
    if let node {
      guard let text = text(node) else { return nil }
      guard Self.isIdentifier(text) else {
        error(node, "an id is made of letters, digits, '-' and '_', not '\(text)'")
        return nil
      }
      id = text
    } else if let uuid {
      id = uuid.assignedName?.name ?? uuid.description
    } else {
      return nil
    }
    let place = node ?? place
    if let first = isService ? serviceIDs[id] : characteristicIDs[id] {
      let advice = node == nil ? "; give this one an 'id'" : ""
      error(place, "the id '\(id)' is already taken in line \(first.line)\(advice)")
    } else if isService {
      serviceIDs[id] = place
    } else {
      characteristicIDs[id] = place
    }
    return id
  }

  /// Whether a text can be an id: then it can stand in a path, and in a reference such as ID.FIELD.
  static func isIdentifier(_ text: String) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
  }
}
