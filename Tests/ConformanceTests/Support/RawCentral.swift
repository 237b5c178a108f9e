import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import TestPreset
import Testing
import VirtualRadio

/// A central of LE without a host.
final class RawCentral: RawDevice {
  /// The accessory's link-layer parameter requests, which are accepted.
  private(set) var parameterRequests: [LERemoteConnectionParameterRequest] = []
  let address: DeviceAddress

  /// A central on a new controller.
  init(on simulation: RadioSimulation) throws {
    let controller = simulation.air.addController(configuration: .full)
    address = .randomStatic(from: 0xAB00 + UInt64(controller.rawValue))
    let configuration = try #require(simulation.air.configuration(of: controller))
    super.init(
      on: simulation, controller, packetLength: Int(configuration.aclDataLength),
      packetCount: Int(configuration.aclPacketCount))
    simulation.add(self)
  }

  override func take(_ event: EventPacket, _ parameters: Span<UInt8>) {
    switch (event.code, event.subevent) {
    case (.leMeta, .leEnhancedConnectionComplete?):
      guard let made = try? LEEnhancedConnectionComplete(decoding: parameters), made.status == .success else { break }
      connected(made.connectionHandle)
    case (.leMeta, .leRemoteConnectionParameterRequest?):
      guard let request = try? LERemoteConnectionParameterRequest(decoding: parameters) else { break }
      parameterRequests.append(request)
      let reply = LERemoteConnectionParameterRequestReply {
        $0.connectionHandle = request.connectionHandle
        $0.intervalMinimum = request.intervalMinimum
        $0.intervalMaximum = request.intervalMaximum
        $0.maximumLatency = request.maximumLatency
        $0.timeout = request.timeout
      }
      out.append(reply.h4.span)
    default: break
    }
  }

  /// Resets its controller and connects to the accessory.
  func connect() throws {
    try command(HCIReset())
    try command(HCISetEventMask { $0.eventMask = EventMask(rawValue: .max) })
    try command(LESetEventMask { $0.eventMask = LEEventMask(rawValue: .max) })
    try command(LESetRandomAddress { $0.address = address })
    try command(
      LECreateConnection {
        $0.peerAddressType = .random
        $0.peerAddress = Specimen.address
        $0.ownAddressType = .random
        $0.intervalMinimum.rawValue = 24
        $0.intervalMaximum.rawValue = 24
        $0.supervisionTimeout.rawValue = 400
      })
    let isConnected = simulation.run(until: { link != nil })
    try #require(isConnected, "no connection")
  }
}

/// The accessory and a central without a host, connected.
struct RawScene {
  let simulation = RadioSimulation()
  let accessory: SpecimenAccessory
  let central: RawCentral

  init(
    _ configuration: HostConfiguration = Specimen.configuration(), on controller: ControllerConfiguration = .underTest
  ) throws {
    accessory = try simulation.addSpecimen(configuration, on: controller)
    central = try RawCentral(on: simulation)
    try central.connect()
  }

  /// Returns the value of a characteristic, regardless of permissions.
  func value(_ index: CharacteristicIndex) -> [UInt8]? { accessory.stack.value(of: index, at: simulation.now) }

  /// The accessory's name for the link.
  var link: ConnectionHandle {
    get throws { try #require(accessory.stack.linkStates.first?.handle) }
  }
}
