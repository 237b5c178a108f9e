import AccessoryProfile
import BLECore
import BLEGAP
import BLEHCI
import Capture
import CentralHost
import PeripheralHost
import Simulation
import UnderstudyTesting

@testable import Learning
@testable import Proxying

/// A client and an accessory that cannot hear each other, with a proxy between them.
final class ProxyAir {
  let air: TestAir
  let accessory: TestAccessory
  let front: SimulatedAccessory<NoApplication>
  let back: ScriptedCentral
  let client: ScriptedCentral
  private(set) var proxy: AccessoryProxy?
  private(set) var reports: [String] = []
  let tape: PacketTape

  /// Creates the air with an accessory of a shipped profile. The proxy and the client know a passkey, or pair without one.
  init(_ profile: String, passkey: UInt32? = nil, clientPasskey: UInt32? = nil) throws {
    air = TestAir(seed: 7)
    let radio = air.radio
    let loaded = try Profile.load(profile)
    accessory = try air.accessory(loaded)
    back = try radio.addCentral(.proxy(passkey: passkey, address: 0xCE1E))
    tape = PacketTape(of: back, epoch: 1_767_225_600_000_000_000)
    back.user = .accepts(passkey: passkey)
    try back.start()
    let heard = try back.hear { [accessory] in accessory.hasSent($0) && $0.isConnectable }
    front = try radio.addAccessory(loaded.proxyConfiguration(passkey: passkey, seed: 7), application: NoApplication())
    client = try radio.addCentral(TestCentral.configuration(.randomStatic(from: 0xCE77)))
    client.user = .accepts(passkey: clientPasskey ?? passkey)
    for other in [front.controller, client.controller] {
      radio.air.setReachable(accessory.simulated.controller, other, false)
    }
    radio.air.setReachable(front.controller, back.controller, false)
    let filter = DeviceFilter("\(heard.address)")
    proxy = AccessoryProxy(front, back, to: heard, filter) { [unowned self] in reports.append($0) }
    try front.start()
    try client.start()
  }

  /// What the proxy has done.
  var counts: AccessoryProxy.Counts { proxy?.counts ?? AccessoryProxy.Counts() }

  /// Connects the client to the proxy.
  func connect() throws -> ConnectionHandle {
    let heard = try client.hear { $0.isConnectable }
    return try client.connect(
      ConnectionRequest(to: heard.address, type: heard.addressType, parameters: LinkParameters(timeout: .seconds(4))))
  }

  /// Lets virtual time pass until a condition holds.
  @discardableResult
  func wait(until condition: () -> Bool) -> Bool { air.radio.run(until: condition, limit: .seconds(60)) }
}
