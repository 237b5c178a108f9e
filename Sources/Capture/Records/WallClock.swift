/// Arithmetic with times from files. A file can contain any time, so differences and sums saturate at the limits of `Int64` instead of
/// trapping.
extension Int64 {
  /// Returns the time since an earlier time, in the unit of both; negative if that one is later.
  package func elapsed(since earlier: Int64) -> Int64 {
    let (difference, isOver) = subtractingReportingOverflow(earlier)
    return isOver ? (self < earlier ? .min : .max) : difference
  }

  /// Returns the time that is later by this duration, in the unit of both.
  package func advanced(bySaturating duration: Int64) -> Int64 {
    let (sum, isOver) = addingReportingOverflow(duration)
    return isOver ? (duration < 0 ? .min : .max) : sum
  }

  /// Returns this number of units of `factor` nanoseconds each, in nanoseconds.
  package func nanoseconds(inUnitsOf factor: Int64) -> Int64 {
    let (product, isOver) = multipliedReportingOverflow(by: factor)
    return isOver ? (self < 0 ? .min : .max) : product
  }
}
