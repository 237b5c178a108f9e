import AccessoryProfile
import BLECore
import BLELink

/// What a central keeps: its identity, its bonds, and the devices that it knows by identifiers of its own.
package struct CentralState: Equatable, Sendable {
  /// Its identity address.
  package var identity: TypedAddress
  /// Its Identity Resolving Key, 16 octets, least significant first.
  package var identityResolvingKey: [UInt8]
  package var bonds: [BondRecord] = []
  package var devices: [Device] = []

  /// A device that it knows.
  package struct Device: Equatable, Sendable {
    /// The central's identifier for it, as text.
    package var identifier: String
    /// The address under which it is known; with a bond, its identity address.
    package var address: TypedAddress
    package var name: String?
    /// Whether it may show a phone's notifications; nil if nobody has decided.
    package var showsNotifications: Bool?

    package init(identifier: String, address: TypedAddress, name: String?) {
      (self.identifier, self.address, self.name) = (identifier, address, name)
    }
  }

  package init(identity: TypedAddress, identityResolvingKey: [UInt8]) {
    (self.identity, self.identityResolvingKey) = (identity, identityResolvingKey)
  }
}

/// The state of a central in a folder, which is locked while the store exists.
package final class CentralStore: Sendable {
  private let folder: StateFolder

  /// Opens and locks the folder, which is created if it is missing.
  package init(opening path: String) throws(StateFailure) { folder = try StateFolder(opening: path) }

  /// Returns the state; nil if there is none, or if its file cannot be used: it is then set aside, and described by `damage`.
  package func load() -> (state: CentralState?, damage: StateDamage?) {
    do throws(StateFault) {
      guard let octets = try folder.read(.central) else { return (nil, nil) }
      let fields = try StateDocument.decode(octets, .central)
      do throws(ProfileValueError) { return (try CentralState(json: fields), nil) } catch {
        throw .damaged(error.message)
      }
    } catch {
      let damage = StateDamage(
        path: folder.path(of: .central), reason: error.reason, asideName: folder.setAside(.central),
        remedy: "the central has a new identity and no bonds; \(error.remedy)")
      return (nil, damage)
    }
  }

  /// Replaces the state on the disk. Returns when it is there.
  package func save(_ state: CentralState) throws(StateFailure) {
    try folder.write([(.central, StateDocument.encode(.central, state.json))])
  }
}

extension CentralState {
  var json: [String: ProfileValue] {
    [
      "address": .string(identity.address.description), "address_type": .string(identity.typeText),
      "irk": .string(identityResolvingKey.hexadecimal), "bonds": .array(bonds.map { .object($0.json) }),
      "devices": .array(devices.map(\.json)),
    ]
  }

  init(json fields: [String: ProfileValue]) throws(ProfileValueError) {
    var reading = FieldReading(fields)
    identity = try TypedAddress(&reading)
    guard let key = try reading.octets("irk", count: 16) else { throw ProfileValueError("irk is missing") }
    identityResolvingKey = key
    bonds = try reading.list("bonds").map { value throws(ProfileValueError) in
      guard case .object(let fields) = value else { throw ProfileValueError("a bond is not an object") }
      return try BondRecord(json: fields)
    }
    devices = try reading.list("devices").map { value throws(ProfileValueError) in
      var reading = try FieldReading(value, place: "devices")
      guard let identifier = try reading.text("id") else { throw ProfileValueError("devices.id is missing") }
      var device = Device(identifier: identifier, address: try TypedAddress(&reading), name: try reading.text("name"))
      if reading.has("notifications") { device.showsNotifications = try reading.truth("notifications") }
      try reading.finish()
      return device
    }
    try reading.finish()
  }
}

extension CentralState.Device {
  fileprivate var json: ProfileValue {
    var fields: [String: ProfileValue] = [
      "id": .string(identifier), "address": .string(address.address.description),
      "address_type": .string(address.typeText),
    ]
    fields["name"] = name.map { .string($0) }
    fields["notifications"] = showsNotifications.map { .bool($0) }
    return .object(fields)
  }
}

extension TypedAddress {
  /// Reads the fields `address` and `address_type`.
  fileprivate init(_ reading: inout FieldReading) throws(ProfileValueError) {
    guard let address = try reading.address("address") else { throw ProfileValueError("address is missing") }
    guard let isRandom = try reading.text("address_type").flatMap(Self.isRandom) else {
      throw ProfileValueError("address_type is not public or random")
    }
    self.init(address: address, isRandom: isRandom)
  }
}
