import BLECore

/// The service records of a device (Core 5.4 Vol 3 Part B 2.2), with that of the server itself.
public struct ServiceDatabase: Sendable {
  /// The records in ascending order of their handles.
  public private(set) var records: [ServiceRecord] = []
  /// A number that differs after every change of the records.
  public private(set) var state: UInt32 = 0

  private var nextHandle = ServiceRecordHandle.range.lowerBound

  /// Creates a database with nothing but the server's own record.
  public init() { records = [.discoveryServer(state: state)] }

  /// Adds a record, and returns the handle that it gets. A handle is not used again after its record is gone.
  @discardableResult
  public mutating func add(_ record: ServiceRecord) -> ServiceRecordHandle {
    var record = record
    let handle = ServiceRecordHandle(rawValue: nextHandle)
    nextHandle += 1
    record.handle = handle
    records.append(record)
    changed()
    return handle
  }

  /// Replaces a record. Returns false if there is none with this handle, or it is the server's own.
  @discardableResult
  public mutating func replace(_ handle: ServiceRecordHandle, with record: ServiceRecord) -> Bool {
    guard handle != .server, let place = place(of: handle) else { return false }
    var record = record
    record.handle = handle
    records[place] = record
    changed()
    return true
  }

  /// Removes a record. Returns false if there is none with this handle, or it is the server's own.
  @discardableResult
  public mutating func remove(_ handle: ServiceRecordHandle) -> Bool {
    guard handle != .server, let place = place(of: handle) else { return false }
    records.remove(at: place)
    changed()
    return true
  }

  /// Removes all records but the server's own.
  public mutating func removeAll() {
    records.removeSubrange(1...)
    changed()
  }

  /// Returns the record with a handle.
  public func record(_ handle: ServiceRecordHandle) -> ServiceRecord? { place(of: handle).map { records[$0] } }

  private func place(of handle: ServiceRecordHandle) -> Int? { records.firstIndex { $0.handle == handle } }

  private mutating func changed() {
    state &+= 1
    records[0] = .discoveryServer(state: state)
  }
}
