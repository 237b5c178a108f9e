import BLECore
import BLESMP

/// The Security Managers of both ends of a link (Core 5.4 Vol 3 Part H). Their packets arrive, are lost, are
/// changed, or come from somebody else. The input decides what users, encryption and time do.
package enum SMPTarget: FuzzTarget {
  package static let name = "smp"
  package static let maximumLength = 2048

  package static func run(_ input: inout FuzzInput) throws(Violation) {
    var bench = SecurityBench(&input)
    try bench.play(&input)
    try bench.expectPairing()
  }

  package static var seeds: [Seed] { SMPSeeds.all }
}

/// One end of the link, and what must be true of it.
private struct SecurityEnd {
  var manager: SecurityManager
  /// The packets that it has sent and that have not arrived yet.
  var sent: [[UInt8]] = []
  /// The key with which it asked for encryption.
  var key: LongTermKey?
  private var isEncrypted = false
  private var isTimedOut = false
  /// Whether the beginning of a pairing has been reported, and not its end.
  private var isPairing = false
  /// The last passkey that it showed.
  private(set) var passkey: UInt32 = 0
  /// The bond that the last pairing made.
  private(set) var bond: Bond?

  init(_ manager: SecurityManager) { self.manager = manager }

  /// Calls the manager, and checks the result.
  mutating func call(
    at now: Instant, _ random: inout SplitMix64,
    _ body: (inout SecurityManager, inout SplitMix64, inout SecurityOutput) -> Void
  ) throws(Violation) {
    var out = SecurityOutput()
    let bonded = manager.bond
    let wasTimedOut = isTimedOut
    body(&manager, &random, &out)
    for packet in out.packets { try check(packet) }
    try require(!wasTimedOut || out.packets.isEmpty, "a packet is sent after the timer has run out")
    for event in out.events { try follow(event) }
    try require(out.encryption == nil || manager.role == .initiator, "a responder starts encryption")
    try require(manager.question == nil || manager.isPairing, "a question is open without a pairing")
    try require(!manager.isPairing || manager.nextDeadline != nil, "a pairing has no timer")
    try require(manager.nextDeadline.map { $0 > now } ?? true, "a deadline that has passed")
    try require(manager.bond == bonded || manager.bond == bond, "a bond is made without a pairing")
    sent += out.packets
    key = out.encryption ?? key
  }

  mutating func encryptionChanged(_ isOn: Bool, at now: Instant, _ random: inout SplitMix64) throws(Violation) {
    isEncrypted = isOn
    try call(at: now, &random) { $0.encryptionChanged(isOn: isOn, at: now, random: &$1, into: &$2) }
  }

  mutating func endLink(_ random: inout SplitMix64) throws(Violation) {
    isTimedOut = false
    try call(at: .zero, &random) { manager, _, out in manager.linkEnded(into: &out) }
    try require(!isPairing && !manager.isPairing && manager.nextDeadline == nil, "a pairing goes on without a link")
    (isEncrypted, sent, key) = (false, [], nil)
  }

  private func check(_ packet: [UInt8]) throws(Violation) {
    try require(
      packet.first.map { SMPInputLengths.all[Int($0)] } == packet.count, "the packet \(packet) does not have its length"
    )
    let isKey = (0x06...0x0A).contains(packet[0])
    try require(!isKey || isEncrypted, "a key is sent on a link without encryption")
  }

  private mutating func follow(_ event: SecurityEvent) throws(Violation) {
    switch event {
    case .pairing:
      try require(!isPairing, "a pairing begins during a pairing")
      isPairing = true
    case .paired(let new, let bonded):
      try require(isPairing, "a pairing ends that has not begun")
      isPairing = false
      try require((7...16).contains(new.strength.keySize), "a key of \(new.strength.keySize) octets")
      if bonded { bond = new }
    case .asked(.display(let shown)): passkey = shown
    case .failed, .cut: isPairing = false
    case .timedOut: (isPairing, isTimedOut) = (false, true)
    default: break
    }
  }
}

/// The length of each packet, indexed by its code.
enum SMPInputLengths {
  static let all = [0, 7, 7, 17, 17, 2, 17, 11, 17, 8, 17, 2, 65, 17, 2]
}

private struct SecurityBench {
  /// The initiator, and the responder.
  private var ends: [SecurityEnd]
  private var now = Instant.zero
  private var random: SplitMix64

  init(_ input: inout FuzzInput) {
    random = SplitMix64(seed: UInt64(input.octet()))
    let addresses = [UInt64(0xC000_0000_0001), 0x0000_0000_0002].map {
      TypedAddress(address: DeviceAddress(bits: $0), isRandom: $0 > 2)
    }
    func end(_ role: SecurityManager.Role, _ policy: PairingPolicy) -> SecurityEnd {
      let (own, peer) = role == .initiator ? (addresses[0], addresses[1]) : (addresses[1], addresses[0])
      let identity = LocalIdentity(address: own, identityResolvingKey: Array(1...16))
      return SecurityEnd(SecurityManager(role: role, own: own, peer: peer, identity: identity, policy: policy))
    }
    ends = [end(.initiator, Self.policy(&input)), end(.responder, Self.policy(&input))]
  }

