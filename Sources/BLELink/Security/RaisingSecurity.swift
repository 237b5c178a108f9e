import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLESMP

/// What follows from an access that the link is not secure enough for, where the policy says so: one side asks for security, and
/// what the client on this side was refused is done again (Core 5.4 Vol 3 Part C 10.3.2).
extension HostEngine {
  /// How long better security is waited for: as long as a pairing may take (Core 5.4 Vol 3 Part H 3.4).
  private static var raisingLimit: Duration { .seconds(30) }

  /// A link was made: security is asked for at once where the policy says so.
  mutating func beginEncryption(of link: LinkID, at now: Instant, into out: inout HostOutput) {
    guard policy.security.requests == .onConnection, mayAskForSecurity(link) else { return }
    beginSecurity(of: link, at: now, into: &out)
  }

  /// The peer's client was refused something.
  mutating func accessRefused(on handle: ConnectionHandle, at now: Instant, into out: inout HostOutput) {
    guard policy.security.requests == .afterRefusal, let link = links.id(of: handle) else { return }
    raiseSecurity(of: link, at: now, into: &out)
  }

  /// Asks for better security than the link has, once at a time.
  private mutating func raiseSecurity(of link: LinkID, at now: Instant, into out: inout HostOutput) {
    guard links[link].protection.raisingDue == nil, mayAskForSecurity(link) else { return }
    links[link].protection.raisingDue = now + Self.raisingLimit
    guard !links[link].security.isPairing else { return }
    // On an encrypted link it is the key that is not good enough.
    let isEncrypted = links[link].session.security.protection > .none
    if isEncrypted { links[link].security.policy.requiresAuthentication = true }
    beginSecurity(of: link, anew: isEncrypted, at: now, into: &out)
  }

  /// Security has become better, or will not: what the client on this side was refused is done again, or ends with its refusal.
  mutating func securityRaised(of link: LinkID, isSecure: Bool, at now: Instant, into out: inout HostOutput) {
    links[link].protection.raisingDue = nil
    let refused = links[link].protection.repetitions.refused
    guard !refused.isEmpty else { return }
    links[link].protection.repetitions.refused = []
    var client = takeClient(of: link)
    for (entry, outcome) in refused {
      if isSecure {
        let number = client.perform(entry.operation, at: now, into: &out.client)
        links[link].protection.repetitions.begun[number] = entry
      } else {
        out.client.events.append(.ended(entry.id, outcome))
      }
    }
    flush(client, of: link, at: now, into: &out)
  }

  private func mayAskForSecurity(_ link: LinkID) -> Bool {
    !links[link].isClosing && (policy.security.pairing.isPairable || links[link].security.bond != nil)
  }

  // MARK: - The client on this side

  /// What an event of a link's client is to its owner: nothing when a refused operation waits to be performed again.
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

  /// Asks for security when an operation of the client waits for it.
  mutating func raiseSecurityForClient(of link: LinkID, at now: Instant, into out: inout HostOutput) {
    guard !links[link].protection.repetitions.refused.isEmpty else { return }
    raiseSecurity(of: link, at: now, into: &out)
  }
}
