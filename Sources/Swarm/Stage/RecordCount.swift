import BLECore
import BLEGATT
import BLEHCI
import Simulation

/// Counting stored records. A central asks for their number, then for all records.
extension CentralDriver {
  /// Subscribes to everything in the service of a Record Access Control Point, and asks for the number of records.
  func askForRecords(at now: Instant, on link: ConnectionHandle) throws {
    guard let point = database.characteristics.first(where: { $0.definition.uuid == .recordAccessControlPoint }) else {
      return
    }
    for attribute in database.attributes {
      guard case .clientConfiguration(let index) = attribute.role else { continue }
      let properties = database[index].definition.properties
      let value: [UInt8] = properties.contains(.indicate) ? [2, 0] : [1, 0]
      try begin(.write(attribute.handle, value), at: now, on: link)
    }
    records.current = RecordCount.Count(point: point.value)
    try begin(.write(point.value, [0x04, 0x01]), at: now, on: link)
  }

  /// Handles a value that arrives during a count (Record Access Control Point in the GATT Specification Supplement).
  func recordCame(_ handle: UInt16, _ value: [UInt8]) {
    guard let point = records.current?.point, let link else { return }
    guard handle == point else {
      records.current?.came += 1
      return
    }
    switch (value.first, value.count) {
    case (0x05, 4...):
      records.current?.expected = Int(value[2]) | Int(value[3]) << 8
      records.current?.came = 0
      wantsRecords = link
    case (0x06, 4...) where value[2] == 0x01 && value[3] == 0x01: records.end()
    default: records.current = nil
    }
  }

  /// Returns the counts that have ended with success since the last call.
  func takeRecordCounts() -> [RecordCount.Count] { records.takeEnded() }

  /// Asks for all records after their number has arrived.
  func followUp() {
    guard let link = wantsRecords, let point = records.current?.point else { return }
    wantsRecords = nil
    _ = try? host.begin(.write(point, [0x01, 0x01]), on: link)
  }
}

/// A central's counts of stored records.
struct RecordCount {
  struct Count {
    var point: UInt16
    var expected: Int?
    var came = 0
  }

  var current: Count?
  /// The counts that have ended with success.
  private(set) var ended: [Count] = []

  mutating func end() {
    if let current, current.expected != nil { ended.append(current) }
    current = nil
  }

  mutating func takeEnded() -> [Count] {
    defer { ended = [] }
    return ended
  }
}

extension BluetoothUUID {
  fileprivate static let recordAccessControlPoint = BluetoothUUID(0x2A52 as UInt16)
}
