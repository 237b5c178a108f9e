import BLECore
import BLEHCI
import Testing

/// Core 5.4 Vol 4 Part E 4.2, 7.3.40.
@Suite("Returning host buffers")
struct HostBufferLedgerTests {
  private static let start = Instant.zero

  private func ledger(_ count: Int) -> HostBufferLedger {
    var ledger = HostBufferLedger()
    ledger.configure(count: count)
    return ledger
  }

  private func take(_ handles: [UInt16], _ ledger: inout HostBufferLedger) {
    for handle in handles { ledger.took(ConnectionHandle(rawValue: handle)) }
  }

  /// Returns the buffers that the ledger returns at that time, command by command.
  private func returned(
    _ ledger: inout HostBufferLedger, at now: Instant = start
  ) throws -> [[CompletedPackets]] {
    var buffer = OctetBuffer()
    ledger.flush(at: now, into: &buffer)
    var deframer = H4Deframer(side: .controller)
    var commands: [[UInt8]] = []
    deframer.push(buffer.copy().span) { _, packet in commands.append(packet.withUnsafeBytes { Array($0) }) }
    return try commands.map { octets in
      #expect(octets.prefix(2) == [0x35, 0x0C])
      return try HCIHostNumberOfCompletedPackets(decoding: Array(octets[3...])).completed
    }
  }

  private func entry(_ handle: UInt16, _ count: UInt16) -> CompletedPackets {
    CompletedPackets(ConnectionHandle(rawValue: handle), count: count)
  }

  @Test("without flow control nothing is counted or sent", arguments: [0, -1])
  func off(count: Int) throws {
    var ledger = ledger(count)
    take(Array(repeating: 0, count: 100), &ledger)
    #expect(!ledger.isOn && ledger.nextDeadline == nil)
    #expect(try returned(&ledger, at: Self.start + .seconds(100)) == [])
  }

  @Test(
    "a batch is returned at once; with few buffers, batches are smaller",
    arguments: [(64, 4), (8, 4), (7, 3), (4, 2), (3, 1), (2, 1), (1, 1)])
  func batches(count: Int, batch: Int) throws {
    var ledger = ledger(count)
    for _ in 1...batch {
      #expect(try returned(&ledger) == [])
      take([0], &ledger)
    }
    #expect(try returned(&ledger) == [[entry(0, UInt16(batch))]])
    #expect(ledger.nextDeadline == nil)
    #expect(try returned(&ledger, at: Self.start + .seconds(1)) == [])
  }

  @Test("packets of one read are returned in one command, with the counts of all connections")
  func connections() throws {
    var ledger = ledger(64)
    take([3, 0, 3, 3, 7, 0], &ledger)
    #expect(try returned(&ledger) == [[entry(3, 3), entry(0, 2), entry(7, 1)]])
    #expect(try returned(&ledger) == [])
  }

  @Test("a few wait briefly, and not longer for later ones")
  func patience() throws {
    var ledger = ledger(64)
    take([1], &ledger)
    #expect(try returned(&ledger) == [])
    let deadline = Self.start + HostBufferLedger.patience
    #expect(ledger.nextDeadline == deadline)
    take([2], &ledger)
    #expect(try returned(&ledger, at: Self.start + .milliseconds(9)) == [])
    #expect(ledger.nextDeadline == deadline)
    #expect(try returned(&ledger, at: deadline) == [[entry(1, 1), entry(2, 1)]])
    #expect(ledger.nextDeadline == nil)
  }

  @Test("nothing is returned for ended connections")
  func disconnection() throws {
    var ledger = ledger(64)
    take([1, 2, 1], &ledger)
    #expect(try returned(&ledger) == [])
    ledger.disconnect(ConnectionHandle(rawValue: 1))
    #expect(ledger.nextDeadline != nil)
    take([2, 2], &ledger)
    #expect(try returned(&ledger) == [])
    take([2], &ledger)
    #expect(try returned(&ledger) == [[entry(2, 4)]])
    take([5], &ledger)
    _ = try returned(&ledger)
    ledger.disconnect(ConnectionHandle(rawValue: 5))
    #expect(ledger.nextDeadline == nil)
    #expect(try returned(&ledger, at: Self.start + .seconds(1)) == [])
  }

  @Test("a refusal is expected once, if the connection ended while the command was pending")
  func refusal() throws {
    var ledger = ledger(2)
    take([1], &ledger)
    _ = try returned(&ledger)
    var wasExpected = [ledger.refused()]
    ledger.disconnect(ConnectionHandle(rawValue: 2))
    wasExpected.append(ledger.refused())
    ledger.disconnect(ConnectionHandle(rawValue: 1))
    wasExpected += [ledger.refused(), ledger.refused()]
    #expect(wasExpected == [false, false, true, false])
  }

  @Test("more connections than one command has room for need several commands")
  func manyConnections() throws {
    var ledger = ledger(1000)
    take((0..<200).map { UInt16($0) }, &ledger)
    let commands = try returned(&ledger)
    #expect(commands.map(\.count) == [63, 63, 63, 11])
    #expect(commands.joined().map(\.connectionHandle.rawValue) == Array(0..<200))
  }

  @Test("after a restart nothing is owed")
  func reset() throws {
    var ledger = ledger(64)
    take([1, 1], &ledger)
    _ = try returned(&ledger)
    ledger.configure(count: 64)
    #expect(ledger.nextDeadline == nil)
    #expect(try returned(&ledger, at: Self.start + .seconds(1)) == [])
  }
}
