import BLECore
import BLEGATT

/// Services that are added and removed while the accessory runs.
extension ProfileRuntime {
  /// Returns the services of the profile.
  static func played(_ profile: Profile) -> [String: PlayedService] {
    var services: [String: PlayedService] = [:]
    var next = 0
    for service in profile.services {
      let end = next + service.characteristics.count
      services[service.id] = PlayedService(characteristics: (next..<end).map { CharacteristicIndex($0) })
      next = end
    }
    return services
  }

  /// All characteristics of the profile, and those that the rules of services added later refer to. If one of them is added again, the
  /// references are valid again.
  package var keptCharacteristics: Set<CharacteristicIndex> {
    services.values.reduce(into: Set((0..<profileCharacteristics).map { CharacteristicIndex($0) })) {
      $0.formUnion($1.references)
    }
  }

  /// Loads a service from JSON in the form used by profiles, with the same checks. Its rules may refer to every existing characteristic,
  /// except those of the service that it replaces.
  ///
  /// - Parameter replacing: The service to replace. The new service gets its `id`, unless it has its own.
  /// - Parameter numbered: Returns the future indices of the service's characteristics.
  package func loadService(
    json: [UInt8], replacing: String? = nil, numbered: (ServiceDefinition) -> [CharacteristicIndex]
  ) throws(ProfileValueError) -> LoadedService {
    var loader = ProfileLoader(source: SourceFile(name: "", text: ""), diagnostics: [])
    loader.tables = tables
    loader.ownFormats = formats.mapValues { .read($0, parts: $0.parts) }
    loader.variables = book.variables
    loader.stateNames = book.states
    var includes: [SyntaxNode] = []
    let definition = loader.service(try JSONReader<SyntaxNode>.read(json), named: replacing, includes: &includes)
    let others = services.keys.filter { $0 != replacing }.sorted()
    loader.resolveIncludes(includes, among: others)
    if let definition { loader.checkHandles([definition]) }
    let own = loader.characteristics
    var known = behaviors
    if let replacing { for index in services[replacing]?.characteristics ?? [] { known[index.position] = .absent } }
    // After an error, this continues only to find further errors.
    let isSound = loader.fieldError == nil
    let indices =
      definition.flatMap { isSound ? numbered($0) : nil } ?? own.indices.map { CharacteristicIndex(known.count + $0) }
    let missing = max(0, (indices.map(\.position).max() ?? 0) + 1 - known.count)
    known += Array(repeating: .absent, count: missing)
    var all = known.map { ProfileLoader.LoadedCharacteristic(behavior: $0) }
    for (index, characteristic) in zip(indices, own) { all[index.position] = characteristic }
    loader.replace(characteristics: all)
    loader.resolveValues()
    loader.resolveRules()
    for characteristic in own {
      if let node = characteristic.triggered {
        loader.error(node, "rules are loaded from the profile when the accessory starts")
      }
    }
    if let error = loader.fieldError { throw error }
    guard let definition else { throw ProfileValueError("it is not a service") }
    return LoadedService(
      definition: definition, behaviors: indices.map { ($0, loader.characteristics[$0.position].behavior) },
      authorizations: loader.authorizations, references: loader.references)
  }

  /// Starts a service that has been added to the database, including its generators.
  package mutating func play(_ service: LoadedService, at now: Instant) {
    for (index, behavior) in service.behaviors {
      let missing = max(0, index.position + 1 - behaviors.count)
      behaviors += Array(repeating: .absent, count: missing)
      states += Array(repeating: CharacteristicState(), count: missing)
      behaviors[index.position] = behavior
      states[index.position] = Self.state(of: behavior, seed: seed, startingAt: now)
      states[index.position].octets = computed(index.position, at: now)
    }
    authorizations.merge(service.authorizations) { _, new in new }
    services[service.definition.id] = PlayedService(
      characteristics: service.behaviors.map(\.index), references: service.references)
    updatePersistentPositions()
    updateMovingValues()
  }

  /// Removes everything that belongs to a service that is no longer in the database.
  package mutating func forgetService(_ id: String) {
    guard let service = services.removeValue(forKey: id) else { return }
    forgetAuthorization(.service(id))
    for characteristic in service.characteristics {
      forgetAuthorization(.characteristic(behaviors[characteristic.position].id))
      behaviors[characteristic.position] = .absent
      states[characteristic.position] = CharacteristicState()
      for index in sessions.indices { sessions[index].lose(characteristic) }
    }
    updatePersistentPositions()
    updateMessages()
    updateDeadline()
  }

  private mutating func forgetAuthorization(_ scope: AuthorizationScope) {
    authorizations[scope] = nil
    authorized = authorized.filter { $0.scope != scope }
  }
}
