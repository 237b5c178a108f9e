import BLECore
import BLEGATT

/// Per-client values of characteristics and variables. They exist while the client is connected, or are kept with its bond. Clients without
/// a value of their own share the accessory's.
extension ProfileRuntime {
  /// Sets a characteristic for one client, and sends the value if that client is subscribed.
  mutating func setOwn(_ index: Int, to octets: [UInt8], for client: ClientID, at now: Instant) {
    let isChange = value(of: CharacteristicIndex(index), for: client, at: now) != octets
    states[index].own[client] = octets
    noteNewValues(behaviors[index].owner, of: client)
    guard isChange else { return }
    attend(at: now)
    tellOwner(index, client, octets)
  }

  /// Discards a client's own value, so that the client shares the accessory's value again.
  mutating func resetOwn(_ index: Int, for client: ClientID, at now: Instant) {
    guard let before = states[index].own.removeValue(forKey: client) else { return }
    noteNewValues(behaviors[index].owner, of: client)
    let octets = value(of: CharacteristicIndex(index), for: client, at: now)
    guard octets != before else { return }
    attend(at: now)
    tellOwner(index, client, octets)
  }

  /// Returns the octets of a value set for a client. Fields that an object omits keep their present values.
  func ownOctets(of index: Int, _ value: ProfileValue, for client: ClientID, at now: Instant)
    throws(ProfileValueError) -> [UInt8]
  {
    if let octets = value.octets { return octets }
    let format = behaviors[index].format
    guard case .object(let fields) = value,
      case .object(let present) = format.decode(self.value(of: CharacteristicIndex(index), for: client, at: now)),
      present["hex"] == nil
    else { return try format.encode(value) }
    return try format.encode(.object(present.merging(fields) { _, new in new }))
  }

  private mutating func tellOwner(_ index: Int, _ client: ClientID, _ octets: [UInt8]) {
    let characteristic = CharacteristicIndex(index)
    guard let place = sessions.firstIndex(where: { $0.client == client }) else { return }
    for (sending, isIndication) in [(behaviors[index].notify, false), (behaviors[index].indicate, true)]
    where sending == .onChange && sessions[place].takes(characteristic, isIndication: isIndication) {
      sessions[place].send(
        OutgoingValue(characteristic: characteristic, value: octets, isIndication: isIndication))
    }
    updateMessages()
  }

  /// Notes that the values to be kept with a client's bond have changed.
  mutating func noteNewValues(_ owner: ValueOwner, of client: ClientID) {
    if owner == .bond, !clientsWithNewValues.contains(client) { clientsWithNewValues.append(client) }
  }

  // MARK: Values kept with bonds

  package var hasNewKeptValues: Bool { !clientsWithNewValues.isEmpty }

  package mutating func takeClientsWithNewValues() -> [ClientID] {
    defer { clientsWithNewValues.removeAll() }
    return clientsWithNewValues
  }

  /// Returns the octets of characteristics by id, and variables encoded as CBOR by name. The two kinds never share a name.
  package func keptValues(of client: ClientID) -> [String: [UInt8]] {
    var kept: [String: [UInt8]] = [:]
    for index in behaviors.indices where behaviors[index].owner == .bond {
      kept[behaviors[index].id] = states[index].own[client]
    }
    for (name, value) in book.keptVariables(of: client) { kept[name] = try? CBOR.write(value) }
    return kept
  }

  /// Restores values. Those that no longer exist in the profile, or that are too long, are skipped.
  package mutating func restore(keptValues: [String: [UInt8]], of client: ClientID, at now: Instant) {
    guard !keptValues.isEmpty else { return }
    for index in behaviors.indices where behaviors[index].owner == .bond {
      guard let octets = keptValues[behaviors[index].id], octets.count <= 512 else { continue }
      states[index].own[client] = octets
    }
    for variable in book.variables.indices where book.variables[variable].owner == .bond {
      guard let value = keptValues[book.variables[variable].name].flatMap({ CBOR.read($0) }) else { continue }
      book.set(variable, to: value, for: client)
    }
    attend(at: now)
  }

  package mutating func forgetKeptValues(of client: ClientID) {
    for index in behaviors.indices where behaviors[index].owner == .bond {
      states[index].own[client] = nil
    }
    book.forgetKeptVariables(of: client)
  }

  /// Forgets the values of a client that has disconnected. The host has those that are kept with its bond.
  mutating func forgetOwnValues(of client: ClientID) {
    for index in states.indices where states[index].isOwned { states[index].own[client] = nil }
    clientsWithNewValues.removeAll { $0 == client }
  }
}
