import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import Testing

@Suite("Central over a scripted controller")
struct CentralStackTests {
  // MARK: Bring-up

  @Test("The family of commands follows what the controller reports", arguments: [true, false], [true, false])
  func family(_ isExtended: Bool, _ wantsLegacy: Bool) throws {
    let bench = try CentralBench(
      CentralConfiguration(commandFamily: wantsLegacy ? .legacy : .byController), isExtended: isExtended)
    bench.start()
    #expect(bench.events.isReady && bench.stack.isReady)
    #expect(bench.stack.controller.aclLength == 251 && bench.stack.controller.aclCount == 4)
    #expect(bench.takeCommands().first == .reset)
    try bench.perform(.scan(ScanRequest()))
    try bench.perform(.connect(ConnectionRequest(to: CentralBench.peer)))
    let expected: [CommandOpcode] =
      isExtended && !wantsLegacy
      ? [.leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection]
      : [.leSetScanParameters, .leSetScanEnable, .leCreateConnection]
    #expect(bench.takeCommands() == expected)
  }

  @Test("A request before the controller is up is refused")
  func early() throws {
    let bench = try CentralBench()
    #expect(throws: HostRequestError.notReady) { try bench.perform(.stopScanning) }
    #expect(throws: HostRequestError.unknownConnection(CentralBench.link)) { _ = try bench.perform(.exchangeMTU) }
  }

  @Test(
    "An unusable controller is given up",
    arguments: [
      CommandOpcode.reset, .setEventMask, .leSetEventMask, .leReadBufferSize, .leSetRandomAddress,
    ])
  func essential(_ opcode: CommandOpcode) throws {
    let bench = try CentralBench()
    bench.refusals[opcode] = .commandDisallowed
    bench.start()
    #expect(bench.events.failures == [.refused(opcode, .commandDisallowed)])
    #expect(!bench.stack.isReady && bench.stack.deadline == nil)
  }

  @Test("A public address that the controller does not have is reported")
  func noAddress() throws {
    let bench = try CentralBench(CentralConfiguration(randomAddress: nil))
    bench.start()
    #expect(bench.events.failures == [.noPublicAddress])
  }

  @Test("A silent controller is reset once more, then given up")
  func silence() throws {
    let bench = try CentralBench()
    bench.silent = [.reset]
    bench.start()
    bench.advance(to: try #require(bench.stack.deadline))
    #expect(bench.takeCommands() == [.reset, .reset] && bench.events.failures.isEmpty)
    bench.advance(to: try #require(bench.stack.deadline))
    #expect(bench.events.failures == [.silent(.reset, after: .seconds(4))])
  }

  @Test(
    "A controller that falls silent or breaks is brought up again, and its links are lost", arguments: [true, false])
  func restart(_ isSilent: Bool) throws {
    let bench = try CentralBench.connected()
    let id = try bench.perform(.read(3))
    if isSilent {
      bench.silent = [.leSetPHY]
      try bench.perform(.setPHY(CentralBench.link, transmit: .le2M, receive: .le2M))
      bench.advance(to: try #require(bench.stack.deadline))
    } else {
      bench.say(HCIHardwareError { $0.hardwareCode = 7 })
    }
    #expect(bench.events.faults.count == 1 && bench.stack.linkStates.isEmpty)
    #expect(bench.events.client == [.ended(id, .failure(.closed))])
    #expect(bench.events.isReady && bench.stack.isReady)
    try bench.connect()
    #expect(bench.stack.linkStates.count == 1)
  }

  @Test("Output before a reset is ignored, because it belongs to an earlier host")
  func wordsFromBefore() throws {
    let bench = try CentralBench()
    bench.silent = [.reset]
    bench.start()
    bench.say(HCICommandStatus(.leSetPHY, .success))
    bench.say(
      LEEnhancedConnectionComplete {
        $0.connectionHandle = CentralBench.link
        $0.peerAddress = CentralBench.peer
      })
    bench.hearATT([0x1B, 3, 0, 1])
    bench.complete(3)
    bench.say(HCIDisconnectionComplete { $0.connectionHandle = CentralBench.link })
    #expect(bench.events.isEmpty && bench.stack.linkStates.isEmpty)
    bench.silent = []
    bench.advance(to: try #require(bench.stack.deadline))
    #expect(bench.stack.isReady && bench.events.faults.isEmpty)
  }

  // MARK: Anything

  @Test("Protocol violations are reported and ignored")
  func faults() throws {
    let bench = try CentralBench.connected()
    let stranger = ConnectionHandle(rawValue: 0x0123)
    bench.hear([1], on: .attributeProtocol, of: stranger)
    bench.complete(3)
    bench.say(HCICommandStatus(.leSetPHY, .success))
    bench.say(HCIDisconnectionComplete { $0.connectionHandle = stranger })
    bench.receive([0x04, 0x3E, 0x01, 0x03])
    #expect(
      bench.events.faults == [
        .unknownConnection(stranger), .bogusCompletion(CentralBench.link), .unexpectedAnswer(.leSetPHY),
        .unknownConnection(stranger), .malformedEvent(code: 0x3E),
      ])
  }

  @Test("No octets of a controller end the process", arguments: 0..<20 as Range<UInt64>)
  func randomController(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let bench = try CentralBench.connected()
    for _ in 0..<300 {
      var packet: [UInt8]
      let count = Int(random.upTo(30))
      let noise = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      switch random.upTo(3) {
      case 0: packet = [0x04, UInt8(truncatingIfNeeded: random.upTo(0x20)), UInt8(count)] + noise
      case 1: packet = [0x04, 0x3E, UInt8(count + 1), UInt8(truncatingIfNeeded: random.upTo(0x16))] + noise
      case 2:
        let length = count + 4
        packet = [0x02, 0x40, 0x20, UInt8(length), 0, UInt8(count), 0, UInt8(random.upTo(3) + 4), 0] + noise
      default: packet = noise
      }
      bench.receive(packet)
      if bench.stack.linkStates.isEmpty, bench.stack.isReady, !bench.stack.isConnecting { try bench.connect() }
      if random.upTo(4) == 0 { _ = try? bench.perform(.discoverAll) }
    }
    #expect(bench.events.failures.isEmpty)
  }
}
