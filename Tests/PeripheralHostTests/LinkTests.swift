import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import PeripheralHost
import Testing

@Suite("Links")
struct LinkTests {
  private func configuration(links: Int, extended: Bool = false) -> HostConfiguration {
    TestAccessory.configuration(
      advertising: [
        AdvertisingSetDefinition(id: "main", kind: extended ? .extended : .legacy, data: [2, 1, 6])
      ],
      connection: ConnectionPolicy(maximumConnections: links))
  }

  private func terminated(_ handle: UInt16) -> LEAdvertisingSetTerminated {
    LEAdvertisingSetTerminated { $0.connectionHandle.rawValue = handle }
  }

  @Test("A link begins and ends, with handle zero and with the highest", arguments: [0 as UInt16, 1, 0x0EFF])
  func link(_ handle: UInt16) throws {
    let bench = try Bench.ready()
    bench.connect(handle)
    #expect(bench.events.tags == ["connected \(handle)", "stopped main"])
    let link = try #require(bench.stack.linkStates.first)
    #expect(link.handle.rawValue == handle && link.mtu == 23 && link.subscriptions.isEmpty)
    #expect(link.details.peer == .randomStatic(from: UInt64(handle) + 1) && link.details.peerType == .random)
    #expect(
      link.details.interval == .milliseconds(30) && link.details.latency == 0 && link.details.timeout == .seconds(5))
    #expect(bench.readsText(handle))
    bench.forget()
    bench.disconnect(handle)
    #expect(bench.events.tags == ["disconnected \(handle) 19", "started main"])
    #expect(bench.opcodes() == [.leSetAdvertisingEnable])
    #expect(bench.stack.linkStates.isEmpty && bench.stack.activeSets == ["main"])
  }

  @Test("The plain Connection Complete works as well")
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

  @Test("An extended set ends before its connection is reported, or after", arguments: [true, false])
  func terminationOrder(before: Bool) throws {
    let bench = try Bench.ready(.extended, configuration(links: 2, extended: true))
    if before { bench.event(terminated(0)) }
    bench.connect(0)
    if !before { bench.event(terminated(0)) }
    #expect(bench.events.tags.sorted() == ["connected 0", "started main", "stopped main"])
    #expect(bench.stack.activeSets == ["main"] && bench.stack.linkStates.count == 1)
    bench.forget()
    bench.connect(1)
    bench.event(terminated(1))
    #expect(bench.stack.activeSets == [] && bench.stack.linkStates.count == 2)
    bench.disconnect(0)
    #expect(bench.stack.activeSets == ["main"])
    #expect(bench.violations == [])
  }

  @Test("As many centrals as the profile permits, then none, then again", arguments: [false, true])
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
    #expect(bench.stack.linkStates.isEmpty && bench.stack.activeSets == ["main"])
  }

  @Test("A reused handle without an end ends the previous link")
  func handleAgain() throws {
    let bench = try Bench.ready()
    bench.connect(3)
    try bench.subscribe(TestAccessory.measurement, .notification, 3)
    bench.forget()
    bench.connect(3)
    #expect(bench.events.tags.filter { !$0.hasSuffix("main") } == ["disconnected 3 31", "connected 3"])
    #expect(bench.stack.linkStates.count == 1 && bench.stack.linkStates[0].subscriptions.isEmpty)
  }

  @Test("Only links in the peripheral role are accepted")
  func centralRole() throws {
    let bench = try Bench.ready()
    bench.event(LEEnhancedConnectionComplete { $0.role = .central })
    #expect(bench.stack.linkStates.isEmpty && bench.events.tags.isEmpty)
  }

  @Test("The end of an unknown link, and a failed end, change nothing")
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
    #expect(bench.stack.linkStates.count == 1)
  }

  @Test("A whole connection in one run of octets")
  func oneRun() throws {
    // The buffers of an ended link are never reported free.
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
    // Only the present link is answered.
    #expect(bench.attPDUs(5).count == 1)
    #expect(bench.events.tags.filter { !$0.hasSuffix("main") } == ["connected 5", "disconnected 5 0", "connected 5"])
    #expect(bench.stack.linkStates.count == 1 && bench.events.faults == [])
    bench.advance(.seconds(1))
    #expect(bench.stack.activeSets == [] && bench.violations == [])
  }

  @Test("Changes of a link are reported, those of no link are not")
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
}
