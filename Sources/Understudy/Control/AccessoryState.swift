import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import BLESMP
import PeripheralHost
import Transport

/// The state of an accessory at one moment.
public struct AccessoryState: Sendable {
  /// Its name.
  public var name: String
  /// The address that it is known by; nil until a controller is initialized.
  public var address: DeviceAddress?
  /// The type of that address.
  public var addressType: AddressType
  /// All addresses at which other hosts can join the virtual radio, in the syntax that those use.
  public var joining: [String]
  /// The advertising sets that are on the air.
  public var advertising: [String]
  /// The links and everything known about them.
  public var connections: [LinkState]
  /// The numbers of connections, and of those that failed to be established.
  public var connectionCounts: ConnectionCounts
  /// The state of the profile; nil if the profile has no states.
  public var profileState: String?
}

/// The state of a characteristic at one moment.
public struct CharacteristicState: Hashable, Sendable {
  /// Its id in the profile, and its type.
  public var name: CharacteristicName
  /// The id of its service.
  public var service: String
  /// The handle of its value.
  public var handle: UInt16
  /// What clients may do with the characteristic.
  public var properties: CharacteristicProperties
  /// The octets of its value.
  public var octets: [UInt8]
  /// Its value, decoded by its format.
  public var value: ProfileValue
}

extension Accessory {
  /// Returns the current state of the accessory.
  public func state() -> AccessoryState {
    AccessoryState(
      name: profile.name, address: stack.address, addressType: stack.addressType, joining: joiningPlaces.1,
      advertising: stack.activeSets, connections: stack.linkStates, connectionCounts: connectionCounts,
      profileState: profileState)
  }

  /// Returns the current state of every characteristic, in the order of the handles.
  public func characteristics() -> [CharacteristicState] {
    let (database, now) = (stack.server.database, loop.now())
    return database.characteristics.sorted { $0.value < $1.value }.map { record in
      let octets = stack.value(of: record.index, at: now) ?? []
      let service = database.services.first { $0.handles.contains(record.value) }
      return CharacteristicState(
        name: name(of: record.index), service: service?.id ?? "", handle: record.value,
        properties: record.definition.properties, octets: octets, value: decode(octets, of: record.index))
    }
  }

  /// Returns the current state for JSON: identity, controller, advertising, connections and their subscriptions.
  package func stateReport() -> ProfileValue {
    let (ports, joining) = joiningPlaces
    return .object([
      "name": .string(profile.name),
      "about": .string(profile.about),
      "instructions": .string(profile.instructions),
      "asleep": .bool(stack.application.isAsleep),
      "address": stack.address.map { .string($0.description) } ?? .null,
      "address_type": .string(stack.addressType.text),
      "controller": .string(options.controller.description),
      "ports": .array(ports.map { .int(Int64($0)) }),
      "joining": .array(joining.map { .string($0) }),
      "advertising": .array(stack.activeSets.map { .string($0) }),
      "connections": .array(stack.linkStates.map { connectionState($0) }),
      "connection_counts": connectionCounts.json,
      "services": serviceReport(),
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
