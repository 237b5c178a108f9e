import BLECore
import BLEGATT

/// A service that comes while the accessory runs, checked and ready to be played.
public struct LoadedService: Sendable {
  /// The service for the host.
  public var definition: ServiceDefinition
  /// The indices that its characteristics will have, and what they do, in their order.
  public var behaviors: [(index: CharacteristicIndex, behavior: CharacteristicBehavior)]
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
