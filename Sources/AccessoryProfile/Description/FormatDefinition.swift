import BLECore
import BLEGATT

extension ValueFormat {
  /// The format that a text from `ValueFormat.definition` says; nil for a text that says none, or one over the budgets of formats.
  package init?(definition: String) {
    let (format, diagnostics) = ShippedFormats.read(definition, "format")
    guard let format, !diagnostics.contains(where: { $0.severity == .error }) else { return nil }
    self = format
  }
}

extension Profile {
  /// The formats of values by the types of the characteristics that have them; where two have one type, the last one's.
  package var valueFormats: [BluetoothUUID: ValueFormat] {
    let types = services.flatMap { $0.characteristics.map(\.uuid) }
    return Dictionary(zip(types, behaviors.map(\.format)), uniquingKeysWith: { $1 })
  }

  /// The ids of characteristics by their types, of those without an assigned name.
  package var valueNames: [BluetoothUUID: String] {
    let named = services.flatMap { $0.characteristics.map { ($0.uuid, $0.id) } }
    return Dictionary(named.filter { $0.0.assignedName == nil }, uniquingKeysWith: { $1 })
  }
}
