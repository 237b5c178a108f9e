import Capture

/// Records of captures, of which a computer has enough memory for so many.
package enum RecordList {
  /// The maximum number of records that are kept for a recording.
  package static let limit = 2_000_000
}

extension [CaptureRecord] {
  /// Keeps a record, as long as there is room. Returns whether there was.
  @discardableResult
  package mutating func keep(_ record: CaptureRecord) -> Bool {
    guard count < RecordList.limit else { return false }
    append(record)
    return true
  }
}
