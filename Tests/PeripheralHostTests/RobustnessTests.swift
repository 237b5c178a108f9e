import BLEATT
import BLECore
import BLEGAP
import BLEHCI
import BLELink
import PeripheralHost
import Testing

@Suite("Robustness")
struct RobustnessTests {
  /// Checks a link that random events are unlikely to end, or that a test makes again.
  private func expectAlive(_ bench: Bench, _ handle: UInt16, _ context: String) {
    #expect(bench.readsText(handle), "\(context)")
    #expect(bench.violations == [], "\(context)")
  }

  /// Brings the bench into a state where a read can be answered, whatever random events have done to it.
  private func settle(_ bench: Bench) {
    bench.held = [:]
    bench.event(HCIHardwareError())
    bench.advance(.seconds(10))
    bench.connect(0x123)
    bench.forget()
  }

  @Test("Random events of every code never trap, and the host continues", arguments: 0..<8 as Range<UInt64>)
  func randomEvents(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed + 1)
    let bench = try Bench.ready(
      seed % 2 == 0 ? .basic : .extended,
      TestAccessory.configuration(connection: ConnectionPolicy(maximumConnections: 4)))
    let subevents = (0x01...0x25).map { UInt8($0) }
    let known: [UInt8] = [0x05, 0x08, 0x0C, 0x0E, 0x0F, 0x10, 0x13, 0x1A, 0x30, 0x57, 0x59, 0xFF]
    for round in 0..<6250 {
      let code: UInt8 =
        switch random.next() % 4 {
        case 0: 0x3E
        case 1: known.randomElement(using: &random) ?? 0
        default: UInt8(truncatingIfNeeded: random.next() >> 16)
        }
      var parameters = random.octets(Int(random.next() % 40))
      if code == 0x3E, !parameters.isEmpty { parameters[0] = subevents.randomElement(using: &random) ?? 1 }
      // Small numbers have more effects.
      for index in parameters.indices where random.next() % 3 == 0 { parameters[index] &= 0x03 }
      bench.receive([0x04, code, UInt8(parameters.count)] + parameters)
      bench.violations = []
      if bench.events.count > 1000 { bench.forget() }
      if round % 625 == 624 {
        settle(bench)
        expectAlive(bench, 0x123, "seed \(seed), round \(round)")
        bench.disconnect(0x123)
      }
    }
  }

  @Test("Random data never traps, and the host continues", arguments: 0..<4 as Range<UInt64>)
  func randomData(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed + 100)
    let bench = try Bench.ready()
    bench.connect(1)
    for _ in 0..<5000 {
      let boundary: UInt16 = [0x0000, 0x1000, 0x2000, 0x3000].randomElement(using: &random) ?? 0
      var data = random.octets(Int(random.next() % 60))
      if data.count >= 4, random.next() % 2 == 0 {
        (data[0], data[1]) = (UInt8(data.count - 4), 0)
        (data[2], data[3]) = (UInt8(4 + random.next() % 3), 0)
      }
      bench.receive([0x02] + ControllerScript.word(1 | boundary) + ControllerScript.word(UInt16(data.count)) + data)
      if bench.events.count > 1000 { bench.forget() }
    }
    #expect(bench.violations == [])
    bench.forget()
    // The start of a PDU ends any incomplete previous one.
    expectAlive(bench, 1, "seed \(seed)")
  }

  @Test("Octets in any chunks mean the same")
  func chunks() throws {
    var random = SplitMix64(seed: 3)
    var input: [UInt8] = []
    // A controller without output in between, which would be in the middle of a packet.
    var script = ControllerScript.basic
    script.bufferCount = 255
    script.completesPackets = false
    let bench = try Bench.ready(script)
    bench.connect(1)
    let read = ReadRequest(handle: bench.valueHandle(TestAccessory.text)).encodedPDU
    for _ in 0..<200 { input += Bench.acl(read, channel: 4, 1) }
    var rest = input[...]
    while !rest.isEmpty {
      let count = min(rest.count, 1 + Int(random.next() % 40))
      bench.receive(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    #expect(bench.attPDUs(1).count == 200)
    #expect(bench.events.faults == [])
    #expect(bench.stack.deadline == nil)
  }

  @Test("An incomplete packet is given up after 500 ms")
  func partialPacket() throws {
    let bench = try Bench.ready()
    bench.connect(1)
    // The beginning of an event with 100 octets of parameters.
    bench.receive([0x04, 0x3E, 100, 0x20, 0x21])
    bench.advance(.milliseconds(499))
    #expect(bench.events.faults == [])
    bench.advance(.milliseconds(1))
    #expect(bench.events.faults == [.skippedOctets(5)])
    #expect(bench.stack.deadline == nil)
    expectAlive(bench, 1, "after a partial packet")
  }

  @Test("Packets after a damaged length are received once it is given up")
  func damagedLength() throws {
    let bench = try Bench.ready()
    bench.connect(1)
    let read = ReadRequest(handle: bench.valueHandle(TestAccessory.text)).encodedPDU
    bench.receive([0x04, 0x3E, 200, 0x02] + Bench.acl(read, channel: 4, 1) + Bench.acl(read, channel: 4, 1))
    #expect(bench.attPDUs(1).isEmpty)
    bench.advance(.milliseconds(500))
    #expect(bench.attPDUs(1).count == 2)
  }

  @Test("Octets between packets are skipped and reported")
  func garbage() throws {
    let bench = try Bench.ready()
    bench.connect(1)
    let read = ReadRequest(handle: bench.valueHandle(TestAccessory.text)).encodedPDU
    bench.receive([0x00, 0xAA, 0xFF] + Bench.acl(read, channel: 4, 1))
    #expect(bench.attPDUs(1).count == 1)
    #expect(bench.events.faults == [.skippedOctets(3)])
  }

  @Test("An event of any code may have no parameters at all")
  func emptyEvents() throws {
    let bench = try Bench.ready()
    bench.connect(1)
    let read = Bench.acl(ReadRequest(handle: bench.valueHandle(TestAccessory.text)).encodedPDU, channel: 4, 1)
    for code in UInt8.min...UInt8.max {
      bench.forget()
      bench.receive([0x04, code, 0] + read)
      #expect(bench.attPDUs(1).count == 1, "code \(code)")
    }
  }

  @Test("Events that are too short are reported, and those that are too long are processed")
  func lengths() throws {
    let bench = try Bench.ready()
    for event: [UInt8] in [
      [0x05, 3, 0, 0, 0], [0x3E, 2, 0x0A, 0], [0x13, 5, 2, 0, 0, 1, 0], [0x0E, 2, 1, 0], [0x0F, 3, 0, 1, 0], [0x10, 0],
    ] {
      bench.forget()
      bench.receive([0x04] + event)
      // Such an event is accepted only if another packet follows.
      bench.receive(HCIVendorEvent().h4)
      bench.advance(.seconds(1))
      #expect(!bench.events.faults.isEmpty, "\(event)")
    }
    bench.connect(1)
    #expect(bench.stack.linkStates.count == 1)
    var update = LEConnectionUpdateComplete {
      $0.connectionHandle.rawValue = 1
      $0.interval.rawValue = 80
    }.h4
    update += [1, 2, 3]
    update[2] += 3
    bench.receive(update)
    #expect(bench.stack.linkStates[0].details.interval == .milliseconds(100))
  }

  @Test("Packets of types that LE hosts do not get are ignored")
  func otherTypes() throws {
    let bench = try Bench.ready()
    bench.connect(1)
    bench.receive([0x05, 1, 0, 2, 0, 9, 9])
    bench.receive([0x03, 1, 0, 2, 9, 9])
    expectAlive(bench, 1, "after other packets")
  }
}
