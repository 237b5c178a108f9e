extension RouteTable {
  static let itself: [Route] = [
    Route(
      .get, "openapi.json", of: .program,
      "this table as OpenAPI 3.1, for client generators; also `understudy schema --openapi`",
      .json(.open(.needed("openapi", .text), .needed("paths", .open())))
    ) { _ in .json(OpenAPIDocument.json) }
  ]
}
