import BLECore
import BLEHCI
import Testing

@Suite struct CommandQueueTests {
  private static let start = Instant(nanoseconds: 1_000_000_000)

  /// A queue with its output and its clock.
  private struct Bench {
    var queue = CommandQueue()
    var now = CommandQueueTests.start

    /// Returns what the queue sends now.
    mutating func send() -> [UInt8] {
      var out = OctetBuffer()
      queue.send(into: &out, at: now)
      return out.copy()
    }

    mutating func receive(_ event: some HCIEvent) throws -> CommandAnswer? {
      let h4 = event.h4
      let packet = h4.span.extracting(1..<h4.count)
      return queue.receive(try EventPacket(packet), in: packet)
    }
  }

  private static func complete(_ opcode: CommandOpcode, grant: UInt8 = 1) -> HCICommandComplete {
    HCICommandComplete {
      $0.opcode = opcode
      $0.commandPackets = grant
      $0.returnParameters = [0x00]
    }
  }

  @Test("One command at a time, however many the controller permits")
  func oneAtATime() throws {
    var bench = Bench()
    bench.queue.enqueue(HCIReset())
    bench.queue.enqueue(LERand())
    bench.queue.enqueue(HCIDisconnect())
    #expect(bench.send() == HCIReset().h4)
    #expect(bench.queue.outstanding == .reset)
    #expect(bench.send().isEmpty)
    #expect(try bench.receive(Self.complete(.reset, grant: 10)) == .complete(.reset, returnParameters: 5..<6))
    #expect(bench.send() == LERand().h4)
    #expect(bench.send().isEmpty)
    #expect(bench.queue.waitingCount == 1)
    #expect(try bench.receive(Self.complete(.leRand)) == .complete(.leRand, returnParameters: 5..<6))
    #expect(bench.send() == HCIDisconnect().h4)
    #expect(try bench.receive(HCICommandStatus(.disconnect, .success)) == .status(.disconnect, .success))
    #expect(bench.queue.isIdle)
    #expect(bench.queue.nextDeadline == nil)
  }

