import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import BLESMP
import PeripheralHost
import Transport

/// An accessory at one moment.
public struct AccessoryState: Sendable {
  /// Its name.
  public var name: String
  /// The address it is known under; nil before a controller is up.
  public var address: DeviceAddress?
  /// The kind of that address.
  public var addressType: AddressType
  /// All places where other hosts can join the virtual radio, as those would write them.
  public var joining: [String]
  /// The advertising sets that are on the air.
  public var advertising: [String]
  /// The links with all that is known of them.
  public var connections: [LinkState]
  /// How many connections there were, and how many failed to be established.
  public var connectionCounts: ConnectionCounts
  /// The state that the profile is in; nil where it has none.
  public var profileState: String?
}

/// A characteristic at one moment.
public struct CharacteristicState: Hashable, Sendable {
  /// Its id in the profile, and what kind of value it holds.
  public var name: CharacteristicName
  /// The id of its service.
  public var service: String
  /// The handle of its value.
  public var handle: UInt16
  /// What clients may do with it.
  public var properties: CharacteristicProperties
  /// The octets of its value.
  public var octets: [UInt8]
  /// Its value, as its format reads the octets.
  public var value: ProfileValue
}

extension Accessory {
  /// The accessory as it is now.
  public func state() -> AccessoryState {
    AccessoryState(
      name: profile.name, address: stack.address, addressType: stack.addressType, joining: joiningPlaces.1,
      advertising: stack.activeSets, connections: stack.linkStates, connectionCounts: connectionCounts,
      profileState: profileState)
  }

  /// Every characteristic as it is now, in the order of the handles.
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

  /// The accessory as it is now, for JSON: identity, controller, advertising, connections and what they take.
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
