import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import Testing

@Suite("Links of a central")
struct CentralLinkTests {
  // MARK: Connecting

  @Test("A connection that is refused, fails or is canceled leaves room for the next")
  func failures() throws {
    let bench = try CentralBench()
    bench.start()
    bench.refusals[.leExtendedCreateConnection] = .commandDisallowed
    try bench.perform(.connect(ConnectionRequest(to: CentralBench.peer)))
    #expect(!bench.stack.isConnecting)
    bench.refusals = [:]
    try bench.perform(.connect(ConnectionRequest(to: CentralBench.peer)))
    #expect(throws: HostRequestError.alreadyConnecting) {
      try bench.perform(.connect(ConnectionRequest(to: CentralBench.peer)))
    }
    _ = bench.takeCommands()
    try bench.perform(.cancelConnecting)
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
    try bench.perform(.updateParameters(CentralBench.link, LinkParameters()))
    guard case .refused(.leConnectionUpdate, .unsupportedRemoteFeature)? = bench.events.last else {
      Issue.record("\(bench.events)")
      return
    }
  }

  // MARK: ATT both ways

  @Test("Requests and responses pass in both directions on one bearer, with one MTU")
  func bothWays() throws {
    let bench = try CentralBench.connected()
    let id = try bench.perform(.read(3))
    #expect(bench.takeATT() == [[0x0A, 3, 0]])
    // Meanwhile the peripheral's client exchanges the MTU and requests the name.
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
    // Our own exchange also sets the server's MTU: its responses may then be longer.
    _ = try bench.perform(.exchangeMTU)
    bench.hearATT([0x03, 30, 0])
    #expect(bench.stack.linkStates.map(\.mtu) == [30])
    #expect(bench.events.faults.isEmpty)
  }

  @Test("A server that does not respond is disconnected")
  func transactionTimeout() throws {
    let bench = try CentralBench.connected()
    let id = try bench.perform(.read(3))
    bench.advance(to: try #require(bench.stack.deadline))
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
    #expect(throws: HostRequestError.unknownConnection(CentralBench.link)) { _ = try bench.perform(.exchangeMTU) }
    #expect(!bench.writeCommand([1]))
  }

  // MARK: Back-pressure

  @Test("Write commands fill the buffers, wait in the backlog, and continue when there is room")
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
    "A peripheral gets the parameters that the policy permits",
    arguments: [
      (LinkPolicy.ParameterPolicy.accept, true), (.reject, false),
      (.acceptWithin(.milliseconds(10)...(.milliseconds(40))), true),
      (.acceptWithin(.milliseconds(10)...(.milliseconds(20))), false),
    ])
  func parameters(_ policy: LinkPolicy.ParameterPolicy, _ accepted: Bool) throws {
    let bench = try CentralBench.connected(CentralConfiguration(parameterPolicy: policy))
    bench.hear([0x12, 7, 8, 0, 12, 0, 24, 0, 4, 0, 0x58, 0x02], on: .signalling)
    #expect(
      bench.takeData().map { Array($0[4...]) } == [[6, 0, 5, 0, 0x13, 7, 2, 0, accepted ? 0 : 1, 0]])
    #expect(bench.takeCommands() == (accepted ? [.leConnectionUpdate] : []))
    guard case .parametersRequested(_, let request, let answer)? = bench.events.last else {
      Issue.record("\(bench.events)")
      return
    }
    #expect(
      request == LinkParameters(intervals: .milliseconds(15)...(.milliseconds(30)), latency: 4, timeout: .seconds(6)))
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

  @Test("Invalid parameters are refused, other packets rejected")
  func badSignalling() throws {
    let bench = try CentralBench.connected()
    bench.hear([0x12, 7, 8, 0, 24, 0, 12, 0, 4, 0, 0x58, 0x02], on: .signalling)
    bench.hear([0x42, 8, 0, 0], on: .signalling)
    bench.hear([0x12], on: .signalling)
    #expect(
      bench.takeData().map { Array($0[8...]) } == [[0x13, 7, 2, 0, 1, 0], [0x01, 8, 2, 0, 0, 0]])
    #expect(
      bench.events.faults == [
        .signalling(CentralBench.link, "refused invalid connection parameters"),
        .signalling(CentralBench.link, "rejected code 0x42"),
        .signalling(CentralBench.link, "ignored a malformed packet"),
      ])
    #expect(bench.takeCommands().isEmpty)
  }

  @Test("Frames on unused channels are passed on")
  func otherChannels() throws {
    let bench = try CentralBench.connected()
    bench.hear([0x0B, 0x01], on: .securityManager)
    bench.hear([1, 2, 3], on: ChannelID(rawValue: 0x0040))
    let frames = bench.events.compactMap {
      if case .frame(_, let channel, let payload) = $0 { (channel, payload) } else { nil }
    }
    #expect(frames.map(\.0) == [.securityManager, ChannelID(rawValue: 0x0040)])
    #expect(frames.map(\.1) == [[0x0B, 0x01], [1, 2, 3]])
    try bench.perform(.sendFrame(CentralBench.link, .securityManager, [5, 5]))
    #expect(bench.takeData().map { Array($0[4...]) } == [[2, 0, 6, 0, 5, 5]])
  }
}
