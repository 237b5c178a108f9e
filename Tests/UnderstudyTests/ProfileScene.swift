import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import Understudy
import UnderstudyTesting

/// A profile on the virtual radio, with a central that has discovered everything in it.
struct ProfileScene {
  let accessory: SimulatedAccessory<ProfileRuntime>
  let phone: ScriptedCentral
  let link: ConnectionHandle
  let database: RemoteDatabase
  private let air = TestAir()

  init(_ lines: String) throws {
    try self.init(try Profile.load(text: "understudy: 1\nname: Test\n" + lines))
  }

  init(_ profile: Profile) throws {
    let (device, central) = (try air.accessory(profile), try air.central())
    (accessory, phone) = (device.simulated, central.simulated)
    link = try central.makeLink(to: device, LinkParameters())
    try phone.exchangeMTU(on: link)
    database = try phone.discover(on: link)
  }

  var simulation: RadioSimulation { air.radio }

  /// Returns the descriptors that a client has discovered after a value: handles and types.
  func descriptors(of uuid: UInt16) -> [RemoteDescriptor] {
    database.characteristic(BluetoothUUID(uuid))?.descriptors ?? []
  }

  func read(_ handle: UInt16) throws -> String { try phone.read(handle, on: link).hexadecimal }
}
