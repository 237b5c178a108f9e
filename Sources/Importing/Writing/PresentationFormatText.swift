import AccessoryProfile
import BLECore

/// Characteristic Presentation Formats in the notation of profiles (Core 5.4 Vol 3 Part G 3.3.3.5).
enum PresentationFormatText {
  /// Returns the mapping for a descriptor's value; nil if it has no such form.
  static func text(of value: [UInt8]) -> String? {
    guard value.count == 7, let format = PresentationFormat.formats.first(where: { $0.number == value[0] })?.name else {
      return nil
    }
    let unit = UInt16(value[2]) | UInt16(value[3]) << 8
    let description = UInt16(value[5]) | UInt16(value[6]) << 8
    var parts = ["format: \(format)"]
    if value[1] != 0 { parts.append("exponent: \(Int8(bitPattern: value[1]))") }
    let unitName = PresentationFormat.units.first { $0.number == unit }?.name
    if unit != 0x2700 { parts.append("unit: \(unitName ?? unit.hexadecimalText)") }
    if value[4] != 1 { parts.append("namespace: \(value[4])") }
    if description != 0 { parts.append("description: \(description)") }
    return "{ \(parts.joined(separator: ", ")) }"
  }
}
