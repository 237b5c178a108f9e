import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import Simulation
import UnderstudyCore

/// A central's operations on values.
extension TestCentral {
  /// Exchanges the MTU. Returns the resulting MTU.
  @discardableResult
  public func exchangeMTU() throws -> Int {
    let (link, _) = try connected()
    return try act("no MTU") { try host.exchangeMTU(on: link) }
  }

  /// Discovers the whole server.
  @discardableResult
  public func discover() throws -> RemoteDatabase {
    let (link, _) = try connected()
    return try act("no discovery") { try host.discover(on: link) }
  }

  /// Reads a characteristic. Returns the value in the characteristic's format.
  @discardableResult
  public func read(_ characteristic: String) throws -> ProfileValue {
    let octets = try readOctets(of: characteristic)
    let accessory = try connected().accessory
    return accessory.host.stack.application.decode(octets, of: try accessory.index(of: characteristic))
  }

  /// Reads a characteristic, however long its value is. Returns the octets.
  public func readOctets(of characteristic: String) throws -> [UInt8] {
    let (link, accessory) = try connected()
    let handle = try accessory.handle(of: characteristic)
    return try act("no answer from \(characteristic)") { try host.read(handle, on: link) }
  }

  /// Writes a value in the characteristic's format.
  public func write(_ value: ProfileValue, to characteristic: String, withResponse: Bool = true) throws {
    let accessory = try connected().accessory
    let index = try accessory.index(of: characteristic)
    let octets: [UInt8]
    do throws(ProfileValueError) {
      octets = try accessory.host.stack.application.encode(value, of: index)
    } catch {
      throw failure("\(characteristic): \(error.message)")
    }
    try write(octets: octets, to: characteristic, withResponse: withResponse)
  }

  /// Writes octets. With response, they may be of any number; without response, they must fit in one packet.
  public func write(octets: [UInt8], to characteristic: String, withResponse: Bool = true) throws {
    let (link, accessory) = try connected()
    let handle = try accessory.handle(of: characteristic)
    try act("\(characteristic) was not written") {
      if withResponse {
        try host.write(octets, to: handle, on: link)
      } else {
        try host.writeWithoutResponse(octets, to: handle, on: link)
      }
    }
  }

  /// Subscribes to notifications of a characteristic, or to indications if it has no notifications. `.value(of:)` matches the values that
  /// arrive.
  public func subscribe(to characteristic: String) throws {
    let accessory = try connected().accessory
    let properties = accessory.host.stack.server.database[try accessory.index(of: characteristic)].definition.properties
    try configure(characteristic, properties.contains(.notify) ? .notification : .indication)
  }

  /// Subscribes to indications of a characteristic.
  public func subscribeToIndications(of characteristic: String) throws { try configure(characteristic, .indication) }

  /// Ends the subscription to a characteristic.
  public func unsubscribe(from characteristic: String) throws { try configure(characteristic, []) }

  private func configure(_ characteristic: String, _ configuration: ClientConfiguration) throws {
    let (link, accessory) = try connected()
    let handle = try accessory.handle(of: characteristic)
    try act("\(characteristic) was not configured") {
      do {
        try host.configure(handle, configuration, on: link)
      } catch GATTFailure.noConfiguration {
        try host.discover(on: link)
        try host.configure(handle, configuration, on: link)
      }
    }
  }
}