  @Test("An unknown command is answered by its status")
  func unknownCommand() throws {
    var bench = Bench()
    bench.queue.enqueue(HCIReadBufferSize())
    _ = bench.send()
    #expect(
      try bench.receive(HCICommandStatus(.readBufferSize, .unknownHCICommand))
        == .status(.readBufferSize, .unknownHCICommand))
    #expect(bench.queue.isIdle)
  }

  @Test("Without a permission the next command waits for one")
  func withheldGrant() throws {
    var bench = Bench()
    bench.queue.enqueue(HCIReset())
    bench.queue.enqueue(LERand())
    _ = bench.send()
    _ = try bench.receive(Self.complete(.reset, grant: 0))
    #expect(bench.send().isEmpty)
    #expect(bench.queue.nextDeadline == bench.now + .seconds(2))
    #expect(try bench.receive(HCICommandComplete { $0.commandPackets = 0 }) == .granted)
    #expect(bench.send().isEmpty)
    #expect(try bench.receive(HCICommandComplete()) == .granted)
    #expect(bench.send() == LERand().h4)
  }

  @Test("A permission by Command Status counts, too")
  func grantByStatus() throws {
    var bench = Bench()
    bench.queue.enqueue(HCIReset())
    bench.queue.enqueue(LERand())
    _ = bench.send()
    _ = try bench.receive(Self.complete(.reset, grant: 0))
    #expect(try bench.receive(HCICommandStatus(.none, .success)) == .granted)
    #expect(bench.send() == LERand().h4)
  }

  @Test("If a permission does not come in time, the controller is stuck")
  func missingGrant() throws {
    var bench = Bench()
    bench.queue.enqueue(HCIReset())
    bench.queue.enqueue(LERand())
    _ = bench.send()
    _ = try bench.receive(Self.complete(.reset, grant: 0))
    _ = bench.send()
    bench.now += .seconds(2)
    #expect(bench.queue.advance(to: bench.now) == .noGrant(.leRand))
    #expect(bench.queue.advance(to: bench.now) == nil)
    #expect(bench.send().isEmpty)
  }

  @Test("A controller may announce itself before its first answer, even while that is due")
  func greeting() throws {
    var bench = Bench()
    #expect(try bench.receive(HCICommandComplete()) == .granted)
    bench.queue.enqueue(HCIReset())
    #expect(bench.send() == HCIReset().h4)
    #expect(try bench.receive(HCICommandComplete()) == .granted)
    #expect(bench.send().isEmpty)
    #expect(try bench.receive(Self.complete(.reset)) == .complete(.reset, returnParameters: 5..<6))
  }

  @Test("An announcement after a later reset is also expected")
  func greetingAfterReset() throws {
    var bench = Bench()
    bench.queue.enqueue(LERand())
    bench.queue.enqueue(HCIReset())
    _ = bench.send()
    _ = try bench.receive(Self.complete(.leRand))
    _ = bench.send()
    #expect(try bench.receive(HCICommandComplete()) == .granted)
    #expect(try bench.receive(Self.complete(.reset)) == .complete(.reset, returnParameters: 5..<6))
  }

  @Test("An unexpected permission is reported, because the controller may have restarted", arguments: [false, true])
  func unexplainedGrant(whileWaiting: Bool) throws {
    var bench = Bench()
    bench.queue.enqueue(HCIReset())
    _ = bench.send()
    _ = try bench.receive(Self.complete(.reset))
    bench.queue.enqueue(LERand())
    if whileWaiting { _ = bench.send() }
    #expect(try bench.receive(HCICommandComplete()) == .unexplainedGrant)
    // It is not an answer, and does not permit a second command besides the pending one.
    #expect(bench.send() == (whileWaiting ? [] : LERand().h4))
    #expect(bench.queue.outstanding == .leRand)
    #expect(try bench.receive(Self.complete(.leRand)) == .complete(.leRand, returnParameters: 5..<6))
  }

  @Test("A reset drops every command and all permissions of the controller")
  func reset() throws {
    var bench = Bench()
    bench.queue.enqueue(HCIReset())
    bench.queue.enqueue(LERand())
    _ = bench.send()
    _ = try bench.receive(Self.complete(.reset, grant: 0))
    bench.queue.reset()
    #expect(bench.queue.isIdle)
    #expect(bench.queue.nextDeadline == nil)
    #expect(try bench.receive(HCICommandComplete()) == .granted)
    bench.queue.enqueue(HCIReset())
    #expect(bench.send() == HCIReset().h4)
  }

  @Test("A silent controller is detected, once, and gets nothing more")
  func silence() throws {
    var bench = Bench()
    bench.queue.enqueue(HCIReset())
    bench.queue.enqueue(LERand())
    #expect(bench.queue.nextDeadline == nil)
    _ = bench.send()
    #expect(bench.queue.nextDeadline == Self.start + .seconds(2))
    bench.now = Self.start + .seconds(2) - .nanoseconds(1)
    #expect(bench.queue.advance(to: bench.now) == nil)
    bench.now += .nanoseconds(1)
    #expect(bench.queue.advance(to: bench.now) == .noAnswer(.reset))
    #expect(bench.queue.advance(to: bench.now) == nil)
    #expect(bench.queue.nextDeadline == nil)
    #expect(bench.send().isEmpty)
    #expect(try bench.receive(Self.complete(.reset)) == .unexpected(.reset))
    #expect(bench.send().isEmpty)
    #expect(try bench.receive(HCICommandComplete()) == .granted)
    #expect(bench.send().isEmpty)
  }

  @Test("A host that was delayed gives the controller the time again, because the answer may be unread")
  func heldUp() throws {
    var bench = Bench()
    bench.queue.enqueue(LERand())
    _ = bench.send()
    bench.now = Self.start + .milliseconds(2011)
    #expect(bench.queue.advance(to: bench.now) == nil)
    #expect(bench.queue.nextDeadline == bench.now + .seconds(2))
    var answered = bench
    #expect(try answered.receive(Self.complete(.leRand)) == .complete(.leRand, returnParameters: 5..<6))
    #expect(answered.queue.nextDeadline == nil)
    bench.now += .milliseconds(2010)
    #expect(bench.queue.advance(to: bench.now) == .noAnswer(.leRand))
  }

  @Test("A host that is delayed every time finally gives up")
  func heldUpForEver() {
    var bench = Bench()
    bench.queue.enqueue(LERand())
    _ = bench.send()
    for _ in 0..<5 {
      bench.now += .seconds(3)
      #expect(bench.queue.advance(to: bench.now) == nil)
    }
    bench.now += .seconds(3)
    #expect(bench.queue.advance(to: bench.now) == .noAnswer(.leRand))
  }

  @Test("The owner selects the timeout")
  func timeout() {
    var bench = Bench(queue: CommandQueue(timeout: .milliseconds(500)))
    bench.queue.enqueue(HCIReset())
    _ = bench.send()
    #expect(bench.queue.nextDeadline == Self.start + .milliseconds(500))
    bench.queue.reset()
    #expect(bench.queue.timeout == .milliseconds(500))
  }

  @Test("Unexpected answers change nothing")
  func unexpectedAnswers() throws {
    var bench = Bench()
    #expect(try bench.receive(Self.complete(.leRand)) == .unexpected(.leRand))
    bench.queue.enqueue(HCIReset())
    _ = bench.send()
    #expect(try bench.receive(Self.complete(.leRand, grant: 5)) == .unexpected(.leRand))
    #expect(try bench.receive(HCICommandStatus(.disconnect, .success)) == .unexpected(.disconnect))
    #expect(bench.queue.outstanding == .reset)
    #expect(bench.send().isEmpty)
  }

  @Test("Events too short for an answer change nothing, and others are not for the queue")
  func otherEvents() throws {
    var bench = Bench()
    for octets in [[0x0E, 0x02, 0x01, 0x03], [0x0F, 0x03, 0x00, 0x01, 0x03], [0x0E, 0x00]] as [[UInt8]] {
      #expect(bench.queue.receive(try EventPacket(octets.span), in: octets.span) == .malformed)
    }
    #expect(try bench.receive(LEScanTimeout()) == nil)
    #expect(try bench.receive(HCIDisconnectionComplete()) == nil)
  }

  @Test("The owner can pass on its own packets")
  func rawPackets() throws {
    var bench = Bench()
    let opcode = CommandOpcode(rawValue: 0xFC42)
    bench.queue.enqueue(opcode, packet: [0x01, 0x42, 0xFC, 0x00])
    #expect(bench.send() == [0x01, 0x42, 0xFC, 0x00])
    #expect(try bench.receive(Self.complete(opcode)) == .complete(opcode, returnParameters: 5..<6))
  }
}
