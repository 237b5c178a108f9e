// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// The appearance of an accessory (Bluetooth Assigned Numbers 2.6): a category in the upper 10 bits, a subcategory in the lower 6.
public struct Appearance: OpenCode {
  public var rawValue: UInt16
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// No particular appearance.
  public static let unknown = Appearance(rawValue: 0)

  /// Creates the appearance with this name in kebab case, for example `heart-rate-belt`.
  public init?(named name: String) {
    guard let found = Self.registry.byName[name] else { return nil }
    self = found
  }

  /// The name in kebab case; nil if the value is unassigned.
  public var name: String? { Self.registry.names[self]?.name }

  /// The name in the specification, for example `Heart Rate Belt`; nil if the value is unassigned.
  public var displayName: String? { Self.registry.names[self]?.displayName }

  /// Every name in kebab case, in the order of the values.
  public static var allNames: [String] { registry.names.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value.name) }

  private static let registry:
    (byName: [String: Appearance], names: [Appearance: (name: String, displayName: String)]) = {
      var byName: [String: Appearance] = [:]
      var names: [Appearance: (name: String, displayName: String)] = [:]
      for (value, displayName) in AssignedName.numberedNames(in: table) {
        let name = AssignedName.kebabCase(displayName)
        byName[name] = Appearance(rawValue: value)
        names[Appearance(rawValue: value)] = (name, displayName)
      }
      return (byName, names)
    }()
}

/// The company identifiers that Understudy uses by name (Bluetooth Assigned Numbers 7.1). Profiles specify others by number.
public struct CompanyIdentifier: OpenCode {
  public var rawValue: UInt16
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let apple = CompanyIdentifier(rawValue: 0x004C)
  public static let nordicSemiconductor = CompanyIdentifier(rawValue: 0x0059)
  /// For internal and interoperability tests only; products must not ship it.
  public static let internalUse = CompanyIdentifier(rawValue: 0xFFFF)

  /// The names that profiles use.
  public static let names: [(name: String, company: CompanyIdentifier)] = [
    ("apple", .apple), ("nordic-semiconductor", .nordicSemiconductor), ("internal-use", .internalUse),
  ]

  /// Creates the company with this name in kebab case.
  public init?(named name: String) {
    guard let found = Self.names.first(where: { $0.name == name }) else { return nil }
    self = found.company
  }
}
