import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import PeripheralHost

/// What the rules of a profile request of its host.
extension HostStack<ProfileRuntime> {
  /// Returns the peers whose bonds a rule about that client forgets.
  package func peers(_ bonded: DeviceAction.Bonded, of client: ClientID?) -> [TypedAddress] {
    let own = linkStates.first { $0.handle.client == client }?.bond
    return bonds.map(\.peer).filter { peer in
      switch bonded {
      case .client: peer == own
      case .others: peer != own
      case .all: true
      }
    }
  }

  /// Adds or removes a service of the profile, unless it is already as wanted.
  package mutating func setService(
    _ id: String, of profile: Profile, isPresent: Bool, at now: Instant, into out: inout HostOutput
  ) throws(ControlError) {
    let isThere = server.database.services.contains { $0.id == id }
    guard isThere != isPresent else { return }
    if isPresent {
      try addService(id, of: profile, at: now, into: &out)
    } else {
      try removeService(id, at: now, into: &out)
    }
  }

  /// Adds a service of the profile that was removed. Its characteristics start again.
  package mutating func addService(
    _ id: String, of profile: Profile, at now: Instant, into out: inout HostOutput
  ) throws(ControlError) {
    guard
      let service = profile.loadedService(
        id,
        numbered: { definition in
          server.database.indices(of: definition, replacing: nil, keeping: application.keptCharacteristics)
        })
    else { throw .unknownService(id) }
    do throws(HostRequestError) {
      try perform(.edit(.add(service.definition)), at: now, into: &out)
    } catch {
      throw .refused(error)
    }
    application.play(service, at: now)
  }
}
