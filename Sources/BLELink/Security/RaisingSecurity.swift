import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLESMP

/// Handling of accesses for which a link is not secure enough, if the policy says so: one side requests security, and refused operations
/// of the client on this side are repeated (Core 5.4 Vol 3 Part C 10.3.2).
extension HostEngine {
  /// How long to wait for better security: as long as a pairing may take (Core 5.4 Vol 3 Part H 3.4).
  private static var raisingLimit: Duration { .seconds(30) }

  /// Requests security on a new link, if the policy says so.
  mutating func beginEncryption(of link: LinkID, into out: inout HostOutput) {
    guard policy.security.requests == .onConnection, mayAskForSecurity(link) else { return }
    beginSecurity(of: link, into: &out)
  }

  /// Requests better security after an access of the peer's client was refused, if the policy says so.
  mutating func accessRefused(on handle: ConnectionHandle, into out: inout HostOutput) {
    guard policy.security.requests == .afterRefusal, let link = links.id(of: handle) else { return }
    raiseSecurity(of: link, into: &out)
  }

  /// Requests better security than the link has, unless such a request is in progress.
  private mutating func raiseSecurity(of link: LinkID, into out: inout HostOutput) {
    guard links[link].protection.raisingDue == nil, mayAskForSecurity(link) else { return }
    links[link].protection.raisingDue = out.now + Self.raisingLimit
    guard !links[link].security.isPairing else { return }
    // On an encrypted link, the key is not strong enough.
    let isEncrypted = links[link].session.security.protection > .none
    if isEncrypted { links[link].security.policy.requiresAuthentication = true }
    beginSecurity(of: link, anew: isEncrypted, into: &out)
  }

  /// Handles that security has improved, or will not: repeats the refused operations of the client on this side, or ends them as refused.
  mutating func securityRaised(of link: LinkID, isSecure: Bool, into out: inout HostOutput) {
    links[link].protection.raisingDue = nil
    let refused = links[link].protection.repetitions.refused
    guard !refused.isEmpty else { return }
    links[link].protection.repetitions.refused = []
    var client = takeClient(of: link)
    for (entry, outcome) in refused {
      if isSecure {
        let number = client.perform(entry.operation, at: out.now, into: &out.client)
        links[link].protection.repetitions.begun[number] = entry
      } else {
        out.client.events.append(.ended(entry.id, outcome))
      }
    }
    flush(client, of: link, into: &out)
  }

  private func mayAskForSecurity(_ link: LinkID) -> Bool {
    !links[link].isClosing && (policy.security.pairing.isPairable || links[link].security.bond != nil)
  }

  // MARK: - The client on this side

  /// Returns an event of a link's client as its owner gets it; nil if a refused operation waits to be repeated.
  mutating func withRepetition(_ event: GATTClientEvent, of link: LinkID) -> GATTClientEvent? {
    guard policy.security.requests == .afterRefusal else { return event }
    switch event {
    case .began(let number, let operation):
      guard links[link].protection.repetitions.begun[number] == nil else { return nil }
      links[link].protection.repetitions.begun[number] = ClientRepetitions.Entry(id: number, operation: operation)
      return policy.reportsClientBeginnings ? event : nil
    case .ended(let number, let outcome):
      guard var entry = links[link].protection.repetitions.begun.removeValue(forKey: number) else { return event }
      entry.refusals += 1
      guard case .failure(.refused(let code, _, _)) = outcome, code.isLackOfSecurity,
        entry.refusals <= ClientRepetitions.limit, mayAskForSecurity(link)
      else { return .ended(entry.id, outcome) }
      links[link].protection.repetitions.refused.append((entry, outcome))
      return nil
    default: return event
    }
  }

  /// Requests security if an operation of the client waits for it.
  mutating func raiseSecurityForClient(of link: LinkID, into out: inout HostOutput) {
    guard !links[link].protection.repetitions.refused.isEmpty else { return }
    raiseSecurity(of: link, into: &out)
  }
}
