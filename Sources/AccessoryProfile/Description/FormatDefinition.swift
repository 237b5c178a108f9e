import BLECore
import BLEGATT

extension ValueFormat {
  /// Parses a text from `ValueFormat.definition`. Returns nil if it is not a format, or exceeds the budgets of formats.
  package init?(definition: String) {
    let (format, diagnostics) = ShippedFormats.read(definition, "format")
    guard let format, !diagnostics.contains(where: { $0.severity == .error }) else { return nil }
    self = format
  }
}

extension Profile {
  /// The value formats by characteristic UUID. If several characteristics share a UUID, the last one's format.
  package var valueFormats: [BluetoothUUID: ValueFormat] {
    let types = services.flatMap { $0.characteristics.map(\.uuid) }
    return Dictionary(zip(types, behaviors.map(\.format)), uniquingKeysWith: { $1 })
  }

  /// The ids of the characteristics whose UUIDs have no assigned name, by UUID.
  package var valueNames: [BluetoothUUID: String] {
    let named = services.flatMap { $0.characteristics.map { ($0.uuid, $0.id) } }
    return Dictionary(named.filter { $0.0.assignedName == nil }, uniquingKeysWith: { $1 })
  }
}
