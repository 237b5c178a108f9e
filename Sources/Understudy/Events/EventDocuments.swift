import AccessoryProfile
import BLECore

/// The documents generated from the list of events: one for people, and a schema for programs.
extension EventCatalogue {
  /// The JSON Schema (draft 2020-12) that every event satisfies.
  public static var schema: ProfileValue {
    .object([
      "$schema": .string("https://json-schema.org/draft/2020-12/schema"), "title": .string("Understudy events"),
      "oneOf": .array(all.flatMap(\.events).map(\.schema)),
    ])
  }

  /// The document, in Markdown.
  public static var markdown: String {
    var lines = [
      "# Events", "",
      "`understudy run --json` and `understudy radio --json` print one event per line. `GET /v1/events` "
        + "streams events, each with",
      "its number in the stream as `id`. `understudy schema --events --markdown` writes this file from the "
        + "list in the code; a test",
      "checks that it is up to date. `understudy schema --events` prints the same as a JSON Schema. Events "
        + "marked *on request* need",
      "`--verbose`, `--json` or a stream. Octets are hexadecimal digits. Every event has its name as "
        + "`event`, and these fields:", "",
    ]
    lines += common.map { "- `\($0.name)`: \($0.about)" }
    for (title, events) in all {
      lines += ["", "## \(title)"]
      for event in events {
        lines += ["", "### `\(event.name)`", "", event.about]
        if event.fields.isEmpty { continue }
        lines += ["", "| field | type | |", "|---|---|---|"]
        lines += event.fields.map {
          "| `\($0.name)` | \($0.kind.words) | \($0.about)\($0.isOptional ? " (not always)" : "") |"
        }
      }
    }
    lines += ["", "## Why connections end", "", "| `code` | `reason` |", "|---|---|"]
    lines += disconnectionReasons.map { "| \($0) | \(ErrorCode(rawValue: $0)) |" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The usual reasons in Disconnection Complete (Core 5.4 Vol 4 Part E 7.7.5).
  private static let disconnectionReasons: [UInt8] = [
    0x03, 0x05, 0x08, 0x13, 0x14, 0x15, 0x16, 0x1A, 0x1F, 0x22, 0x28, 0x29, 0x2A, 0x3B, 0x3D, 0x3E,
  ]
}

extension EventDescription {
  fileprivate var schema: ProfileValue {
    let known = fields + EventCatalogue.common
    var properties: [String: ProfileValue] = ["event": .object(["const": .string(name)])]
    for field in known {
      guard case .object(var type) = field.kind.schema else { continue }
      type["description"] = .string(field.about)
      properties[field.name] = .object(type)
    }
    let required = ["event"] + fields.filter { !$0.isOptional }.map(\.name)
    return .object([
      "title": .string(name), "description": .string(about), "type": .string("object"),
      "properties": .object(properties), "required": .array(required.map { .string($0) }),
      "additionalProperties": .bool(false),
    ])
  }
}

extension EventDescription.Field.Kind {
  fileprivate var words: String {
    switch self {
    case .text: "text"
    case .number: "number"
    case .integer: "whole number"
    case .truth: "true or false"
    case .texts: "texts"
    case .integers: "whole numbers"
    case .list: "list"
    case .value: "value"
    }
  }

  fileprivate var schema: ProfileValue {
    func type(_ name: String) -> ProfileValue { .object(["type": .string(name)]) }
    func array(_ element: String) -> ProfileValue { .object(["type": .string("array"), "items": type(element)]) }
    return switch self {
    case .text: type("string")
    case .number: type("number")
    case .integer: type("integer")
    case .truth: type("boolean")
    case .texts: array("string")
    case .integers: array("integer")
    case .list: type("array")
    case .value: .object([:])
    }
  }
}
