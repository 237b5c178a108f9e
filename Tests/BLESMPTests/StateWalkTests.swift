import BLECore
import BLESMP
import Testing

/// Every packet in every state of a pairing, for both roles and both generations: well formed, too short, too long, with random
/// contents (Core 5.4 Vol 3 Part H 3.3, 3.5.5).
@Suite("Every packet in every state")
struct StateWalkTests {
  typealias Role = SecurityManager.Role

  struct Walk: CustomStringConvertible, Sendable {
    var name: String
    var role: Role
    var initiator: PairingPolicy
    var responder: PairingPolicy
    var description: String { "\(name), \(role)" }
  }

  static let walks: [Walk] = [Role.initiator, .responder].flatMap { role in
    [SecureConnectionsSupport.none, .offered].flatMap { support in
      let name = support == .none ? "legacy" : "secure"
      let all: KeyKinds = [.encryption, .identity, .signing]
      let policy = { (io: IOCapability, authentication: Bool) in
        PairingPolicy.pairable(io, authentication: authentication, secureConnections: support) {
          $0.distributes = all
          $0.wants = all
          $0.sendsKeypresses = true
        }
      }
      return [
        Walk(
          name: "\(name) Just Works", role: role, initiator: policy(.noInputNoOutput, false),
          responder: policy(.noInputNoOutput, false)),
        Walk(
          name: "\(name) comparison", role: role, initiator: policy(.displayYesNo, true),
          responder: policy(.displayYesNo, true)),
        Walk(
          name: "\(name) passkey", role: role, initiator: policy(.keyboardOnly, true),
          responder: policy(.displayOnly, true)),
        Walk(
          name: "\(name) passkey typed by the responder", role: role, initiator: policy(.displayOnly, true),
          responder: policy(.keyboardOnly, true)),
      ]
    }
  }

  /// The length of each packet with its code (3.5, 3.6).
  static let lengths: [UInt8: Int] = [
    0x01: 7, 0x02: 7, 0x03: 17, 0x04: 17, 0x05: 2, 0x06: 17, 0x07: 11, 0x08: 17, 0x09: 8, 0x0A: 17, 0x0B: 2, 0x0C: 65,
    0x0D: 17, 0x0E: 2,
  ]

  /// Returns the states of a pairing, one after each step. Of the rounds of Passkey Entry, which are all alike, only the first and the
  /// last are included.
  private func states(of walk: Walk) -> [PairedManagers] {
    var pair = PairedManagers(initiator: walk.initiator, responder: walk.responder)
    pair.isManual = true
    var states = [pair]
    pair.pair()
    states.append(pair)
    while pair.step() { states.append(pair) }
    return states.count < 50 ? states : Array(states.prefix(18) + states.suffix(24))
  }

  private enum Outcome {
    case ignored
    case fails(UInt8)
    case failsByPeer
    /// The packet is due, with unknown contents.
    case due
  }

  /// Returns the specified reaction of a side to a packet; `due` is the code of the packet that is due.
  private func expected(_ packet: [UInt8], _ walk: Walk, _ pair: PairedManagers, due: UInt8?) -> Outcome {
    let isPairing = pair[walk.role].isPairing
    guard let code = packet.first, let length = Self.lengths[code] else { return .ignored }
    let isWellFormed = packet.count == length
    switch code {
    case 0x05: return isPairing ? .failsByPeer : .ignored
    case 0x01 where isWellFormed && walk.role == .initiator, 0x02 where isWellFormed && walk.role == .responder,
      0x0B where isWellFormed && walk.role == .responder:
      return .fails(0x07)
    case 0x0B where isWellFormed: return isPairing ? .ignored : .due
    case 0x01 where isWellFormed && !isPairing: return .due
    case 0x01 where !isWellFormed, 0x0B where !isWellFormed: return .fails(0x0A)
    default: break
    }
    guard isPairing else { return .ignored }
    guard isWellFormed else { return .fails(0x0A) }
    let isKey = (0x06...0x0A).contains(code)
    // An initiator whose user has not answered has sent nothing that could be answered.
    if walk.role == .initiator, let question = pair[.initiator].question, question.needsAnswer, code != 0x0E {
      return .fails(0x08)
    }
    if code == due, !isKey || pair.encryptionKey != nil { return .due }
    if code == 0x0E, case .passkeyEntry(let typist)? = pair.model(walk.role), typist == .peer, isInStageOne(walk, pair)
    {
      return .due
    }
    return .fails(0x08)
  }

