/// The deviations of a real controller from the Core Specification, with their sources. The presets are made from these tables, and
/// `docs/radio.md` shows them.
struct DeviationTable: Sendable {
  /// One deviation.
  struct Row: Sendable {
    /// The name: a case of `ControllerDeviation`, or another property of `ControllerConfiguration`.
    let name: String
    /// The deviation; nil for another property.
    let deviation: ControllerDeviation?
    /// The commands concerned.
    let command: String
    /// The specification's text with its section, which is in Vol 4 Part E unless stated.
    let specification: String
    /// The behavior of the controller.
    let behaviour: String
    /// The function and file in the controller's source.
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

  /// The presets made from this table.
  let presets: String
  /// The versions that were read or observed, and the folder of the files.
  let versions: String
  let rows: [Row]

  /// All tables, in the order of the document.
  static let all = [zephyr, zephyrExtended, nimble, rootcanal]

  /// The deviations of its rows.
  var deviations: Set<ControllerDeviation> { Set(rows.compactMap(\.deviation)) }
}
