import BLEATT
import BLECore
import BLEGAP
import BLEHCI
import BLELink
import PeripheralHost
import Testing

@Suite("Delayed and missing responses")
struct PostponedAnswerTests {
  /// Returns a host with that policy, to which a central has just connected.
  private func connected(_ connection: ConnectionPolicy, _ script: ControllerScript = .basic) throws -> Bench {
    let bench = try Bench.ready(script, TestAccessory.configuration(connection: connection))
    bench.connect(0)
    return bench
  }

  private static let request: [UInt8] = [0x02, 0x40, 0x00]
  private static let response: [UInt8] = [3, 0, 4, 0, 0x03, 0x05, 0x02]

  @Test("An Exchange MTU Request is refused with Request Not Supported, and the MTU stays 23")
  func refusedExchange() throws {
    var policy = ConnectionPolicy()
    policy.mtuAnswer = .refuse
    let bench = try connected(policy)
    bench.forget()
    bench.send(Self.request, channel: 4)
    #expect(bench.frames.map(\.octets) == [[5, 0, 4, 0, 0x01, 0x02, 0, 0, ATTErrorCode.requestNotSupported.rawValue]])
    #expect(bench.stack.linkStates[0].mtu == 23)
    #expect(bench.readsText())
  }

  @Test("An Exchange MTU Request is ignored, and other requests are answered")
  func ignoredExchange() throws {
    var policy = ConnectionPolicy()
    policy.mtuAnswer = .ignore
    let bench = try connected(policy)
    bench.forget()
    bench.send(Self.request, channel: 4)
    bench.advance(.seconds(60))
    #expect(bench.frames.isEmpty && bench.stack.linkStates[0].mtu == 23)
    #expect(bench.readsText())
  }

  @Test("An Exchange MTU Request is answered late")
  func lateExchange() throws {
    var policy = ConnectionPolicy()
    policy.mtuAnswer = .late(.seconds(2))
    let bench = try connected(policy)
    bench.forget()
    bench.send(Self.request, channel: 4)
    bench.advance(.milliseconds(1999))
    #expect(bench.frames.isEmpty)
    bench.advance(.milliseconds(1))
    #expect(bench.frames.map(\.octets) == [Self.response])
    #expect(bench.stack.linkStates[0].mtu == 64 && bench.stack.nextDeadline == nil)
  }

  @Test("A link that ends removes its delayed responses")
  func endedBefore() throws {
    var policy = ConnectionPolicy()
    policy.mtuAnswer = .late(.seconds(2))
    policy.dataLengthDelay = .seconds(3)
    policy.parameterDelay = .seconds(4)
    let bench = try connected(policy)
    bench.send(Self.request, channel: 4)
    bench.event(Self.parameters)
    bench.disconnect(0)
    #expect(bench.stack.nextDeadline == nil)
  }

  private static let parameters = LERemoteConnectionParameterRequest {
    $0.intervalMinimum.rawValue = 6
    $0.intervalMaximum.rawValue = 24
    $0.timeout.rawValue = 321
  }

  @Test(
    "A request for other parameters is accepted or refused late",
    arguments: [
      (ConnectionPolicy.ParameterAnswer.accept, CommandOpcode.leRemoteConnectionParameterRequestReply),
      (.acceptWithin(.milliseconds(15)...(.milliseconds(30))), .leRemoteConnectionParameterRequestNegativeReply),
    ])
  func lateParameters(_ answer: ConnectionPolicy.ParameterAnswer, _ reply: CommandOpcode) throws {
    var policy = ConnectionPolicy()
    policy.parameterAnswer = answer
    policy.parameterDelay = .seconds(4)
    let bench = try connected(policy)
    bench.forget()
    bench.event(Self.parameters)
    bench.advance(.milliseconds(3999))
    #expect(bench.commands.isEmpty)
    bench.advance(.milliseconds(1))
    #expect(bench.commands.map(\.opcode) == [reply])
  }

  @Test("Long packets are suggested to the controller at once, or offered some time after connecting")
  func lateDataLength() throws {
    var script = ControllerScript.extended
    script.features.insert(.dataPacketLengthExtension)
    var policy = ConnectionPolicy(dataLength: 100)
    policy.dataLengthDelay = .seconds(3)
    let bench = try Bench(script, TestAccessory.configuration(connection: policy))
    bench.start()
    // 27 octets take 328 µs.
    let suggested = bench.commands.first { $0.opcode == .leWriteSuggestedDefaultDataLength }
    #expect(suggested?.parameters == [27, 0, 0x48, 0x01])
    bench.connect(0)
    bench.forget()
    bench.advance(.milliseconds(2999))
    #expect(bench.commands.isEmpty)
    bench.advance(.milliseconds(1))
    // 100 octets take 912 µs.
    #expect(bench.commands == [Bench.Sent(opcode: .leSetDataLength, parameters: [0, 0, 100, 0, 0x90, 0x03])])
  }
}