  /// Returns whether the pairing is in the stage in which a peer may type.
  private func isInStageOne(_ walk: Walk, _ pair: PairedManagers) -> Bool {
    let asked = pair.events[walk.role].contains { if case .asked = $0 { true } else { false } }
    return asked && pair[walk.role].question != nil
  }

  @Test("A wrong packet ends the pairing with the right reason, and the link pairs again", arguments: walks)
  func walk(_ walk: Walk) throws {
    var random = SplitMix64(seed: 3)
    let states = states(of: walk)
    // Keypress notifications are optional.
    let course = (states.last?.codes(walk.role.other) ?? [])
    for (index, state) in states.enumerated() {
      let due = course.dropFirst(state.receivedCount(walk.role)).first { $0 != 0x0E }
      var tried: Set<String> = []
      for code in UInt8(0)...0x11 {
        let length = Self.lengths[code] ?? 5
        for count in Set([0, 1, length - 1, length, length + 1, 100]).sorted() {
          let packet = count == 0 ? [] : [code] + (1..<max(1, count)).map { _ in UInt8(random.upTo(255)) }
          let outcome = expected(packet, walk, state, due: due)
          let hint: Comment = "state \(index), packet \(packet.hexadecimal)"
          var pair = state
          inject(packet, outcome, walk, &pair, hint)
          // What follows depends only on the outcome.
          if tried.insert("\(outcome)").inserted { try expectPairable(&pair, hint) }
        }
      }
    }
  }

  private func inject(
    _ packet: [UInt8], _ outcome: Outcome, _ walk: Walk, _ pair: inout PairedManagers, _ hint: Comment
  ) {
    let role = walk.role
    let failures = pair.failures(role).count
    let sent = pair.packets.count
    pair.receive(role, packet)
    switch outcome {
    case .ignored:
      #expect(pair.failures(role).count == failures, hint)
      #expect(pair.packets.count == sent, hint)
    case .fails(let reason):
      #expect(pair.failures(role).last == .failed(.init(rawValue: reason), byPeer: false), hint)
      #expect(pair.packets.last.map(\.octets) == [0x05, reason], hint)
      #expect(!pair[role].isPairing, hint)
    case .failsByPeer:
      let reason = packet.count == 2 ? packet[1] : 0x08
      #expect(pair.failures(role).last == .failed(.init(rawValue: reason), byPeer: true), hint)
      #expect(pair.packets.count == sent, hint)
      #expect(!pair[role].isPairing, hint)
    case .due:
      // The pairing may continue, and later fails because of the contents; it never succeeds.
      let reasons = pair.failures(role).dropFirst(failures)
      let known: [PairingFailed.Reason] = [
        .confirmValueFailed, .dhKeyCheckFailed, .invalidParameters, .authenticationRequirements,
      ]
      for reason in reasons { #expect(known.contains { reason == .failed($0, byPeer: false) }, hint) }
    }
  }

  /// Expects that both sides can end what they do in any state, and then pair.
  private func expectPairable(_ pair: inout PairedManagers, _ hint: Comment) throws {
    pair.isManual = true
    pair.dropPackets()
    pair.receive(.initiator, [0x05, 0x08])
    pair.receive(.responder, [0x05, 0x08])
    pair.dropPackets()
    pair.isManual = false
    pair.events = PerRole(initiator: [], responder: [])
    pair.pair()
    #expect(pair.failures(.initiator).isEmpty && pair.failures(.responder).isEmpty, hint)
    try expectSameKeys(pair)
  }
}

extension PairingQuestion {
  fileprivate var needsAnswer: Bool { if case .display = self { false } else { true } }
}
