import BLECore
import Synchronization

/// The shipped formats, from the files in Profiles/formats. Each is loaded on first use, and then cached.
enum ShippedFormats {
  private static let known = Mutex<[String: ValueFormat]>([:])

  /// Returns the format of an assigned characteristic; nil if none is known.
  static func format(of uuid: BluetoothUUID) -> ValueFormat? {
    guard let name = uuid.assignedName, name.kind == .characteristic else { return nil }
    return own(name.name)
  }

  /// Returns the format with a name: that of an assigned characteristic, or of a part of one.
  static func format(named name: String) -> ValueFormat? {
    own(name) ?? AssignedName.uuid(named: name, kind: .characteristic).flatMap { format(of: $0) }
  }

  private static func own(_ name: String) -> ValueFormat? {
    if let format = known.withLock({ $0[name] }) { return format }
    guard let text = ShippedTexts.formats[name], let format = read(text, name).format else { return nil }
    known.withLock { $0[name] = format }
    return format
  }

  /// Parses a format. Returns it with the diagnostics.
  static func read(_ text: String, _ name: String) -> (format: ValueFormat?, diagnostics: [Diagnostic]) {
    let (root, faults) = YAMLReader.read(text, source: SourceFile(name: name, text: text))
    var loader = ProfileLoader(source: SourceFile(name: name, text: text), diagnostics: faults)
    guard let root, let format = loader.format(root, FormatContext(isInWord: true)) else {
      return (nil, loader.sortedDiagnostics)
    }
    if case .structure(let layout) = format { return (.structure(layout.named(name)), loader.sortedDiagnostics) }
    return (format, loader.sortedDiagnostics)
  }
}

extension ValueFormat {
  /// Returns the assigned format for a characteristic's UUID; octets if none is known.
  public static func assigned(to uuid: BluetoothUUID) -> ValueFormat { ShippedFormats.format(of: uuid) ?? .octets }
}
