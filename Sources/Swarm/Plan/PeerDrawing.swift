import BLECore
import BLEL2CAP
import BLESDP

/// Draws the acts of peers over BR/EDR.
struct PeerDrawing {
  private var random: SplitMix64
  private let writes: WriteDrawing?

  init(random: SplitMix64, writes: WriteDrawing?) { (self.random, self.writes) = (random, writes) }

  /// Returns the peers of a plan. Half of those that can share the identity of a central do.
  mutating func peers(over duration: Duration, beside centrals: [SwarmPlan.Central]) -> [SwarmPlan.Peer] {
    let words = Self.words.filter { _ in isThere() }
    var peers: [SwarmPlan.Peer] = []
    for _ in 0..<pick([1, 1, 1, 2, 2, 3]) {
      var peer = peer(words, over: duration)
      let taken = peers.compactMap(\.central)
      let others = centrals.indices.filter { [.phone, .plain].contains(centrals[$0].kind) && !taken.contains($0) }
      if [.phone, .headset].contains(peer.kind), !others.isEmpty, isThere() { peer.central = pick(others) }
      peers.append(peer)
    }
    return peers
  }

  /// The words of acts that a plan may do without. Connecting and channels are always included.
  private static let words = [
    "inquire", "ask-name", "disconnect", "vanish", "authenticate", "encrypt", "answer", "forget-key", "close", "query",
    "exchange-mtu", "discover", "read", "write", "write-command", "subscribe", "unsubscribe", "derive", "sdu", "raw",
    "pdu", "become",
  ]

  private mutating func peer(_ words: [String], over duration: Duration) -> SwarmPlan.Peer {
    let kind = pick(PeerKind.allCases)
    var steps: [SwarmPlan.Step<PeerAct>] = []
    var time = Duration.zero
    func add(_ act: PeerAct, after pause: Duration) {
      steps.append(.init(after: pause, act))
      time += pause
    }
    while time < duration, steps.count < 160 {
      // A visit: most peers connect and open a channel before anything else.
      add(.connect, after: pause() + .milliseconds(100))
      // Most pages have ended after this time (Core 5.4 Vol 2 Part B 8.3.2).
      add(random.upTo(3) > 0 ? .authenticate : .inquire, after: .milliseconds(Int64(1000 + random.upTo(1600))))
      for psm in pick([[0x1F], [0x1F], [0x01], [0x01, 0x1F], [0x1F, 0x01]]) {
        add(.open(psm, mtu: pick([48, 48, 60, 185, 672, 1000, 0xFFFF])), after: patience())
      }
      add(.query(pick(PeerAct.Query.allCases), number(), octets: part()), after: patience())
      for _ in 0...random.upTo(24) {
        let act = act(words, kind)
        add(act, after: isThere() ? patience() : pause())
        if [.disconnect].contains(act) || act.word == "vanish" { break }
      }
      if isThere() { add(.disconnect, after: pause()) }
    }
    return SwarmPlan.Peer(kind, steps)
  }

  private mutating func act(_ words: [String], _ kind: PeerKind) -> PeerAct {
    if kind == .hostile, isThere() { return hostile() }
    switch words.isEmpty ? "read" : pick(words) {
    case "inquire": return .inquire
    case "ask-name": return .askName
    case "disconnect": return random.upTo(3) == 0 ? .disconnect : .read(number())
    case "vanish": return random.upTo(3) == 0 ? .vanish(.milliseconds(Int64(100 + random.upTo(40_000)))) : .derive
    case "authenticate": return .authenticate
    case "encrypt": return .encrypt(isThere())
    case "answer": return .answer(pick([.accept, .accept, .accept, .refuse, .late, .silence]))
    case "forget-key": return .forgetKey
    case "become": return .become(pick(PeerKind.allCases))
    case "close": return .close(psm())
    case "query": return .query(pick(PeerAct.Query.allCases), number(), octets: part())
    case "exchange-mtu": return .exchangeMTU
    case "discover": return .discover
    case "write":
      let number = number()
      return .write(number, octets(for: number))
    case "write-command":
      let number = number()
      return .writeCommand(number, octets(for: number))
    case "subscribe": return .subscribe(number(), toIndications: isThere())
    case "unsubscribe": return .unsubscribe(number())
    case "derive": return .derive
    case "sdu", "raw", "pdu": return kind == .hostile ? hostile() : .open(psm(), mtu: 672)
    default: return .read(number())
    }
  }

