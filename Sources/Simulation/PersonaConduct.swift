import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink

/// What a system keeps of a device between links.
package struct DeviceCache: Hashable, Sendable {
  /// What was discovered last.
  package var database: RemoteDatabase
  /// The Database Hash at that time; nil if the device has none.
  package var hash: [UInt8]?
}

/// What the centrals of a maker do by themselves, and what they do when an app asks. What the server refuses does not matter to them.
extension ScriptedCentral {
  /// Opens a new link: begins as such a central does, uses again what it keeps of the device, or discovers.
  package func open(as persona: CentralPersona, on link: ConnectionHandle) throws(SimulationFailure) {
    servicesHaveChanged = false
    var hash: [UInt8]?
    for step in persona.opening {
      switch step {
      case .exchangeMTU: _ = try attempt(.exchangeMTU, on: link)
      case .readServerFeatures: _ = try attempt(.readByType(.serverSupportedFeatures, 0x0001...0xFFFF), on: link)
      case .readDatabaseHash: hash = try readHash(on: link)
      }
    }
    if let kept = cache, try canUse(kept, as: persona, hash, on: link) {
      stack.know(kept.database, of: link)
    } else {
      cache = nil
      if persona.discovery == .byItself { try discoverAnew(as: persona, hash, on: link) }
    }
  }

  /// Discovers again, as far as such a central does that by itself, after the device has told that its services changed. Returns the
  /// database if it did.
  package func followChanges(
    as persona: CentralPersona, on link: ConnectionHandle
  ) throws(SimulationFailure) -> RemoteDatabase? {
    guard servicesHaveChanged, persona.discovery == .byItself else { return nil }
    servicesHaveChanged = false
    try discoverAnew(as: persona, nil, on: link)
    return cache?.database
  }

  /// Returns what an app gets that asks for the services: what the central knows, or else what it discovers.
  ///
  /// - Throws: The `GATTFailure` of the discovery.
  package func discover(as persona: CentralPersona, on link: ConnectionHandle) throws -> RemoteDatabase {
    if let cache { return cache.database }
    try perform(persona.discoveryOperation, on: link)
    try keepDatabase(as: persona, nil, on: link)
    return cache?.database ?? RemoteDatabase()
  }

  /// Returns the MTU of a link; 0 if there is no such link.
  package func mtu(of link: ConnectionHandle) -> Int { stack.linkStates.first { $0.handle == link }?.mtu ?? 0 }

  private func canUse(
    _ kept: DeviceCache, as persona: CentralPersona, _ hash: [UInt8]?, on link: ConnectionHandle
  ) throws(SimulationFailure) -> Bool {
    switch persona.caching {
    case .ofBondedDevices: return !stack.bonds.isEmpty
    case .ofBondedOrFixedDevices: return !stack.bonds.isEmpty || kept.database.characteristic(.serviceChanged) == nil
    case .whileHashIsSame: return hash != nil && hash == kept.hash
    case .whileHashOrServicesAreSame:
      if let old = kept.hash { return try readHash(on: link) == old }
      guard case .services(let services) = try attempt(.discoverPrimaryServices, on: link) else { return false }
      let known = kept.database.services.filter(\.isPrimary)
      return services.map(\.handles) == known.map(\.handles) && services.map(\.uuid) == known.map(\.uuid)
    }
  }

  private func discoverAnew(
    as persona: CentralPersona, _ hash: [UInt8]?, on link: ConnectionHandle
  ) throws(SimulationFailure) {
    cache = nil
    guard try attempt(persona.discoveryOperation, on: link) != nil else { return }
    try keepDatabase(as: persona, hash, on: link)
  }

  /// Keeps what was discovered, and asks to be told of changes.
  private func keepDatabase(
    as persona: CentralPersona, _ hash: [UInt8]?, on link: ConnectionHandle
  ) throws(SimulationFailure) {
    let database = stack.remoteDatabase(of: link) ?? RemoteDatabase()
    var hash = hash
    if hash == nil, persona.caching.asksForHash, database.characteristic(.databaseHash) != nil {
      hash = try readHash(on: link)
    }
    if let changed = database.characteristic(.serviceChanged), changed.configuration != nil {
      _ = try attempt(.configure(changed.value, .indication), on: link)
    }
    cache = DeviceCache(database: database, hash: hash)
  }

  private func readHash(on link: ConnectionHandle) throws(SimulationFailure) -> [UInt8]? {
    guard case .values(let values) = try attempt(.readByType(.databaseHash, 0x0001...0xFFFF), on: link) else {
      return nil
    }
    return values.first?.value
  }

  /// Returns the result of an operation; nil if it failed.
  private func attempt(_ operation: GATTOperation, on link: ConnectionHandle) throws(SimulationFailure) -> GATTResult? {
    do { return try perform(operation, on: link) } catch let failure as SimulationFailure { throw failure } catch {
      return nil
    }
  }
}

extension CentralPersona {
  fileprivate var discoveryOperation: GATTOperation {
    switch order {
    case .byService: .discoverAll
    case .byKind: .discoverByKind
    }
  }
}
