import BLECore
import BLEGATT

/// Values that clients have of their own: of characteristics and variables, for as long as they are connected, or kept with their
/// bonds. Who has none has the accessory's.
extension ProfileRuntime {
  /// Sets a characteristic for a client alone, which is told of it as subscribers are.
  mutating func setOwn(_ index: Int, to octets: [UInt8], for client: ClientID, at now: Instant) {
    let isChange = value(of: CharacteristicIndex(index), for: client, at: now) != octets
    states[index].own[client] = octets
    noteNewValues(behaviors[index].owner, of: client)
    guard isChange else { return }
    attend(at: now)
    tellOwner(index, client, octets)
  }

  /// Takes a client's own value, so that it has the accessory's again.
  mutating func resetOwn(_ index: Int, for client: ClientID, at now: Instant) {
    guard let before = states[index].own.removeValue(forKey: client) else { return }
    noteNewValues(behaviors[index].owner, of: client)
    let octets = value(of: CharacteristicIndex(index), for: client, at: now)
    guard octets != before else { return }
    attend(at: now)
    tellOwner(index, client, octets)
  }

  /// The octets of a value that is set for a client; of an object, what it leaves out stays as it is.
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

  /// Notes that something else is to be kept with the bond of a client.
  mutating func noteNewValues(_ owner: ValueOwner, of client: ClientID) {
    if owner == .bond, !clientsWithNewValues.contains(client) { clientsWithNewValues.append(client) }
  }

  // MARK: What is kept with bonds

  package var hasNewKeptValues: Bool { !clientsWithNewValues.isEmpty }

  package mutating func takeClientsWithNewValues() -> [ClientID] {
    defer { clientsWithNewValues.removeAll() }
    return clientsWithNewValues
  }

  /// The octets of characteristics by their ids, and variables by their names, as CBOR: no two have the same.
  package func keptValues(of client: ClientID) -> [String: [UInt8]] {
    var kept: [String: [UInt8]] = [:]
    for index in behaviors.indices where behaviors[index].owner == .bond {
      kept[behaviors[index].id] = states[index].own[client]
    }
    for (name, value) in book.keptVariables(of: client) { kept[name] = try? CBOR.write(value) }
    return kept
  }

  /// What the profile does not have any longer, or could not hold, is left out.
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

  /// Forgets a client that has gone; what is kept with its bond the host has.
  mutating func forgetOwnValues(of client: ClientID) {
    for index in states.indices where states[index].isOwned { states[index].own[client] = nil }
    clientsWithNewValues.removeAll { $0 == client }
  }
}
