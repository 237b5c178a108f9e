import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import BLESMP
import PeripheralHost
import Transport

extension Accessory {
  /// The accessory as it is now: identity, controller, advertising, connections and what they take.
  public func state() -> ProfileValue {
    let (ports, joining) = joiningPlaces
    return .object([
      "name": .string(profile.name),
      "about": .string(profile.about),
      "address": stack.address.map { .string($0.description) } ?? .null,
      "address_type": .string(stack.addressType.text),
      "controller": .string(options.controller.description),
      "ports": .array(ports.map { .int(Int64($0)) }),
      "joining": .array(joining.map { .string($0) }),
      "advertising": .array(stack.activeSets.map { .string($0) }),
      "connections": .array(stack.linkStates.map { connectionState($0) }),
      "services": stack.server.database.servicesJSON,
    ])
  }

  private func connectionState(_ link: LinkState) -> ProfileValue {
    var fields = link.details.json
    fields["connection"] = .int(Int64(link.handle.rawValue))
    fields["mtu"] = .int(Int64(link.mtu))
    fields["phy"] = .object([
      "tx": link.carriage.transmitPHY.map { .string($0.text) } ?? .null,
      "rx": link.carriage.receivePHY.map { .string($0.text) } ?? .null,
    ])
    fields["data_length"] = .object([
      "tx": link.carriage.transmitLength.map { .int(Int64($0)) } ?? .null,
      "rx": link.carriage.receiveLength.map { .int(Int64($0)) } ?? .null,
    ])
    fields["bond"] = link.bond.map { .string($0.address.description) } ?? .null
    fields["security"] = .object(link.security.json)
    fields["subscriptions"] = .array(
      link.subscriptions.map { subscription in
        .object([
          "characteristic": .string(name(of: subscription.characteristic).id),
          "notify": .bool(subscription.configuration.contains(.notification)),
          "indicate": .bool(subscription.configuration.contains(.indication)),
        ])
      })
    return .object(fields)
  }
}
