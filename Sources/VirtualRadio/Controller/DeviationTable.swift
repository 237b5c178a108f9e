/// The places where a controller that people have is laxer or stricter than the Core Specification, with what tells so. The presets
/// are made from these tables, and `docs/radio.md` shows them.
struct DeviationTable: Sendable {
  /// One place.
  struct Row: Sendable {
    /// Its name: the case of `ControllerDeviation`, or another property of `ControllerConfiguration`.
    let name: String
    /// The deviation; nil where it is another property.
    let deviation: ControllerDeviation?
    /// Which commands it is about.
    let command: String
    /// What the specification says, with the place: of Vol 4 Part E where no other volume is named.
    let specification: String
    /// What the controller does.
    let behaviour: String
    /// The function and the file.
    let source: String

    init(
      _ deviation: ControllerDeviation, _ command: String, _ specification: String, _ behaviour: String,
      _ source: String
    ) {
      name = deviation.rawValue
      self.deviation = deviation
      (self.command, self.specification, self.behaviour, self.source) = (command, specification, behaviour, source)
    }

    init(
      property: String, _ command: String, _ specification: String, _ behaviour: String, _ source: String
    ) {
      name = property
      deviation = nil
      (self.command, self.specification, self.behaviour, self.source) = (command, specification, behaviour, source)
    }
  }

  /// The presets that are made from it.
  let presets: String
  /// The versions that were read or seen, and where the files are.
  let versions: String
  let rows: [Row]

  /// All tables, in the order of the document.
  static let all = [zephyr, zephyrExtended, nimble, rootcanal]

  /// The deviations of its rows.
  var deviations: Set<ControllerDeviation> { Set(rows.compactMap(\.deviation)) }
}
