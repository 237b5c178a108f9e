import BLECore
import BLEGATT

/// What the owner of a runtime can do for one client, besides what the profile says.
extension ProfileRuntime {
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
}
