import BLEATT
import BLECore
import BLEGATT

/// What captures show about a server: its attributes by handle, their values, and what clients did with them.
package struct ObservedServer: Sendable {
  /// A service.
  package struct Service: Hashable, Sendable {
    /// The End Group Handle.
    package var end: UInt16
    /// The type.
    package var uuid: BluetoothUUID
    /// Whether it is a primary service.
    package var isPrimary: Bool
  }

  /// A characteristic declaration.
  package struct Declaration: Hashable, Sendable {
    /// The properties.
    package var properties: CharacteristicProperties
    /// The handle of the value.
    package var value: UInt16
    /// The type.
    package var uuid: BluetoothUUID
  }

  /// An include declaration: the handles of the included service.
  package struct Include: Hashable, Sendable {
    package var start: UInt16
    package var end: UInt16
  }

  /// A value at a time.
  package struct Sample: Hashable, Sendable {
    /// How the value came to a client.
    package enum Origin: Hashable, Sendable { case read, notified, indicated }

    /// Nanoseconds since 1970-01-01 00:00 UTC.
    package var time: Int64
    package var value: [UInt8]
    package var origin: Origin
  }

  /// A write of a client.
  package struct Write: Hashable, Sendable {
    /// Nanoseconds since 1970-01-01 00:00 UTC.
    package var time: Int64
    package var handle: UInt16
    package var value: [UInt8]
    /// Whether it was a Write Command, which has no response.
    package var isCommand: Bool
    /// The error; nil on success, and before the response.
    package var answer: ATTErrorCode?
    /// Whether the response has come.
    package var isAnswered = false
  }

  /// A refused access.
  package struct Refusal: Hashable, Sendable {
    package var isWrite: Bool
    package var error: ATTErrorCode
    /// Whether the link was encrypted.
    package var isEncrypted: Bool
  }

  /// The maximum number of stored values of an attribute.
  static let sampleLimit = 20_000
  /// The maximum number of stored writes, and of stored refusals of an attribute.
  static let writeLimit = 20_000

  /// The services, by the handles of their declarations.
  package var services: [UInt16: Service] = [:]
  /// The characteristics, by the handles of their declarations.
  package var declarations: [UInt16: Declaration] = [:]
  /// The includes, by the handles of their declarations.
  package var includes: [UInt16: Include] = [:]
  /// The types from Find Information Responses, by handle: mostly those of descriptors.
  package var types: [UInt16: BluetoothUUID] = [:]
  /// The values that were read, notified and indicated, by handle, in order of time.
  package var samples: [UInt16: [Sample]] = [:]
  /// The refused accesses, by handle.
  package var refusals: [UInt16: [Refusal]] = [:]
  /// The writes, in order of time.
  package var writes: [Write] = []

  /// Whether no service and no characteristic is known.
  package var isUnknown: Bool { services.isEmpty && declarations.isEmpty }

  /// Returns the last known value of the first characteristic of a type.
  func lastValue(of uuid: BluetoothUUID) -> [UInt8]? {
    guard let handle = valueHandle(of: uuid) else { return nil }
    return samples[handle]?.last?.value
  }

  /// Returns the value handle of the first characteristic of a type.
  func valueHandle(of uuid: BluetoothUUID) -> UInt16? {
    declarations.filter { $0.value.uuid == uuid }.min { $0.key < $1.key }?.value.value
  }

  mutating func note(_ sample: Sample, of handle: UInt16) {
    guard samples[handle, default: []].count < Self.sampleLimit else { return }
    samples[handle, default: []].append(sample)
  }

  mutating func note(_ refusal: Refusal, of handle: UInt16) {
    guard refusals[handle, default: []].count < Self.writeLimit else { return }
    refusals[handle, default: []].append(refusal)
  }

  mutating func note(_ write: Write) {
    if writes.count < Self.writeLimit { writes.append(write) }
  }

  /// Adds other observations of the same server.
  mutating func merge(_ other: ObservedServer) {
    services.merge(other.services) { _, new in new }
    declarations.merge(other.declarations) { _, new in new }
    includes.merge(other.includes) { _, new in new }
    types.merge(other.types) { _, new in new }
    samples.merge(other.samples) { ($0 + $1).sorted { $0.time < $1.time } }
    refusals.merge(other.refusals) { $0 + $1 }
    writes = (writes + other.writes).sorted { $0.time < $1.time }
  }
}
