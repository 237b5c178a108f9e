import BLEATT
import BLECore
import BLEGATT
import Testing

/// A client with an enhanced bearer in addition to the fixed channel (Core 5.4 Vol 3 Part F 3.2.11, 3.3.2, 3.3.3).
@Suite("A client with several bearers")
struct ClientBearerTests {
  private struct Scene {
    var client = GATTClient(mtu: 517)
    var now = Instant(nanoseconds: 1_000_000_000)
    var sent: [(bearer: BearerID, pdu: String)] = []
    var outcomes: [OperationID: GATTOutcome] = [:]
    static let enhanced = BearerID(rawValue: 0x40)

    init() {
      var out = GATTClientOutput()
      client.use(Self.enhanced, mtu: 64, at: now, into: &out)
    }

    mutating func begin(_ operation: GATTOperation, on bearer: BearerID? = nil) -> OperationID {
      turn { $0.perform(operation, on: bearer, at: $1, into: &$2) }
    }

    mutating func receive(_ pdu: [UInt8], on bearer: BearerID) {
      turn { $0.receive(pdu.span, on: bearer, at: $1, into: &$2) }
    }

    mutating func turn<Result>(_ body: (inout GATTClient, Instant, inout GATTClientOutput) -> Result) -> Result {
      var out = GATTClientOutput()
      let result = body(&client, now, &out)
      for case .ended(let id, let outcome) in out.events { outcomes[id] = outcome }
      var pdus: [(bearer: BearerID, pdu: String)] = []
      out.forEachPDU { pdu, bearer in pdus.append((bearer, pdu.withUnsafeBytes { Array($0) }.hexadecimal)) }
      sent += pdus
      return result
    }

    /// Returns what was sent over a bearer since the last call.
    mutating func take(_ bearer: BearerID) -> [String] {
      defer { sent.removeAll { $0.bearer == bearer } }
      return sent.filter { $0.bearer == bearer }.map(\.pdu)
    }
  }

  @Test("Each bearer has one outstanding request, and a response belongs to the request on its bearer")
  func parallel() {
    var scene = Scene()
    let first = scene.begin(.read(1))
    let second = scene.begin(.read(2))
    let third = scene.begin(.read(3))
    // The bearer with the larger MTU is used first.
    #expect(scene.take(Scene.enhanced) == ["0a0100"] && scene.take(.fixed) == ["0a0200"])
    scene.receive([0x0B, 22], on: .fixed)
    #expect(scene.outcomes[second] == .success(.value([22])) && scene.outcomes[first] == nil)
    #expect(scene.take(.fixed) == ["0a0300"])
    scene.receive([0x0B, 11], on: Scene.enhanced)
    scene.receive([0x0B, 33], on: .fixed)
    #expect(scene.outcomes[first] == .success(.value([11])) && scene.outcomes[third] == .success(.value([33])))
    // No request is outstanding there.
    scene.receive([0x0B, 44], on: Scene.enhanced)
    #expect(scene.outcomes.count == 3)
  }

  @Test(
    "Operations on the same attribute keep their order, and the MTU is exchanged only on the fixed channel")
  func order() {
    var scene = Scene()
    _ = scene.begin(.write(1, [5]))
    _ = scene.begin(.read(1))
    _ = scene.begin(.exchangeMTU)
    _ = scene.begin(.read(2))
    #expect(scene.take(Scene.enhanced) == ["12010005"] && scene.sent.isEmpty)
    scene.receive([0x13], on: Scene.enhanced)
    #expect(scene.take(Scene.enhanced) == ["0a0100"] && scene.sent.isEmpty)
    scene.receive([0x0B, 5], on: Scene.enhanced)
    #expect(scene.take(.fixed) == ["020502"] && scene.sent.isEmpty)
    scene.receive([0x03, 0x05, 0x02], on: .fixed)
    // Now the fixed channel has the larger MTU.
    #expect(scene.take(.fixed) == ["0a0200"])
  }

  @Test("An overdue response ends its bearer, and on the fixed channel everything")
  func timeout() {
    var scene = Scene()
    let lost = scene.begin(.read(1), on: Scene.enhanced)
    let waiting = scene.begin(.read(2), on: Scene.enhanced)
    scene.now += .seconds(30)
    #expect(scene.turn { $0.advance(to: $1, into: &$2) } == [Scene.enhanced])
    #expect(scene.outcomes == [lost: .failure(.timedOut), waiting: .failure(.timedOut)])
    #expect(!scene.client.hasTimedOut)
    let next = scene.begin(.read(3))
    #expect(scene.take(.fixed) == ["0a0300"])
    scene.now += .seconds(30)
    #expect(scene.turn { $0.advance(to: $1, into: &$2) } == [.fixed])
    #expect(scene.outcomes[next] == .failure(.timedOut) && scene.client.hasTimedOut)
  }

  @Test("An indication is confirmed on the bearer on which it arrived")
  func confirmation() {
    var scene = Scene()
    scene.receive([0x1D, 3, 0, 9], on: Scene.enhanced)
    #expect(scene.take(Scene.enhanced) == ["1e"] && scene.sent.isEmpty)
  }

  @Test(
    "A Write Command uses the first bearer that can carry it, and a signed one the fixed channel")
  func commands() {
    var scene = Scene()
    let long = [UInt8](repeating: 1, count: 30)
    _ = scene.begin(.writeWithoutResponse(1, [7]))
    _ = scene.begin(.writeWithoutResponse(1, long))
    #expect(scene.take(.fixed) == ["52010007"] && scene.take(Scene.enhanced) == ["520100" + long.hexadecimal])
    let unsigned = scene.begin(.writeSigned(1, [7]))
    #expect(scene.outcomes[unsigned] == .failure(.noSigningKey))
    let tooLong = scene.begin(.writeSigned(1, long))
    #expect(scene.outcomes[tooLong] == .failure(.tooLong(octets: 30, limit: 8)))
  }
}