  // MARK: - Anything

  private mutating func hostile() -> PeerAct {
    var pdus = PDUDrawing(random: random.generator(for: "pdu \(random.next())"))
    switch random.upTo(6) {
    case 0, 1: return .raw(channel: 1, cut(signalling()))
    case 2: return .sdu(0x01, cut(discovery()))
    case 3: return .sdu(0x1F, pdus.drawAttribute())
    case 4:
      return .raw(channel: 7, pdus.drawSecurity())
    case 5: return .raw(channel: channel(), noise(60))
    default:
      let payload = cut(isThere() ? signalling() : noise(40))
      let length = random.upTo(2) == 0 ? random.upTo(70) : UInt64(payload.count)
      let header = UInt16(length).littleEndianOctets + (isThere() ? [1, 0] : channel().littleEndianOctets)
      return .pdu(cut(header + payload))
    }
  }

  /// Occasionally returns only the first octets.
  private mutating func cut(_ pdu: [UInt8]) -> [UInt8] {
    random.upTo(5) == 0 ? Array(pdu.prefix(Int(random.upTo(UInt64(pdu.count))))) : pdu
  }

  /// Returns a C-frame of one or more packets (Core 5.4 Vol 3 Part A 4).
  private mutating func signalling() -> [UInt8] {
    let packet = signallingPacket()
    return random.upTo(5) == 0 ? packet + signallingPacket() : packet
  }

  private mutating func signallingPacket() -> [UInt8] {
    let code = UInt8(random.upTo(4) == 0 ? random.upTo(0x1B) : pick([2, 2, 3, 4, 4, 4, 5, 6, 7, 8, 10]))
    var data: [UInt8]
    switch code {
    case 0x02: data = UInt16(pick([1, 0x1F, 0x1F, 3, 0x27, 0x101, 0x1001])).littleEndianOctets + dynamic()
    case 0x03: data = dynamic() + dynamic() + [UInt8(random.upTo(4)), 0, UInt8(random.upTo(2)), 0]
    case 0x04: data = dynamic() + [UInt8(random.upTo(3) == 0 ? 1 : 0), 0] + options()
    case 0x05: data = dynamic() + [UInt8(random.upTo(3) == 0 ? 1 : 0), 0, UInt8(random.upTo(5)), 0] + options()
    case 0x06, 0x07: data = dynamic() + dynamic()
    case 0x0A: data = UInt16(random.upTo(5)).littleEndianOctets
    case 0x0B: data = UInt16(random.upTo(5)).littleEndianOctets + [0, 0] + noise(12)
    case 0x14: data = [0x27, 0] + dynamic() + noise(6)
    case 0x17: data = [0x27, 0, 0x40, 0, 0x40, 0, 1, 0] + dynamic() + dynamic()
    case 0x18: data = noise(14)
    case 0x19: data = [0x40, 0, 0x40, 0] + dynamic()
    default: data = noise(20)
    }
    let length = random.upTo(9) == 0 ? UInt16(random.upTo(60)) : UInt16(data.count)
    return [code, UInt8(random.upTo(12))] + length.littleEndianOctets + data
  }

