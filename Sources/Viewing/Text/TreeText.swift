import BLECore
import Decoding

extension PacketWords {
  /// Returns the fields of a layer and their children, one line for each.
  package static func fieldLines(of layer: DecodedLayer) -> [String] {
    func lines(_ field: DescribedField, _ indent: Int) -> [String] {
      let line = String(repeating: "  ", count: indent) + line(of: field, layer.octets)
      return [line] + field.children.flatMap { lines($0, indent + 1) }
    }
    return layer.fields.flatMap { lines($0, 2) }
  }
}
