import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import PeripheralHost
import Testing

@Suite("Links")
struct LinkTests {
  private static let wish = ConnectionPolicy.ParameterRequest(
    intervals: .milliseconds(15)...(.milliseconds(30)), latency: 4, timeout: .seconds(6), delay: .seconds(5))

  private func configuration(
    links: Int = 1, wish: ConnectionPolicy.ParameterRequest? = nil, extended: Bool = false
  ) -> HostConfiguration {
    TestAccessory.configuration(
      advertising: [
        AdvertisingSetDefinition(id: "main", kind: extended ? .extended : .legacy, data: [2, 1, 6])
      ],
      connection: ConnectionPolicy(parameterRequest: wish, maximumConnections: links))
  }

  private func terminated(_ handle: UInt16) -> LEAdvertisingSetTerminated {
    LEAdvertisingSetTerminated { $0.connectionHandle.rawValue = handle }
  }

  @Test("A link begins and ends, with handle zero and with the highest", arguments: [0 as UInt16, 1, 0x0EFF])
  func link(_ handle: UInt16) throws {
    let bench = try Bench.ready()
    bench.connect(handle)
    #expect(bench.events.tags == ["connected \(handle)", "stopped main"])
    let link = try #require(bench.stack.links.first)
    #expect(link.handle.rawValue == handle && link.mtu == 23 && link.subscriptions.isEmpty)
    #expect(link.details.peer == .randomStatic(from: UInt64(handle) + 1) && link.details.peerType == .random)
    #expect(
      link.details.interval == .milliseconds(30) && link.details.latency == 0 && link.details.timeout == .seconds(5))
    #expect(bench.readsText(handle))
    bench.forget()
    bench.disconnect(handle)
    #expect(bench.events.tags == ["disconnected \(handle) 19", "started main"])
    #expect(bench.opcodes() == [.leSetAdvertisingEnable])
    #expect(bench.stack.links.isEmpty && bench.stack.activeSets == ["main"])
  }

  @Test("The plain Connection Complete does as well")
  func plainEvent() throws {
    let bench = try Bench.ready()
    bench.event(
      LEConnectionComplete {
        $0.role = .peripheral
        $0.connectionHandle.rawValue = 7
        $0.interval.rawValue = 10
        $0.supervisionTimeout.rawValue = 10
      })
    #expect(bench.events.tags.first == "connected 7")
    #expect(bench.readsText(7))
  }

  @Test("An extended set ends before its connection is told, or after", arguments: [true, false])
  func terminationOrder(before: Bool) throws {
    let bench = try Bench.ready(.extended, configuration(links: 2, extended: true))
    if before { bench.event(terminated(0)) }
    bench.connect(0)
    if !before { bench.event(terminated(0)) }
    #expect(bench.events.tags.sorted() == ["connected 0", "started main", "stopped main"])
    #expect(bench.stack.activeSets == ["main"] && bench.stack.links.count == 1)
    bench.forget()
    bench.connect(1)
    bench.event(terminated(1))
    #expect(bench.stack.activeSets == [] && bench.stack.links.count == 2)
    bench.disconnect(0)
    #expect(bench.stack.activeSets == ["main"])
    #expect(bench.violations == [])
  }

  @Test("As many centrals as the profile allows, then none, then again", arguments: [false, true])
  func capacity(extended: Bool) throws {
    let bench = try Bench.ready(extended ? .extended : .basic, configuration(links: 3, extended: extended))
    for handle in 0..<3 as Range<UInt16> {
      #expect(bench.stack.activeSets == ["main"])
      bench.connect(handle)
      if extended { bench.event(terminated(handle)) }
    }
    #expect(bench.stack.activeSets == [])
    for handle in 0..<3 as Range<UInt16> { #expect(bench.readsText(handle)) }
    bench.disconnect(1)
    #expect(bench.stack.activeSets == ["main"])
    #expect(!bench.readsText(1) && bench.readsText(0) && bench.readsText(2))
    #expect(bench.events.faults == [.unknownConnection(ConnectionHandle(rawValue: 1))])
  }

  @Test("A connection that was never established leaves no trace")
  func failedEstablishment() throws {
    let bench = try Bench.ready()
    bench.connect(0)
    bench.disconnect(0, .connectionFailedToBeEstablished)
    #expect(bench.events.tags == ["connected 0", "stopped main", "disconnected 0 62", "started main"])
    bench.forget()
    bench.connect(0, status: .connectionFailedToBeEstablished)
    #expect(bench.events.tags == ["connection failed 62"])
    #expect(bench.stack.links.isEmpty && bench.stack.activeSets == ["main"])
  }

  @Test("A handle that comes again without an end ends the link before it")
  func handleAgain() throws {
    let bench = try Bench.ready()
    bench.connect(3)
    try bench.subscribe(TestAccessory.measurement, .notification, 3)
    bench.forget()
    bench.connect(3)
    #expect(bench.events.tags.filter { !$0.hasSuffix("main") } == ["disconnected 3 31", "connected 3"])
    #expect(bench.stack.links.count == 1 && bench.stack.links[0].subscriptions.isEmpty)
  }

  @Test("Only links where the accessory is the peripheral are taken")
  func centralRole() throws {
    let bench = try Bench.ready()
    bench.event(LEEnhancedConnectionComplete { $0.role = .central })
    #expect(bench.stack.links.isEmpty && bench.events.tags.isEmpty)
  }

  @Test("The end of an unknown link, and one that failed, change nothing")
  func unknownEnd() throws {
    let bench = try Bench.ready()
    bench.disconnect(9)
    #expect(bench.events.faults == [.unknownConnection(ConnectionHandle(rawValue: 9))])
    bench.connect(1)
    bench.event(
      HCIDisconnectionComplete {
        $0.status = .commandDisallowed
        $0.connectionHandle.rawValue = 1
      })
    #expect(bench.stack.links.count == 1)
  }

  @Test("A whole life in one run of octets")
  func oneRun() throws {
    // The buffers of a link that has ended are never reported free.
    var script = ControllerScript.basic
    script.completesPackets = false
    let bench = try Bench.ready(script)
    let read = ReadRequest(handle: bench.valueHandle(TestAccessory.text)).encodedPDU
    let begin = LEEnhancedConnectionComplete {
      $0.role = .peripheral
      $0.connectionHandle.rawValue = 5
    }
    let end = HCIDisconnectionComplete { $0.connectionHandle.rawValue = 5 }
    bench.receive(begin.h4 + Bench.acl(read, channel: 4, 5) + end.h4 + begin.h4 + Bench.acl(read, channel: 4, 5))
    #expect(bench.attPDUs(5).count == 2)
    #expect(bench.events.tags.filter { !$0.hasSuffix("main") } == ["connected 5", "disconnected 5 0", "connected 5"])
    #expect(bench.stack.links.count == 1 && bench.events.faults == [])
    bench.advance(.seconds(1))
    #expect(bench.stack.activeSets == [] && bench.violations == [])
  }

  @Test("Changes of a link are reported, of no link they are not")
  func changes() throws {
    let bench = try Bench.ready()
    bench.connect(1)
    bench.forget()
    for handle: UInt16 in [1, 2] {
      bench.event(
        LEDataLengthChange {
          $0.connectionHandle.rawValue = handle
          $0.maximumTxOctets = 251
          $0.maximumRxOctets = 100
        })
      bench.event(
        LEPHYUpdateComplete {
          $0.connectionHandle.rawValue = handle
          $0.txPHY = .le2M
          $0.rxPHY = .le1M
        })
      bench.event(
        LEConnectionUpdateComplete {
          $0.connectionHandle.rawValue = handle
          $0.interval.rawValue = 40
        })
    }
    bench.event(
      LEPHYUpdateComplete {
        $0.connectionHandle.rawValue = 1
        $0.status = .unsupportedRemoteFeature
      })
    bench.event(
      LEConnectionUpdateComplete {
        $0.connectionHandle.rawValue = 1
        $0.status = .unacceptableConnectionParameters
      })
    #expect(bench.events.count == 3)
    guard case .dataLengthChanged(_, transmit: 251, receive: 100) = bench.events[0],
      case .phyChanged(_, transmit: .le2M, receive: .le1M) = bench.events[1],
      case .parametersChanged(_, interval: .milliseconds(50), latency: 0, timeout: .zero) = bench.events[2]
    else {
      Issue.record("\(bench.events)")
      return
    }
  }

  // MARK: Parameters

  @Test("The wish for other parameters goes out after its delay, with its values")
  func parameterRequest() throws {
    let bench = try Bench.ready(.basic, configuration(wish: Self.wish))
    bench.connect(0)
    bench.advance(.milliseconds(4999))
    #expect(bench.frames.isEmpty)
    bench.advance(.milliseconds(1))
    // Code 0x12, identifier 1, 8 octets: 12 x 1.25 ms, 24 x 1.25 ms, latency 4, 600 x 10 ms.
    #expect(
      bench.frames.map(\.octets) == [[12, 0, 5, 0, 0x12, 1, 8, 0, 12, 0, 24, 0, 4, 0, 0x58, 0x02]])
    bench.advance(.seconds(3600))
    #expect(bench.frames.count == 1)
  }

  @Test("The answer to it is reported", arguments: [(0 as UInt8, true), (1, false)])
  func parameterAnswer(_ result: UInt8, _ accepted: Bool) throws {
    let bench = try Bench.ready(.basic, configuration(wish: Self.wish))
    bench.connect(0)
    bench.advance(.seconds(5))
    bench.send([0x13, 1, 2, 0, result, 0], channel: 5)
    #expect(bench.events.tags.last == "parameters \(accepted ? "accepted" : "rejected")")
    bench.event(
      LEConnectionUpdateComplete {
        $0.interval.rawValue = 12
        $0.latency = 4
        $0.supervisionTimeout.rawValue = 600
      })
    let details = bench.stack.links[0].details
    #expect(details.interval == .milliseconds(15) && details.latency == 4 && details.timeout == .seconds(6))
    bench.advance(.seconds(60))
    #expect(bench.events.faults == [])
  }

  @Test("Without an answer the link goes on")
  func parameterSilence() throws {
    let bench = try Bench.ready(.basic, configuration(wish: Self.wish))
    bench.connect(0)
    bench.advance(.seconds(35))
    #expect(bench.events.faults.count == 1)
    #expect(bench.readsText() && bench.stack.nextDeadline == nil)
  }

  /// A host that asks by the link layer, and has begun to.
  private func asking(_ answer: ControllerScript.Answer = .status(.success)) throws -> Bench {
    var script = ControllerScript.extended
    script.features.insert(.connectionParametersRequest)
    script.commands = SupportedCommands(
      ControllerScript.basicCommands + ControllerScript.longPacketCommands + ControllerScript.extendedCommands
        + [.leConnectionUpdate])
    script.answers[.leConnectionUpdate] = answer
    let bench = try Bench.ready(script, configuration(wish: Self.wish))
    bench.connect(0)
    bench.forget()
    bench.advance(.seconds(5))
    let command = LEConnectionUpdate {
      $0.intervalMinimum.rawValue = 12
      $0.intervalMaximum.rawValue = 24
      $0.maximumLatency = 4
      $0.supervisionTimeout.rawValue = 600
    }
    #expect(bench.commands == [Bench.Sent(opcode: .leConnectionUpdate, parameters: command.encoded)])
    return bench
  }

  private static let wishBySignalling: [UInt8] = [12, 0, 5, 0, 0x12, 1, 8, 0, 12, 0, 24, 0, 4, 0, 0x58, 0x02]

  @Test(
    "A controller that can ask by the link layer does, and the answer is reported",
    arguments: [(ErrorCode.success, true), (.unacceptableConnectionParameters, false)])
  func linkLayerRequest(_ status: ErrorCode, _ accepted: Bool) throws {
    let bench = try asking()
    let answer = LEConnectionUpdateComplete {
      $0.status = status
      $0.interval.rawValue = accepted ? 12 : 24
      $0.latency = accepted ? 4 : 0
      $0.supervisionTimeout.rawValue = 600
    }
    bench.event(answer)
    #expect(bench.events.tags == ["parameters \(accepted ? "accepted" : "rejected")"])
    #expect(bench.stack.links[0].details.interval == .milliseconds(accepted ? 15 : 30))
    // The next update is the central's own.
    bench.event(answer)
    #expect(bench.events.tags.count == 1)
    bench.advance(.seconds(60))
    #expect(bench.frames.isEmpty && bench.events.faults == [])
  }

  @Test("A central that does not know the link layer's procedure is asked by signalling")
  func unsupportedByCentral() throws {
    let bench = try asking()
    bench.event(LEConnectionUpdateComplete { $0.status = .unsupportedRemoteFeature })
    #expect(bench.frames.map(\.octets) == [Self.wishBySignalling] && bench.events.tags == [])
    bench.send([0x13, 1, 2, 0, 0, 0], channel: 5)
    #expect(bench.events.tags == ["parameters accepted"])
  }

  @Test("A controller that does not begin to ask leaves it to signalling")
  func refusedByController() throws {
    let bench = try asking(.status(.unsupportedRemoteFeature))
    #expect(bench.frames.map(\.octets) == [Self.wishBySignalling])
  }

  @Test("A link that ends takes its deadlines with it")
  func endedBeforeDelay() throws {
    let bench = try Bench.ready(.basic, configuration(wish: Self.wish))
    bench.connect(0)
    bench.disconnect(0)
    #expect(bench.stack.nextDeadline == nil)
  }

  @Test("The central's own wish by the link layer is taken")
  func remoteParameterRequest() throws {
    let bench = try Bench.ready()
    bench.connect(2)
    bench.forget()
    let request = LERemoteConnectionParameterRequest {
      $0.connectionHandle.rawValue = 2
      $0.intervalMinimum.rawValue = 6
      $0.intervalMaximum.rawValue = 24
      $0.maximumLatency = 3
      $0.timeout.rawValue = 321
    }
    bench.event(request)
    #expect(
      bench.commands == [
        Bench.Sent(
          opcode: .leRemoteConnectionParameterRequestReply,
          parameters: LERemoteConnectionParameterRequestReply {
            $0.connectionHandle.rawValue = 2
            $0.intervalMinimum.rawValue = 6
            $0.intervalMaximum.rawValue = 24
            $0.maximumLatency = 3
            $0.timeout.rawValue = 321
          }.encoded)
      ])
    bench.forget()
    bench.event(LERemoteConnectionParameterRequest { $0.connectionHandle.rawValue = 5 })
    #expect(bench.commands == [])
  }

  // MARK: Security and signalling

  @Test("A Pairing Request is answered with Pairing Not Supported, other packets not at all")
  func pairing() throws {
    let bench = try Bench.ready()
    bench.connect(0)
    bench.send([0x01, 3, 0, 1, 16, 7, 7], channel: 6)
    #expect(bench.frames.map(\.octets) == [[2, 0, 6, 0, 0x05, 0x05]])
    #expect(bench.events.tags.last == "pairing refused")
    bench.send([0x0B, 1], channel: 6)
    #expect(bench.frames.count == 1)
  }

  @Test("A request for a key is refused")
  func longTermKey() throws {
    let bench = try Bench.ready()
    bench.connect(4)
    bench.forget()
    bench.event(LELongTermKeyRequest { $0.connectionHandle.rawValue = 4 })
    #expect(bench.commands == [Bench.Sent(opcode: .leLongTermKeyRequestNegativeReply, parameters: [4, 0])])
  }

  @Test("Unknown signalling is rejected, unknown channels are reported")
  func signalling() throws {
    let bench = try Bench.ready()
    bench.connect(0)
    // A code that nobody has assigned, with identifier 9.
    bench.send([0x7E, 9, 2, 0, 1, 2], channel: 5)
    #expect(bench.frames.map(\.octets) == [[6, 0, 5, 0, 0x01, 9, 2, 0, 0, 0]])
    bench.send([0x14], channel: 5)
    bench.send([1, 2, 3], channel: 0x40)
    #expect(bench.frames.count == 1)
    #expect(
      bench.events.faults == [
        .signalling(.zero, "rejected code 0x7e"), .signalling(.zero, "ignored a malformed packet"),
        .unknownChannel(.zero, 0x40),
      ])
  }

  // MARK: Fragments

  @Test("Frames come in packets of any length", arguments: [1, 3, 5, 23, 27, 251, 1021])
  func fragmentsIn(_ length: Int) throws {
    let bench = try Bench.ready()
    bench.connect(0)
    bench.att(ExchangeMTURequest(clientMTU: 517))
    let value = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
    let write = WriteRequest(handle: bench.valueHandle(TestAccessory.text), value: value)
    bench.send(write.encodedPDU, channel: 4, length: length)
    #expect(bench.attPDUs().last == [ATTOpcode.writeResponse.rawValue])
    #expect(bench.stack.value(of: TestAccessory.text, at: bench.now) == value)
  }

  @Test("Frames go out in packets of the controller's length", arguments: [27 as UInt16, 69, 251])
  func fragmentsOut(_ length: UInt16) throws {
    var script = ControllerScript.basic
    script.bufferLength = length
    script.bufferCount = 2
    let bench = try Bench.ready(script)
    bench.connect(0)
    bench.att(ExchangeMTURequest(clientMTU: 517))
    let value = (0..<512).map { UInt8(truncatingIfNeeded: $0 / 3) }
    bench.att(WriteRequest(handle: bench.valueHandle(TestAccessory.text), value: value))
    bench.forget()
    #expect(
      bench.att(ReadRequest(handle: bench.valueHandle(TestAccessory.text)))
        == [[ATTOpcode.readResponse.rawValue] + value])
    #expect(bench.packets.count == (517 + Int(length) - 1) / Int(length))
    #expect(bench.packets.map(\.boundary) == [.firstFromHost] + bench.packets.dropFirst().map { _ in .continuing })
    #expect(bench.violations == [])
  }

  @Test("A fragment without a beginning is reported, and the next frame is understood")
  func strayFragment() throws {
    let bench = try Bench.ready()
    bench.connect(0)
    bench.receive([0x02, 0x00, 0x10, 2, 0, 1, 2])
    #expect(bench.events.faults.count == 1)
    bench.receive(Array(Bench.acl([0x0A, 3, 0], channel: 4, length: 5).prefix(10)))
    #expect(bench.readsText())
  }
}
