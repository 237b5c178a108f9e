import BLESMP

/// The inputs of `SMPTarget`.
enum SMPSeeds {
  static var all: [Seed] { models + disturbed + strangePackets }

  /// A script of a link between two policies.
  private struct Script {
    var octets: [UInt8] = [1]

    /// Makes a script with the policy of each end: IO capability and flags, keys, then key size and fault (`SecurityBench`).
    init(_ initiator: [UInt8], _ responder: [UInt8]) { octets += initiator + responder }

    private mutating func step(_ end: UInt8, _ more: UInt8...) { octets += [end] + more }
    mutating func begin(_ end: UInt8) { step(end, 9, 1) }
    /// Lets all packets that are under way arrive, back and forth.
    mutating func exchange(_ times: Int) { for _ in 0..<times { step(0, 0, 7); step(1, 0, 7) } }
    mutating func accept(_ end: UInt8) { step(end, 6, 0, 0, 0) }
    /// Types the passkey that the other end shows.
    mutating func type(_ end: UInt8) { step(end, 6, 0, 0, 3) }
    mutating func encrypt() { step(1, 7, 1) }
    mutating func flip(_ end: UInt8, _ place: UInt8) { step(end, 3, place, 0x01) }
    mutating func lose(_ end: UInt8) { step(end, 11) }
    mutating func wait(_ seconds: UInt8) { step(0, 10, seconds * 4) }
    mutating func raw(_ end: UInt8, _ packet: [UInt8]) { octets += [end, 4, UInt8(packet.count)] + packet }
  }

  private static let secure: UInt8 = 0x10
  private static let protected: UInt8 = 0x08

  private static var models: [Seed] {
    let keypresses: UInt8 = 0x20
    let models: [(name: String, initiator: UInt8, responder: UInt8)] = [
      ("just-works", 0x03, 0x03), ("comparison", 0x01 | protected, 0x01 | protected),
      ("passkey", 0x02 | protected | keypresses, 0x00 | protected | keypresses),
    ]
    return models.flatMap { name, initiator, responder in
      [("legacy", UInt8(0)), ("secure", secure)].map { generation, bit in
        var script = Script([initiator | bit, 0x77, 9], [responder | bit, 0x77, 9])
        script.begin(1)
        script.exchange(4)
        if name == "passkey" { script.type(1) } else { script.accept(0); script.accept(1) }
        script.exchange(48)
        script.encrypt()
        script.exchange(3)
        return Seed("\(generation)-\(name)", script.octets)
      }
    }
  }

  private static var disturbed: [Seed] {
    var request = Script([0x43 | secure, 0x33, 9], [0x43 | secure, 0x33, 9])
    request.begin(0)
    request.exchange(1)
    request.accept(1)
    request.exchange(1)
    request.accept(0)
    request.exchange(4)
    request.encrypt()
    request.exchange(3)
    var changed = Script([0x03 | secure, 0x33, 9], [0x03 | secure, 0x33, 9])
    for place: UInt8 in [1, 40, 5] {
      changed.begin(1)
      changed.exchange(1)
      changed.flip(0, place)
      changed.exchange(4)
      changed.encrypt()
    }
    var silent = Script([0x03, 0x77, 9], [0x03, 0x77, 0x84])
    silent.begin(1)
    silent.exchange(4)
    silent.lose(1)
    silent.wait(31)
    silent.begin(0)
    return [
      Seed("security-request", request.octets), Seed("changed-packets", changed.octets),
      Seed("silent-and-late", silent.octets),
    ]
  }

  /// Every packet at both ends, each after a pairing has begun.
  private static var strangePackets: [Seed] {
    var script = Script([0x03 | secure, 0x77, 9], [0x03 | secure, 0x77, 9])
    for (code, length) in SMPInputLengths.all.enumerated() where length > 0 {
      for end: UInt8 in [0, 1] {
        script.begin(1)
        script.exchange(1)
        script.raw(end, [UInt8(code)] + Array(repeating: 1, count: min(length, 18) - 1))
      }
    }
    return [Seed("strange-packets", script.octets)]
  }
}
