import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
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
    try bench.grant(.scan(ScanRequest()))
    try bench.grant(.connect(ConnectionRequest(to: CentralBench.peer)))
    let expected: [CommandOpcode] =
      isExtended && !wantsLegacy
      ? [.leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection]
      : [.leSetScanParameters, .leSetScanEnable, .leCreateConnection]
    #expect(bench.takeCommands() == expected)
  }

  @Test("A wish before the controller is up is not taken")
  func early() throws {
    let bench = try CentralBench()
    #expect(throws: CentralRefusal.notReady) { try bench.grant(.stopScanning) }
    #expect(throws: CentralRefusal.unknownLink(CentralBench.link)) { _ = try bench.perform(.exchangeMTU) }
  }

  @Test(
    "A controller that nothing works with is given up",
    arguments: [
      CommandOpcode.reset, .setEventMask, .leSetEventMask, .leReadBufferSize, .leSetRandomAddress,
    ])
  func essential(_ opcode: CommandOpcode) throws {
    let bench = try CentralBench()
    bench.refusals[opcode] = .commandDisallowed
    bench.start()
    #expect(bench.events.failures == [.refused(opcode, .commandDisallowed)])
    #expect(!bench.stack.isReady && bench.stack.nextDeadline == nil)
  }

  @Test("A public address that the controller has not is missed")
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
    bench.reach(try #require(bench.stack.nextDeadline))
    #expect(bench.takeCommands() == [.reset, .reset] && bench.events.failures.isEmpty)
    bench.reach(try #require(bench.stack.nextDeadline))
    #expect(bench.events.failures == [.silent(.reset, after: .seconds(4))])
  }

  @Test(
    "A controller that falls silent or breaks is brought up again, and its links are gone", arguments: [true, false])
  func restart(_ isSilent: Bool) throws {
    let bench = try CentralBench.connected()
    let id = try bench.perform(.read(3))
    if isSilent {
      bench.silent = [.leSetPHY]
      try bench.grant(.setPHY(CentralBench.link, transmit: .le2M, receive: .le2M))
      bench.reach(try #require(bench.stack.nextDeadline))
    } else {
      bench.say(HCIHardwareError { $0.hardwareCode = 7 })
    }
    #expect(bench.events.faults.count == 1 && bench.stack.linkStates.isEmpty)
    #expect(bench.events.client == [.ended(id, .failure(.closed))])
    #expect(bench.events.isReady && bench.stack.isReady)
    try bench.connect()
    #expect(bench.stack.linkStates.count == 1)
  }

  @Test("What was said before a reset is passed over, as of a host that was there before")
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
    bench.reach(try #require(bench.stack.nextDeadline))
    #expect(bench.stack.isReady && bench.events.faults.isEmpty)
  }

  // MARK: Scanning

  private func report(
    _ data: [UInt8], kind: ExtendedReportType = [.connectable], status: AdvertisingDataStatus = .complete,
    address: DeviceAddress = CentralBench.peer
  ) -> LEExtendedAdvertisingReport {
    var report = ExtendedAdvertisingReport()
    report.reportType = kind
    report.reportType.dataStatus = status
    (report.address, report.addressType, report.data, report.rssi) = (address, .random, data, -60)
    return LEExtendedAdvertisingReport { $0.reports = [report] }
  }

  private func scanning(_ filter: ScanFilter = ScanFilter()) throws -> CentralBench {
    let bench = try CentralBench()
    bench.start()
    try bench.grant(.scan(ScanRequest(filter: filter)))
    bench.events = []
    return bench
  }

  @Test("Data in parts is put together")
  func parts() throws {
    let bench = try scanning()
    bench.say(report([1, 2], status: .moreToCome))
    bench.say(report([9], address: .randomStatic(from: 5)))
    bench.say(report([3], status: .moreToCome))
    bench.say(report([4]))
    #expect(bench.events.advertisements.map(\.octets) == [[9], [1, 2, 3, 4]])
    bench.events = []
    bench.say(report([1], status: .moreToCome))
    bench.say(report([2], status: .truncated))
    #expect(bench.events.advertisements.map(\.isTruncated) == [true])
    #expect(bench.events.advertisements.map(\.octets) == [[1, 2]])
  }

  @Test("Data that never ends is cut off")
  func endlessParts() throws {
    let bench = try scanning()
    for _ in 0..<20 { bench.say(report([UInt8](repeating: 1, count: 200), status: .moreToCome)) }
    #expect(bench.events.advertisements.map(\.octets.count) == [1800, 1800])
    #expect(bench.events.advertisements.allSatisfy { $0.isTruncated })
  }

  private static let name: [UInt8] = [5, 9] + Array("Belt".utf8)
  private static let service: [UInt8] = [3, 3, 0x0D, 0x18]

  @Test(
    "A filter passes what fulfils all of it",
    arguments: [
      (ScanFilter(), true), (ScanFilter(address: CentralBench.peer), true), (ScanFilter(address: .zero), false),
      (ScanFilter(name: "Belt"), true), (ScanFilter(name: "Bel"), false),
      (ScanFilter(service: BluetoothUUID(0x180D)), true), (ScanFilter(service: BluetoothUUID(0x180F)), false),
      (ScanFilter(name: "Belt", service: BluetoothUUID(0x180D)), true),
      (ScanFilter(address: .zero, name: "Belt"), false),
    ])
  func filter(_ filter: ScanFilter, _ passes: Bool) throws {
    let bench = try scanning(filter)
    bench.say(report(Self.name + Self.service))
    #expect(bench.events.advertisements.count == (passes ? 1 : 0))
    // The name in the scan response and the service in the advertisement do as well.
    bench.events = []
    bench.say(report(Self.service, address: .randomStatic(from: 7)))
    bench.say(report(Self.name, kind: [.connectable, .scanResponse], address: .randomStatic(from: 7)))
    let isForAnybody = filter.address == nil
    #expect(bench.events.advertisements.contains { $0.isScanResponse } == (passes && isForAnybody))
  }

  @Test("Legacy reports read as extended ones")
  func legacyReports() throws {
    let bench = try CentralBench(isExtended: false)
    bench.start()
    try bench.grant(.scan(ScanRequest()))
    for type in 0...4 as ClosedRange<UInt8> {
      var report = AdvertisingReport()
      report.reportType.rawValue = type
      report.address = CentralBench.peer
      bench.say(LEAdvertisingReport { $0.reports = [report] })
    }
    let heard = bench.events.advertisements
    #expect(heard.map(\.isConnectable) == [true, true, false, false, false])
    #expect(heard.map(\.isScanResponse) == [false, false, false, false, true])
    #expect(heard.allSatisfy { $0.kind.contains(.legacy) })
  }

  @Test("A new scan ends the one before")
  func rescan() throws {
    let bench = try scanning()
    _ = bench.takeCommands()
    try bench.grant(.scan(ScanRequest(isActive: false, filtersDuplicates: true)))
    #expect(
      bench.takeCommands() == [.leSetExtendedScanEnable, .leSetExtendedScanParameters, .leSetExtendedScanEnable])
    #expect(bench.stack.isScanning)
    try bench.grant(.stopScanning)
    try bench.grant(.stopScanning)
    #expect(bench.takeCommands() == [.leSetExtendedScanEnable] && !bench.stack.isScanning)
  }

  // MARK: Connecting

  @Test("A connection that is refused, fails or is cancelled leaves room for the next")
  func failures() throws {
    let bench = try CentralBench()
    bench.start()
    bench.refusals[.leExtendedCreateConnection] = .commandDisallowed
    try bench.grant(.connect(ConnectionRequest(to: CentralBench.peer)))
    #expect(!bench.stack.isConnecting)
    bench.refusals = [:]
    try bench.grant(.connect(ConnectionRequest(to: CentralBench.peer)))
    #expect(throws: CentralRefusal.alreadyConnecting) {
      try bench.grant(.connect(ConnectionRequest(to: CentralBench.peer)))
    }
    _ = bench.takeCommands()
    try bench.grant(.cancelConnecting)
    #expect(bench.takeCommands() == [.leCreateConnectionCancel])
    bench.say(LEEnhancedConnectionComplete { $0.status = .unknownConnectionIdentifier })
    let statuses = bench.events.compactMap { if case .connectionFailed(let status) = $0 { status } else { nil } }
    #expect(statuses == [.commandDisallowed, .unknownConnectionIdentifier] && !bench.stack.isConnecting)
    try bench.connect()
    #expect(bench.stack.linkStates.map(\.details.peer) == [CentralBench.peer])
  }

  @Test("A refused command is reported")
  func refusedCommand() throws {
    let bench = try CentralBench.connected()
    bench.refusals[.leConnectionUpdate] = .unsupportedRemoteFeature
    try bench.grant(.updateParameters(CentralBench.link, LinkParameters()))
    guard case .refused(.leConnectionUpdate, .unsupportedRemoteFeature)? = bench.events.last else {
      Issue.record("\(bench.events)")
      return
    }
  }

  // MARK: ATT both ways

  @Test("Requests and responses go both ways on one bearer, with one MTU")
  func bothWays() throws {
    let bench = try CentralBench.connected()
    let id = try bench.perform(.read(3))
    #expect(bench.takeATT() == [[0x0A, 3, 0]])
    // The peripheral's client asks in between, for the MTU and for the name.
    bench.hearATT([0x02, 100, 0])
    bench.hearATT([0x0A, 3, 0])
    bench.hearATT([0x3C, 1])
    #expect(
      bench.takeATT() == [[0x03, 0x05, 0x02], [0x0B] + Array("Central".utf8), [0x01, 0x3C, 0, 0, 0x06]])
    bench.complete(4)
    #expect(bench.stack.linkStates.map(\.mtu) == [100])
    bench.hearATT([0x0B, 42])
    #expect(bench.events.client == [.ended(id, .success(.value([42])))])
    bench.hearATT([0x1D, 9, 0, 1])
    #expect(bench.takeATT() == [[0x1E]])
    #expect(bench.events.client.last == .indication(handle: 9, value: [1]))
    // Our own exchange settles the server's side too: its answers may then be longer.
    _ = try bench.perform(.exchangeMTU)
    bench.hearATT([0x03, 30, 0])
    #expect(bench.stack.linkStates.map(\.mtu) == [30])
    #expect(bench.events.faults.isEmpty)
  }

  @Test("A server that does not answer is disconnected")
  func transactionTimeout() throws {
    let bench = try CentralBench.connected()
    let id = try bench.perform(.read(3))
    bench.reach(try #require(bench.stack.nextDeadline))
    #expect(bench.now == Instant.zero + .seconds(30))
    #expect(bench.events.client == [.ended(id, .failure(.timedOut))])
    #expect(bench.events.faults == [.transactionTimeout(CentralBench.link)])
    #expect(bench.takeCommands() == [.disconnect])
  }

  @Test("The end of a link ends its operations")
  func disconnection() throws {
    let bench = try CentralBench.connected()
    let ids = [try bench.perform(.read(3)), try bench.perform(.discoverAll)]
    bench.say(
      HCIDisconnectionComplete {
        $0.connectionHandle = CentralBench.link
        $0.reason = .connectionTimeout
      })
    #expect(bench.events.client == ids.map { .ended($0, .failure(.closed)) })
    guard case .disconnected(CentralBench.link, .connectionTimeout)? = bench.events.last else {
      Issue.record("\(bench.events)")
      return
    }
    #expect(throws: CentralRefusal.unknownLink(CentralBench.link)) { _ = try bench.perform(.exchangeMTU) }
    #expect(!bench.writeCommand([1]))
  }

  // MARK: Back-pressure

  @Test("Write commands fill the buffers, wait in the backlog, and go on when there is room")
  func backPressure() throws {
    let bench = try CentralBench.connected(CentralConfiguration(writeBacklog: 2))
    var taken = 0
    while bench.writeCommand([UInt8(taken)]), taken < 100 { taken += 1 }
    // Four buffers and two in the backlog.
    #expect(taken == 6 && bench.takeATT().count == 4)
    #expect(bench.stack.freePackets == 0 && bench.events.isEmpty)
    #expect(
      bench.stack.progress(of: CentralBench.link) == SendingProgress(completed: 0, outstanding: 4, waiting: 2))
    bench.complete()
    #expect(bench.takeATT() == [[0x52, 3, 0, 4]])
    #expect(bench.events.count == 1)
    guard case .readyForMore(CentralBench.link)? = bench.events.first else {
      Issue.record("\(bench.events)")
      return
    }
    #expect(bench.writeCommand([6]) && !bench.writeCommand([7]))
    bench.complete(4)
    #expect(bench.takeATT() == [[0x52, 3, 0, 5], [0x52, 3, 0, 6]])
    #expect(
      bench.stack.progress(of: CentralBench.link) == SendingProgress(completed: 5, outstanding: 2, waiting: 0))
    bench.complete(2)
    #expect(bench.stack.progress(of: CentralBench.link).isIdle)
    #expect(bench.events.faults.isEmpty)
  }

  @Test("A value over the MTU is not sent")
  func longValue() throws {
    let bench = try CentralBench.connected()
    #expect(!bench.writeCommand([UInt8](repeating: 0, count: 21)))
    #expect(bench.takeData().isEmpty)
    #expect(bench.writeCommand([UInt8](repeating: 0, count: 20)))
  }

  // MARK: Signalling

  @Test(
    "A peripheral gets the parameters that the policy allows",
    arguments: [
      (CentralConfiguration.ParameterPolicy.accept, true), (.reject, false),
      (.acceptWithin(.milliseconds(10)...(.milliseconds(40))), true),
      (.acceptWithin(.milliseconds(10)...(.milliseconds(20))), false),
    ])
  func parameters(_ policy: CentralConfiguration.ParameterPolicy, _ accepted: Bool) throws {
    let bench = try CentralBench.connected(CentralConfiguration(parameterPolicy: policy))
    bench.hear([0x12, 7, 8, 0, 12, 0, 24, 0, 4, 0, 0x58, 0x02], on: .signalling)
    #expect(
      bench.takeData().map { Array($0[4...]) } == [[6, 0, 5, 0, 0x13, 7, 2, 0, accepted ? 0 : 1, 0]])
    #expect(bench.takeCommands() == (accepted ? [.leConnectionUpdate] : []))
    guard case .parametersRequested(_, let wish, let answer)? = bench.events.last else {
      Issue.record("\(bench.events)")
      return
    }
    #expect(
      wish == LinkParameters(intervals: .milliseconds(15)...(.milliseconds(30)), latency: 4, timeout: .seconds(6)))
    #expect(answer == accepted)
    // The same by the link layer.
    bench.say(
      LERemoteConnectionParameterRequest {
        $0.connectionHandle = CentralBench.link
        $0.intervalMinimum.rawValue = 12
        $0.intervalMaximum.rawValue = 24
        $0.timeout.rawValue = 600
      })
    #expect(
      bench.takeCommands()
        == [accepted ? .leRemoteConnectionParameterRequestReply : .leRemoteConnectionParameterRequestNegativeReply])
  }

  @Test("Parameters that no link may have are refused, other packets rejected")
  func badSignalling() throws {
    let bench = try CentralBench.connected()
    bench.hear([0x12, 7, 8, 0, 24, 0, 12, 0, 4, 0, 0x58, 0x02], on: .signalling)
    bench.hear([0x42, 8, 0, 0], on: .signalling)
    bench.hear([0x12], on: .signalling)
    #expect(
      bench.takeData().map { Array($0[8...]) } == [[0x13, 7, 2, 0, 1, 0], [0x01, 8, 2, 0, 0, 0]])
    #expect(
      bench.events.faults == [
        .malformedSignalling(CentralBench.link), .rejectedSignalling(CentralBench.link, code: 0x42),
        .malformedSignalling(CentralBench.link),
      ])
    #expect(bench.takeCommands().isEmpty)
  }

  @Test("Frames on channels that nobody listens to are handed on")
  func otherChannels() throws {
    let bench = try CentralBench.connected()
    bench.hear([0x0B, 0x01], on: .securityManager)
    bench.hear([1, 2, 3], on: ChannelID(rawValue: 0x0040))
    let frames = bench.events.compactMap {
      if case .frame(_, let channel, let payload) = $0 { (channel, payload) } else { nil }
    }
    #expect(frames.map(\.0) == [.securityManager, ChannelID(rawValue: 0x0040)])
    #expect(frames.map(\.1) == [[0x0B, 0x01], [1, 2, 3]])
    try bench.grant(.sendFrame(CentralBench.link, .securityManager, [5, 5]))
    #expect(bench.takeData().map { Array($0[4...]) } == [[2, 0, 6, 0, 5, 5]])
  }

  // MARK: Anything

  @Test("What does not fit the protocol is reported and ignored")
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
        .unknownLink(stranger), .bogusCompletion(CentralBench.link), .unexpectedAnswer(.leSetPHY),
        .unknownLink(stranger), .malformedEvent(code: 0x3E),
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
