import BLECore

extension SecurityManager {
  /// The length of the Security Manager Timer (3.4).
  static let timerLength = Duration.seconds(30)

  /// Performs the actions of a pairing step, until one of them ends the pairing.
  mutating func perform(_ actions: [PairingAction], at now: Instant, into out: inout SecurityOutput) {
    for action in actions {
      guard isPairing else { return }
      switch action {
      case .send(let packet): send(packet, at: now, into: &out)
      case .ask(let asked):
        question = asked
        pressed = []
        out.events.append(.asked(asked))
      case .endQuestion: endQuestion(into: &out)
      case .pressed(let keypress): out.events.append(.keypress(keypress))
      case .fail(let reason): fail(reason, into: &out)
      case .agree(let key): agree(key, into: &out)
      case .complete(let bond): complete(bond, into: &out)
      }
    }
  }

  /// Sends a packet and restarts the timer (3.4), unless a fault is due. Returns false if the fault has ended the pairing.
  @discardableResult
  mutating func send(_ packet: any SMPPacket, at now: Instant, into out: inout SecurityOutput) -> Bool {
    let code = type(of: packet).code
    var octets = packet.packet
    for fault in policy.faults {
      switch fault {
      case .fails(code, let reason):
        fail(reason, into: &out)
        return false
      case .silent(code):
        if timeout == nil { timeout = now + Self.timerLength }
        return true
      case .corrupts(code): octets.corrupt()
      default: break
      }
    }
    out.packets.append(octets)
    timeout = now + Self.timerLength
    return true
  }

  /// Ends a pairing, or refuses to start one, and sends the reason to the peer.
  mutating func fail(_ reason: PairingFailed.Reason, into out: inout SecurityOutput) {
    let failed = PairingFailed(reason: reason)
    if !policy.faults.contains(.silent(.pairingFailed)) { out.packets.append(failed.packet) }
    reset(to: .idle, into: &out)
    out.events.append(.failed(reason, byPeer: false))
  }

  /// Ends the pairing in progress, if any.
  mutating func failIfPairing(_ reason: PairingFailed.Reason, into out: inout SecurityOutput) {
    if isPairing { fail(reason, into: &out) }
  }

  mutating func endQuestion(into out: inout SecurityOutput) {
    guard question != nil else { return }
    question = nil
    out.events.append(.questionEnded)
  }

  mutating func reset(to state: State, into out: inout SecurityOutput) {
    endQuestion(into: &out)
    self.state = state
    timeout = nil
  }

  // MARK: The end of phases 2 and 3

  private mutating func agree(_ key: SharedKey, into out: inout SecurityOutput) {
    switch state {
    case .legacy(_, let terms): state = .encryption(key, terms, isDebug: false)
    case .secureConnections(let pairing, let terms):
      // Anybody can decrypt a link paired with the peer's debug key. The key is used only for this link, unless this side uses debug keys
      // itself (2.3.5.6.1).
      state = .encryption(key, terms, isDebug: pairing.peerUsesDebugKey && !policy.usesDebugKeys)
    default: return
    }
    if role == .initiator {
      if case .encryption(_, let terms, _) = state {
        nextKey = StartingKey(strength: terms.strength, isOfPairing: true)
      }
      out.encryption = LongTermKey(key: key.key)
    }
  }

  /// Returns whether both sides may store the keys of a pairing.
  func mayBond(_ terms: PairingTerms, isDebug: Bool) -> Bool { terms.isBonding && !isDebug }

  /// Returns whether the keys of a pairing are strong enough to replace the peer's stored ones. The peer identifies itself only during key
  /// distribution, so phase 1 cannot know whose bond is replaced. Derived BR/EDR keys are stored with them or not at all (Vol 3 Part C
  /// 14.1).
  func mayReplaceBond(of peer: TypedAddress, by terms: PairingTerms) -> Bool {
    guard terms.policy.refusesWeakerKeys, let old = bondStrengths[peer] else { return true }
    return terms.strength.isAtLeast(old)
  }

  private mutating func complete(_ new: Bond, into out: inout SecurityOutput) {
    guard case .distribution(_, let terms, let isDebug) = state else { return }
    let before = security
    let isBonded = mayBond(terms, isDebug: isDebug) && new.peer.isIdentity
    guard !isBonded || mayReplaceBond(of: new.peer, by: terms) else { return fail(.keyRejected, into: &out) }
    if isBonded { bond = new }
    reset(to: .idle, into: &out)
    out.events.append(.paired(new, bonded: isBonded))
    if security != before { out.events.append(.securityChanged(security)) }
  }
}

extension [UInt8] {
  /// Corrupts the contents of a packet. Of a public key it changes y, so that the point is certainly not on the curve.
  fileprivate mutating func corrupt() {
    let place = first == SMPCode.pairingPublicKey.rawValue ? 33 : 1
    if indices.contains(place) { self[place] ^= 0xFF }
  }
}
