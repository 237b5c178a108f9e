import AccessoryProfile
import BLECore
import BLEGATT
import BLELink
import PeripheralHost
import Transport

/// The fields of events about an accessory and its attributes.
extension Accessory {
  /// Decodes octets with the format of their characteristic.
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

  /// The addresses at which others can join the accessory's virtual radio.
  var joiningPlaces: (ports: [UInt16], all: [String]) {
    guard case .radio(let radio, _) = transport else { return ([], []) }
    return radio.assumeIsolated { ($0.ports, $0.addresses) }
  }
}
