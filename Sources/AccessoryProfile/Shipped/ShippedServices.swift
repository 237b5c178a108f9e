import BLECore
import BLEGATT

/// A shipped service that any profile can include: what clients see of it. Those that present the profile's notifications are not among them.
package struct ShippedService: Hashable, Sendable {
  /// A characteristic.
  package struct Member: Hashable, Sendable {
    /// The key under which a profile changes it.
    package var key: String
    package var id: String
    package var uuid: BluetoothUUID
    package var properties: CharacteristicProperties
    /// Whether it exists only if the profile gives it a value.
    package var isOptional: Bool
  }

  /// The name after `include`.
  package var name: String
  package var uuid: BluetoothUUID
  package var members: [Member]

  /// All shipped services.
  package static let all = ShippedTexts.services.compactMap { ShippedService(named: $0) }

  private init?(named name: String) {
    guard let text = ShippedTexts.service(name), !text.contains("announces:"),
      let root = YAMLReader.read(text, source: SourceFile(name: name, text: text)).root,
      let uuid = root.value(of: "uuid")?.text.flatMap({ Self.uuid($0, .service) }),
      let elements = root.value(of: "characteristics")?.elements
    else { return nil }
    self.name = name
    self.uuid = uuid
    members = elements.compactMap { Member($0) }
    guard members.count == elements.count else { return nil }
  }

  fileprivate static func uuid(_ text: String, _ kind: AssignedName.Kind) -> BluetoothUUID? {
    BluetoothUUID(text) ?? AssignedName.uuid(named: text, kind: kind)
  }
}

extension ShippedService.Member {
  fileprivate init?(_ node: SyntaxNode) {
    guard let key = node.value(of: "key")?.text, let id = node.value(of: "id")?.text,
      let uuid = node.value(of: "uuid")?.text.flatMap({ ShippedService.uuid($0, .characteristic) }),
      let words = node.value(of: "properties")?.elements?.compactMap(\.text)
    else { return nil }
    self.key = key
    self.id = id
    self.uuid = uuid
    properties = CharacteristicProperties.names.filter { words.contains($0.name) }
      .reduce(into: []) { $0.insert($1.property) }
    isOptional = node.value(of: "optional") != nil
  }
}
