import BLECore
import BLEGATT

/// A service that is added while the accessory runs, checked and ready to use.
package struct LoadedService: Sendable {
  /// The service for the host.
  package var definition: ServiceDefinition
  /// The future indices of its characteristics and their behaviors, in order.
  package var behaviors: [(index: CharacteristicIndex, behavior: CharacteristicBehavior)]
  /// The authorizations that the service and its characteristics require.
  var authorizations: [AuthorizationScope: AuthorizationPolicy]
  /// The characteristics that its rules refer to.
  var references: Set<CharacteristicIndex>
}

/// The runtime's information about a service.
struct PlayedService: Hashable, Sendable {
  var characteristics: [CharacteristicIndex]
  /// The characteristics that its rules refer to. Those of the profile's own services are kept in any case.
  var references: Set<CharacteristicIndex> = []
}

extension Profile {
  /// Returns a service of the profile with its behavior; nil if there is none with that id. `numbered` returns the indices of its
  /// characteristics.
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
