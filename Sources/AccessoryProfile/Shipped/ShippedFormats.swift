import BLECore
import Synchronization

/// The formats that come with the program, from the files in Profiles/formats. Each is read when it is asked for, and then kept.
enum ShippedFormats {
  private static let known = Mutex<[String: ValueFormat]>([:])

  /// The format of an assigned characteristic; nil where none is known.
  static func format(of uuid: BluetoothUUID) -> ValueFormat? {
    guard let name = uuid.assignedName, name.kind == .characteristic else { return nil }
    return own(name.name)
  }

  /// The format with a name: that of an assigned characteristic, or of a part of one.
  static func format(named name: String) -> ValueFormat? {
    own(name) ?? AssignedName.uuid(named: name, kind: .characteristic).flatMap { format(of: $0) }
  }

  private static func own(_ name: String) -> ValueFormat? {
    if let format = known.withLock({ $0[name] }) { return format }
    guard let text = ShippedTexts.formats[name], let format = read(text, name).format else { return nil }
    known.withLock { $0[name] = format }
    return format
  }

  /// The format that a text says, and what is wrong with it.
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
  /// The format that a characteristic has by its UUID; octets where none is known.
  public static func assigned(to uuid: BluetoothUUID) -> ValueFormat { ShippedFormats.format(of: uuid) ?? .octets }
}
