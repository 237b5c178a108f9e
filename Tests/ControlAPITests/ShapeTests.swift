import AccessoryProfile
import Testing

@testable import ControlAPI

@Suite struct ShapeTests {
  private static let shape = Shape.object(
    .needed("psm", .integer(1...255)), .optional("hex", .hex), .optional("word", .words(["a", "b"])),
    .optional("within", .duration), .optional("share", .number(0...1)), .optional("pair", .list(.truth, 2...2)),
    .optional("any", .either(.truth, .null)), .optional("inner", .open(.needed("x", .text(atLeast: 1)))),
    .optional("map", .map(.truth)))

  @Test(
    arguments: [
      (#"{"psm": 1}"#, nil), (#"{"psm": 255, "hex": "01 02", "word": "b", "within": "1.5 s", "share": 1}"#, nil),
      (#"{"psm": 1, "pair": [true, false], "any": null, "inner": {"x": "y", "z": 1}, "map": {"k": true}}"#, nil),
      ("[]", "the body must be an object (known: psm"),
      ("{}", "psm is missing: it must be a whole number from 1 to 255"),
      (#"{"psm": 0}"#, "psm must be a whole number from 1 to 255"), (#"{"psm": 1.5}"#, "psm must be a whole number"),
      (#"{"psm": "1"}"#, "psm must be"), (#"{"psm": true}"#, "psm must be"), (#"{"psm": null}"#, "psm must be"),
      (#"{"psm": 1, "colour": 1}"#, "unknown field colour (known: psm, hex"),
      (#"{"psm": 1, "hex": "0"}"#, "hex must be a text of pairs"), (#"{"psm": 1, "hex": 1}"#, "hex must be"),
      (#"{"psm": 1, "word": "c"}"#, "word must be one of a, b"),
      (#"{"psm": 1, "within": "5"}"#, "within must be a time"),
      (#"{"psm": 1, "within": 5}"#, "within must be a time"),
      (#"{"psm": 1, "share": 1.1}"#, "share must be a number from 0 to 1"),
      (#"{"psm": 1, "pair": [true]}"#, "pair must be a list of 2"),
      (#"{"psm": 1, "pair": [true, 1]}"#, "pair[1] must be"),
      (#"{"psm": 1, "any": 1}"#, "any must be true or false, or null"),
      (#"{"psm": 1, "inner": {}}"#, "inner.x is missing"), (#"{"psm": 1, "inner": {"x": ""}}"#, "inner.x is empty"),
      (#"{"psm": 1, "map": {"k": 1}}"#, "map.k must be true or false"),
    ] as [(String, String?)])
  func faultsAreNamed(json: String, fault: String?) throws {
    let found = Self.shape.fault(of: try ProfileValue(json: Array(json.utf8)))
    if let fault { #expect(found?.hasPrefix(fault) == true, "\(found ?? "none")") } else { #expect(found == nil) }
  }

  @Test func schemaSaysTheSame() {
    guard case .object(let schema) = Self.shape.schema, case .object(let properties) = schema["properties"] else {
      return #expect(Bool(false))
    }
    #expect(schema["additionalProperties"] == .bool(false) && schema["required"] == .array(["psm"]))
    #expect(properties["psm"] == .object(["type": "integer", "minimum": .int(1), "maximum": .int(255)]))
    #expect(properties["word"] == .object(["type": "string", "enum": .array(["a", "b"])]))
  }
}
