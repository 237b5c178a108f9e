import BLECore
import BLECryptography
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP

/// A request to a peripheral-role host from the control API, a script or a test.
public enum HostRequest: Hashable, Sendable {
  /// Notify all subscribers of a characteristic.
  case notify(CharacteristicIndex)
  /// Indicate a characteristic to all subscribers.
  case indicate(CharacteristicIndex)
  /// Perform actions that an application's own method returned.
  case perform([ApplicationAction])
  /// Give the answer that a client is waiting for.
  case answer(AnswerTicket, LateAnswer)
  /// Add, remove or replace a service while clients are connected.
  case edit(ServiceEdit)
  /// Disconnect a link for this reason.
  case disconnect(ConnectionHandle, reason: ErrorCode)
  /// Request other connection parameters from the central.
  case requestParameters(ConnectionHandle, ConnectionPolicy.ParameterRequest)
  /// Put an advertising set on the air, or take it off.
  case advertise(set: String, isOn: Bool)
  /// Change whether devices find the accessory over BR/EDR and connect to it.
  case setModes(ClassicModes)
  /// Carry out a request about L2CAP channels.
  case channel(ChannelRequest)
  /// Open this many enhanced bearers to a central that is known to support them.
  case openBearers(ConnectionHandle, count: Int)
  /// Become a new device, with another random static address and Identity Resolving Key. Existing links stay.
  case rotateIdentity
  /// Become a new device, with this random static address and Identity Resolving Key. With nil the address stays the same. Existing links
  /// stay.
  case become(DeviceAddress?, IdentityResolvingKey)
  /// Use the central's server. The event `began` of the link's client reports the number of the operation.
  case client(ConnectionHandle, GATTOperation)
  /// Request security from the central with a Security Request (Core 5.4 Vol 3 Part H 2.4.6).
  case pair(ConnectionHandle)
  /// Answer the question of a pairing.
  case answerPairing(ConnectionHandle, PairingAnswer)
  /// Report a key press to the central while the passkey that it shows is typed.
  case pressKey(ConnectionHandle, Keypress)
  /// Change the requirements for pairing and when security is requested. A pairing in progress, keys and links stay as they are.
  case setSecurity(PairingPolicy, SecurityRequestTiming)
  /// Forget a bond. A link to that peer stays as it is.
  case removeBond(TypedAddress)
  /// Store a bond, in place of any bond with that peer.
  case setBond(BondRecord)
}

extension HostEngine where Role == PeripheralRole {
  /// Performs the request, or throws why it cannot.
  public mutating func perform(
    _ request: HostRequest, at now: Instant, into out: inout HostOutput
  ) throws(HostRequestError) {
    out.now = now
    defer { flush(into: &out) }
    switch request {
    case .notify(let characteristic):
      guard notify(characteristic, at: now, into: &out) > 0 else { throw .noSubscriber(characteristic) }
    case .indicate(let characteristic):
      guard indicate(characteristic, at: now, into: &out) > 0 else { throw .noSubscriber(characteristic) }
    case .perform(let actions): perform(actions, into: &out)
    case .answer(let ticket, let answer):
      guard self.answer(ticket, with: answer, into: &out) else { throw .unknownTicket(ticket) }
    case .edit(let edit):
      do throws(AttributeDatabase.DefinitionError) {
        _ = try self.edit(edit, at: now, into: &out)
      } catch {
        throw .impossibleEdit(error)
      }
    case .disconnect(let handle, let reason): try disconnect(handle, reason: reason)
    case .requestParameters(let handle, let request): try requestParameters(request, on: handle, into: &out)
    case .advertise(let set, let isOn):
      guard !isOn || !role.hasNobodyToCall(set) else { throw .nobodyToCall(set: set) }
      guard role.setAdvertising(isOn, set: set, at: now) else { throw .unknownSet(set) }
    case .setModes(let modes): guard role.set(modes, at: now) else { throw .noClassic }
    case .channel(let request): try perform(request, at: now, into: &out)
    case .rotateIdentity:
      let key = IdentityResolvingKey(random: &random)
      try become(.randomStatic(from: random.next()), key, into: &out)
    case .become(let address, let key):
      try become(address, key, into: &out)
    case .openBearers(let handle, let count): try openBearers(count, on: handle, into: &out)
    case .client(let handle, let operation): try begin(operation, on: handle, into: &out)
    case .pair(let handle): try pair(handle, into: &out)
    case .answerPairing(let handle, let answer): try answerPairing(answer, on: handle, into: &out)
    case .pressKey(let handle, let key): try press(key, on: handle, into: &out)
    case .setSecurity(let pairing, let requests):
      setSecurity(pairing.resolved(isPrivate: role.addressing.key != nil), requests: requests)
    case .removeBond(let peer): try removeBond(with: peer, into: &out)
    case .setBond(let record): setBond(record, into: &out)
    }
  }

  private mutating func become(
    _ address: DeviceAddress?, _ key: IdentityResolvingKey, into out: inout HostOutput
  ) throws(HostRequestError) {
    guard isReady, let fresh = changeIdentity(to: address, resolvingKey: key.octets) else { throw .notReady }
    role.become(fresh, key: key)
    role.renewAddresses(at: out.now, random: &random)
    out.events.append(.identityChanged(fresh.address))
  }
}
