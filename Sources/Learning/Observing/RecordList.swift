import Capture

/// The size of a recording in memory.
package enum RecordList {
  /// The maximum number of records in a recording.
  package static let limit = 2_000_000
}

extension [CaptureRecord] {
  /// Appends a record if there is room, and returns whether there was.
  @discardableResult
  package mutating func keep(_ record: CaptureRecord) -> Bool {
    guard count < RecordList.limit else { return false }
    append(record)
    return true
  }
}
