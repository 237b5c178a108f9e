import BLECore
import BLEGATT

/// What a program that owns a runtime can do for one client, besides what the profile says.
extension ProfileRuntime {
  /// Returns the characteristic with this id; nil if the profile has none.
  package func characteristic(_ id: String) -> CharacteristicIndex? {
    behaviors.firstIndex { $0.id == id }.map { CharacteristicIndex($0) }
  }

  /// Queues a notification for a client, if it is subscribed. It is sent in the host's next turn, and truncated to the MTU.
  package mutating func notify(_ client: ClientID, of characteristic: CharacteristicIndex, value: [UInt8]) {
    let index = sessionIndex(of: client)
    guard sessions[index].takes(characteristic, isIndication: false) else { return }
    sessions[index].send(OutgoingValue(characteristic: characteristic, value: value))
    updateMessages()
  }

  /// Sets a variable, for a client if each has its own. Unknown names are ignored.
  package mutating func setVariable(_ name: String, to text: String, for client: ClientID, at now: Instant) {
    guard let variable = book.variables.firstIndex(where: { $0.name == name }) else { return }
    book.set(variable, to: .text(text), for: client)
    attend(at: now)
  }

  /// Grants an authorization to one client, or withdraws it, whatever the others have. It lasts until the client leaves or the state for all
  /// clients is set. After a grant, a subscriber is informed of existing records; after a withdrawal, it gets no more values.
  package mutating func setAuthorization(_ isGranted: Bool, of service: String, for client: ClientID) {
    let scope = AuthorizationScope.service(service)
    let key = AuthorizedClient(client: client, scope: scope)
    guard authorizations[scope] != nil, authorized.contains(key) != isGranted else { return }
    if isGranted { authorized.insert(key) } else { authorized.remove(key) }
    let index = sessionIndex(of: client)
    for position in behaviors.indices where behaviors[position].authorization == scope {
      let characteristic = CharacteristicIndex(position)
      if isGranted {
        announceExisting(on: characteristic, to: index)
      } else {
        sessions[index].forget(characteristic)
      }
    }
    updateMessages()
  }
}
