import BLECore
import BLEGAP
import BLEHCI
import BLELink
import Faults
import PeripheralHost
import Testing

@Suite("Connection parameters")
struct ParameterRequestTests {
  private static let configuration = TestAccessory.configuration(
    connection: ConnectionPolicy(
      parameterRequest: ConnectionPolicy.ParameterRequest(
        intervals: .milliseconds(15)...(.milliseconds(30)), latency: 4, timeout: .seconds(6), delay: .seconds(5))))

  @Test("The request for other parameters is sent after its delay, with its values")
  func parameterRequest() throws {
    let bench = try Bench.ready(.basic, Self.configuration)
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

  @Test("Its response is reported", arguments: [(0 as UInt8, true), (1, false)])
  func parameterAnswer(_ result: UInt8, _ accepted: Bool) throws {
    let bench = try Bench.ready(.basic, Self.configuration)
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
    let details = bench.stack.linkStates[0].details
    #expect(details.interval == .milliseconds(15) && details.latency == 4 && details.timeout == .seconds(6))
    bench.advance(.seconds(60))
    #expect(bench.events.faults == [])
  }

  @Test(
    "A fault refuses the central's request, or leaves it unanswered; the next request is accepted",
    arguments: [
      (FaultAction.decline, [CommandOpcode.leRemoteConnectionParameterRequestNegativeReply]), (.ignore, []),
    ] as [(FaultAction, [CommandOpcode])])
  func parameterFault(_ action: FaultAction, _ answers: [CommandOpcode]) throws {
    var script = ControllerScript.extended
    script.features.insert(.connectionParametersRequest)
    script.commands = SupportedCommands(
      ControllerScript.basicCommands + ControllerScript.longPacketCommands + ControllerScript.extendedCommands
        + [.leRemoteConnectionParameterRequestReply, .leRemoteConnectionParameterRequestNegativeReply])
    let bench = try Bench.ready(script)
    var fault = Fault(id: "f", on: .parameters, do: action)
    fault.timing.limit = 1
    bench.stack.arm([fault], at: bench.now)
    bench.connect(0)
    let request = LERemoteConnectionParameterRequest {
      $0.intervalMinimum.rawValue = 12
      $0.intervalMaximum.rawValue = 24
      $0.timeout.rawValue = 600
    }
    bench.forget()
    bench.event(request)
    #expect(bench.commands.map(\.opcode) == answers)
    #expect(bench.events.contains { if case .injected(_, "f", _, _) = $0 { true } else { false } })
    bench.forget()
    bench.event(request)
    #expect(bench.commands.map(\.opcode) == [.leRemoteConnectionParameterRequestReply])
  }

  @Test("Without a response the link continues")
  func parameterSilence() throws {
    let bench = try Bench.ready(.basic, Self.configuration)
    bench.connect(0)
    bench.advance(.seconds(35))
    #expect(bench.events.faults.count == 1)
    #expect(bench.readsText() && bench.stack.deadline == nil)
  }

  /// Returns a host that requests by the link layer, and has begun to.
  private func asking(_ answer: ControllerScript.Answer = .status(.success)) throws -> Bench {
    var script = ControllerScript.extended
    script.features.insert(.connectionParametersRequest)
    script.commands = SupportedCommands(
      ControllerScript.basicCommands + ControllerScript.longPacketCommands + ControllerScript.extendedCommands
        + [.leConnectionUpdate])
    script.answers[.leConnectionUpdate] = answer
    let bench = try Bench.ready(script, Self.configuration)
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

  private static let requestBySignalling: [UInt8] = [12, 0, 5, 0, 0x12, 1, 8, 0, 12, 0, 24, 0, 4, 0, 0x58, 0x02]

  @Test(
    "A controller with the link-layer procedure uses it, and the response is reported",
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
    #expect(bench.stack.linkStates[0].details.interval == .milliseconds(accepted ? 15 : 30))
    // The next update is the central's own.
    bench.event(answer)
    #expect(bench.events.tags.count == 1)
    bench.advance(.seconds(60))
    #expect(bench.frames.isEmpty && bench.events.faults == [])
  }

  @Test("A central without the link layer's procedure gets the request by signalling")
  func unsupportedByCentral() throws {
    let bench = try asking()
    bench.event(LEConnectionUpdateComplete { $0.status = .unsupportedRemoteFeature })
    #expect(bench.frames.map(\.octets) == [Self.requestBySignalling] && bench.events.tags == [])
    bench.send([0x13, 1, 2, 0, 0, 0], channel: 5)
    #expect(bench.events.tags == ["parameters accepted"])
  }

  @Test("If the controller does not begin its request, signalling is used")
  func refusedByController() throws {
    let bench = try asking(.status(.unsupportedRemoteFeature))
    #expect(bench.frames.map(\.octets) == [Self.requestBySignalling])
  }

  @Test("A link that ends removes its deadlines")
  func endedBeforeDelay() throws {
    let bench = try Bench.ready(.basic, Self.configuration)
    bench.connect(0)
    bench.disconnect(0)
    #expect(bench.stack.deadline == nil)
  }

  @Test("The central's own link-layer request is accepted")
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

  @Test(
    "The central's own request is refused, ignored, or accepted within limits, according to the profile",
    arguments: [
      (ConnectionPolicy.ParameterAnswer.reject, CommandOpcode?.some(.leRemoteConnectionParameterRequestNegativeReply)),
      (.ignore, nil),
      (.acceptWithin(.milliseconds(7)...(.milliseconds(30))), .leRemoteConnectionParameterRequestReply),
      (.acceptWithin(.milliseconds(15)...(.milliseconds(30))), .leRemoteConnectionParameterRequestNegativeReply),
    ])
  func remoteParameterAnswer(_ answer: ConnectionPolicy.ParameterAnswer, _ reply: CommandOpcode?) throws {
    var connection = ConnectionPolicy()
    connection.parameterAnswer = answer
    let bench = try Bench.ready(.basic, TestAccessory.configuration(connection: connection))
    bench.connect(2)
    bench.forget()
    bench.event(
      LERemoteConnectionParameterRequest {
        $0.connectionHandle.rawValue = 2
        $0.intervalMinimum.rawValue = 6
        $0.intervalMaximum.rawValue = 24
        $0.timeout.rawValue = 321
      })
    #expect(bench.commands.map(\.opcode) == [reply].compactMap(\.self))
  }
}
