import AccessoryProfile
import HTTPTypes

/// The table of routes as an OpenAPI document (OpenAPI 3.1.1).
package enum OpenAPIDocument {
  /// The version of the API. Its major number is the one in the paths.
  static let version = "1.0.0"

  /// The document.
  package static let json: ProfileValue = .object([
    "openapi": .string("3.1.1"),
    "info": .object([
      "title": .string("Understudy control API"), "version": .string(version),
      "description": .string(
        "Monitors and controls running Bluetooth LE accessories. The paths of an accessory begin with /v1, or "
          + "with /v1/accessories/NAME if several run."),
      "license": .object(["name": .string("Apache-2.0"), "identifier": .string("Apache-2.0")]),
    ]),
    "servers": .array([.object(["url": .string("http://127.0.0.1:8080")])]),
    "tags": .array(RouteTable.subjects.map { .object(["name": .string($0.title)]) }),
    "security": .array([.object([:]), .object(["token": .array([])])]),
    "paths": .object(paths),
    "components": .object([
      "schemas": .object(["Refusal": Refusal.shape.schema]),
      "securitySchemes": .object(["token": .object(["type": .string("http"), "scheme": .string("bearer")])]),
    ]),
  ])

  private static var paths: [String: ProfileValue] {
    var paths: [String: [String: ProfileValue]] = [:]
    for (subject, routes) in RouteTable.subjects {
      for route in routes {
        let method = route.method.rawValue.lowercased()
        paths["/v1/\(route.path)", default: [:]][method] = operation(route, subject, isMember: false)
        if route.scope != .program {
          let path = route.path == "accessory" ? "" : "/\(route.path)"
          paths["/v1/accessories/{accessory}\(path)", default: [:]][method] = operation(route, subject, isMember: true)
        }
      }
    }
    return paths.mapValues { .object($0) }
  }

  private static func operation(_ route: Route, _ subject: String, isMember: Bool) -> ProfileValue {
    var names = route.segments.compactMap { if case .name(let name) = $0 { name } else { nil } }
    if isMember { names.insert("accessory", at: 0) }
    var operation: [String: ProfileValue] = [
      "operationId": .string(identifier(route, isMember: isMember)), "summary": .string(route.summary),
      "tags": .array([.string(subject)]), "responses": .object(responses(route)),
    ]
    let parameters = names.map { path($0) } + route.query.map { query($0) }
    if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
    operation["requestBody"] = route.body.map { body($0) }
    return .object(operation)
  }

  private static func identifier(_ route: Route, isMember: Bool) -> String {
    let words = route.segments.map { segment in
      switch segment {
      case .literal(let text): text.split { !$0.isLetter }.map(\.capitalizedFirst).joined()
      case .name(let name): "Of" + name.capitalizedFirst
      }
    }
    return route.method.rawValue.lowercased() + words.joined() + (isMember ? "OfAccessoryNamed" : "")
  }

  private static func path(_ name: String) -> ProfileValue {
    let known = PathName.of(name)
    return .object([
      "name": .string(name), "in": .string("path"), "required": .bool(true), "description": .string(known.about),
      "schema": known.shape.schema,
    ])
  }

  private static func query(_ field: Shape.Field) -> ProfileValue {
    .object([
      "name": .string(field.name), "in": .string("query"), "required": .bool(field.isRequired),
      "description": .string(field.about), "schema": field.shape.schema,
    ])
  }

  private static func body(_ body: Route.Body) -> ProfileValue {
    var fields: [String: ProfileValue] = [
      "required": .bool(body.isRequired),
      "content": .object(["application/json": .object(["schema": body.shape.schema])]),
    ]
    if let language = body.language { fields["description"] = .string("a \(language) as in a profile, in JSON") }
    return .object(fields)
  }

  private static func responses(_ route: Route) -> [String: ProfileValue] {
    var responses = [String(route.status.code): answer(route)]
    for (status, codes) in Dictionary(grouping: route.allRefusals, by: \.status.code) {
      responses[String(status)] = .object([
        "description": .string(codes.map(\.rawValue).joined(separator: ", ")),
        "content": .object([
          "application/json": .object(["schema": .object(["$ref": .string("#/components/schemas/Refusal")])])
        ]),
      ])
    }
    return responses
  }

  private static func answer(_ route: Route) -> ProfileValue {
    let (type, schema): (String, ProfileValue) =
      switch route.content {
      case .json(let shape): ("application/json", shape.schema)
      case .events: ("text/event-stream", .object(["type": .string("string")]))
      case .file(let type): (type, .object([:]))
      }
    return .object([
      "description": .string(route.summary), "content": .object([type: .object(["schema": schema])]),
    ])
  }
}

extension StringProtocol {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
