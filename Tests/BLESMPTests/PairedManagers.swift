import BLECore
import BLESMP
import Testing

/// Two Security Managers whose packets reach each other at once, with controllers that encrypt if both have the same key, and
/// users that do what they should.
struct PairedManagers {
  typealias Role = SecurityManager.Role

  var managers: PerRole<SecurityManager>
  var events = PerRole<[SecurityEvent]>(initiator: [], responder: [])
  /// Every packet that was sent, in order.
  var packets: [(from: Role, octets: [UInt8])] = []
  /// The users' answers; nil for none.
  var answer: (Role, PairingQuestion, PairedManagers) -> PairingAnswer? = { $2.goodAnswer(to: $1, of: $0) }
  /// Changes a packet in transit; nil loses it.
  var alter: (Role, [UInt8]) -> [UInt8]? = { $1 }
  /// The key with which the link is encrypted; nil if it is not.
  private(set) var encryptionKey: [UInt8]?
  /// The keys that the initiator's controller was given.
  private(set) var usedKeys: [LongTermKey] = []
  var now = Instant.zero
  var random: SplitMix64
  private var due: [Due] = []
  /// Whether a test performs each step itself.
  var isManual = false

  static let addresses = PerRole(
    initiator: TypedAddress(address: DeviceAddress(bits: 0xC0A1_A2A3_A4A5), isRandom: true),
    responder: TypedAddress(address: DeviceAddress(bits: 0x00B1_B2B3_B4B5), isRandom: false))
  static let identities = PerRole(
    initiator: LocalIdentity(
      address: TypedAddress(address: DeviceAddress(bits: 0xD011_2233_4455), isRandom: true),
      identityResolvingKey: Array(1...16)),
    responder: LocalIdentity(
      address: TypedAddress(address: DeviceAddress(bits: 0x0066_7788_99AA), isRandom: false),
      identityResolvingKey: Array(101...116)))

  init(initiator: PairingPolicy, responder: PairingPolicy, bonds: PerRole<Bond?>? = nil, seed: UInt64 = 1) {
    random = SplitMix64(seed: seed)
    func manager(_ role: Role, _ policy: PairingPolicy) -> SecurityManager {
      SecurityManager(
        role: role, own: Self.addresses[role], peer: Self.addresses[role.other], identity: Self.identities[role],
        policy: policy, bond: bonds?[role])
    }
    managers = PerRole(initiator: manager(.initiator, initiator), responder: manager(.responder, responder))
  }

  // MARK: Driving

  mutating func pair() { begin(.initiator, anew: true) }

  mutating func begin(_ role: Role, anew: Bool = false) {
    with(role) { $0.begin(anew: anew, at: $1, random: &$2, into: &$3) }
  }

  /// Passes a packet to one side, as if from the other.
  mutating func receive(_ role: Role, _ packet: [UInt8]) {
    with(role) { $0.receive(packet.span, at: $1, random: &$2, into: &$3) }
  }

  @discardableResult
  mutating func reply(_ role: Role, _ answer: PairingAnswer) -> Bool {
    var isTaken = false
    with(role) { isTaken = $0.answer(answer, at: $1, random: &$2, into: &$3) }
    return isTaken
  }

  mutating func wait(_ duration: Duration) {
    now += duration
    for role in [Role.initiator, .responder] { with(role) { $0.advance(to: $1, into: &$3) } }
  }

  mutating func endLink() {
    encryptionKey = nil
    for role in [Role.initiator, .responder] { with(role) { $0.linkEnded(into: &$3) } }
  }

  /// Calls one manager, and carries out its requests and then the other's, in the order of the link.
  private mutating func with(
    _ role: Role, _ call: (inout SecurityManager, Instant, inout SplitMix64, inout SecurityOutput) -> Void
  ) {
    enter(role, call)
    guard !isManual else { return }
    while step() {}
  }

  /// Performs the next pending step; returns false if there is none.
  mutating func step() -> Bool {
    guard !due.isEmpty else { return false }
    perform(due.removeFirst())
    return true
  }

  /// Drops all packets in transit, and lets controllers finish what they have begun.
  mutating func dropPackets() {
    repeat { due.removeAll { if case .encryption = $0 { false } else { true } } } while step()
  }

  /// Changes a bit of the next packet in transit.
  mutating func flip(_ bit: Int) {
    for index in due.indices {
      guard case .packet(let role, var packet) = due[index], packet.count > 1 else { continue }
      packet[1 + bit / 8 % (packet.count - 1)] ^= 1 << (bit % 8)
      due[index] = .packet(to: role, packet)
      return
    }
  }

