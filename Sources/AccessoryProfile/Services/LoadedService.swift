import BLECore
import BLEGATT

/// A service that comes while the accessory runs, checked and ready to be played.
package struct LoadedService: Sendable {
  /// The service for the host.
  package var definition: ServiceDefinition
  /// The indices that its characteristics will have, and what they do, in their order.
  package var behaviors: [(index: CharacteristicIndex, behavior: CharacteristicBehavior)]
  /// What it and its characteristics ask of their clients besides the security of their links.
  var authorizations: [AuthorizationScope: AuthorizationPolicy]
  /// The characteristics that its rules speak of.
  var references: Set<CharacteristicIndex>
}

/// What the runtime knows of a service.
struct PlayedService: Hashable, Sendable {
  var characteristics: [CharacteristicIndex]
  /// The characteristics that its rules speak of. Those of the profile's own services are kept anyway.
  var references: Set<CharacteristicIndex> = []
}

extension Profile {
  /// A service of the profile with its behaviour; nil where there is none with that id. `numbered` gives the indices that its
  /// characteristics have.
  package func loadedService(
    _ id: String, numbered: (ServiceDefinition) -> [CharacteristicIndex]
  ) -> LoadedService? {
    var first = 0
    for service in services {
      defer { first += service.characteristics.count }
      guard service.id == id else { continue }
      let own = behaviors[first..<(first + service.characteristics.count)]
      let scopes = Set(own.compactMap(\.authorization))
      return LoadedService(
        definition: service, behaviors: zip(numbered(service), own).map { ($0, $1) },
        authorizations: authorizations.filter { scopes.contains($0.key) }, references: [])
    }
    return nil
  }
}
