import BLEATT
import BLECore
import BLEGATT

extension ProfileRuntime {
  /// Adds a write to the client's packets, and applies the rules to complete packets. A packet that becomes too long is rejected and
  /// discarded.
  mutating func assemble(
    _ value: [UInt8], _ framing: PacketFraming, on characteristic: CharacteristicIndex, for client: ClientID,
    at now: Instant
  ) -> WriteAnswer {
    let place = assembly(of: client, characteristic, at: now)
    var octets = now - assemblies[place].last > framing.limit ? [] : assemblies[place].octets
    octets += value
    assemblies[place].last = now
    var answer = WriteAnswer()
    while answer.error == nil {
      switch framing.take(from: &octets) {
      case .packet(let packet): take(packet, on: characteristic, for: client, at: now, &answer)
      case .part:
        assemblies[self.assembly(of: client, characteristic, at: now)].octets = octets
        return answer
      case .tooLong: answer.error = .insufficientResources
      }
    }
    assemblies.removeAll { $0.client == client && $0.characteristic == characteristic }
    return answer
  }

  private mutating func assembly(of client: ClientID, _ characteristic: CharacteristicIndex, at now: Instant) -> Int {
    if let place = assemblies.firstIndex(where: { $0.client == client && $0.characteristic == characteristic }) {
      return place
    }
    assemblies.append(PacketAssembly(client: client, characteristic: characteristic, last: now))
    return assemblies.count - 1
  }

  /// Performs the effects of a complete packet.
  private mutating func take(
    _ packet: [UInt8], on characteristic: CharacteristicIndex, for client: ClientID, at now: Instant,
    _ answer: inout WriteAnswer
  ) {
    let rule = rule(for: packet, characteristic.position, client, at: now)
    answer.error = rule?.error
    if let rule, rule.error != nil { return refuse(packet, of: characteristic, rule, for: client, at: now) }
    let context = RuleContext(client: client, writer: characteristic, written: packet)
    for effect in rule?.effects ?? [] { perform(effect, context, now, &answer.actions) }
    wasWritten(characteristic, packet, client, now, &answer.actions)
  }
}