  /// Returns the number of packets that a side has received.
  func receivedCount(_ role: Role) -> Int {
    let underWay = due.count { if case .packet(role, _) = $0 { true } else { false } }
    return packets.count { $0.from != role } - underWay
  }

  private enum Due {
    case packet(to: Role, [UInt8])
    case encryption(LongTermKey)
    case question(Role, PairingQuestion)
  }

  private mutating func enter(
    _ role: Role, _ call: (inout SecurityManager, Instant, inout SplitMix64, inout SecurityOutput) -> Void
  ) {
    var out = SecurityOutput()
    call(&managers[role], now, &random, &out)
    events[role] += out.events
    for packet in out.packets {
      packets.append((role, packet))
      if let altered = alter(role, packet) { due.append(.packet(to: role.other, altered)) }
    }
    if let key = out.encryption { due.append(.encryption(key)) }
    for case .asked(let question) in out.events { due.append(.question(role, question)) }
  }

  private mutating func perform(_ step: Due) {
    switch step {
    case .packet(let role, let packet): enter(role) { $0.receive(packet.span, at: $1, random: &$2, into: &$3) }
    case .encryption(let key):
      usedKeys.append(key)
      let peers = managers[.responder].longTermKey(random: key.random, diversifier: key.diversifier)
      let isOn = peers == key.key
      encryptionKey = isOn ? key.key : nil
      for role in [Role.responder, .initiator] {
        enter(role) { $0.encryptionChanged(isOn: isOn, at: $1, random: &$2, into: &$3) }
      }
    case .question(let role, let question):
      guard managers[role].question == question, let answer = answer(role, question, self) else { return }
      enter(role) { _ = $0.answer(answer, at: $1, random: &$2, into: &$3) }
    }
  }

  // MARK: Users

  /// The passkey that is typed if neither side shows one.
  static let agreedPasskey: UInt32 = 271_828

  func goodAnswer(to question: PairingQuestion, of role: Role) -> PairingAnswer? {
    switch question {
    case .consent: return .accept
    case .comparison(let digits):
      // The first side does not answer before the other shows its digits.
      guard case .comparison(let others)? = managers[role.other].question else { return .accept }
      return digits == others ? .accept : .refuse
    case .display: return nil
    case .passkey: return shown(on: role.other).map { .passkey($0) } ?? .passkey(Self.agreedPasskey)
    }
  }

  /// Returns the passkey that a side shows.
  func shown(on role: Role) -> UInt32? {
    for case .asked(.display(let passkey)) in events[role].reversed() { return passkey }
    return nil
  }

  // MARK: Looking

  subscript(_ role: Role) -> SecurityManager { managers[role] }

  func model(_ role: Role) -> AssociationModel? {
    for case .pairing(let model, _) in events[role].reversed() { return model }
    return nil
  }

  func failures(_ role: Role) -> [SecurityEvent] {
    events[role].filter {
      switch $0 {
      case .failed, .timedOut, .cut: true
      default: false
      }
    }
  }

  /// Returns the codes that a side has sent.
  func codes(_ role: Role) -> [UInt8] { packets.filter { $0.from == role }.map { $0.octets[0] } }

  func sent(_ code: SMPCode, by role: Role) -> [[UInt8]] {
    packets.filter { $0.from == role && $0.octets[0] == code.rawValue }.map(\.octets)
  }

  func paired(_ role: Role) -> (bond: Bond, isBonded: Bool)? {
    for case .paired(let bond, let isBonded) in events[role].reversed() { return (bond, isBonded) }
    return nil
  }
}

/// One value for each side.
struct PerRole<Value> {
  var initiator: Value
  var responder: Value

  subscript(_ role: SecurityManager.Role) -> Value {
    get { role == .initiator ? initiator : responder }
    set { if role == .initiator { initiator = newValue } else { responder = newValue } }
  }
}

extension PerRole: Sendable where Value: Sendable {}

extension SecurityManager.Role {
  var other: Self { self == .initiator ? .responder : .initiator }
}

extension PairingPolicy {
  /// Returns a policy that pairs.
  static func pairable(
    _ io: IOCapability = .noInputNoOutput, authentication: Bool = false,
    secureConnections: SecureConnectionsSupport = .offered, _ change: (inout PairingPolicy) -> Void = { _ in }
  ) -> PairingPolicy {
    var policy = PairingPolicy()
    policy.isPairable = true
    policy.ioCapability = io
    policy.prefersAuthentication = authentication
    policy.secureConnections = secureConnections
    change(&policy)
    return policy
  }
}