  /// Returns configuration options, with plausible values or any (Core 5.4 Vol 3 Part A 5).
  private mutating func options() -> [UInt8] {
    var octets: [UInt8] = []
    for _ in 0..<random.upTo(3) {
      let type = UInt8(random.upTo(9))
      let sizes: [UInt8: Int] = [1: 2, 2: 2, 3: 22, 4: 9, 5: 1, 6: 16, 7: 2]
      let count = random.upTo(7) == 0 ? Int(random.upTo(30)) : sizes[type] ?? 3
      var value = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      if type == 1, count == 2, isThere() { value = UInt16(pick([0, 47, 48, 672])).littleEndianOctets }
      if type == 4, count > 0 { value[0] = UInt8(random.upTo(5)) }
      octets += [type | (random.upTo(5) == 0 ? 0x80 : 0), UInt8(count)] + value
    }
    return octets
  }

  /// Returns an SDP PDU (Core 5.4 Vol 3 Part B 4).
  private mutating func discovery() -> [UInt8] {
    let pattern = DataElement.sequence(
      (0..<Int(random.upTo(13))).map { _ in isThere() ? .uuid16(0x0100) : .uuid16(UInt16(random.upTo(0xFFFF))) })
    let ids: DataElement = isThere() ? .sequence([.unsigned32(0x0000_FFFF)]) : .sequence([.unsigned16(4), .null])
    let state = random.upTo(3) == 0 ? noise(18) : []
    let transaction = UInt16(random.upTo(20))
    let octets = UInt16(random.upTo(40))
    switch random.upTo(4) {
    case 0:
      return ServiceSearchRequest(pattern: pattern, maximumRecords: octets, continuation: state)
        .encodedPDU(transaction: transaction)
    case 1:
      return ServiceAttributeRequest(
        handle: ServiceRecordHandle(rawValue: UInt32(random.upTo(4)) + (isThere() ? 0x1_0000 : 0)),
        maximumOctets: octets, attributes: ids, continuation: state
      ).encodedPDU(transaction: transaction)
    case 2:
      return ServiceSearchAttributeRequest(
        pattern: pattern, maximumOctets: octets, attributes: ids, continuation: state
      ).encodedPDU(transaction: transaction)
    default: return [UInt8(random.upTo(8)), 0, 1] + UInt16(random.upTo(30)).bigEndianOctets + noise(30)
    }
  }

  /// Returns a channel of any kind.
  private mutating func channel() -> UInt16 { pick([0, 2, 3, 4, 5, 6, 7, 0x3F, 0x40, 0x41, 0x42, 0x43, 0xFFFF]) }

  private mutating func dynamic() -> [UInt8] { UInt16(0x3F + random.upTo(7)).littleEndianOctets }

  // MARK: - Chance

  private mutating func octets(for number: Int) -> [UInt8] {
    if isThere(), let fitting = writes?.octets(for: number, &random) { return fitting }
    return noise(pick([1, 2, 4, 20, 60]))
  }

  private mutating func psm() -> Int { isThere() ? 0x1F : 0x01 }
  private mutating func part() -> Int { pick([7, 12, 30, 100, 0xFFFF]) }
  private mutating func number() -> Int { Int(random.upTo(UInt64(max(64, writes?.count ?? 0) - 1))) }

  private mutating func noise(_ most: UInt64) -> [UInt8] {
    (0..<random.upTo(most)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  /// Returns a pause in which most acts end.
  private mutating func patience() -> Duration { .milliseconds(Int64(300 + random.upTo(2500))) }

  private mutating func pause() -> Duration {
    switch random.upTo(9) {
    case 0: .seconds(Int64(random.upTo(60)))
    case 1...5: .milliseconds(Int64(random.upTo(30)))
    default: .milliseconds(Int64(random.upTo(1500)))
    }
  }

  private mutating func isThere() -> Bool { random.upTo(1) == 0 }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int(random.upTo(UInt64(elements.count - 1)))]
  }
}

extension UInt16 {
  fileprivate var bigEndianOctets: [UInt8] { [UInt8(truncatingIfNeeded: self >> 8), UInt8(truncatingIfNeeded: self)] }
}
