import BLECore
import BLEGAP
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import Testing
import TestPreset
import VirtualRadio

/// The group GAP/CONN/CPUP: other connection parameters (Core 5.4 Vol 3 Part C 9.3.9, Part A 4.20, Vol 6 Part B 5.1.7).
@Suite("GAP/CONN/CPUP")
struct ParameterUpdateTests {
  private static let request = ConnectionPolicy.ParameterRequest(
    intervals: .milliseconds(60)...(.milliseconds(60)), latency: 2, timeout: .seconds(6), delay: .seconds(1))
  private static let configuration = Specimen.configuration(connection: ConnectionPolicy(parameterRequest: request))

  /// A controller without the Connection Parameters Request procedure.
  private static let withoutProcedure: ControllerConfiguration = {
    var controller = ControllerConfiguration.full
    controller.features.remove(.connectionParametersRequest)
    return controller
  }()

  private func changes(_ accessory: SpecimenAccessory) -> Int {
    accessory.events.count { if case .parametersChanged = $0 { true } else { false } }
  }

  private func answers(_ accessory: SpecimenAccessory) -> [Bool] {
    accessory.events.compactMap { if case .parametersAnswered(_, let accepted) = $0 { accepted } else { nil } }
  }

  @Test("GAP/CONN/CPUP/BV-01-C: the central accepts the parameters requested by signalling")
  func accepted() throws {
    let scene = try GAPScene(Self.configuration, phoneOn: Self.withoutProcedure)
    try scene.phone.connect(to: Specimen.address)
    #expect(scene.simulation.run(until: { changes(scene.accessory) > 0 }))
    #expect(answers(scene.accessory) == [true] && changes(scene.accessory) == 1)
    let details = try #require(scene.accessory.stack.linkStates.first?.details)
    #expect(details.interval == .milliseconds(60) && details.latency == 2 && details.timeout == .seconds(6))
    #expect(scene.phone.stack.linkStates.first?.details.interval == .milliseconds(60))
  }

  @Test("GAP/CONN/CPUP/BV-02-C: the central does not answer, and the link continues")
  func unanswered() throws {
    let scene = try RawScene(Self.configuration, on: Self.withoutProcedure)
    #expect(scene.central.next(on: .signalling) == "12010800" + "30003000" + "0200" + "5802")
    scene.simulation.run(for: .seconds(60))
    #expect(scene.central.ends == [] && changes(scene.accessory) == 0)
    try scene.central.exchange("0a 1200", "0b 74657874")
  }

  @Test("GAP/CONN/CPUP/BV-03-C: the central refuses the parameters, and the old ones stay")
  func refused() throws {
    let scene = try GAPScene(
      Self.configuration, phone: CentralConfiguration(parameterPolicy: .reject), phoneOn: Self.withoutProcedure)
    try scene.phone.connect(to: Specimen.address)
    #expect(scene.simulation.run(until: { !answers(scene.accessory).isEmpty }))
    scene.simulation.run(for: .seconds(5))
    #expect(answers(scene.accessory) == [false] && changes(scene.accessory) == 0)
    #expect(scene.accessory.stack.linkStates.map(\.details.interval) == [.milliseconds(30)])
  }

  @Test("GAP/CONN/CPUP/BV-08-C: the central makes a link-layer request, which is accepted")
  func asked() throws {
    let host = try RawHost()
    host.connect(0x40)
    let sent = host.give(
      LERemoteConnectionParameterRequest {
        $0.connectionHandle.rawValue = 0x40
        $0.intervalMinimum.rawValue = 40
        $0.intervalMaximum.rawValue = 48
        $0.maximumLatency = 1
        $0.timeout.rawValue = 300
      })
    let reply = LERemoteConnectionParameterRequestReply {
      $0.connectionHandle.rawValue = 0x40
      $0.intervalMinimum.rawValue = 40
      $0.intervalMaximum.rawValue = 48
      $0.maximumLatency = 1
      $0.timeout.rawValue = 300
    }
    #expect(sent.map { [$0.type.rawValue] + $0.octets } == [reply.h4])
    host.give(host.complete(.leRemoteConnectionParameterRequestReply, [0, 0x40, 0]))
    host.give(
      LEConnectionUpdateComplete {
        $0.connectionHandle.rawValue = 0x40
        $0.interval.rawValue = 48
        $0.latency = 1
        $0.supervisionTimeout.rawValue = 300
      })
    let details = try #require(host.accessory.stack.linkStates.first?.details)
    #expect(details.interval == .milliseconds(60) && details.latency == 1 && details.timeout == .seconds(3))
    #expect(changes(host.accessory) == 1)
  }

  @Test(
    "GAP/CONN/CPUP/BV-10-C: the accessory uses the link-layer procedure instead of signalling if both sides can",
    .enabled(if: ControllerConfiguration.underTest.features.contains(.connectionParametersRequest)))
  func askedByLinkLayer() throws {
    let scene = try RawScene(Self.configuration)
    #expect(scene.simulation.run(until: { changes(scene.accessory) > 0 }))
    scene.simulation.run(for: .seconds(60))
    let request = try #require(scene.central.parameterRequests.first)
    #expect(scene.central.parameterRequests.count == 1 && request.maximumLatency == 2)
    #expect(request.intervalMinimum.rawValue == 48 && request.intervalMaximum.rawValue == 48)
    #expect(request.timeout.rawValue == 600)
    #expect(scene.central.frames.isEmpty && answers(scene.accessory) == [true] && changes(scene.accessory) == 1)
    let details = try #require(scene.accessory.stack.linkStates.first?.details)
    #expect(details.interval == .milliseconds(60) && details.latency == 2 && details.timeout == .seconds(6))
    #expect(scene.simulation.air.takeHostFaults(of: scene.accessory.controller) == [])
  }
}
