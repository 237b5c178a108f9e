import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import PeripheralHost
import Transport

/// Identifies a characteristic of a central.
public enum RemoteTarget: Hashable, Sendable {
  /// The characteristic whose value has that handle.
  case handle(UInt16)
  /// The first characteristic with that UUID, in any service or in the first service with the UUID `service`.
  case uuid(BluetoothUUID, service: BluetoothUUID? = nil)
}

/// Access to the server of a connected central.
extension Accessory {
  /// Performs an operation on the server of a central, and waits for its end: at most 30 s for each ATT request.
  public func perform(
    _ operation: GATTOperation, on link: ConnectionHandle
  ) async throws(ControlError) -> GATTResult {
    guard !hasEnded else { throw .refused(.unknownConnection(link)) }
    let outcome = await withCheckedContinuation { waiter in
      let now = loop.now()
      do throws(HostRequestError) {
        let id = try stack.perform(operation, on: link, at: now, into: &out)
        remoteOperations.wait(for: id, on: link, waiter)
      } catch {
        waiter.resume(returning: .failure(error))
      }
      flush(at: now)
    }
    switch outcome {
    case .success(.success(let result)): return result
    case .success(.failure(let failure)): throw .remote(failure)
    case .failure(let refusal): throw .refused(refusal)
    }
  }

  /// Discovers the whole database of a central.
  @discardableResult
  public func discoverRemote(of link: ConnectionHandle) async throws(ControlError) -> RemoteDatabase {
    _ = try await perform(.discoverAll, on: link)
    return try remoteDatabase(of: link)
  }

  /// Returns what has been discovered on a central's server.
  public func remoteDatabase(of link: ConnectionHandle) throws(ControlError) -> RemoteDatabase {
    guard let database = stack.remoteDatabase(of: link) else { throw .refused(.unknownConnection(link)) }
    return database
  }

  /// Returns a characteristic of a central. If it is not known yet, everything is discovered first.
  public func remoteCharacteristic(
    _ target: RemoteTarget, of link: ConnectionHandle
  ) async throws(ControlError) -> RemoteCharacteristic {
    if let known = try remoteDatabase(of: link).characteristic(target) { return known }
    guard let found = try await discoverRemote(of: link).characteristic(target) else {
      throw .unknownRemote(target.text)
    }
    return found
  }

  /// Reads a value of a central, whatever its length. A target given as a handle needs no discovery.
  public func readRemote(
    _ target: RemoteTarget, of link: ConnectionHandle
  ) async throws(ControlError) -> (handle: UInt16, value: [UInt8]) {
    let handle = try await valueHandle(target, of: link)
    guard case .value(let value) = try await perform(.read(handle), on: link) else { return (handle, []) }
    return (handle, value)
  }

  /// Writes a value of a central. A target given as a handle needs no discovery.
  public func writeRemote(
    _ value: [UInt8], to target: RemoteTarget, of link: ConnectionHandle, withResponse: Bool = true
  ) async throws(ControlError) -> UInt16 {
    let handle = try await valueHandle(target, of: link)
    _ = try await perform(withResponse ? .write(handle, value) : .writeWithoutResponse(handle, value), on: link)
    return handle
  }

  /// Subscribes to a characteristic of a central. With nil, requests notifications, or indications if the
  /// characteristic has no notifications.
  public func subscribeRemote(
    _ target: RemoteTarget, of link: ConnectionHandle, _ configuration: ClientConfiguration? = nil
  ) async throws(ControlError) -> (handle: UInt16, configuration: ClientConfiguration) {
    let characteristic = try await remoteCharacteristic(target, of: link)
    let usual: ClientConfiguration = characteristic.properties.contains(.notify) ? .notification : .indication
    let wanted = configuration ?? usual
    _ = try await perform(.configure(characteristic.value, wanted), on: link)
    return (characteristic.value, wanted)
  }

  private func valueHandle(_ target: RemoteTarget, of link: ConnectionHandle) async throws(ControlError) -> UInt16 {
    if case .handle(let handle) = target { return handle }
    return try await remoteCharacteristic(target, of: link).value
  }

  /// Returns what has been discovered on a central's server, for JSON.
  package func remoteReport(of link: ConnectionHandle) throws(ControlError) -> ProfileValue {
    try remoteDatabase(of: link).json
  }

  /// Returns a value of a central: `connection`, `handle`, `uuid` if it is known, `hex`, and `value` as
  /// decoded by the characteristic's assigned format.
  package func remoteValueReport(
    of target: RemoteTarget, on link: ConnectionHandle
  ) async throws(ControlError) -> ProfileValue {
    let (handle, value) = try await readRemote(target, of: link)
    let uuid = stack.remoteDatabase(of: link)?.characteristic(withValue: handle)?.uuid
    return .object(
      link.fields([
        "handle": .int(Int64(handle)), "uuid": uuid.map { .string($0.description) } ?? .null,
        "hex": .string(value.hexadecimal),
        "value": uuid.map { ValueFormat.assigned(to: $0).decode(value) } ?? .octets(value),
      ]))
  }
}

extension RemoteTarget {
  /// The characteristic, for messages.
  var text: String {
    switch self {
    case .handle(let handle): "with the value handle \(handle)"
    case .uuid(let uuid, nil): "\(uuid)"
    case .uuid(let uuid, let service?): "\(uuid) in a service \(service)"
    }
  }
}

extension RemoteDatabase {
  fileprivate func characteristic(_ target: RemoteTarget) -> RemoteCharacteristic? {
    switch target {
    case .handle(let handle): characteristic(withValue: handle)
    case .uuid(let uuid, let service): characteristic(uuid, in: service)
    }
  }
}
