import AccessoryProfile
import BLECore
import BLEGATT
import BLELink
import PeripheralHost
import Transport

/// What events say of an accessory and of what is in it.
extension Accessory {
  /// Octets as the format of their characteristic reads them.
  func decode(_ octets: [UInt8], of index: CharacteristicIndex) -> ProfileValue {
    stack.server.database[index].belongsToApplication ? stack.application.decode(octets, of: index) : .octets(octets)
  }

  func name(of characteristic: CharacteristicIndex) -> CharacteristicName {
    let definition = stack.server.database[characteristic].definition
    return CharacteristicName(id: definition.id, uuid: definition.uuid)
  }

  func readyReport(_ sets: [String]) -> ReadyReport {
    let (ports, joining) = joiningPlaces
    return ReadyReport(
      name: profile.name, address: stack.address ?? .zero, addressType: stack.addressType,
      controller: options.controller.description, ports: ports, joining: joining, sets: sets,
      instructions: profile.instructions)
  }

  /// Where others can join the virtual radio that it is on.
  var joiningPlaces: (ports: [UInt16], all: [String]) {
    guard case .radio(let radio, _) = transport else { return ([], []) }
    return radio.assumeIsolated { ($0.ports, $0.addresses) }
  }
}
