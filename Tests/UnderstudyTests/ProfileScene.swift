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

/// A profile on the virtual radio, with a central that has discovered all of it.
struct ProfileScene {
  let simulation: RadioSimulation
  let accessory: SimulatedAccessory<ProfileRuntime>
  let phone: ScriptedCentral
  let link: ConnectionHandle
  let database: RemoteDatabase

  init(_ lines: String) throws {
    try self.init(try Profile.load(text: "understudy: 1\nname: Test\n" + lines))
  }

  init(_ profile: Profile) throws {
    simulation = RadioSimulation(seed: 1)
    accessory = try simulation.addAccessory(
      profile.hostConfiguration(seed: 1), application: ProfileRuntime(profile: profile))
    phone = try simulation.addCentral()
    try accessory.start()
    try phone.start()
    let found = try phone.find(ScanFilter(name: profile.name))
    link = try phone.connect(to: found.address)
    try phone.exchangeMTU(on: link)
    database = try phone.discover(on: link)
  }

  /// What a client has discovered behind a value: handles and types.
  func descriptors(of uuid: UInt16) -> [RemoteDescriptor] {
    database.characteristic(BluetoothUUID(uuid))?.descriptors ?? []
  }

  func read(_ handle: UInt16) throws -> String { try phone.read(handle, on: link).hexadecimal }
}