  private static func policy(_ input: inout FuzzInput) -> PairingPolicy {
    var policy = PairingPolicy()
    let flags = input.octet()
    policy.isPairable = true
    policy.ioCapability = IOCapability(rawValue: flags & 7) ?? .noInputNoOutput
    policy.prefersAuthentication = flags & 0x08 != 0
    policy.secureConnections = flags & 0x10 != 0 ? .offered : .none
    policy.sendsKeypresses = flags & 0x20 != 0
    policy.asksConsent = flags & 0x40 != 0
    let keys = input.octet()
    policy.distributes = KeyKinds(rawValue: keys & 15)
    policy.wants = KeyKinds(rawValue: keys >> 4)
    let more = input.octet()
    policy.keySizes = 7...(7 + Int(more & 15) % 10)
    policy.bonds = more & 0x10 == 0
    policy.usesDebugKeys = more & 0x20 != 0
    switch more >> 6 {
    case 1: policy.faults = [.corrupts(SMPCode(rawValue: more & 15))]
    case 2: policy.faults = [.silent(SMPCode(rawValue: more & 15))]
    case 3: policy.faults = [.fails(SMPCode(rawValue: more & 15), .unspecifiedReason)]
    default: break
    }
    return policy
  }

  // MARK: Driving

  mutating func play(_ input: inout FuzzInput) throws(Violation) {
    while !input.isAtEnd {
      try step(&input, input.flag() ? .initiator : .responder)
    }
  }

  private mutating func step(_ input: inout FuzzInput, _ role: SecurityManager.Role) throws(Violation) {
    let (now, place) = (now, role == .initiator ? 0 : 1)
    switch input.below(12) {
    case 0, 1, 2:
      let count = 1 + input.below(8)
      for _ in 0..<count where !ends[1 - place].sent.isEmpty { try give(ends[1 - place].sent.removeFirst(), place) }
    case 3:
      guard !ends[1 - place].sent.isEmpty else { return }
      var packet = ends[1 - place].sent.removeFirst()
      packet[input.below(packet.count)] ^= input.octet()
      try give(packet, place)
    case 4: try give(input.run(), place)
    case 5:
      let code = input.below(SMPInputLengths.all.count)
      let content = input.octets(max(0, SMPInputLengths.all[code] - 1))
      try give([UInt8(code)] + content, place)
    case 6:
      let answers: [PairingAnswer] = [
        .accept, .refuse, .passkey(UInt32(input.word()) << 4), .passkey(ends[1 - place].passkey),
      ]
      let answer = answers[input.below(answers.count)]
      try ends[place].call(at: now, &random) { _ = $0.answer(answer, at: now, random: &$1, into: &$2) }
    case 7: try encrypt(isOn: input.flag())
    case 8: try ends[place].encryptionChanged(input.flag(), at: now, &random)
    case 9:
      let anew = input.flag()
      try ends[place].call(at: now, &random) { $0.begin(anew: anew, at: now, random: &$1, into: &$2) }
    case 10:
      self.now += .seconds(Int(input.octet()) / 4)
      try advance()
    default: if !ends[1 - place].sent.isEmpty { ends[1 - place].sent.removeFirst() }
    }
  }

  private mutating func give(_ packet: [UInt8], _ place: Int) throws(Violation) {
    let now = now
    try ends[place].call(at: now, &random) { $0.receive(packet.span, at: now, random: &$1, into: &$2) }
  }

  private mutating func advance() throws(Violation) {
    let now = now
    for place in 0...1 {
      try ends[place].call(at: now, &random) { manager, _, out in manager.advance(to: now, into: &out) }
    }
  }

  /// Does what the controllers do when the initiator has asked for encryption.
  private mutating func encrypt(isOn: Bool) throws(Violation) {
    guard let key = ends[0].key else { return }
    ends[0].key = nil
    let peers = ends[1].manager.longTermKey(random: key.random, diversifier: key.diversifier)
    for place in 0...1 { try ends[place].encryptionChanged(isOn && peers == key.key, at: now, &random) }
  }

  // MARK: The end

  /// Checks that both pair on a new link. This must work whatever came before.
  mutating func expectPairing() throws(Violation) {
    for place in 0...1 {
      try ends[place].endLink(&random)
      ends[place].manager.policy = PairingPolicy()
      ends[place].manager.policy.isPairable = true
      ends[place].manager.bond = nil
    }
    let now = now
    try ends[0].call(at: now, &random) { $0.begin(anew: true, at: now, random: &$1, into: &$2) }
    while !ends[0].sent.isEmpty || !ends[1].sent.isEmpty || ends[0].key != nil {
      try encrypt(isOn: true)
      for place in 0...1 {
        while !ends[1 - place].sent.isEmpty { try give(ends[1 - place].sent.removeFirst(), place) }
      }
    }
    let bonds = ends.map(\.manager.bond)
    try require(bonds[0]?.keyAsCentral != nil, "a new link is not paired")
    try require(bonds[0]?.keyAsCentral == bonds[1]?.keyAsPeripheral, "the two ends have different keys")
  }
}
